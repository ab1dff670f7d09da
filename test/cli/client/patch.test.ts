import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { planPatches } from '../../../src/updates/patches/jobs.ts'
import { runJob } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { waitForPatches } from '../../updates/patches/fixtures.ts'
import { noise } from '../../updates/patches/noise.ts'
import { type ZipEntry, zip } from '../../uploads/zips.ts'
import { forgetPrevious, setPart, startStore, treeOf } from './fixtures.ts'

const world = noise('a world', 200_000)
const map = noise('a map', 50_000)

const filesOf = (change: string): ZipEntry[] => [
  { name: 'game.sh', body: `#!/bin/sh\necho ${change}\n`, method: 8, mode: 0o100755 },
  {
    name: 'data/world.pak',
    body: Buffer.concat([world.subarray(0, 90_000), Buffer.from(change), world.subarray(90_000)]),
    method: 0,
    mode: 0o100644,
  },
  {
    name: `data/map-${change}.pak`,
    body: Buffer.concat([Buffer.from(change), map]),
    method: 0,
    mode: 0o100755,
  },
  // Only its permissions change.
  {
    name: 'tool',
    body: noise('tool', 30_000),
    method: 0,
    mode: change === 'old' ? 0o100644 : 0o100755,
  },
]

/** Patches need a recent Node, which the one of the system may not be. */
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`

/** A game that is installed, and a newer build with a patch. */
async function startInstalled(t: TestContext) {
  const app = await startStore(t, filesOf('old'), { PATCH_BASES: '3' })
  const run = (args: string[], env: Record<string, string> = {}) =>
    app.run(args, { env: { PATH, ...env } })
  const installed = await app.install()
  assert.equal(installed.code, 0, installed.stdout)
  const next = await app.a.cleanBuild(app.game, { bytes: zip(filesOf('new')), version: '2.0' })
  await waitForPatches(app.sql, next.file_uid, 1)
  const expected = {
    'data/': '',
    ...Object.fromEntries(
      filesOf('new').map(({ name, body, mode }) => [
        name,
        `${(mode! & 0o777).toString(8)} ${Buffer.from(body as Buffer).toString('latin1')}`,
      ]),
    ),
  }
  return { ...app, run, tree: installed.json.path as string, expected }
}

test('an update by a patch downloads little and makes the new version', async (t) => {
  const { run, name, expected, sql } = await startInstalled(t)
  const updated = await run(['update', name, '--json'])
  assert.equal(updated.code, 0, updated.stdout)
  const [game] = updated.json.games
  assert.deepEqual(treeOf(game.path), expected)
  assert.ok(game.downloaded < 5000, `${game.downloaded} bytes for small changes`)
  assert.ok(game.saved > 240_000, `${game.saved} bytes saved`)
  const [patch] = await sql`select downloads from file_patches`
  assert.equal(patch!.downloads, 1)
  assert.equal((await run(['verify', name])).code, 0)
  const back = await run(['rollback', name])
  assert.equal(back.code, 0, back.stderr)
  // The version before the rollback is still there.
  const again = await run(['update', name, '--json'])
  const [{ downloaded, saved, path }] = again.json.games
  assert.deepEqual({ downloaded, saved }, { downloaded: 0, saved: 0 })
  assert.deepEqual(treeOf(path), expected)
})

test('an install takes a staged build by a patch, and returns by one', async (t) => {
  const app = await startStore(t, filesOf('old'), { PATCH_BASES: '3' })
  const run = (...args: string[]) => app.run([...args, app.name, '--json'], { env: { PATH } })
  const { folder, version: first } = (await app.install()).json
  const bytes = zip(filesOf('new'))
  const next = await app.a.cleanBuild(app.game, { bytes, version: '2.0', channel: 'dev' })
  const channel = `/api/v1/private/games/${app.game.uid}/channels/stable`
  const stage = async (percent: number) =>
    must(await app.put(channel, { build_id: next.build_id, percent }, app.game.owner))
  await stage(99)
  await runJob(app, planPatches)
  await waitForPatches(app.sql, next.file_uid, 1)
  await waitForPatches(app.sql, app.file_uid, 1)
  setPart(folder, next.build_id, 99)
  for (const version of ['2.0', first]) {
    const { code, json, stdout } = await run('update')
    assert.equal(code, 0, stdout)
    const [game] = json.games
    assert.deepEqual([game.version, game.updated], [version, true])
    assert.ok(game.downloaded < 5000 && game.saved > 240_000, JSON.stringify(game))
    if (version === '2.0') await stage(0)
    // Otherwise nothing would have to be downloaded for the way back.
    forgetPrevious(folder)
  }
})

test('a file that the player changed is downloaded whole and kept aside', async (t) => {
  const { run, name, expected, tree } = await startInstalled(t)
  appendFileSync(join(tree, 'data/world.pak'), 'changed')
  const updated = await run(['update', name, '--json'])
  assert.equal(updated.code, 0, updated.stdout)
  const [game] = updated.json.games
  const [kept] = game.kept_aside
  assert.ok(kept.startsWith('data/world.pak.kept-'))
  const { [kept]: changed, ...rest } = treeOf(game.path)
  assert.deepEqual(rest, expected)
  assert.ok(changed!.endsWith('changed'))
  assert.ok(game.downloaded > 200_000 && game.saved > 40_000, JSON.stringify(game))
})

test('a base that is damaged without a trace is noticed by the hash of what it makes', async (t) => {
  const { run, name, expected, tree } = await startInstalled(t)
  const path = join(tree, 'data/world.pak')
  const { size } = statSync(path)
  const reference = join(dirname(tree), 'reference')
  // With all digits of its times, which the functions of Node round.
  assert.equal(spawnSync('cp', ['-p', path, reference]).status, 0)
  writeFileSync(path, Buffer.alloc(size))
  assert.equal(spawnSync('touch', ['-r', reference, path]).status, 0)
  assert.equal(statSync(path).mtimeMs, statSync(reference).mtimeMs)
  const updated = await run(['update', name, '--json'])
  assert.equal(updated.code, 0, updated.stdout)
  const result = treeOf(updated.json.games[0].path)
  for (const [file, contents] of Object.entries(expected)) assert.equal(result[file], contents)
})

test('without a patch that works, changed files are downloaded whole', async (t) => {
  const { run, name, expected, sql, data_dir } = await startInstalled(t)
  const [patch] = await sql`select uid, game_uid from file_patches`
  const object = join(data_dir, 'objects/patches', patch!.game_uid, patch!.uid)
  const damages: [string, () => unknown][] = [
    ['other bytes', () => writeFileSync(object, noise('other bytes', 1000))],
    ['another hash', () => sql`update file_patches set sha256 = repeat('0', 64)`],
  ]
  for (const [what, damage] of damages) {
    const { size } = (await sql`select size from file_patches`)[0]!
    await damage()
    if (what === 'other bytes') truncateSync(object, size)
    const updated = await run(['update', name, '--json'], { SLIPWAY_RETRY_SECONDS: '0.001' })
    assert.equal(updated.code, 0, `${what}: ${updated.stdout}`)
    const [game] = updated.json.games
    assert.deepEqual(treeOf(game.path), expected, what)
    assert.equal(game.saved, 0, what)
    assert.equal((await run(['rollback', name])).code, 0)
  }
})

/** A folder of the path with a Node that cannot apply patches, if there is one. */
const oldNodeFolder = (process.env.PATH ?? '').split(':').find((folder) => {
  const { status, stdout } = spawnSync(join(folder, 'node'), ['--version'], { encoding: 'utf8' })
  return status === 0 && Number(/^v(\d+)/.exec(stdout)?.[1]) < 22
})

test('a Node that cannot apply patches downloads changed files whole, and says so', async (t) => {
  if (!oldNodeFolder) return t.skip('every Node of this machine can apply patches')
  const { run, name, expected } = await startInstalled(t)
  const updated = await run(['update', name], { PATH: `${oldNodeFolder}:${process.env.PATH}` })
  assert.equal(updated.code, 0, updated.stderr)
  assert.match(updated.stderr, /needs Node\.js 24\.6 or later/)
  const { games } = (await run(['list', '--json'])).json
  assert.deepEqual(treeOf(games[0].path), expected)
})

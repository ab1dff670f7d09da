import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { uuidv7 } from '../../../src/core/security/crypto.ts'
import {
  improvePatch,
  improvePatches,
  makePatchJob,
  POPULAR_DOWNLOADS,
  planPatches,
  sweepPatches,
} from '../../../src/updates/patches/jobs.ts'
import { patchKey } from '../../../src/updates/patches/key.ts'
import { eventually, runJob, startApp } from '../../support/app.ts'
import { must, refused, storedKeys } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { zip } from '../../uploads/zips.ts'
import { addGame, startUpdates, verifySigned } from '../fixtures.ts'
import {
  addPatchedGame,
  apply,
  changedLevel,
  filesOf,
  firstFiles,
  startPatching,
  waitForPatches,
} from './fixtures.ts'
import { noise } from './noise.ts'

const sharedApp = sharedInFile(startPatching)
/** Makes patches only where a test runs the job. */
const sharedIdleApp = sharedInFile((t) => startApp(t))

type Patched = Awaited<ReturnType<typeof addGame>>

const storedPatches = ({ core, game }: Patched) => storedKeys(core, `patches/${game.uid}/`)

async function removePatches(app: Patched) {
  await app.sql`delete from file_patches where game_uid = ${app.game.uid}`
  for (const key of await storedPatches(app)) await app.core.storage.discard(key)
}

test('a patch from the build before is in the signed manifest and makes the new files', async (t) => {
  const { get, path, build_id, file_uid, next, patch, url } = await addPatchedGame(
    await sharedApp(t),
  )
  const { size, sha256 } = patch
  assert.deepEqual(patch, {
    patch_uid: patch.patch_uid,
    from_build: build_id,
    from_file: file_uid,
    size,
    sha256,
    format: patch.format,
  })
  assert.ok(size < 2000, `a patch of ${size} bytes for a change of 510`)
  await verifySigned(url, must(await get(`${path}/builds/${next.build_id}/manifest`)))
  const query = `os=linux&arch=x86_64&build=${build_id}`
  assert.equal(must(await get(`${path}/update?${query}`)).patch_size, size)
  assert.equal(must(await get(`${path}/update`)).patch_size, null, 'nothing is installed')
})

test('a patch is downloaded by a link, also in parts', async (t) => {
  const { get, link, patch } = await addPatchedGame(await sharedApp(t))
  const answer = must(await get(link))
  assert.equal(answer.checksum, patch.sha256)
  const bytes = Buffer.from(await (await fetch(answer.url)).arrayBuffer())
  assert.equal(bytes.length, patch.size)
  assert.equal(createHash('sha256').update(bytes).digest('hex'), patch.sha256)
  const part = await fetch(answer.url, { headers: { range: 'bytes=10-19' } })
  assert.equal(part.status, 206)
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(10, 20))
  const made = await apply(bytes, filesOf(firstFiles))
  assert.deepEqual([...made.keys()], ['data/level.pak'])
  assert.deepEqual(made.get('data/level.pak'), changedLevel)
  const forged = answer.url.replace(/signature=./, (start: string) =>
    start.endsWith('x') ? 'signature=y' : 'signature=x',
  )
  assert.equal((await fetch(forged)).status, 404)
})

test('patches are for those who may download the build', async (t) => {
  const { get, post, sql, a, game, link, path } = await addPatchedGame(await sharedApp(t))
  const person = await a.verified()
  const unverified = await a.user()
  assert.equal((await get(link)).status, 200)
  assert.deepEqual(refused(await get(`${path}/patches/${uuidv7()}`)), [404, 4040])
  assert.deepEqual(refused(await get(`${path}/patches/x`)), [404, 4040])
  const other = await a.listing({ owner: game.owner })
  assert.deepEqual(
    refused(await get(link.replace(game.uid, other.uid), game.owner)),
    [404, 4040],
    'of another listing',
  )
  await sql`update listings set anonymous_downloads = false where uid = ${game.uid}`
  assert.deepEqual(refused(await get(link)), [401, 4001])
  assert.deepEqual(refused(await get(link, unverified)), [403, 4096])
  assert.equal((await get(link, person)).status, 200)
  await sql`delete from licences where game_uid = ${game.uid}`
  await sql`update listings set price_cents = 500 where uid = ${game.uid}`
  assert.deepEqual(refused(await get(link, person)), [402, 4023])
  must(
    await post(
      `/api/v1/private/games/${game.uid}/licences`,
      { username: person.username },
      game.owner,
    ),
  )
  assert.equal((await get(link, person)).status, 200)
  await sql`update listings set visibility = 'draft' where uid = ${game.uid}`
  assert.deepEqual(refused(await get(link)), [404, 4040])
  assert.equal((await get(link, game.owner)).status, 200)
})

test('a download by a patch counts as a download of the build', async (t) => {
  const { get, sql, link, next, file_uid } = await addPatchedGame(await sharedApp(t))
  must(await get(link))
  const attempts = await sql`
    select file_uid, outcome
    from download_attempts
    where outcome = 'ok' and file_uid in ${sql([file_uid, next.file_uid])}`
  assert.deepEqual([...attempts], [{ file_uid: next.file_uid, outcome: 'ok' }])
})

test('a patch from or to a file that is not clean is neither listed nor sent', async (t) => {
  const { get, sql, link, file_uid, next, patches, game } = await addPatchedGame(await sharedApp(t))
  const { url } = must(await get(link))
  assert.equal((await fetch(url)).status, 200)
  for (const uid of [file_uid, next.file_uid])
    for (const scan of ['quarantined', 'infected', 'error', 'scanning']) {
      await sql`
        update files
        set scan = ${scan},
          scan_before_quarantine = ${scan === 'quarantined' ? 'clean' : null}
        where uid = ${uid}`
      const what = `${uid === file_uid ? 'from' : 'to'} ${scan}`
      if (uid === file_uid) assert.deepEqual(await patches(), [], what)
      assert.equal((await get(link)).status, 404, what)
      assert.equal((await get(link, game.owner)).status, 404, what)
      assert.equal((await fetch(url)).status, 404, what)
      await sql`
        update files set scan = 'clean', scan_before_quarantine = null where uid = ${uid}`
    }
  await sql`update files set scan = 'withdrawn' where uid = ${file_uid}`
  assert.equal((await fetch(url)).status, 200, 'players of a withdrawn build need another')
  await sql`update all_listings set taken_down_at = now() where uid = ${game.uid}`
  assert.equal((await fetch(url)).status, 404, 'of a listing that was taken down')
})

test('patches from builds of a hidden channel are not shown to players', async (t) => {
  const app = await addPatchedGame(await sharedApp(t))
  const { get, sql, patches, game, a, put, path, build_id } = app
  await sql`update channel_history set channel = 'internal' where build_uid = ${build_id}`
  assert.deepEqual(await patches(), [])
  assert.equal((await get(app.link)).status, 404)
  assert.equal((await patches(game.owner)).length, 1)
  await sql`update channel_history set channel = 'beta' where build_uid = ${build_id}`
  const person = await a.verified()
  assert.deepEqual(await patches(person), [])
  must(await put(`/api/v1/private/games/${game.uid}/channel`, { channel: 'beta' }, person))
  assert.equal((await patches(person)).length, 1)
  assert.equal(must(await get(`${path}/update?build=${build_id}`)).patch_size, null)
})

test('patches are made from the last builds of a channel, also after a rollback', async (t) => {
  const app = await startUpdates(t, firstFiles, { PATCH_BASES: '2' })
  const { get, post, a, game, path } = app
  const builds = [app.build_id]
  const last_files: string[] = []
  for (const version of ['2.0', '3.0', '4.0']) {
    const level = Buffer.concat([changedLevel, Buffer.from(version)])
    const files = [{ name: 'data/level.pak', body: level, method: 0 }]
    const build = await a.cleanBuild(game, { version, bytes: zip(files) })
    builds.push(build.build_id)
    last_files.push(build.file_uid)
  }
  const bases = async (build_id: string) =>
    (must(await get(`${path}/builds/${build_id}/manifest`)).manifest.patches as any[])
      .map(({ from_build }) => from_build)
      .toSorted()
  await waitForPatches(app.sql, last_files[2]!, 2)
  assert.deepEqual(await bases(builds[3]!), [builds[1], builds[2]].toSorted())
  const rollback = `/api/v1/private/games/${game.uid}/channels/stable/rollback`
  must(await post(rollback, {}, game.owner))
  await app.sql`delete from file_patches`
  await runJob(app, planPatches)
  await waitForPatches(app.sql, last_files[1]!, 2)
  assert.ok((await bases(builds[2]!)).includes(builds[3]!), 'a patch back')
})

test('a patch counts in the storage of the listing and is not kept beyond its quota', async (t) => {
  const app = await addPatchedGame(await sharedApp(t))
  const { get, sql, game, patch, file_uid, next } = app
  const storage = `/api/v1/private/games/${game.uid}/storage`
  assert.equal(must(await get(storage, game.owner)).kinds.patches, patch.size)
  await removePatches(app)
  assert.equal(must(await get(storage, game.owner)).kinds.patches, 0)
  await sql`
    insert into storage_quotas (uid, game_uid, bytes) values (${uuidv7()}, ${game.uid}, 1)`
  // That there is ample room is remembered for a moment.
  await eventually('no room for a patch', async () => {
    await removePatches(app)
    await runJob(app, makePatchJob, { from_file: file_uid, to_file: next.file_uid })
    const [row] = await sql`select size from file_patches where game_uid = ${game.uid}`
    return row!.size === null
  })
  assert.deepEqual(await storedPatches(app), [])
})

test('a patch is made once by runs at the same time, and again after one was ended', async (t) => {
  const app = await addPatchedGame(await sharedApp(t))
  const { sql, file_uid, next, patches } = app
  const pair = { from_file: file_uid, to_file: next.file_uid }
  await removePatches(app)
  const run = () => runJob(app, makePatchJob, pair)
  await Promise.all([run(), run(), run()])
  assert.equal((await patches()).length, 1)
  assert.equal((await storedPatches(app)).length, 1)
  await run()
  assert.equal((await patches()).length, 1)

  await removePatches(app)
  const ended = makePatchJob.handle({
    core: app.core,
    data: pair,
    id: uuidv7(),
    attempt: 1,
    lost_runs: 0,
    signal: AbortSignal.timeout(1),
    finish: (effect) => sql.begin(effect) as never,
  })
  await assert.rejects(ended as Promise<unknown>)
  assert.deepEqual(await patches(), [])
  await run()
  assert.equal((await patches()).length, 1)
})

test('no patch is kept where it saves too little', async (t) => {
  const app = await addGame(await sharedIdleApp(t), firstFiles)
  const files = [{ name: 'data/level.pak', body: noise('another level', 60_000), method: 0 }]
  const next = await app.a.cleanBuild(app.game, { bytes: zip(files), version: '2.0' })
  await runJob(app, makePatchJob, { from_file: app.file_uid, to_file: next.file_uid })
  const rows = await app.sql`
    select size from file_patches where game_uid = ${app.game.uid}`
  assert.deepEqual([...rows], [{ size: null }])
  assert.deepEqual(await storedPatches(app), [])
})

test('a patch that many download is made again with more effort, and replaced', async (t) => {
  const words = Array.from({ length: 30_000 }, (_, n) => `${(n * 7919) % 1013} lanterns `).join('')
  const textOf = (change: string) => Buffer.from(words.replaceAll(/(7\d\d) /g, `$1${change} `))
  const filesOfText = (change: string) => [
    { name: 'data/text.pak', body: textOf(change), method: 0, mode: 0o100644 },
  ]
  const app = await addGame(await sharedIdleApp(t), filesOfText(''))
  const next = await app.a.cleanBuild(app.game, { bytes: zip(filesOfText('x')), version: '2.0' })
  const pair = { from_file: app.file_uid, to_file: next.file_uid }
  await runJob(app, makePatchJob, pair)
  const read = async () => {
    const [row] = await app.sql`
      select uid, game_uid, size, pass from file_patches where game_uid = ${app.game.uid}`
    return row!
  }
  const before = await read()
  assert.equal(before.pass, 1)
  const setDownloads = (downloads: number) => app.sql`
    update file_patches set downloads = ${downloads} where game_uid = ${app.game.uid}`
  await setDownloads(POPULAR_DOWNLOADS - 1)
  await runJob(app, improvePatches)
  const waiting = async () =>
    (await app.sql`select from pgboss.job where name = 'updates.improve-patch'`).length
  assert.equal(await waiting(), 0)
  await setDownloads(POPULAR_DOWNLOADS)
  await runJob(app, improvePatch, pair)
  const after = await read()
  assert.deepEqual([after.pass, after.size < before.size], [2, true], `${after.size}`)
  await eventually(
    'the old object is removed',
    async () => (await storedPatches(app)).join() === patchKey(after as never),
  )
  const { url } = must(await app.get(`${app.path}/patches/${after.uid}`))
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
  const made = await apply(bytes, filesOf(filesOfText('')))
  assert.ok(made.get('data/text.pak')!.equals(textOf('x')))
})

test('patches are removed with their builds and when their build is not delivered', async (t) => {
  const app = await addPatchedGame(await sharedApp(t))
  const { sql, core, next, game } = app
  const [row] = await sql`
    select uid, game_uid from file_patches where game_uid = ${game.uid}`
  const key = patchKey(row as never)
  await runJob(app, sweepPatches)
  assert.ok(await core.storage.stat(key), 'its build is delivered')
  await sql`
    update file_patches set made_at = now() - interval '2 days' where game_uid = ${game.uid}`
  await runJob(app, sweepPatches)
  assert.ok(await core.storage.stat(key), 'its build is still delivered')
  await sql`delete from channel_heads where build_uid = ${next.build_id}`
  await runJob(app, sweepPatches)
  assert.equal((await sql`select from file_patches where game_uid = ${game.uid}`).length, 0)
  await eventually('the object is removed', async () => !(await core.storage.stat(key)))
  const orphan = patchKey({ uid: uuidv7(Date.now() - 3 * 24 * 3600_000), game_uid: game.uid })
  await core.storage.put(orphan, Buffer.from('x'))
  await runJob(app, sweepPatches)
  assert.equal(await core.storage.stat(orphan), null, 'an object without a record')
})

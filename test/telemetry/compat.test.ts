import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { markEndedChannels } from '../../src/builds/channels/queries.ts'
import { startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'

const sharedApp = sharedInFile(startApp)

type App = Awaited<ReturnType<typeof startApp>>
const at = (uid: string, path = '') => `/api/v1/private/games/${uid}${path}`

/** A public game with an engine, and a mod for it. */
async function gameAndMod(app: App) {
  const { a, put, patch, sql } = app
  const owner = await a.verifiedDeveloper()
  const game = await a.listing({ owner, name: 'The Game' })
  must(await put(at(game.uid, '/taxonomy'), { engines: ['godot', 'other'] }, owner))
  const mod = await a.listing({ owner: await a.developer(), asset_type: 'mod' })
  await sql`update listings set visibility = 'public' where uid = ${game.uid}`
  must(await patch(at(mod.uid), { parent: { game: game.uid } }, mod.owner))
  const ranges = async (...list: object[]) =>
    must(await put(at(mod.uid, '/engine-compat'), { ranges: list }, mod.owner))
  const readCompat = async () =>
    must(await app.get(`/api/v1/public/games/${mod.uid}`, mod.owner)).mod_compat
  return { game, mod, ranges, readCompat }
}

test('the page of a mod shows its compatibility with each stable build', async (t) => {
  const app = await sharedApp(t)
  const { game, mod, ranges, readCompat } = await gameAndMod(app)
  assert.deepEqual(await readCompat(), [
    {
      game: { uid: game.uid, vanity_name: game.vanity_name, name: 'The Game' },
      status: 'unknown',
      platforms: [],
    },
  ])
  const linux = await app.a.cleanBuild(game, {
    version: '1.0',
    engine_version: '4.2.9',
    os: 'linux',
  })
  const overall = async () => (await readCompat())[0].status
  assert.equal(await overall(), 'unknown')
  await ranges({ engine: 'godot', min_version: '4.1', max_version: '4.2' })
  const [compat] = await readCompat()
  assert.deepEqual(
    [compat.status, compat.platforms],
    [
      'compatible',
      [
        {
          os: 'linux',
          arch: 'x86_64',
          build_id: linux.build_id,
          engine_version: '4.2.9',
          status: 'compatible',
        },
      ],
    ],
  )
  // Versions compare as numbers, so 4.10 is above 4.2.
  const windows = await app.a.cleanBuild(game, {
    version: '1.0',
    engine_version: '4.10',
    os: 'windows',
  })
  assert.deepEqual(
    (await readCompat())[0].platforms.map((p: any) => [p.os, p.status]),
    [
      ['linux', 'compatible'],
      ['windows', 'incompatible'],
    ],
  )
  assert.equal(await overall(), 'incompatible')
  // A range for one platform does not apply to others.
  await ranges({ engine: 'godot', max_version: '4.2', platform: 'linux' })
  assert.equal(await overall(), 'unknown')
  await ranges({ engine: 'godot', max_version: '4' }, { engine: 'other', max_version: '1' })
  assert.equal(await overall(), 'compatible')
  await ranges({ engine: 'unity', max_version: '9' })
  assert.equal(await overall(), 'unknown')
  // The page reflects the current engine and channel of the game.
  await ranges({ engine: 'other', max_version: '9' })
  must(await app.put(at(game.uid, '/taxonomy'), { engines: ['other'] }, game.owner))
  assert.equal(await overall(), 'compatible')
  must(await app.del(at(game.uid, `/builds/${windows.build_id}`), game.owner))
  assert.equal((await readCompat())[0].platforms.length, 1)
  // A game that is no longer public is not shown.
  await app.sql`update listings set visibility = 'draft' where uid = ${game.uid}`
  assert.deepEqual(await readCompat(), [])
  assert.equal(
    must(await app.get(`/api/v1/public/games/${game.uid}`, game.owner)).mod_compat,
    undefined,
  )
  assert.ok(mod.uid)
})

test('builds without a system count for compatibility, but are no platform', async (t) => {
  const app = await sharedApp(t)
  const { game, mod, ranges, readCompat } = await gameAndMod(app)
  await ranges({ engine: 'godot', max_version: '4.2' })
  await app.a.cleanBuild(game, { version: '1.0', engine_version: '4.1', os: '', arch: '' })
  const read = async () => [
    (await readCompat())[0],
    must(await app.get(at(mod.uid, '/mod-compat'), mod.owner)).mod_compat[0],
  ]
  for (const compat of await read())
    assert.deepEqual([compat.status, compat.platforms], ['compatible', []])
  await app.a.cleanBuild(game, { version: '1.1', engine_version: '4.2', os: 'linux', arch: '' })
  for (const { status, platforms } of await read())
    assert.deepEqual(
      [status, platforms.length, platforms[0].os, 'arch' in platforms[0]],
      ['compatible', 1, 'linux', false],
    )
  await app.a.cleanBuild(game, { version: '1.2', engine_version: '4.3', os: '', arch: '' })
  for (const { status, platforms } of await read())
    assert.deepEqual([status, platforms.map((p: any) => p.os)], ['incompatible', ['linux']])
})

test('developers of a mod also see beta builds and can filter by game', async (t) => {
  const app = await sharedApp(t)
  const { game, mod, ranges, readCompat } = await gameAndMod(app)
  await ranges({ engine: 'godot', max_version: '4.2' })
  await app.a.cleanBuild(game, { version: '1.0', engine_version: '4.2' })
  await app.a.cleanBuild(game, { version: '2.0', engine_version: '4.3-beta2', channel: 'beta' })
  await app.a.cleanBuild(game, { version: '3.0', engine_version: '5.0', channel: 'dev' })
  assert.equal((await readCompat())[0].status, 'compatible')
  assert.equal((await readCompat())[0].platforms[0].channel, undefined)
  const readAsDeveloper = async (query = '') =>
    must(await app.get(at(mod.uid, `/mod-compat${query}`), mod.owner)).mod_compat
  const [compat] = await readAsDeveloper()
  assert.deepEqual(
    [compat.status, compat.platforms.map((p: any) => [p.channel, p.status])],
    [
      'incompatible',
      [
        ['stable', 'compatible'],
        ['beta', 'incompatible'],
      ],
    ],
  )
  assert.equal((await readAsDeveloper(`?game=${game.vanity_name}`)).length, 1)
  assert.deepEqual(await readAsDeveloper(`?game=${randomUUID()}`), [])
  assert.equal((await app.get(at(mod.uid, '/mod-compat'), game.owner)).body.error.code, 4040)
  // Games that a mod supports besides its parent are included.
  const other = await app.a.listing({ owner: game.owner, name: 'Another' })
  await app.sql`update listings set visibility = 'public' where uid = ${other.uid}`
  must(
    await app.put(
      at(mod.uid, '/dependencies'),
      { dependencies: [{ game: other.uid, kind: 'supports' }] },
      mod.owner,
    ),
  )
  assert.deepEqual(
    (await readCompat()).map(({ game }: any) => game.name),
    ['The Game', 'Another'],
  )
})

test('mod compatibility leaves out expired channels until they are promoted again', async (t) => {
  const app = await sharedApp(t)
  const { game, mod, ranges, readCompat } = await gameAndMod(app)
  await ranges({ engine: 'godot', max_version: '4.2' })
  const stable = await app.a.cleanBuild(game, { version: '1.0', engine_version: '5.0' })
  const beta = await app.a.cleanBuild(game, {
    version: '2.0',
    engine_version: '4.2',
    channel: 'beta',
  })
  const promote = async (channel: string, build_id: string) =>
    must(
      await app.put(
        at(game.uid, `/channels/${channel}`),
        { build_id, expires_in_hours: 1 },
        game.owner,
      ),
    )
  const privateChannels = async () => {
    const [compat] = must(await app.get(at(mod.uid, '/mod-compat'), mod.owner)).mod_compat
    return [compat.status, ...compat.platforms.map((platform: any) => platform.channel)]
  }
  const publicPage = async () => {
    const [compat] = await readCompat()
    return [compat.status, compat.platforms.length]
  }
  await promote('stable', stable.build_id)
  await promote('beta', beta.build_id)
  assert.deepEqual(await privateChannels(), ['incompatible', 'stable', 'beta'])
  assert.deepEqual(await publicPage(), ['incompatible', 1])
  // Let the channel expire without a row change that would renew the cached page.
  await app.sql`alter table channels disable trigger touch`
  await app.sql`update channels set expires_at = now() where channel = 'stable'`
  await app.sql`alter table channels enable trigger touch`
  assert.deepEqual(await privateChannels(), ['compatible', 'beta'])
  await app.sql.begin(markEndedChannels)
  assert.deepEqual(await publicPage(), ['unknown', 0])
  await promote('stable', stable.build_id)
  assert.deepEqual(await privateChannels(), ['incompatible', 'stable', 'beta'])
  assert.deepEqual(await publicPage(), ['incompatible', 1])
})

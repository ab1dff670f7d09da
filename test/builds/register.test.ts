import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { FILES, REGISTER, startUploadApp } from '../uploads/fixtures.ts'
import { upload } from '../uploads/forms.ts'
import { zip } from '../uploads/zips.ts'

const sharedApp = sharedInFile(startApp)

const BUILDS = '/api/v1/tool/builds'
const platform = { os: 'linux', arch: 'x86_64', channel: 'stable' }

test('registering returns the build_id, and the game as app_id', async (t) => {
  const { post, a } = await sharedApp(t)
  const game = await a.listing()
  const ci = await a.deployer(game)
  const { build_id, created_at, ...rest } = must(
    await post(
      REGISTER,
      {
        version: '1.2.0',
        build_type: 'game',
        ...platform,
        title: 'Harbour',
        engine_version: 'v4.3-Beta2',
      },
      ci,
    ),
  )
  assert.match(build_id, /^[0-9a-f-]{36}$/)
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
  assert.deepEqual(rest, {
    ...{
      app_id: game.uid,
      app: '',
      version: '1.2.0',
      build_type: 'game',
      ...platform,
      title: 'Harbour',
      engine_version: '4.3-beta2',
    },
  })
})

test('registering again updates the fields sent and keeps the others', async (t) => {
  const { post, get, sql, a } = await sharedApp(t)
  const ci = await a.deployer(await a.listing())
  const first = must(
    await post(
      REGISTER,
      {
        version: '1.0',
        ...platform,
        title: 'One',
        description: 'Kept',
        changelog_items: [{ title: 'New', description: 'thing' }],
      },
      ci,
    ),
  )
  const again = must(
    await post(REGISTER, { version: '1.0', os: 'Linux', arch: 'amd64', title: 'Two' }, ci),
  )
  assert.deepEqual(
    [again.build_id, again.title, again.created_at],
    [first.build_id, 'Two', first.created_at],
  )
  const [row] = await sql`
    select description, changelog_items from builds where uid = ${first.build_id}`
  assert.deepEqual(
    { ...row },
    { description: 'Kept', changelog_items: [{ title: 'New', description: 'thing' }] },
  )
  for (const other of [
    { version: '1.0.0' },
    { build_type: 'demo' },
    { os: 'windows' },
    { arch: 'arm64' },
    { channel: 'beta' },
    { app: 'server' },
  ])
    assert.notEqual(
      must(await post(REGISTER, { version: '1.0', ...platform, ...other }, ci)).build_id,
      first.build_id,
      JSON.stringify(other),
    )
  assert.equal(must(await get(BUILDS, ci)).total, 7)
})

test('ten concurrent registrations create one build', async (t) => {
  const { post, a } = await sharedApp(t)
  const ci = await a.deployer(await a.listing())
  const made = await Promise.all(
    Array.from({ length: 10 }, () =>
      post(REGISTER, { version: '1.0', ...platform, app: 'server', app_name: 'Server' }, ci),
    ),
  )
  assert.equal(new Set(made.map(must).map(({ build_id }) => build_id)).size, 1)
})

test('without a platform, the channel is stable and the platform empty', async (t) => {
  const { post, a } = await sharedApp(t)
  const ci = await a.deployer(await a.listing())
  const { os, arch, channel, title, build_type } = must(
    await post(REGISTER, { version: '0.1' }, ci),
  )
  assert.deepEqual(
    { os, arch, channel, title, build_type },
    { os: '', arch: '', channel: 'stable', title: '0.1', build_type: 'game' },
  )
})

test('a build registered without a platform takes that of its first file', async (t) => {
  const { post, get, call, listing, ci } = await startUploadApp(t)
  const registration = { version: '0.1', build_type: 'game' }
  const { build_id, os, arch } = must(await post(REGISTER, registration, ci))
  assert.deepEqual([os, arch], ['', ''])
  const send = async (content: string, fields = {}) => {
    const bytes = zip([{ name: 'play', body: content }])
    const file = must(await call('POST', FILES, upload(bytes, { build_id, ...fields }, ci)))
    return `${file.os}/${file.arch}`
  }
  assert.equal(await send('any system'), '/', 'nothing to take it from yet')
  assert.equal(await send('first', { os: 'windows', arch: 'x86_64' }), 'windows/x86_64')
  assert.equal(await send('unnamed'), 'windows/x86_64', 'as the build')
  assert.equal(await send('same system', { os: 'windows' }), 'windows/x86_64')
  assert.equal(await send('another system', { os: 'linux' }), 'linux/')

  const platformOf = (build: any) => [build.build_id, build.os, build.arch]
  const platform = [build_id, 'windows', 'x86_64']
  assert.deepEqual(platformOf(must(await get(`${BUILDS}/${build_id}`, ci))), platform)
  const again = must(await post(REGISTER, { ...registration, title: 'Again' }, ci))
  assert.deepEqual(platformOf(again), platform, 'registering again is the same build')
  const filtered = async (query: string) =>
    must(await get(`${BUILDS}?version=0.1&${query}`, ci)).builds.map(platformOf)
  assert.deepEqual(await filtered('os=windows&arch=x86_64'), [platform])
  assert.deepEqual(await filtered('os=linux'), [])
  const own = must(await get(`/api/v1/private/games/${listing.uid}/builds`, listing.owner))
  assert.deepEqual(own.builds.map(platformOf)[0], platform)
})

test('a file for another system inherits only a registered architecture', async (t) => {
  const { post, call, ci } = await startUploadApp(t)
  const { build_id } = must(await post(REGISTER, { version: '0.1', arch: 'universal' }, ci))
  for (const os of ['windows', 'linux']) {
    const bytes = zip([{ name: 'play', body: os }])
    const file = must(await call('POST', FILES, upload(bytes, { build_id, os }, ci)))
    assert.deepEqual([file.os, file.arch], [os, 'universal'])
  }
})

test('rejects a missing or too long field by name', async (t) => {
  const { post, a } = await sharedApp(t)
  const ci = await a.deployer(await a.listing())
  const item = { title: 'x', description: '' }
  const invalid: [string, object][] = [
    ['version', {}],
    ['version', { version: '' }],
    ['version', { version: 12 }],
    ['version', { version: '1'.repeat(33) }],
    ['title', { version: '1', title: 'x'.repeat(256) }],
    ['changelog_items', { version: '1', changelog_items: Array(101).fill(item) }],
    ['changelog_items', { version: '1', changelog_items: 'x' }],
    ['changelog_items[1].title', { version: '1', changelog_items: [item, { description: 'x' }] }],
    ['engine_version', { version: '1', engine_version: 'four' }],
    ['app_name', { version: '1', app_name: 'Server' }],
    ['app', { version: '1', app: '-server' }],
    ['demo_url', { version: '1', demo_url: 'ftp://example.com' }],
  ]
  for (const [field, body] of invalid) {
    const answer = await post(REGISTER, body, ci)
    assert.deepEqual(
      [...refused(answer), answer.body.data?.field],
      [400, 4026, field],
      JSON.stringify(body).slice(0, 80),
    )
  }
  const fits = {
    version: '1'.repeat(32),
    title: '界'.repeat(255),
    changelog_items: Array(100).fill(item),
  }
  must(await post(REGISTER, fits, ci))
})

test('rejects an unknown os, arch or channel with 4041, but accepts aliases', async (t) => {
  const { post, a } = await sharedApp(t)
  const ci = await a.deployer(await a.listing())
  for (const invalid of [
    { os: 'beos' },
    { os: 'constructor' },
    { arch: 'sparc' },
    { channel: '-x' },
    { channel: 'x'.repeat(33) },
    { channel: 'a b' },
  ])
    assert.deepEqual(
      refused(await post(REGISTER, { version: '1', ...invalid }, ci)),
      [400, 4041],
      JSON.stringify(invalid),
    )
  for (const [sent, stored] of [
    [{ os: 'Win64', arch: 'X64' }, ['windows', 'x86_64', 'stable']],
    [{ os: 'darwin', arch: 'aarch64', channel: ' Beta ' }, ['macos', 'arm64', 'beta']],
    [
      { os: 'web', arch: 'wasm', channel: `9${'_'.repeat(31)}` },
      ['web', 'wasm', `9${'_'.repeat(31)}`],
    ],
  ] as const) {
    const { os, arch, channel } = must(await post(REGISTER, { version: '1', ...sent }, ci))
    assert.deepEqual([os, arch, channel], stored)
  }
})

test('the build list is filtered, paged, and limited to its game', async (t) => {
  const { post, get, a } = await sharedApp(t)
  const [ci, other] = [await a.deployer(await a.listing()), await a.deployer(await a.listing())]
  must(await post(REGISTER, { version: '9' }, other))
  for (const version of ['1.0', '1.1', '1.2'])
    for (const os of ['linux', 'windows'])
      must(await post(REGISTER, { version, os, arch: 'x86_64' }, ci))
  const all = must(await get(BUILDS, ci))
  assert.deepEqual([all.total, all.page, all.page_size, all.builds.length], [6, 1, 20, 6])
  assert.deepEqual(
    [all.builds[0].version, all.builds[0].os, all.builds[0].files, all.builds[0].symbols],
    ['1.2', 'windows', [], 0],
  )
  assert.equal(must(await get(`${BUILDS}?version=1.1&os=win&arch=x64&channel=stable`, ci)).total, 1)
  assert.equal(must(await get(`${BUILDS}?app=server`, ci)).total, 0)
  const second = must(await get(`${BUILDS}?page=2&page_size=4`, ci))
  assert.deepEqual([second.total, second.builds.length], [6, 2])
  for (const invalid of [
    'os=beos',
    'arch=z',
    'channel=-',
    'page=0',
    'page=10001',
    'page=x',
    'page_size=0',
    'page_size=101',
    `version=${'1'.repeat(33)}`,
  ])
    assert.deepEqual(refused(await get(`${BUILDS}?${invalid}`, ci)), [400, 4166], invalid)
  must(await get(`${BUILDS}?page=10000&page_size=100`, ci))
})

test('info returns the project, its channels, lint results and limits', async (t) => {
  const { post, get, a } = await sharedApp(t)
  const game = await a.listing({ name: 'Harbour' })
  const ci = await a.deployer(game)
  must(await post(REGISTER, { version: '1' }, ci))
  const info = must(await get('/api/v1/tool/info', ci))
  assert.deepEqual(
    [
      info.name,
      info.game_uid,
      info.visibility,
      info.builds,
      info.channels,
      info.media.gallery,
      info.media.cover,
      info.media.gallery_max,
    ],
    ['Harbour', game.uid, 'draft', 1, [], [], '', 20],
  )
  assert.equal(info.lint.ready, false)
  assert.ok(info.lint.errors.every(({ message }: { message: string }) => message))
  assert.equal(info.limits.max_file_bytes, 5 * 2 ** 30)
  assert.deepEqual(
    [info.asset_type, info.limits.max_zip_entries, info.limits.max_unpacked_bytes],
    ['game', 200_000, 50 * 1000 ** 3],
  )
})

test('info names the build of each platform of a channel, and expired channels', async (t) => {
  const { get, sql, a } = await sharedApp(t)
  const game = await a.listing()
  const linux = await a.cleanBuild(game, { version: '2.0' })
  const windows = await a.cleanBuild(game, { version: '1.0', os: 'windows' })
  const channels = async () => must(await get('/api/v1/tool/info', windows.ci)).channels
  const newest = { build_id: linux.build_id, version: '2.0' }
  const stable = {
    channel: 'stable',
    app: '',
    ...newest,
    expired: false,
    heads: [
      { os: 'linux', arch: 'x86_64', ...newest, staged: null },
      { os: 'windows', arch: 'x86_64', build_id: windows.build_id, version: '1.0', staged: null },
    ],
  }
  assert.deepEqual(await channels(), [stable])
  await sql`update channels set expires_at = now()`
  assert.deepEqual(await channels(), [{ ...stable, expired: true }])
})

test('deploy keys and user tokens are refused on the routes of the other', async (t) => {
  const { get, a } = await sharedApp(t)
  const game = await a.listing()
  const ci = await a.deployer(game)
  assert.deepEqual(refused(await get(BUILDS, game.owner)), [401, 4020])
  assert.deepEqual(refused(await get(`/api/v1/private/games/${game.uid}`, ci)), [401, 4010])
  assert.deepEqual(
    refused(
      await get(`/api/v1/private/games/${randomUUID()}`, { token: ci.headers['x-access-token'] }),
    ),
    [401, 4010],
  )
})

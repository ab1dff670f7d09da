import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { taxonomyFields } from '../../src/listings/fields/fields.ts'
import { listingFields } from '../../src/listings/fields/table.ts'
import { startApp } from '../support/app.ts'
import { addAdmin, complete, makePublic, must, type Person } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { upload } from '../uploads/forms.ts'
import { sha256 } from '../uploads/zips.ts'
import { connect } from './mcp-client.ts'

const sharedApp = sharedInFile(startApp)

async function startToolApp(t: TestContext) {
  const app = await sharedApp(t)
  const owner = await app.a.verifiedDeveloper()
  const game = await app.a.listing({ owner })
  await makePublic(app.sql, game.uid)
  const agent = async (scopes: string[], person: Person = owner) =>
    connect(t, app.url, '/mcp', (await app.a.key('agent', person, scopes)).key)
  const player = async (person: Person) =>
    connect(t, app.url, '/player', (await app.a.key('player', person, ['player:read'])).key)
  return { ...app, owner, game, agent, player }
}

test('install_build matches universal files and the aliases of systems', async (t) => {
  const { a, game, player } = await startToolApp(t)
  const mac = await a.cleanBuild(game, { version: '1.0', os: 'macos', arch: 'universal' })
  const windows = await a.cleanBuild(game, { version: '1.0', os: 'windows', arch: 'x86_64' })
  const both = await a.cleanBuild(game, { version: '1.0', os: 'windows', arch: 'universal' })
  const { call } = await player(await a.verified())
  const install = async (filters: object) => {
    const { data, refused } = await call('install_build', { uid: game.uid, ...filters })
    return data?.file.file_uid ?? refused?.message
  }
  for (const os of ['macos', 'darwin', 'osx', 'mac'])
    for (const arch of ['arm64', 'aarch64', 'x86_64', undefined])
      assert.equal(await install({ os, arch }), mac.file_uid, `${os} ${arch}`)
  for (const os of ['windows', 'win', 'win64'])
    for (const arch of ['x86_64', 'amd64', 'x64'])
      assert.equal(await install({ os, arch }), windows.file_uid, `${os} ${arch}`)
  assert.equal(await install({ os: 'windows', arch: 'arm64' }), both.file_uid)
  assert.equal(
    await install({ os: 'linux' }),
    'No file matches. Available: windows universal (stable), windows x86_64 (stable), ' +
      'macos universal (stable)',
  )
  assert.match(await install({ os: 'beos' }), /^arguments\.os: must be one of windows, /)
})

test('install_build offers a file without a system to every system', async (t) => {
  const { a, sql, game, owner, player } = await startToolApp(t)
  const pack = await a.listing({ owner, asset_type: 'game_asset' })
  await makePublic(sql, pack.uid)
  const everywhere = await a.cleanBuild(pack, { version: '1.0', os: '', arch: '' })
  const { call } = await player(await a.verified())
  for (const filters of [{}, { os: 'windows' }, { os: 'linux', arch: 'arm64' }]) {
    const { data, refused } = await call('install_build', { uid: pack.uid, ...filters })
    assert.deepEqual(
      [data?.file.file_uid, data?.file.platform],
      [everywhere.file_uid, 'any system'],
      `${JSON.stringify(filters)} ${refused?.message}`,
    )
  }
  const { refused } = await call('install_build', { uid: pack.uid, channel: 'beta' })
  assert.equal(refused!.message, 'No file matches. Available: any system (stable)')

  // A file for the system comes before one for every system.
  const linux = await a.cleanBuild(game, { version: '1.0', os: 'linux', arch: 'x86_64' })
  const rest = await a.cleanBuild(game, { version: '2.0', os: '', arch: '' })
  const installed = async (os: string) =>
    (await call('install_build', { uid: game.uid, os })).data.file.file_uid
  assert.equal(await installed('linux'), linux.file_uid)
  assert.equal(await installed('windows'), rest.file_uid)
})

test('install_build without a system takes the newest build of all systems', async (t) => {
  const { a, game, player } = await startToolApp(t)
  const { call } = await player(await a.verified())
  const installed = async (filters = {}) => {
    const { file } = (await call('install_build', { uid: game.uid, ...filters })).data
    return [file.build_id, file.platform]
  }
  const windows = await a.cleanBuild(game, { version: '1.10', os: 'windows', arch: 'universal' })
  await a.cleanBuild(game, { version: '1.9', os: 'linux', arch: 'x86_64' })
  assert.deepEqual(await installed(), [windows.build_id, 'windows universal'], 'by version')
  const mac = await a.cleanBuild(game, { version: '1.10', os: 'macos', arch: 'arm64' })
  await a.cleanBuild(game, { version: '1.10-rc1', os: 'linux', arch: 'arm64' })
  assert.deepEqual(await installed(), [mac.build_id, 'macos arm64'], 'then by registration')
  assert.deepEqual(await installed({ os: 'windows' }), [windows.build_id, 'windows universal'])
})

test('install_build takes the head of the channel, for owners and admins too', async (t) => {
  const { a, sql, game, owner, player, post, put } = await startToolApp(t)
  const first = await a.cleanBuild(game, { version: '1.0' })
  const second = await a.cleanBuild(game, { version: '2.0' })
  const base = `/api/v1/private/games/${game.uid}/channels`
  must(await post(`${base}/stable/rollback`, undefined, owner))
  const admin = await a.verifiedDeveloper()
  await addAdmin(sql, game.uid, admin.uid)
  const people = { owner, admin, stranger: await a.verified() }
  const installed = async (person: Person, filters: object = {}) => {
    const { data, refused } = await (await player(person)).call('install_build', {
      uid: game.uid,
      ...filters,
    })
    return data ? [data.file.build_id, data.file.channel] : refused!.code
  }
  for (const [name, person] of Object.entries(people))
    assert.deepEqual(await installed(person), [first.build_id, 'stable'], name)
  assert.deepEqual(await installed(owner, { build_id: second.build_id }), [
    second.build_id,
    'stable',
  ])
  assert.equal(await installed(people.stranger, { build_id: second.build_id }), 4040)

  // One build may be the head of several channels.
  must(await put(`${base}/beta`, { build_id: first.build_id }, owner))
  must(await put(`${base}/nightly`, { build_id: second.build_id }, owner))
  for (const channel of ['stable', 'beta'])
    assert.deepEqual(await installed(owner, { channel }), [first.build_id, channel])
  assert.deepEqual(await installed(admin, { channel: 'nightly' }), [second.build_id, 'nightly'])
  for (const channel of ['beta', 'nightly'])
    assert.equal(await installed(people.stranger, { channel }), 4040, channel)

  await sql`
    update channels
    set expires_at = now()
    where game_uid = ${game.uid} and channel = 'nightly'`
  assert.equal(await installed(owner, { channel: 'nightly' }), 4040, 'the channel has expired')
})

test('get_build_health names platform, channel, public band and what the bands mean', async (t) => {
  const { a, sql, game, agent } = await startToolApp(t)
  const stable = await a.cleanBuild(game, { version: '1.0', os: 'linux', arch: 'arm64' })
  const beta = await a.cleanBuild(game, { version: '2.0', os: 'windows', channel: 'beta' })
  await sql`
    insert into build_health (build_uid, game_uid, band, devices)
    values (${stable.build_id}, ${game.uid}, 'healthy', 50)`
  const { call } = await agent(['mcp:build.write'])
  const { data } = await call('get_build_health', { uid: game.uid })
  assert.equal(data.public_band, 'healthy')
  assert.deepEqual(Object.keys(data.band_meanings), [
    'excellent',
    'healthy',
    'mixed',
    'problematic',
    'unrated',
  ])
  assert.match(data.band_meanings.healthy, /^At least 93% of devices started/)
  assert.deepEqual(
    data.builds.map((build: any) => [
      build.build_id,
      build.version,
      build.os,
      build.arch,
      build.channel,
      build.band,
      build.devices,
    ]),
    [
      [beta.build_id, '2.0', 'windows', 'x86_64', 'beta', 'unrated', 0],
      [stable.build_id, '1.0', 'linux', 'arm64', 'stable', 'healthy', 50],
    ],
  )
  const { data: one_build } = await call('get_build_health', {
    uid: game.uid,
    build_id: stable.build_id,
  })
  assert.deepEqual(one_build, { ...data, builds: [data.builds[1]] })
  const { refused } = await call('get_build_health', { uid: game.uid, build_id: game.uid })
  assert.deepEqual([refused?.status, refused?.code], [404, 4006])
})

test('upload_symbols_info names every part of the form that the upload needs', async (t) => {
  const { a, game, agent, call } = await startToolApp(t)
  const { build_id, ci } = await a.cleanBuild(game)
  const { data } = await (await agent(['mcp:build.write'])).call('upload_symbols_info', {
    uid: game.uid,
    build_id,
  })
  assert.deepEqual(Object.keys(data.form), ['build_id', 'checksum', 'file'])
  assert.match(data.form.checksum, /SHA-256/)
  const symbols = Buffer.from(
    'MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 game\nPUBLIC 1000 0 main\n',
  )
  const path = new URL(data.upload_url).pathname
  const send = (checksum?: string) =>
    call('POST', path, upload(symbols, { build_id: data.form.build_id, checksum }, ci, 'a.sym'))
  assert.equal((await send(sha256(symbols))).status, 201)
  assert.equal((await send('0'.repeat(64))).status, 422)
})

test('validate_listing has the current taxonomy and the allowed values', async (t) => {
  const { game, agent, put, owner } = await startToolApp(t)
  const path = `/api/v1/private/games/${game.uid}/taxonomy`
  must(await put(path, complete, owner))
  const { data } = await (await agent(['mcp:catalog.write'])).call('validate_listing', {
    uid: game.vanity_name,
  })
  assert.equal(data.ready, false)
  assert.ok(data.errors.length && data.passes.length && data.warnings)
  assert.deepEqual(Object.keys(data.taxonomy).sort(), [...taxonomyFields].sort())
  assert.deepEqual(
    Object.fromEntries(Object.keys(complete).map((name) => [name, data.taxonomy[name]])),
    complete,
  )
  assert.equal(data.taxonomy.authorship, null)
  assert.deepEqual(data.allowed_values.genres, listingFields.genres.values)
  assert.deepEqual(Object.keys(data.allowed_values.session_bucket), ['15m', '1h', '3h', 'endless'])
  assert.equal('tags' in data.allowed_values, false)
  // What is allowed is what the tool that changes it takes.
  for (const [name, values] of Object.entries<object>(data.allowed_values)) {
    const is_list = Array.isArray(data.taxonomy[name])
    const value = Object.keys(values).at(-1)
    must(await put(path, { [name]: is_list ? [value] : value }, owner))
  }
})

import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { loggedIds, REQUEST_ID } from '../core/runtime/logged-ids.ts'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { sha256, type ZipEntry, zip } from '../uploads/zips.ts'
import {
  addPlayGame,
  gameFiles,
  large,
  rawRequest,
  script,
  startPlayApp,
  wasm,
} from './fixtures.ts'

/** The game of most tests, which none of them changes. */
const sharedApp = sharedInFile(startPlayApp)
/** A new game in the same service. */
const newGame = async (t: TestContext, files?: ZipEntry[]) => addPlayGame(await sharedApp(t), files)

test('serves every file of a web build with its bytes and media type', async (t) => {
  const app = await sharedApp(t)
  const types: Record<string, string> = {
    'index.html': 'text/html; charset=utf-8',
    'game.js': 'text/javascript; charset=utf-8',
    'game.wasm': 'application/wasm',
    'large.pck': 'application/octet-stream',
    'large.data': 'application/octet-stream',
    'levels/größe 1.json': 'application/json',
    'empty.txt': 'text/plain; charset=utf-8',
  }
  for (const { name, body } of gameFiles) {
    if (/\.(br|gz)$/.test(name)) continue
    const answer = await app.file(encodeURI(name))
    assert.equal(answer.status, 200, name)
    assert.deepEqual(answer.body, Buffer.from(body as string), name)
    assert.equal(answer.headers['content-encoding'], undefined)
    assert.equal(answer.headers.etag, `"${sha256(Buffer.from(body as string))}"`)
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    if (types[name]) assert.equal(answer.headers['content-type'], types[name])
  }
  assert.match((await app.file('')).body.toString(), /Game/)
  assert.match((await app.file('levels/')).body.toString(), /Levels/)
  const redirect = await app.play(`/${app.file_uid}`)
  assert.deepEqual([redirect.status, redirect.headers.location], [302, `/${app.file_uid}/`])
  const refusals = [await app.file('missing.js'), await app.file('', {}, 'POST')]
  for (const { status, headers } of [redirect, ...refusals]) {
    assert.equal(headers['x-content-type-options'], 'nosniff', String(status))
    const policy = "default-src 'none'; base-uri 'none'; frame-ancestors *"
    assert.equal(headers['content-security-policy'], policy, String(status))
  }
})

test('passes compressed entries on as gzip where the client accepts it', async (t) => {
  const app = await sharedApp(t)
  for (const [name, contents] of [
    ['game.js', Buffer.from(script)],
    ['large.data', large],
    ['empty-deflated.txt', Buffer.alloc(0)],
  ] as const) {
    const answer = await app.file(name, { 'accept-encoding': 'br;q=0.5, gzip' })
    assert.equal(answer.headers['content-encoding'], 'gzip')
    assert.equal(answer.headers['content-length'], String(answer.body.length))
    assert.deepEqual(gunzipSync(answer.body), contents)
    assert.equal(answer.headers.etag, `"${sha256(contents)}-gzip"`)
    assert.match(answer.headers.vary!, /accept-encoding/)
  }
  const stored = await app.file('game.wasm', { 'accept-encoding': 'gzip' })
  assert.deepEqual([stored.headers['content-encoding'], stored.body], [undefined, wasm])
  const refused = await app.file('game.js', { 'accept-encoding': 'gzip;q=0, *' })
  assert.deepEqual(
    [refused.headers['content-encoding'], refused.body],
    [undefined, Buffer.from(script)],
  )
})

test('files that engines compressed say so, and are decoded for clients that cannot', async (t) => {
  const app = await sharedApp(t)
  const coded = await app.file('build.wasm.br', { 'accept-encoding': 'gzip, br' })
  assert.deepEqual(
    [coded.headers['content-encoding'], coded.headers['content-type']],
    ['br', 'application/wasm'],
  )
  const decoded = await app.file('build.wasm.br')
  assert.deepEqual([decoded.headers['content-encoding'], decoded.body], [undefined, wasm])
  assert.notEqual(decoded.headers.etag, coded.headers.etag)
  const data = await app.file('build.data.gz', { 'accept-encoding': 'gzip' })
  assert.equal(data.headers['content-encoding'], 'gzip')
  assert.deepEqual(gunzipSync(data.body), large)
  assert.deepEqual((await app.file('build.data.gz')).body, large)
})

test('serves ranges of stored and of compressed entries', async (t) => {
  const app = await sharedApp(t)
  for (const name of ['large.pck', 'large.data', 'game.wasm']) {
    const contents = name === 'game.wasm' ? wasm : large
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 0],
      ['bytes=100-299', 100, 299],
      ['bytes=-5', contents.length - 5, contents.length - 1],
      [`bytes=${contents.length - 1}-`, contents.length - 1, contents.length - 1],
    ] as const) {
      const part = await app.file(name, { range, 'accept-encoding': 'gzip' })
      assert.equal(part.status, 206, `${name} ${range}`)
      assert.equal(part.headers['content-range'], `bytes ${start}-${end}/${contents.length}`)
      assert.deepEqual(part.body, contents.subarray(start, end + 1))
    }
    const past = await app.file(name, { range: `bytes=${contents.length}-` })
    assert.deepEqual(
      [past.status, past.headers['content-range'], past.body.length],
      [416, `bytes */${contents.length}`, 0],
    )
    const changed = await app.file(name, { range: 'bytes=0-1', 'if-range': '"other"' })
    assert.deepEqual([changed.status, changed.body.length], [200, contents.length])
    const head = await app.file(name, {}, 'HEAD')
    assert.deepEqual(
      [head.status, head.headers['content-length'], head.body.length],
      [200, String(contents.length), 0],
    )
  }
})

test('answers 304 to a client that has the file', async (t) => {
  const app = await sharedApp(t)
  const { headers } = await app.file('game.js', { 'accept-encoding': 'gzip' })
  const again = await app.file('game.js', {
    'accept-encoding': 'gzip',
    'if-none-match': headers.etag!,
  })
  assert.deepEqual([again.status, again.body.length], [304, 0])
  assert.equal((await app.file('game.js', { 'if-none-match': headers.etag! })).status, 200)
})

test('files are kept for ever by caches, but a document is checked each time', async (t) => {
  const app = await sharedApp(t)
  const cache = async (name: string) => (await app.file(name)).headers['cache-control']
  assert.equal(await cache('game.wasm'), 'public, max-age=31536000, immutable')
  assert.equal(await cache('index.html'), 'public, no-cache')
})

test('a game is isolated, talks only to itself and the API, and cannot be framed elsewhere', async (t) => {
  const app = await newGame(t)
  await app.sql`
    insert into play_settings (game_uid, connect_origins)
    values (${app.game.uid}, ${['wss://rooms.example']})`
  const { headers } = await app.file('')
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
  assert.equal(headers['cross-origin-embedder-policy'], 'require-corp')
  assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
  const policy = headers['content-security-policy']!
  assert.match(policy, /connect-src 'self' data: blob: wss:\/\/rooms\.example http:\/\/127/)
  assert.match(policy, /object-src 'none'/)
  assert.match(policy, /frame-ancestors 'self' http:\/\/127\.0\.0\.1:\d+;/)
  assert.match(policy, /sandbox allow-scripts/)
  assert.doesNotMatch(policy, /allow-top-navigation/)
  assert.equal((await app.file('game.wasm')).headers['cross-origin-resource-policy'], 'same-origin')
  await app.sql`insert into play_unisolated_builds (build_uid) values (${app.build_id})`
  await eventually('the opt-out', async () => {
    const open = (await app.file('')).headers
    return (
      open['cross-origin-opener-policy'] === undefined &&
      open['cross-origin-embedder-policy'] === undefined
    )
  })
})

test('the origin of a game has none of our routes, and the store none of its files', async (t) => {
  const app = await sharedApp(t)
  for (const path of ['/health', '/api/v1/public/search', '/login', '/.start', '/robots.txt'])
    assert.equal((await app.play(path)).status, 404, path)
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
    assert.equal((await app.file('', {}, method)).status, 405, method)
  const other = await app.a.listing()
  for (const host of [
    'play.localhost',
    `${other.uid}.play.localhost`,
    `x${app.game.uid}.play.localhost`,
    `${app.game.uid}.x.play.localhost`,
    'www.play.localhost',
  ]) {
    const { status } = await rawRequest(app.url, `/${app.file_uid}/`, { host })
    assert.equal(status, 404, host)
  }
  for (const host of [`${app.game.uid}.play.localhost.:8080`, 'play.localhost.', 'PLAY.localhost'])
    assert.equal((await rawRequest(app.url, '/health', { host })).status, 404, host)
  assert.equal((await rawRequest(app.url, '/health', { host: 'localhost' })).status, 200)
})

test('the address without a build opens the newest one that anyone may play', async (t) => {
  const app = await newGame(t)
  const opens = async () => (await app.play('/')).headers.location
  assert.equal(await opens(), `/${app.file_uid}/`)
  assert.equal((await app.play('/')).headers['cache-control'], 'no-store')
  const next = await app.a.cleanBuild(app.game, {
    bytes: zip(gameFiles),
    version: '9.0',
    os: 'web',
    arch: 'wasm32',
  })
  assert.equal(await opens(), `/${next.file_uid}/`)
  for (const change of [{ anonymous_downloads: false }, { visibility: 'draft' }, { adult: true }]) {
    await app.sql`update listings set ${app.sql(change)} where uid = ${app.game.uid}`
    const closed = JSON.stringify(change)
    await eventually(closed, async () => (await app.play('/')).status === 404)
    const open = { anonymous_downloads: true, visibility: 'public', adult: false }
    await app.sql`update listings set ${app.sql(open)} where uid = ${app.game.uid}`
    await eventually('open again', async () => (await app.play('/')).status === 302)
  }
  const other = await app.a.listing()
  const host = `${other.uid}.play.localhost`
  assert.equal((await rawRequest(app.url, '/', { host })).status, 404)
})

test('clients that leave while a far range is unpacked do not hold up others', async (t) => {
  // Ranges count as far after 4 MiB.
  const contents = Buffer.alloc(6 * 1024 * 1024, 'a line of a large compressed level\n')
  const app = await newGame(t, [
    { name: 'index.html', body: 'Game', method: 0 },
    { name: 'large.data', body: contents, method: 8 },
  ])
  const starts = Array.from({ length: 12 }, (_, n) => 4 * 1024 * 1024 + n * 100_000 + 1)
  // Clients that leave while they wait or read make place for others.
  for (const start of starts) {
    const { hostname, port } = new URL(app.url)
    const headers = { host: app.host, range: `bytes=${start}-` }
    const path = `/${app.file_uid}/large.data`
    const leaving = request({ hostname, port, path, headers, agent: false })
    leaving.on('error', () => {})
    leaving.end(() => leaving.destroy())
  }
  const parts = await Promise.all(
    starts.map((start) => app.file('large.data', { range: `bytes=${start}-${start + 99}` })),
  )
  for (const [index, part] of parts.entries()) {
    const start = starts[index]!
    assert.equal(part.status, 206)
    assert.deepEqual(part.body, contents.subarray(start, start + 100))
  }
})

test('hostile addresses name nothing', async (t) => {
  const app = await sharedApp(t)
  const missing = await app.file('missing.js')
  assert.equal(missing.status, 404)
  for (const path of [
    '../index.html',
    'levels/../index.html',
    '%2e%2e/index.html',
    'levels%2findex.html',
    'levels%5cindex.html',
    'levels\\index.html',
    'index.html%00',
    'index.html%0d%0aset-cookie:a=b',
    'INDEX.HTML',
    'gr%C3%B6%C3%9Fe',
    'levels/gro%CC%88%C3%9Fe%201.json',
    '%ff',
    '%',
    './index.html',
    '/index.html',
    'index.html/',
    'levels//index.html',
    `${'a'.repeat(5000)}`,
    '__proto__',
    'constructor',
  ]) {
    const answer = await app.file(path)
    assert.deepEqual([answer.status, answer.body], [404, missing.body], path)
  }
  assert.equal((await app.play(`/${app.file_uid.toUpperCase()}/`)).status, 404)
})

test('a game that is being played goes on for a day after a release, unless it is withdrawn', async (t) => {
  const app = await newGame(t)
  const web = { os: 'web', arch: 'wasm32' }
  const { file_uid } = await app.a.cleanBuild(app.game, {
    bytes: zip(gameFiles),
    version: '9.0',
    ...web,
  })
  const ageRelease = (hours: number) => app.sql`
    update channel_history
    set at = now() - ${hours} * interval '1 hour'
    where game_uid = ${app.game.uid}`
  const opens = async (status: number) =>
    eventually(`${status}`, async () => (await app.file('game.js')).status === status)
  assert.equal((await app.play(`/${file_uid}/`)).status, 200)
  await opens(200)
  await ageRelease(25)
  await opens(404)
  await ageRelease(23)
  await opens(200)
  const reason = { reason: 'It loses saves' }
  const withdrawal = `/api/v1/private/games/${app.game.uid}/builds/${app.build_id}/withdrawal`
  must(await app.put(withdrawal, reason, app.game.owner))
  await opens(404)
  const beta = await app.a.cleanBuild(app.game, { bytes: zip(gameFiles), channel: 'beta', ...web })
  const next = { bytes: zip(gameFiles), channel: 'beta', version: '9.9', ...web }
  await app.a.cleanBuild(app.game, next)
  assert.equal((await app.play(`/${beta.file_uid}/`)).status, 404, 'of a channel for others')
})

test('what may not be played looks like what does not exist, within a second', async (t) => {
  const app = await newGame(t)
  const missing = await app.play(`/${app.build_id}/`)
  assert.equal(missing.status, 404)
  const { date: _, ...headers } = missing.headers
  const changes = {
    'a draft': [
      app.sql`update listings set visibility = 'draft' where uid = ${app.game.uid}`,
      app.sql`update listings set visibility = 'public' where uid = ${app.game.uid}`,
    ],
    'an adult game': [
      app.sql`update listings set adult = true where uid = ${app.game.uid}`,
      app.sql`update listings set adult = false where uid = ${app.game.uid}`,
    ],
    'a paid game': [
      app.sql`update listings set price_cents = 500 where uid = ${app.game.uid}`,
      app.sql`update listings set price_cents = 0 where uid = ${app.game.uid}`,
    ],
    'a game for people with an account': [
      app.sql`update listings set anonymous_downloads = false where uid = ${app.game.uid}`,
      app.sql`update listings set anonymous_downloads = true where uid = ${app.game.uid}`,
    ],
    'a rejected file': [
      app.sql`update files set scan = 'infected' where uid = ${app.file_uid}`,
      app.sql`update files set scan = 'clean' where uid = ${app.file_uid}`,
    ],
    'a file of another platform': [
      app.sql`update files set os = 'linux' where uid = ${app.file_uid}`,
      app.sql`update files set os = 'web' where uid = ${app.file_uid}`,
    ],
  } as const
  for (const [name, [close, reopen]] of Object.entries(changes)) {
    await close
    await eventually(`${name} is closed`, async () => (await app.file('')).status === 404)
    const { date: __, ...closed } = (await app.file('')).headers
    assert.deepEqual(closed, headers, name)
    await reopen
    await eventually(`${name} is open again`, async () => (await app.file('')).status === 200)
  }
})

test('a file that cannot be served is 500 with the request id that the log has', async (t) => {
  const app = await startPlayApp(t)
  const ids = loggedIds(t, app.core)
  await app.sql`alter table file_entries rename to other_entries`
  const sent = await app.file('game.js', { 'x-request-id': 'client-1234' })
  assert.deepEqual([sent.status, sent.headers['x-request-id']], [500, 'client-1234'])
  assert.equal(sent.body.toString(), 'This file cannot be served\n')
  const made = await app.file('game.js', { 'x-request-id': 'bad id' })
  assert.match(made.headers['x-request-id']!, REQUEST_ID)
  assert.deepEqual(ids, ['client-1234', made.headers['x-request-id']])
})

test('a build in one folder is played from it', async (t) => {
  const app = await newGame(t, [
    { name: 'My Game/index.html', body: 'inside', method: 0 },
    { name: 'My Game/a/b.txt', body: 'deep', method: 0 },
  ])
  assert.equal((await app.file('')).body.toString(), 'inside')
  assert.equal((await app.file('a/b.txt')).body.toString(), 'deep')
  assert.equal((await app.file('My%20Game/index.html')).status, 404)
})

test('a damaged object breaks the connection and never sends wrong bytes', async (t) => {
  const app = await newGame(t)
  const path = join(app.data_dir, 'objects', 'builds', app.game.uid, `${app.file_uid}.zip`)
  const handle = await open(path, 'r+')
  t.after(() => handle.close())
  const bytes = await handle.readFile()
  const flip = async (at: number) => {
    await handle.write(Buffer.from([bytes[at]! ^ 1]), 0, 1, at)
  }
  await flip(bytes.indexOf(wasm) + 9)
  await assert.rejects(app.file('game.wasm'))
  const at = bytes.indexOf(large.subarray(1000, 1100))
  await flip(at)
  await assert.rejects(app.file('large.pck'))
  await handle.truncate(at)
  await assert.rejects(app.file('large.pck'))
})

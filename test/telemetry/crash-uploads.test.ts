import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { MIB } from '../../src/core/runtime/units.ts'
import { must, newAddress, refused, storedKeys } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { fieldsOf, form, type Part } from '../uploads/forms.ts'
import { put, read, report, type TelemetryApp } from './crash-fixtures.ts'
import { crashedGame } from './dumps.ts'
import { CRASHES, idsOf, keys, startTelemetryApp } from './fixtures.ts'

const sharedTelemetryApp = sharedInFile(startTelemetryApp)

const countFiles = async ({ core }: TelemetryApp) => (await storedKeys(core, 'crashes/')).length

test('an upload link works once within a day, with a body or a form', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const before = Date.now()
  const { id, uploads } = must(await report(app, to, { has_dump: true, has_log: true }))
  assert.deepEqual(
    [uploads.dump.method, uploads.dump.max_bytes, uploads.dump.filename, uploads.log.filename],
    ['PUT', 64 * MIB, 'dump.dmp', 'log.txt'],
  )
  assert.ok(Math.abs(Date.parse(uploads.dump.expires_at) - before - 24 * 3600 * 1000) < 60_000)
  const log = Buffer.from('the last words\n')
  assert.deepEqual(refused(await put(app, uploads.log.url, Buffer.alloc(0))), [400, 4037])
  assert.deepEqual(must(await put(app, uploads.log.url, log)), { received: log.length })
  assert.deepEqual(refused(await put(app, uploads.log.url, log)), [409, 4090])
  const dump = crashedGame()
  const sent = form([{ name: 'file', filename: 'x.dmp', bytes: dump }])
  assert.deepEqual(
    refused(await app.call('PUT', uploads.dump.url, { ...form([{ name: 'other', value: 'x' }]) })),
    [400, 4037],
  )
  must(await app.call('PUT', uploads.dump.url, sent))
  const crash = await read(app, listing, `crashes/${id}`)
  assert.deepEqual([crash.has_dump, crash.has_log], [true, true])
  for (const [kind, bytes, name] of [
    ['dump', dump, 'dump.dmp'],
    ['log', log, 'log.txt'],
  ] as const) {
    const link = await read(app, listing, `crashes/${id}/download?kind=${kind}`)
    assert.deepEqual([link.expires_in, link.filename], [3600, name])
    const response = await fetch(link.url)
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes)
    assert.match(response.headers.get('content-disposition')!, /^attachment/)
    assert.equal((await fetch(link.url.replace(/signature=.{3}/, 'signature=abc'))).status, 404)
    assert.equal((await fetch(link.url.replace(/expires=\d+/, 'expires=9999999999'))).status, 404)
    assert.equal(
      (await fetch(link.url.replace(name, kind === 'dump' ? 'log.txt' : 'dump.dmp'))).status,
      404,
    )
  }
  // A later link to the same report does not replace a stored file.
  const spare = must(await report(app, to, { has_log: true }))
  await app.sql`update crash_uploads set crash_uid = ${id} where crash_uid = ${spare.id}`
  assert.deepEqual(
    refused(await put(app, spare.uploads.log.url, Buffer.from('other words'))),
    [409, 4090],
  )
  assert.equal(
    (await app.sql`select log_size from crashes where uid = ${id}`)[0]!.log_size,
    log.length,
  )
  // Unknown and expired links get the same response.
  const second = must(await report(app, to, { has_log: true }))
  await app.sql`
    update crash_uploads set expires_at = now() - interval '1 second'
    where used_at is null`
  const expired = await put(app, second.uploads.log.url, log)
  assert.deepEqual(refused(expired), [404, 4040])
  assert.deepEqual(
    (await put(app, second.uploads.log.url.replace(/[^/]+$/, 'x'), log)).body,
    expired.body,
  )
  assert.deepEqual(
    refused(
      await app.get(
        `/api/v1/private/games/${listing.uid}/crashes/${second.id}/download?kind=log`,
        listing.owner,
      ),
    ),
    [409, 4090],
  )
  assert.deepEqual(
    refused(
      await app.get(
        `/api/v1/private/games/${listing.uid}/crashes/${id}/download?kind=cake`,
        listing.owner,
      ),
    ),
    [400, 4000],
  )
})

test('of ten concurrent uploads to a link exactly one succeeds', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const before = await countFiles(app)
  const { id, uploads } = must(await report(app, to, { has_log: true }))
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => put(app, uploads.log.url, randomBytes(1000 + i))),
  )
  const winner = answers.findIndex(({ status }) => status === 200)
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
  const link = await read(app, listing, `crashes/${id}/download?kind=log`)
  assert.equal((await (await fetch(link.url)).arrayBuffer()).byteLength, 1000 + winner)
  assert.equal(await countFiles(app), before + 1)
})

test('accepts a file of 64 MB, and rejects one byte more without using up the link', async (t) => {
  const app = await sharedTelemetryApp(t)
  const to = await app.build(await app.a.listing())
  const { uploads } = must(await report(app, to, { has_log: true }))
  const large = Buffer.alloc(64 * MIB + 1)
  assert.deepEqual(refused(await put(app, uploads.log.url, large)), [413, 4130])
  // Without a Content-Length, the limit applies while reading.
  const parts = form([{ name: 'file', filename: 'x', bytes: large }])
  assert.deepEqual(refused(await app.call('PUT', uploads.log.url, parts)), [413, 4130])
  assert.equal(must(await put(app, uploads.log.url, large.subarray(1))).received, 64 * MIB)
})

test('accepts the form of crash reporters, with ids in headers or metadata', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const metadata = {
    id: 'r-1',
    app_id: to.game_uid,
    build_id: to.build_id,
    app_version: '1.0',
    os: 'Linux',
    arch: 'x86_64',
    locale: 'en',
    custom: { seed: 5 },
  }
  const parts = (about: object) => [
    { name: 'metadata', filename: 'metadata.json', bytes: Buffer.from(JSON.stringify(about)) },
    { name: 'dump', filename: 'r-1.dmp', bytes: crashedGame() },
    { name: 'log', filename: 'r-1.log', bytes: Buffer.from('log') },
  ]
  const send = (all: any[], headers = {}) =>
    app.call('POST', CRASHES, form(all, { headers: { ...newAddress(), ...headers } }))
  const before = await countFiles(app)
  const { id, uploads } = must(await send(parts(metadata)))
  assert.deepEqual(uploads, {})
  const crash = await read(app, listing, `crashes/${id}`)
  assert.deepEqual(
    [crash.has_dump, crash.has_log, crash.os, crash.metadata],
    [true, true, 'linux', { locale: 'en', custom: { seed: 5 } }],
  )
  // A reporter that lost the response repeats its report, which is recognized.
  assert.equal(must(await send(parts(metadata))).id, id)
  assert.equal((await read(app, listing, 'crashes')).total, 1)
  const again = must(
    await app.post(
      CRASHES,
      { id: 'r-1', has_dump: true },
      { headers: { ...idsOf(to), ...newAddress() } },
    ),
  )
  assert.deepEqual(again, { id, uploads: {} })
  must(await send(parts({ id: 'r-2' }).toReversed(), idsOf(to)))
  must(await send([{ name: 'metadata', value: JSON.stringify({ ...metadata, id: 'r-3' }) }]))
  must(await send([parts({})[1]], idsOf(to)))
  assert.equal((await read(app, listing, 'crashes')).total, 4)
  assert.deepEqual(refused(await send(parts(metadata).toReversed())), [401, 4025])
  assert.deepEqual(refused(await send(parts({ ...metadata, build_id: randomUUID() }))), [401, 4025])
  assert.deepEqual(refused(await send(parts(keys(65)), idsOf(to))), [413, 4130])
  assert.deepEqual(refused(await send([{ name: 'metadata', value: '{' }], idsOf(to))), [400, 4000])
  const broken = form(parts(metadata), { headers: { ...idsOf(to), ...newAddress() } })
  assert.deepEqual(
    refused(
      await app.call('POST', CRASHES, {
        ...broken,
        raw: (broken.raw as Uint8Array<ArrayBuffer>).slice(0, 400),
      }),
    ),
    [400, 4000],
  )
  assert.equal(await countFiles(app), before + 5)
})

test('accepts the form of Breakpad: upload_file_minidump and parameters', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const dump = { name: 'upload_file_minidump', filename: 'a.dmp', bytes: crashedGame() }
  const send = (parts: Part[], headers = {}) =>
    app.call('POST', CRASHES, form(parts, { headers: { ...newAddress(), ...headers } }))
  const crashOf = async (answer: Awaited<ReturnType<typeof send>>) =>
    read(app, listing, `crashes/${must(answer).id}`)
  const plain = await crashOf(await send([dump], idsOf(to)))
  assert.deepEqual([plain.has_dump, plain.has_log], [true, false])
  const { url } = await read(app, listing, `crashes/${plain.id}/download?kind=dump`)
  assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), crashedGame())
  const ids = fieldsOf({ app_id: to.game_uid, build_id: to.build_id })
  const parameters = fieldsOf({ prod: 'Game', ver: '1.7', guid: 'x', has_dump: '1' })
  const crash = await crashOf(await send([...parameters, ...ids, dump]))
  assert.deepEqual(
    [crash.has_dump, crash.app_name, crash.app_version, crash.build_id],
    [true, 'Game', '1.7', to.build_id],
  )
  const metadata = { name: 'metadata', value: JSON.stringify({ app_version: '1.8' }) }
  assert.equal((await crashOf(await send([...parameters, metadata, ...ids]))).app_version, '1.8')
  // The first of two dumps counts, whatever its name.
  const other = { name: 'dump', filename: 'b.dmp', bytes: Buffer.from('other') }
  const first = await crashOf(await send([dump, other], idsOf(to)))
  const link = await read(app, listing, `crashes/${first.id}/download?kind=dump`)
  assert.equal((await (await fetch(link.url)).arrayBuffer()).byteLength, crashedGame().length)
  // A field with the name of the part is not a file, and ids after the files come too late.
  const text = { name: 'upload_file_minidump', value: 'x' }
  assert.equal((await crashOf(await send([text], idsOf(to)))).has_dump, false)
  assert.deepEqual(refused(await send([dump, ...ids])), [401, 4025])
  assert.deepEqual(refused(await send([dump])), [401, 4025])
  const foreign = fieldsOf({ app_id: to.game_uid, build_id: randomUUID() })
  assert.deepEqual(refused(await send([...foreign, dump])), [401, 4025])
})

test('a form of an unknown sender is refused before its files are read', async (t) => {
  const app = await sharedTelemetryApp(t)
  const { game_uid, build_id } = await app.build(await app.a.listing())
  const field = (name: string, value: string) =>
    `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const file = (name: string) =>
    `--x\r\ncontent-disposition: form-data; name="${name}"; filename="a"\r\n\r\n`
  const ids = `${field('app_id', game_uid)}${field('build_id', randomUUID())}`
  const long = 'a'.repeat(400_000)
  const starts = {
    'a file that is not stored': file('attachment'),
    'a dump': file('dump'),
    'a dump of a build that does not exist': `${ids}${file('dump')}`,
    'long fields': field('a', long).repeat(4),
    'long fields of a build that does not exist': `${ids}${field('a', long).repeat(4)}`,
  }
  const head = [
    'POST /api/v1/public/crashes HTTP/1.1',
    'host: x',
    'content-type: multipart/form-data; boundary=x',
    'content-length: 100000000',
  ]
  const { port } = new URL(app.url)
  for (const [name, start] of Object.entries(starts)) {
    const socket = connect(Number(port), '127.0.0.1')
    t.after(() => socket.destroy())
    const address = `x-forwarded-for: ${newAddress()['x-forwarded-for']}`
    socket.write(`${[...head, address].join('\r\n')}\r\n\r\n${start}${'a'.repeat(1000)}`)
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 401 .*"code":4025/is, name)
  }
  const known = fieldsOf({ app_id: game_uid, build_id, a: long, b: long, c: long })
  const headers = newAddress()
  must(await app.call('POST', CRASHES, form(known, { headers })))
})

test('an empty part may come before the ids, and one id may be a header', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const ids = { app_id: to.game_uid, build_id: to.build_id }
  const file = (name: string, bytes: Buffer) => ({ name, filename: 'a', bytes })
  const dump = file('upload_file_minidump', crashedGame())
  const send = (parts: Part[], headers = {}) =>
    app.call('POST', CRASHES, form(parts, { headers: { ...newAddress(), ...headers } }))
  const empty = ['upload_file_minidump', 'dump', 'log', 'attachment'].map((name) =>
    file(name, Buffer.alloc(0)),
  )
  const { id } = must(await send([...empty, ...fieldsOf(ids), dump]))
  const { has_dump, has_log, build_id } = await read(app, listing, `crashes/${id}`)
  assert.deepEqual([has_dump, has_log, build_id], [true, false, to.build_id])
  assert.deepEqual(refused(await send(empty)), [401, 4025])

  const app_header = { 'x-app-id': to.game_uid }
  const build_header = { 'x-build-id': to.build_id }
  const build_field = fieldsOf({ build_id: to.build_id })
  must(await send([...build_field, dump], app_header))
  must(await send(build_field, app_header))
  must(await send([...fieldsOf({ app_id: to.game_uid }), dump], build_header))
  const json = (body: object, headers: object) =>
    app.post(CRASHES, body, { headers: { ...newAddress(), ...headers } })
  must(await json({ build_id: to.build_id }, app_header))
  // The header counts when both name the game.
  const other = await app.build(await app.a.listing())
  must(await send([...fieldsOf({ ...ids, app_id: other.game_uid }), dump], app_header))
  assert.deepEqual(refused(await send([dump, ...build_field], app_header)), [401, 4025])
  const foreign = fieldsOf({ build_id: other.build_id })
  assert.deepEqual(refused(await send([...foreign, dump], app_header)), [401, 4025])
  assert.deepEqual(refused(await json({}, app_header)), [401, 4025])
})

test('a part without a minidump is no dump of Breakpad', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const part = (bytes: Buffer, name = 'upload_file_minidump') => ({
    name,
    filename: 'a.dmp',
    bytes,
  })
  const send = async (...parts: Part[]) => {
    const headers = { ...newAddress(), ...idsOf(to) }
    const { id } = must(await app.call('POST', CRASHES, form(parts, { headers })))
    const { has_dump, has_log } = await read(app, listing, `crashes/${id}`)
    return [has_dump, has_log]
  }
  const before = await countFiles(app)
  const empty = Buffer.alloc(0)
  const text = part(Buffer.from('no dump was written'))
  for (const bytes of [empty, Buffer.from('M'), Buffer.from('MDM'), Buffer.from('PMDM')])
    assert.deepEqual(await send(part(bytes)), [false, false], String(bytes))
  assert.deepEqual(await send(text, part(Buffer.from('a log'), 'log')), [false, true])
  assert.deepEqual(await send(part(empty, 'dump'), part(empty, 'log')), [false, false])
  assert.equal(await countFiles(app), before + 1)
  // A dump that follows counts, and one whose first bytes arrive one by one.
  assert.deepEqual(await send(text, part(crashedGame())), [true, false])
  assert.deepEqual(await send(part(Buffer.from('MDMP'))), [true, false])
})

test('a compressed report is accepted, and its limits count decompressed bytes', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const send = (bytes: Uint8Array, type: string, encoding = 'gzip') =>
    app.call('POST', CRASHES, {
      raw: new Uint8Array(bytes),
      headers: {
        ...idsOf(to),
        ...newAddress(),
        'content-type': type,
        'content-encoding': encoding,
      },
    })
  const json = Buffer.from(JSON.stringify({ user_message: 'It stopped' }))
  const dump = crashedGame()
  const sent = form([
    { name: 'metadata', value: json.toString() },
    { name: 'upload_file_minidump', filename: 'x.dmp', bytes: dump },
  ])
  const form_type = sent.headers!['content-type']!
  const form_bytes = sent.raw as Uint8Array
  for (const [bytes, type, has_dump] of [
    [json, 'application/json', false],
    [form_bytes, form_type, true],
  ] as const) {
    const { id } = must(await send(gzipSync(bytes), type))
    const crash = await read(app, listing, `crashes/${id}`)
    assert.deepEqual([crash.user_message, crash.has_dump], ['It stopped', has_dump], type)
    assert.deepEqual(refused(await send(bytes, type)), [400, 4000], `${type} is not gzip`)
    const cut = gzipSync(bytes).subarray(0, 20)
    assert.deepEqual(refused(await send(cut, type)), [400, 4000], `${type} is cut short`)
    const other = await send(bytes, type, 'br')
    assert.deepEqual(refused(other), [415, 4150])
    assert.match(other.body.error.message, /Content-Encoding/)
    must(await send(bytes, type, 'identity'))
  }
  const big_json = Buffer.from(JSON.stringify({ user_message: 'a'.repeat(2 * MIB) }))
  assert.deepEqual(refused(await send(gzipSync(big_json), 'application/json')), [413, 4130])
  const log = { name: 'log', filename: 'log.txt', bytes: new Uint8Array(65 * MIB) }
  const big_form = form([log])
  const answer = await send(gzipSync(big_form.raw as Uint8Array, { level: 1 }), form_type)
  assert.deepEqual(refused(answer), [413, 4130])
})

test('a compressed file of a report is decompressed when it is sent to its link', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const log = Buffer.from('the last words\n')
  for (const call of [
    { raw: new Uint8Array(log), headers: { 'content-type': 'application/octet-stream' } },
    form([{ name: 'file', filename: 'log.txt', bytes: log }]),
  ]) {
    const { uploads } = must(await report(app, to, { has_log: true }))
    const answer = await app.call('PUT', uploads.log.url, {
      raw: new Uint8Array(gzipSync(call.raw as Uint8Array)),
      headers: { ...call.headers, ...newAddress(), 'content-encoding': 'gzip' },
    })
    assert.deepEqual(must(answer), { received: log.length })
  }
})

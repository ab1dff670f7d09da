import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { dropHash, resumeHash } from '../../src/uploads/receive/resumable-hash.ts'
import { eventually, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import {
  chunkForm,
  chunkHeaders,
  FILES,
  fileIsClean,
  newParts,
  sessionFields,
  storedFile,
  uploadedFile,
  uploadSessions,
  withBuild,
} from './fixtures.ts'
import { fieldsOf, form } from './forms.ts'
import { sha256, zip } from './zips.ts'

const game = zip([{ name: 'bin/game', body: randomBytes(100_000) }])

const sharedApp = sharedInFile(startApp)

async function start(t: TestContext) {
  const app = await withBuild(await sharedApp(t))
  return { ...app, ...uploadSessions(app, game), parts: newParts(app) }
}
type SessionApp = Awaited<ReturnType<typeof start>>

const sessionRows = ({ sql, listing }: SessionApp) =>
  sql`select file_uid, holder from upload_sessions where game_uid = ${listing.uid}`

test('each chunk returns 202 with current_size, and the last one 201 with the file', async (t) => {
  const app = await start(t)
  const opened = await app.requestSession()
  assert.equal(opened.status, 201)
  const { session_id, expires_at, ...rest } = opened.body.data
  assert.deepEqual(rest, { expected_size: game.length, current_size: 0 })
  assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 6 * 3600_000) < 60_000)
  const first = await app.chunk(session_id, 0, 40_000)
  assert.equal(first.status, 202)
  assert.deepEqual(first.body.data, {
    session_id,
    current_size: 40_000,
    expected_size: game.length,
    progress: Math.round(4e8 / game.length) / 100,
  })
  assert.equal(first.headers['x-upload-session-id'], session_id)
  must(await app.chunk(session_id, 40_000, 40_001))
  const last = await app.chunk(session_id, 40_001, game.length)
  assert.equal(last.status, 201)
  const { file_uid, message, ...file } = last.body.data
  assert.deepEqual(file, uploadedFile(app, game))
  assert.deepEqual(await storedFile(app.core.storage, app.listing.uid, file_uid), game)
  assert.deepEqual(app.parts(), [])
  await fileIsClean(app)
})

test('repeating the last chunk returns the same file', async (t) => {
  const app = await start(t)
  const session_id = await app.open()
  must(await app.chunk(session_id, 0, 50_000))
  const { file_uid } = must(await app.chunk(session_id, 50_000, game.length))
  const again = await app.chunk(session_id, 50_000, game.length)
  assert.deepEqual([again.status, again.body.data.file_uid], [201, file_uid])
  const files = await app.sql`select from files where game_uid = ${app.listing.uid}`
  assert.equal(files.length, 1)
  const scans = await app.sql`
    select from pgboss.job
    where name = 'scan.file' and data->>'file_uid' = ${file_uid}`
  assert.equal(scans.length, 1)
})

test('a chunk at the wrong offset is 4044 and returns the expected offset', async (t) => {
  const app = await start(t)
  const session_id = await app.open()
  must(await app.chunk(session_id, 0, 1000))
  for (const from of [0, 999, 1001]) {
    const answer = await app.chunk(session_id, from, 2000)
    assert.deepEqual(
      [...refused(answer), answer.body.data.current_size, answer.body.error.data.current_size],
      [409, 4044, 1000, 1000],
    )
  }
  must(await app.chunk(session_id, 1000, game.length))
})

test('a missing or invalid session id or range is 4044, and an expired session 4045', async (t) => {
  const app = await start(t)
  const session_id = await app.open()
  const total = game.length
  for (const range of [
    '',
    'bytes 0-9',
    `bytes 9-0/${total}`,
    `bytes 0-${total}/${total}`,
    `0-9/${total}`,
    `bytes 0-9/*`,
    `bytes 0-9/${total + 1}`,
    `items 0-9/${total}`,
  ])
    assert.deepEqual(refused(await app.chunk(session_id, 0, 10, { range })), [400, 4044], range)
  for (const session of ['', 'x', session_id.slice(1)])
    assert.deepEqual(refused(await app.chunk(session, 0, 10)), [400, 4044], session)
  const without_range = form([], {
    headers: { ...app.ci.headers, 'x-upload-session-id': session_id },
  })
  assert.deepEqual(refused(await app.call('POST', FILES, without_range)), [400, 4044])
  assert.deepEqual(refused(await app.chunk(randomUUID(), 0, 10)), [404, 4045])
  await app.sql`
    update upload_sessions set expires_at = now() where game_uid = ${app.listing.uid}`
  assert.deepEqual(refused(await app.chunk(session_id, 0, 10)), [404, 4045])
})

test('a session of another game is 4045', async (t) => {
  const app = await start(t)
  const session_id = await app.open()
  const other = await app.a.deployer(await app.a.listing({ owner: app.listing.owner }))
  const headers = chunkHeaders(other, { session: session_id, from: 0, to: 10, total: game.length })
  const call = chunkForm(game.subarray(0, 10), headers)
  assert.deepEqual(refused(await app.call('POST', FILES, call)), [404, 4045])
})

test('rejects a chunk whose length differs from its range', async (t) => {
  const app = await start(t)
  const session_id = await app.open()
  const sending = async (bytes: Buffer) => refused(await app.chunk(session_id, 0, 1000, { bytes }))
  assert.deepEqual(await sending(game.subarray(0, 1001)), [413, 4043])
  assert.deepEqual(await sending(game.subarray(0, 999)), [400, 4044])
  const nothing = form(fieldsOf({ a: 'b' }), { headers: app.headersOf(session_id, 0, 10) })
  assert.deepEqual(refused(await app.call('POST', FILES, nothing)), [400, 4037])
  must(await app.chunk(session_id, 0, 1000))
  must(await app.chunk(session_id, 1000, game.length))
})

test('rejects a complete file that is not what was announced, and ends the session', async (t) => {
  const app = await start(t)
  const session_id = await app.open({ checksum: sha256(Buffer.from('other')) })
  must(await app.chunk(session_id, 0, 1000))
  assert.deepEqual(refused(await app.chunk(session_id, 1000, game.length)), [422, 4046])
  assert.deepEqual(refused(await app.chunk(session_id, 1000, game.length)), [404, 4045])
  const fake = randomBytes(5000)
  const other = must(await app.requestSession({ total_size: '5000', checksum: sha256(fake) }))
  assert.deepEqual(
    refused(
      await app.chunk(other.session_id, 0, 5000, { bytes: fake, range: 'bytes 0-4999/5000' }),
    ),
    [400, 4041],
  )
  assert.deepEqual(app.parts(), [])
  assert.equal((await sessionRows(app)).length, 0)
})

test('opening a session rejects an invalid upload', async (t) => {
  const app = await start(t)
  for (const [fields, expected] of [
    [{ total_size: undefined }, [400, 4037]],
    [{ total_size: '0' }, [400, 4037]],
    [{ total_size: '-1' }, [400, 4037]],
    [{ total_size: '1e3' }, [400, 4037]],
    [{ total_size: String(5 * 2 ** 30 + 1) }, [413, 4043]],
    [{ build_id: undefined }, [400, 4038]],
    [{ build_id: randomUUID() }, [404, 4039]],
    [{ checksum: 'x' }, [400, 4041]],
    [{ filename: 'x.rar' }, [400, 4041]],
    [{ filename: undefined }, [400, 4041]],
    [{ os: 'beos' }, [400, 4041]],
    [{ filename: `${'x'.repeat(70_000)}.zip` }, [413, 4130]],
  ] as const)
    assert.deepEqual(
      refused(await app.requestSession(fields)),
      expected,
      JSON.stringify(fields).slice(0, 60),
    )
  must(await app.requestSession({ total_size: String(5 * 2 ** 30) }))
  const server = await app.register({ app: 'server', app_name: 'Server' })
  assert.deepEqual(refused(await app.requestSession({ build_id: server })), [404, 4039])
  must(await app.requestSession({ build_id: server, app: 'server' }))
})

test('a game has at most eight open sessions, even when requests race', async (t) => {
  const app = await start(t)
  const opened = await Promise.all(Array.from({ length: 12 }, () => app.requestSession()))
  assert.deepEqual(opened.map(({ status }) => status).sort(), [
    ...Array(8).fill(201),
    ...Array(4).fill(429),
  ])
  const full = await app.requestSession()
  assert.deepEqual(refused(full), [429, 4291])
  assert.ok(Number(full.headers['retry-after']) > 3600)
  const { session_id } = opened.find(({ status }) => status === 201)!.body.data
  must(await app.chunk(session_id, 0, game.length))
  must(await app.requestSession())
  assert.deepEqual(refused(await app.requestSession()), [429, 4291])
  await app.sql`
    update upload_sessions set expires_at = now()
    where uid = (
      select uid from upload_sessions
      where game_uid = ${app.listing.uid} and completed_at is null
      limit 1)`
  must(await app.requestSession())
})

/** Sends the head and the first bytes of a chunk and leaves the connection open. */
function halfChunk(app: SessionApp, session: string, bytes = 'abc') {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  socket.on('error', () => {})
  const headers = {
    host: 'x',
    ...app.headersOf(session, 0, 1000),
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': String(75 + 1000),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const part = 'Content-Disposition: form-data; name="file"; filename="x"'
  socket.write(`POST ${FILES} HTTP/1.1\r\n${lines.join('')}\r\n--b\r\n${part}\r\n\r\n${bytes}`)
  return socket
}
const isLeased = (app: SessionApp) => async () =>
  (await sessionRows(app)).filter(({ holder }) => holder !== null).length === 1

test('a concurrent chunk is 4047, and a closed connection frees the session at once', async (t) => {
  const app = await start(t)
  const session_id = await app.open()
  const socket = halfChunk(app, session_id)
  await eventually('the lease', isLeased(app))
  const busy = await app.chunk(session_id, 0, 1000)
  assert.deepEqual(refused(busy), [409, 4047])
  assert.equal(busy.body.data, undefined, 'current_size would make uploaders retry at once')
  socket.destroy()
  await eventually('the end of the lease', async () => !(await isLeased(app)()))
  must(await app.chunk(session_id, 0, 1000))
})

for (const [part, late] of [
  ['bytes', [Buffer.alloc(997, 'z'), '\r\n--b--\r\n']],
  ['the end of a form', ['\r\n--b--\r\n']],
] as const)
  test(`a dead connection frees the session, and ${part} sent later are ignored`, async (t) => {
    const app = await start(t)
    const session_id = await app.open()
    const socket = halfChunk(app, session_id, part === 'bytes' ? 'abc' : 'z'.repeat(1000))
    await eventually('the lease', isLeased(app))
    await eventually(
      'another chunk to be accepted',
      async () => (await app.chunk(session_id, 0, 1000)).status === 202,
    )
    for (const bytes of late) socket.write(bytes)
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1.1 409 .*"code":4047/s)
    socket.destroy()
    const { file_uid } = must(await app.chunk(session_id, 1000, game.length))
    assert.ok((await storedFile(app.core.storage, app.listing.uid, file_uid)).equals(game))
  })

test('the hash includes a chunk that another process received', async (t) => {
  const app = await start(t)
  const session_id = await app.open()
  must(await app.chunk(session_id, 0, 30_000))
  const [session] = await sessionRows(app)
  const path = join(app.data_dir, 'uploads', `${session!.file_uid}.part`)
  appendFileSync(path, game.subarray(30_000, 60_000))
  await app.sql`
    update upload_sessions set current_size = 60000 where game_uid = ${app.listing.uid}`
  must(await app.chunk(session_id, 60_000, game.length))
})

test('the hash continues after a restart', async (t) => {
  const app = await start(t)
  const session_id = await app.open()
  must(await app.chunk(session_id, 0, 30_000))
  const [session] = await sessionRows(app)
  dropHash(session!.file_uid)
  must(await app.chunk(session_id, 30_000, 60_000))
  dropHash(session!.file_uid)
  must(await app.chunk(session_id, 60_000, game.length))
})

test('reading the stored bytes back renews the session lease', async (t) => {
  const { data_dir } = await start(t)
  const path = join(data_dir, 'read-back')
  writeFileSync(path, Buffer.alloc(3 * 1024 * 1024))
  let renewals = 0
  await resumeHash(randomUUID(), path, 3 * 1024 * 1024, async () => void renewals++)
  assert.equal(renewals, 3)
})

test('a session whose stored bytes are missing ends with 4045', async (t) => {
  const app = await start(t)
  const session_id = await app.open()
  must(await app.chunk(session_id, 0, 40_000))
  for (const part of app.parts()) rmSync(join(app.data_dir, 'uploads', part))
  assert.deepEqual(refused(await app.chunk(session_id, 40_000, game.length))[1], 4045)
  assert.equal((await sessionRows(app)).length, 0)
})

test('an upload on the website can be resumed', async (t) => {
  const app = await start(t)
  const url = `/api/v1/private/games/${app.listing.uid}/files`
  const { token } = app.listing.owner
  const fields = form(fieldsOf(sessionFields(game, app.build_id)))
  const { session_id } = must(await app.call('POST', `${url}/sessions`, { ...fields, token }))
  const range = { session: session_id, from: 0, to: game.length, total: game.length }
  const call = chunkForm(game, chunkHeaders({ headers: {} }, range))
  must(await app.call('POST', url, { ...call, token }))
  const [file] = await app.sql`select method from files where game_uid = ${app.listing.uid}`
  assert.equal(file!.method, 'website')
})

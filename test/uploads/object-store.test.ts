import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { MIB } from '../../src/core/runtime/units.ts'
import { createS3Storage } from '../../src/core/storage/s3.ts'
import { MultipartUploadNotFound, ObjectTooLarge } from '../../src/core/storage/storage.ts'
import { client, startApp } from '../support/app.ts'
import { must, refused, storedKeys } from '../support/builders.ts'
import { childService } from '../support/child.ts'
import { listen } from '../support/listen.ts'
import { startSwift } from '../support/programs/object-store.ts'
import { needs } from '../support/system-packages.ts'
import { composesDeltas } from './deltas/with-object-store.ts'
import { FILES, fileIsClean, uploadSessions, withBuild } from './fixtures.ts'
import { upload } from './forms.ts'
import {
  copiesInBothDirections,
  copiesWithTheCommand,
  movesWithinTheBucket,
  refusesAlteredObjects,
  refusesAnotherDatabase,
  sweepsAbandonedParts,
} from './object-moves.ts'
import { sha256, zip } from './zips.ts'

type App = Awaited<ReturnType<typeof startApp>>

/** What one service with the store does. */
const upload_cases: [string, (t: TestContext, app: App) => Promise<void>][] = [
  ['continues an upload in any process, with chunks of any size', continuesInAnyProcess],
  ['a rejected upload leaves no objects, and a lost part ends its session', leavesNothing],
  ['keeps acknowledged bytes when the step after the acknowledgment fails', keepsAcknowledged],
  ['ends a session that began on the disk, and finds a join whose response was lost', changesStore],
  ['composes the zip of a delta, and keeps nothing else of it', composesDeltas],
  ['download links lead to the store, with the name and type of the file', linksToStore],
]

const bucket_cases: [string, (t: TestContext, url: string) => Promise<void>][] = [
  ['stores, reads by range, lists in order and removes objects', storesObjects],
  ['copies objects to the store and back, resuming after an interruption', copiesInBothDirections],
  ['refuses objects altered in transit, and skips damaged ones', refusesAlteredObjects],
  [
    'storage copy copies both ways, lists damaged objects and resumes after Ctrl-C',
    copiesWithTheCommand,
  ],
  ['moves objects within the bucket, large ones in parts', movesWithinTheBucket],
  ['removes nothing of the bucket of another database', refusesAnotherDatabase],
  ['sweeps abandoned parts and tails, but not those of a current upload', sweepsAbandonedParts],
]

const game = zip([{ name: 'bin/game', body: randomBytes(6 * MIB), method: 0 }])

test('uploads, moves and downloads work with an object store', async (t) => {
  if (!needs(t, 'swift-proxy-server')) return
  const makeBucket = await startSwift(t)
  for (const [nth, [title, check]] of bucket_cases.entries())
    await t.test(title, async (t) => check(t, await makeBucket(`games-${nth}`)))
  const app = await startApp(t, { S3_URL: await makeBucket('uploads') })
  for (const [title, check] of upload_cases) await t.test(title, (t) => check(t, app))
})

/** A store that returns the same response to every request. */
async function fixedStore(t: TestContext, body: string, headers: Record<string, string>) {
  const server = createServer(
    (from, to) => void from.resume().on('end', () => to.writeHead(200, headers).end(body)),
  )
  return createS3Storage(`http://key:secret@127.0.0.1:${await listen(t, server)}/games`)
}

test('an error in a 200 response to joining parts is a failure', async (t) => {
  const join = async (body: string) => {
    const store = await fixedStore(t, body, { 'content-type': 'application/xml' })
    return store.parts.complete('a', 'upload', [{ number: 1, etag: 'x' }])
  }
  await join('<CompleteMultipartUploadResult><ETag>"abc-1"</ETag></CompleteMultipartUploadResult>')
  await assert.rejects(
    join('<Error><Code>InternalError</Code><Message>Try again</Message></Error>'),
    { code: 'EIO' },
  )
})

test('an ETag is used as hash only if the encryption allows it', async (t) => {
  const etag = 'a'.repeat(32)
  const etagWith = async (headers: Record<string, string>) =>
    (await (await fixedStore(t, 'x', { etag, ...headers })).get('a'))?.etag
  assert.equal(await etagWith({}), etag)
  assert.equal(await etagWith({ 'x-amz-server-side-encryption': 'AES256' }), etag)
  assert.equal(await etagWith({ 'x-amz-server-side-encryption': 'aws:kms' }), undefined)
  assert.equal(
    await etagWith({ 'x-amz-server-side-encryption-customer-algorithm': 'AES256' }),
    undefined,
  )
})

async function storesObjects(_t: TestContext, url: string) {
  const store = await createS3Storage(url)
  const read = async (key: string, range?: { start: number; end: number }) => {
    const object = await store.get(key, range)
    return object && { size: object.size, bytes: await buffer(object.stream) }
  }
  await store.probe()
  for (const size of [0, 1, 8 * MIB - 1, 8 * MIB, 8 * MIB + 1, 17 * MIB]) {
    const bytes = Buffer.alloc(size, 'slipway ')
    const large = size > 9 * MIB
    for (const source of [...(large ? [] : [bytes]), pieces(bytes, 300_000)]) {
      assert.deepEqual(await store.put('a/object', source), { size })
      assert.deepEqual(await store.stat('a/object'), { size })
      const object = await read('a/object')
      assert.equal(object?.size, size)
      assert.ok(object.bytes.equals(bytes))
    }
  }
  assert.equal((await read('a/object', { start: 3, end: 6 }))?.bytes.toString(), 'pway')
  assert.equal((await read('a/object', { start: 17 * MIB - 2, end: 99 * MIB }))?.bytes.length, 2)
  await assert.rejects(store.get('a/object', { start: 17 * MIB, end: 18 * MIB }), RangeError)
  await assert.rejects(
    store.put('a/large', pieces(Buffer.alloc(9 * MIB), MIB), { max_bytes: 9 * MIB - 1 }),
    ObjectTooLarge,
  )
  assert.deepEqual([await read('a/large'), await store.stat('a/large')], [null, null])
  assert.deepEqual(
    await store.parts.abandoned(new Date(Date.now() + 60_000)),
    [],
    'a failed upload left parts in the store',
  )
  for (const key of ['b/2', 'b/10', 'b/1/x', 'bc']) await store.put(key, Buffer.from('x'))
  assert.deepEqual(
    (await Array.fromAsync(store.list('b/'))).map(({ key }) => key),
    ['b/1/x', 'b/10', 'b/2'],
  )
  await store.remove('b/2')
  await store.remove('b/2')
  assert.equal(await store.stat('b/2'), null)
  for (const key of ['../x', '/x', 'a//b', '']) assert.throws(() => store.get(key), TypeError)
}

async function* pieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function start(service: App, game: Buffer) {
  const app = await withBuild(service)
  const stored = async () => {
    const [file] = await app.sql`
      select 'builds/' || game_uid || '/' || uid || '.zip' as key
      from files
      where game_uid = ${app.listing.uid}`
    return buffer((await app.core.storage.get(file!.key))!.stream)
  }
  const fields = { build_id: app.build_id }
  return { ...app, ...uploadSessions(app, game), fields, stored }
}

async function continuesInAnyProcess(t: TestContext, service: App) {
  const game = zip([{ name: 'bin/game', body: randomBytes(23 * MIB), method: 0 }])
  const app = await start(service, game)
  const other = client(
    await childService(t, {
      ...app.settings,
      SLIPWAY_ROLES: 'api,upload',
      LOG_LEVEL: 'fatal',
    }).start(),
  )
  const session = await app.open()
  // Sizes below one part, exactly one, just above one and above two, alternating between processes.
  const sizes = [100_000, 5 * MIB, 5 * MIB + 1, 1, 9 * MIB]
  let at = 0
  for (const [nth, size] of sizes.entries()) {
    const { call } = nth % 2 ? other : app
    const { current_size } = must(await app.chunk(session, at, at + size, { call }))
    at += size
    assert.equal(current_size, at)
  }
  const done = await app.chunk(session, at, game.length, { call: other.call })
  assert.equal(done.status, 201)
  assert.ok((await app.stored()).equals(game))
  assert.deepEqual(
    await Array.fromAsync(app.core.storage.list('uploads/')),
    [],
    'the tail of a chunk was not removed',
  )
  assert.deepEqual(
    must(await app.chunk(session, at, game.length)).file_uid,
    done.body.data.file_uid,
    'a repeated last chunk returns another file',
  )
  await fileIsClean(app)
}

async function leavesNothing(_t: TestContext, service: App) {
  const app = await start(service, game)
  const objects = async () => [
    ...(await storedKeys(app.core, 'builds/')),
    ...(await storedKeys(app.core, 'uploads/')),
    ...(await app.core.storage.parts!.abandoned(new Date(Date.now() + 60_000))).map(
      ({ upload }) => upload,
    ),
  ]
  const earlier = new Set(await objects())
  const remaining = async () => (await objects()).filter((object) => !earlier.has(object))
  const sendFile = (fields: Record<string, string>, bytes: Buffer) =>
    app.call('POST', FILES, upload(bytes, fields, app.ci))
  assert.deepEqual(
    refused(await sendFile({ ...app.fields, checksum: '0'.repeat(64) }, game)),
    [422, 4046],
  )
  const broken = game.subarray(0, -1)
  assert.equal((await sendFile({ ...app.fields, checksum: sha256(broken) }, broken)).status, 400)
  const mismatched = await app.open({ checksum: '1'.repeat(64) })
  must(await app.chunk(mismatched, 0, 1000))
  assert.deepEqual(refused(await app.chunk(mismatched, 1000, game.length)), [422, 4046])
  assert.deepEqual(await remaining(), [])
  const session = await app.open()
  must(await app.chunk(session, 0, 1000))
  for await (const { key } of app.core.storage.list('uploads/')) await app.core.storage.remove(key)
  assert.deepEqual(refused(await app.chunk(session, 1000, 2000)), [404, 4045])
  const again = await app.open()
  must(await app.chunk(again, 0, 1000))
  for (const { key, upload } of await app.core.storage.parts!.abandoned(
    new Date(Date.now() + 60_000),
  ))
    await app.core.storage.parts!.abort(key, upload)
  assert.deepEqual(refused(await app.chunk(again, 1000, game.length)), [404, 4045])
  assert.equal((await sendFile(app.fields, game)).status, 201)
  assert.ok((await app.stored()).equals(game))
}

async function keepsAcknowledged(t: TestContext, service: App) {
  const app = await start(service, game)
  const { storage, sql } = app.core
  t.after(() => Object.assign(app.core, { storage, sql }))
  const session = await app.open()
  must(await app.chunk(session, 0, 1000))
  // The store fails when the tail of the previous chunk should be removed.
  app.core.storage = {
    ...storage,
    discard: () => Promise.reject(Object.assign(new Error('away'), { code: 'EIO' })),
  }
  assert.equal(must(await app.chunk(session, 1000, 2000)).current_size, 2000)
  app.core.storage = storage
  // The database connection fails between the commit and its response.
  const advances = (text: readonly string[]) =>
    Array.isArray(text) && /update upload_sessions set\s+current_size/.test(text[0]!)
  app.core.sql = new Proxy(sql, {
    apply: (_, __, args: Parameters<typeof sql>) =>
      advances(args[0] as never)
        ? sql(...args).then(() => Promise.reject(new Error('gone')))
        : sql(...args),
  })
  assert.deepEqual(refused(await app.chunk(session, 2000, 3000)), [409, 4047])
  app.core.sql = sql
  assert.equal((await app.chunk(session, 3000, game.length)).status, 201)
  assert.ok((await app.stored()).equals(game))
}

async function changesStore(t: TestContext, service: App) {
  const app = await start(service, game)
  for (const end of [2000, game.length]) {
    const on_disk = await app.open()
    await app.sql`update upload_sessions set current_size = 1000 where uid = ${on_disk}`
    assert.deepEqual(refused(await app.chunk(on_disk, 1000, end)), [404, 4045])
  }
  const session = await app.open()
  must(await app.chunk(session, 0, 1000))
  // The store joins the parts, but its response is lost and a retry finds no upload.
  const { parts } = app.core.storage
  t.after(() => Object.assign(app.core.storage, { parts }))
  app.core.storage.parts = {
    ...parts!,
    complete: (...args) =>
      parts!.complete(...args).then(() => Promise.reject(new MultipartUploadNotFound())),
  }
  assert.deepEqual(refused(await app.chunk(session, 1000, game.length)), [409, 4044])
  app.core.storage.parts = parts!
  assert.equal((await app.chunk(session, 1000, game.length)).status, 201)
  assert.ok((await app.stored()).equals(game))
}

async function linksToStore(_t: TestContext, service: App) {
  const game = zip([{ name: 'bin/game', body: 'a game' }])
  const app = await start(service, game)
  const { file_uid } = must(
    await app.call('POST', FILES, upload(game, app.fields, app.ci, 'Größe 1.zip')),
  )
  await app.sql`
    update listings set visibility = 'public', anonymous_downloads = true
    where uid = ${app.listing.uid}`
  await fileIsClean(app)
  const { url: link } = must(await app.get(`/api/v1/public/downloads/${file_uid}`))
  assert.equal(new URL(link).host, new URL(app.core.config.s3_url!).host)
  const answer = await fetch(link)
  assert.deepEqual(
    [answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')],
    [
      200,
      'application/zip',
      `attachment; filename="Gr__e 1.zip"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%201.zip`,
    ],
  )
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(game))
  const tampered = new URL(link)
  tampered.searchParams.set('response-content-type', 'text/html')
  assert.equal((await fetch(tampered)).status, 403)
}

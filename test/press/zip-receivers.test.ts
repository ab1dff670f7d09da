import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openPool } from '../../src/core/database/sql.ts'
import { createLocalStorage } from '../../src/core/storage/storage.ts'
import { imageKey } from '../../src/listings/media/url.ts'
import { client, eventually, startApp, temporaryFolder } from '../support/app.ts'
import { builders, must } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { freshDatabase } from '../support/database.ts'
import { addImages, published } from './pages.ts'
import {
  type App,
  begin,
  download,
  ending,
  gallery,
  linux,
  MB,
  openObjects,
  unzip,
} from './zip-fixtures.ts'

test('images over 16 MB, and those that would take the zip over 64 MB, are left out; a slow receiver holds the store back', async (t) => {
  const app = await startApp(t)
  const { uid } = await published(app)
  const sized = (size: number, slot: 'cover' | 'thumbnail' | 'gallery', position = 0) => ({
    slot,
    position,
    bytes: randomBytes(size),
  })
  await addImages(app, uid, [
    sized(16 * MB, 'cover'),
    sized(16 * MB + 1, 'thumbnail'),
    sized(16 * MB, 'gallery', 0),
    sized(16 * MB - 1, 'gallery', 1),
    sized(16 * MB, 'gallery', 2),
    sized(16 * MB, 'gallery', 3),
    sized(1, 'gallery', 4),
    sized(1, 'gallery', 5),
  ])
  const taken = countReads(t, app)
  const response = await begin(app, uid)
  const pieces: Buffer[] = []
  let [received, ahead] = [0, 0]
  for await (const piece of response) {
    pieces.push(piece)
    received += piece.length
    ahead = Math.max(ahead, taken() - received)
    await turn()
  }
  const files = await unzip(Buffer.concat(pieces))
  // 16 + 16 + (16 - 1 byte) + 16 leaves room for one byte: the next 16 MB do not fit, one of the small ones does.
  assert.deepEqual([...files.keys()].slice(1), [
    'images/cover.png',
    'images/gallery-01.png',
    'images/gallery-02.png',
    'images/gallery-03.png',
    'images/gallery-05.png',
  ])
  assert.equal(Number(response.headers['content-length']), received)
  assert.ok(taken() >= 64 * MB)
  // What sockets and pieces hold; a zip built in memory would be 64 MB ahead.
  assert.ok(ahead < 24 * MB, `${ahead} bytes ahead of the receiver`)
})

/** Bytes that were taken out of the store so far. */
function countReads(t: TestContext, { core }: App): () => number {
  let taken = 0
  const real = core.storage.get
  t.mock.method(core.storage, 'get', async (...asked: Parameters<typeof real>) => {
    const object = await real(...asked)
    const push = object?.stream.push
    if (object)
      object.stream.push = (piece, ...more) => {
        taken += piece?.length ?? 0
        return push!.call(object.stream, piece, ...more)
      }
    return object
  })
  return () => taken
}

test('the factsheet is on its way before the first image is opened', async (t) => {
  const app = await startApp(t)
  const { uid } = await published(app)
  await addImages(app, uid, gallery(1, 1000))
  const opened = Promise.withResolvers<void>()
  const real = app.core.storage.get
  t.mock.method(app.core.storage, 'get', async (...asked: Parameters<typeof real>) => {
    await opened.promise
    return real(...asked)
  })
  const response = await begin(app, uid)
  const [first] = await once(response, 'data')
  assert.match(first.toString('latin1'), /factsheet\.json\{/)
  opened.resolve()
  assert.equal(await ending(response), 'whole')
})

test(
  'a receiver that goes away in the middle leaves no file open and no error behind',
  linux,
  async (t) => {
    const app = await startApp(t)
    const { uid } = await published(app)
    await addImages(app, uid, gallery(3, 12 * MB))
    const errors = t.mock.method(app.core.log, 'error')
    const downloads = await Promise.all(Array.from({ length: 5 }, () => begin(app, uid)))
    for (const response of downloads) await once(response, 'readable')
    await eventually('the images to be open', () => openObjects(app).length > 0)
    for (const response of downloads) response.destroy()
    await eventually('the images to be closed', () => openObjects(app).length === 0)
    assert.equal(errors.mock.callCount(), 0)
    assert.equal((await unzip((await download(app, uid)).bytes)).size, 4)
    assert.deepEqual(openObjects(app), [])
  },
)

test('a receiver that goes away while the store is silent frees what was opened', async (t) => {
  const app = await startApp(t)
  const { uid } = await published(app)
  await addImages(app, uid, gallery(1, 1000))
  const silent = new Readable({ read() {} })
  t.mock.method(app.core.storage, 'get', async () => ({ stream: silent, size: 1000 }))
  const response = await begin(app, uid)
  await once(response, 'readable')
  await eventually('the image to be read', () => silent.listenerCount('readable') > 0)
  response.destroy()
  await eventually('the image to be let go', () => silent.destroyed)
})

test(
  'a receiver that takes nothing for a minute is cut off, and its file closed',
  linux,
  async (t) => {
    const app = await startApp(t)
    const { uid } = await published(app)
    await addImages(app, uid, gallery(3, 12 * MB))
    const sockets: Socket[] = []
    const started = channel('http.server.request.start')
    const remember = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
    started.subscribe(remember)
    cleanup(t, () => started.unsubscribe(remember))
    const response = await begin(app, uid)
    await eventually('the image to be open', () => openObjects(app).length > 0)
    const socket = sockets[0]!
    assert.equal(socket.timeout, 60_000)
    // What the clock would say after that time.
    socket.emit('timeout')
    assert.equal(await ending(response), 'cut off')
    await eventually('the image to be closed', () => openObjects(app).length === 0)
  },
)

test(
  'an image that is missing, or not as long as was said, cuts the answer off, is logged, and hurts nobody else',
  linux,
  async (t) => {
    const app = await startApp(t)
    const errors = t.mock.method(app.core.log, 'error')
    const whole = await published(app)
    const [missing, short, long, endless] = await Promise.all(
      Array.from({ length: 4 }, () => published(app)),
    )
    const [first, second] = gallery(2, 100_000)
    const [, sha256] = await addImages(app, missing!.uid, [first!, second!])
    await app.core.storage.remove(imageKey(sha256!))
    await addImages(app, short!.uid, [{ ...first!, size: 100_001 }])
    await addImages(app, long!.uid, [{ ...first!, size: 99_999 }])
    // So much longer that its own bytes would fill the promised length, and look like a whole answer.
    await addImages(app, endless!.uid, [{ ...first!, size: 10 }])
    await addImages(app, whole.uid, [first!])
    for (const [i, broken] of [missing!, short!, long!, endless!].entries()) {
      assert.equal(await ending(await begin(app, broken.uid)), 'cut off')
      assert.equal(errors.mock.callCount(), i + 1)
      assert.equal(
        (errors.mock.calls[i]!.arguments[0] as unknown as { game_uid: string }).game_uid,
        broken.uid,
      )
    }
    await eventually('every image to be closed', () => openObjects(app).length === 0)
    assert.equal((await unzip((await download(app, whole.uid)).bytes)).size, 2)
  },
)

test('64 MB of images grow the server by less than half of that', linux, async (t) => {
  const database_url = await freshDatabase(t)
  const data_dir = temporaryFolder(t)
  const { url, pid } = await startServer(t, { DATABASE_URL: database_url, DATA_DIR: data_dir })
  const sql = openPool(database_url, 2, 'test')
  cleanup(t, () => sql.end())
  const http = client(url)
  const app = {
    ...http,
    url,
    sql,
    core: { storage: await createLocalStorage(join(data_dir, 'objects')) },
    a: builders(http, data_dir),
  }
  const { uid } = await published(app as unknown as App)
  await addImages(app as unknown as App, uid, gallery(8, 8 * MB))
  must(await http.get(`/api/v1/public/games/${uid}/press`))
  const grown = memoryGrowth(pid)
  let received = 0
  for await (const piece of await begin(app as unknown as App, uid)) received += piece.length
  assert.ok(received > 64 * MB)
  assert.ok(grown() < 32 * MB, `grew by ${(grown() / MB).toFixed(1)} MB`)
})

async function startServer(t: TestContext, env: Record<string, string>) {
  const main = join(import.meta.dirname, '../../src/main.ts')
  const settings = {
    ...process.env,
    PORT: '0',
    METRICS_PORT: 'off',
    LOG_LEVEL: 'error',
    SLIPWAY_ROLES: 'api',
    ...env,
  }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: settings,
  })
  cleanup(t, async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = line.match(/^ready (\S+)/)?.[1]
    if (url) return { url, pid: child.pid! }
  }
  throw new Error('the server ended before it was ready')
}

/** How far the resident memory of a process went up at most, from here to when it is asked. */
function memoryGrowth(pid: number): () => number {
  const kilobytes = (field: string) =>
    Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${field}:\\s+(\\d+)`))![1])
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const before = kilobytes('VmRSS')
  return () => (kilobytes('VmHWM') - before) * 1024
}

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openPool } from '../../src/core/database/sql.ts'
import { MIB } from '../../src/core/runtime/units.ts'
import { createLocalStorage } from '../../src/core/storage/local.ts'
import { imageKey } from '../../src/listings/media/url.ts'
import { client, eventually, startApp, temporaryFolder } from '../support/app.ts'
import { builders, must } from '../support/builders.ts'
import { serviceFile } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { freshDatabase } from '../support/database.ts'
import { memoryGrowth } from '../support/memory.ts'
import { sharedInFile } from '../support/shared.ts'
import { addImages, published } from './fixtures.ts'
import {
  type App,
  download,
  downloadResult,
  gallery,
  linux,
  openImages,
  startDownload,
  unzip,
} from './zip-fixtures.ts'

const sharedApp = sharedInFile(startApp)

test('omits images over the limits, and reads storage no faster than the client', async (t) => {
  const app = await sharedApp(t)
  const { uid } = await published(app)
  const sized = (size: number, slot: 'cover' | 'thumbnail' | 'gallery', position = 0) => ({
    slot,
    position,
    bytes: randomBytes(size),
  })
  await addImages(app, uid, [
    sized(16 * MIB, 'cover'),
    sized(16 * MIB + 1, 'thumbnail'),
    sized(16 * MIB, 'gallery', 0),
    sized(16 * MIB - 1, 'gallery', 1),
    sized(16 * MIB, 'gallery', 2),
    sized(16 * MIB, 'gallery', 3),
    sized(1, 'gallery', 4),
    sized(1, 'gallery', 5),
  ])
  const bytesRead = countReads(t, app)
  const response = await startDownload(app, uid)
  const pieces: Buffer[] = []
  let received = 0
  let ahead = 0
  for await (const piece of response) {
    pieces.push(piece)
    received += piece.length
    ahead = Math.max(ahead, bytesRead() - received)
    await nextTurn()
  }
  const files = await unzip(Buffer.concat(pieces))
  // 16 + 16 + (16 - 1 byte) + 16 MB leaves one byte: the next 16 MB do not fit, one byte does.
  assert.deepEqual([...files.keys()].slice(1), [
    'images/cover.png',
    'images/gallery-01.png',
    'images/gallery-02.png',
    'images/gallery-03.png',
    'images/gallery-05.png',
  ])
  assert.equal(Number(response.headers['content-length']), received)
  assert.ok(bytesRead() >= 64 * MIB)
  // This much fits in socket buffers and chunks; a zip built in memory would be 64 MB ahead.
  assert.ok(ahead < 24 * MIB, `${ahead} bytes ahead of the client`)
})

/** The number of bytes read from storage so far. */
function countReads(t: TestContext, { core }: App): () => number {
  let total = 0
  const real = core.storage.get
  t.mock.method(core.storage, 'get', async (...args: Parameters<typeof real>) => {
    const object = await real(...args)
    const push = object?.stream.push
    if (object)
      object.stream.push = (piece, ...more) => {
        total += piece?.length ?? 0
        return push!.call(object.stream, piece, ...more)
      }
    return object
  })
  return () => total
}

test('sends the factsheet before it opens the first image', async (t) => {
  const app = await sharedApp(t)
  const { uid } = await published(app)
  await addImages(app, uid, gallery(1, 1000))
  const opened = Promise.withResolvers<void>()
  const real = app.core.storage.get
  t.mock.method(app.core.storage, 'get', async (...args: Parameters<typeof real>) => {
    await opened.promise
    return real(...args)
  })
  const response = await startDownload(app, uid)
  const [first] = await once(response, 'data')
  assert.match(first.toString('latin1'), /factsheet\.json\{/)
  opened.resolve()
  assert.equal(await downloadResult(response), 'complete')
})

test('a client that disconnects leaves no file open and logs no error', linux, async (t) => {
  const app = await sharedApp(t)
  const { uid } = await published(app)
  await addImages(app, uid, gallery(3, 12 * MIB))
  const errors = t.mock.method(app.core.log, 'error')
  const downloads = await Promise.all(Array.from({ length: 5 }, () => startDownload(app, uid)))
  for (const response of downloads) await once(response, 'readable')
  await eventually('the images to be open', () => openImages(app).length > 0)
  for (const response of downloads) response.destroy()
  await eventually('the images to be closed', () => openImages(app).length === 0)
  assert.equal(errors.mock.callCount(), 0)
  assert.equal((await unzip((await download(app, uid)).bytes)).size, 4)
  await eventually('the last image to be closed', () => openImages(app).length === 0)
})

test('a client that disconnects while storage is silent releases the file', async (t) => {
  const app = await sharedApp(t)
  const { uid } = await published(app)
  await addImages(app, uid, gallery(1, 1000))
  const silent = new Readable({ read() {} })
  t.mock.method(app.core.storage, 'get', async () => ({ stream: silent, size: 1000 }))
  const response = await startDownload(app, uid)
  await once(response, 'readable')
  await eventually('the image to be read', () => silent.listenerCount('readable') > 0)
  response.destroy()
  await eventually('the image to be closed', () => silent.destroyed)
})

test('a client that reads nothing for a minute is disconnected', linux, async (t) => {
  const app = await sharedApp(t)
  const { uid } = await published(app)
  await addImages(app, uid, gallery(3, 12 * MIB))
  const sockets: Socket[] = []
  const started = channel('http.server.request.start')
  const remember = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
  started.subscribe(remember)
  cleanup(t, () => started.unsubscribe(remember))
  const response = await startDownload(app, uid)
  await eventually('the image to be open', () => openImages(app).length > 0)
  const socket = sockets[0]!
  assert.equal(socket.timeout, 60_000)
  // As after that time without traffic.
  socket.emit('timeout')
  assert.equal(await downloadResult(response), 'aborted')
  await eventually('the image to be closed', () => openImages(app).length === 0)
})

test('a missing image or one of another size aborts only its own download', linux, async (t) => {
  const app = await sharedApp(t)
  const errors = t.mock.method(app.core.log, 'error')
  const intact = await published(app)
  const [missing, short, long, endless] = await Promise.all(
    Array.from({ length: 4 }, () => published(app)),
  )
  const [first, second] = gallery(2, 100_000)
  const [, sha256] = await addImages(app, missing!.uid, [first!, second!])
  await app.core.storage.remove(imageKey(sha256!))
  await addImages(app, short!.uid, [{ ...first!, size: 100_001 }])
  await addImages(app, long!.uid, [{ ...first!, size: 99_999 }])
  // So much longer that its bytes alone would fill the announced length of the zip.
  await addImages(app, endless!.uid, [{ ...first!, size: 10 }])
  await addImages(app, intact.uid, [first!])
  for (const [i, broken] of [missing!, short!, long!, endless!].entries()) {
    assert.equal(await downloadResult(await startDownload(app, broken.uid)), 'aborted')
    assert.equal(errors.mock.callCount(), i + 1)
    assert.equal(
      (errors.mock.calls[i]!.arguments[0] as unknown as { game_uid: string }).game_uid,
      broken.uid,
    )
  }
  await eventually('every image to be closed', () => openImages(app).length === 0)
  assert.equal((await unzip((await download(app, intact.uid)).bytes)).size, 2)
})

test('sending 64 MB of images needs less than 32 MB of memory', linux, async (t) => {
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
  await addImages(app as unknown as App, uid, gallery(8, 8 * MIB))
  must(await http.get(`/api/v1/public/games/${uid}/press`))
  const growth = memoryGrowth(pid)
  let received = 0
  for await (const piece of await startDownload(app as unknown as App, uid))
    received += piece.length
  assert.ok(received > 64 * MIB)
  assert.ok(growth() < 32 * MIB, `grew by ${(growth() / MIB).toFixed(1)} MB`)
})

async function startServer(t: TestContext, env: Record<string, string>) {
  const settings = {
    ...process.env,
    PORT: '0',
    METRICS_PORT: 'off',
    LOG_LEVEL: 'error',
    SLIPWAY_ROLES: 'api',
    ...env,
  }
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', await serviceFile()],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: settings,
    },
  )
  cleanup(t, async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = line.match(/^ready (\S+)/)?.[1]
    if (url) return { url, pid: child.pid! }
  }
  throw new Error('the server exited before it was ready')
}

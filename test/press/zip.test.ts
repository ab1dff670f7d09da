import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer, get as httpGet, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { fromBuffer } from 'yauzl'
import { open } from '../../src/core/db.ts'
import { createLocalStorage } from '../../src/core/storage.ts'
import { imageKey } from '../../src/listings/media-url.ts'
import { dosTime, sendZip, type ZipEntry, zipSize } from '../../src/press/zip.ts'
import { client, eventually, startApp, temporaryFolder } from '../app.ts'
import { builders, must } from '../builders.ts'
import { cleanup } from '../cleanup.ts'
import { freshDatabase } from '../database.ts'
import { fc } from '../property.ts'
import { addImages, published, show } from './pages.ts'

type App = Awaited<ReturnType<typeof startApp>>
type Entry = { fileName: string; crc32: number; uncompressedSize: number; compressionMethod: number }
const MB = 1024 * 1024
const linux = { skip: process.platform === 'linux' ? false : 'counts open files in /proc' }
const zipOf = (uid: string) => `/api/v1/public/games/${uid}/press.zip`

/** The files of a zip by name, as another's reader sees them. */
function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const { promise, resolve, reject } = Promise.withResolvers<Map<string, Buffer>>()
  const files = new Map<string, Buffer>()
  fromBuffer(bytes, { lazyEntries: true, strictFileNames: true }, (failed: Error | null, zip: any) => {
    if (failed) return reject(failed)
    zip.on('error', reject).on('end', () => resolve(files))
    zip.on('entry', (entry: Entry) =>
      zip.openReadStream(entry, async (error: Error | null, stream: Readable) => {
        if (error) return reject(error)
        const content = Buffer.concat(await stream.toArray())
        if (entry.compressionMethod !== 0 || crc32(content) !== entry.crc32) return reject(new Error(`${entry.fileName} is not as it says`))
        files.set(entry.fileName, content)
        zip.readEntry()
      }),
    )
    zip.readEntry()
  })
  return promise
}

async function download(app: App, uid: string, token?: string) {
  const response = await fetch(new URL(zipOf(uid), app.url), token ? { headers: { authorization: `Bearer ${token}` } } : {})
  assert.equal(response.status, 200)
  return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** A download that takes only what the test takes from it. */
async function begin(app: App, uid: string): Promise<IncomingMessage> {
  const request = httpGet(new URL(zipOf(uid), app.url), { agent: false })
  request.on('error', () => {})
  const [response] = await once(request, 'response')
  return response.on('error', () => {})
}

/** How a download ends for its receiver. */
async function ending(response: IncomingMessage): Promise<'whole' | 'cut off'> {
  response.resume()
  await once(response, 'close').catch(() => {})
  return response.complete ? 'whole' : 'cut off'
}

/** Objects of the store that this process holds open. */
function openObjects({ data_dir }: Pick<App, 'data_dir'>): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(join(data_dir, 'objects', 'images')) ? [path] : []
    } catch {
      return []
    }
  })
}

const gallery = (count: number, size: number) =>
  Array.from({ length: count }, (_, position) => ({ slot: 'gallery' as const, position, bytes: randomBytes(size) }))

test('the zip holds the factsheet and every image byte for byte, and is as long as it said', async (t) => {
  const app = await startApp(t)
  const { uid, vanity_name, owner } = await published(app, { name: 'Boats' })
  must(await app.put(`/api/v1/private/games/${uid}/press`, { release_date: '2027', features: ['Boats'] }, owner))
  const images = [
    { slot: 'cover' as const, bytes: randomBytes(300_000), type: 'image/jpeg' },
    { slot: 'thumbnail' as const, bytes: randomBytes(1), type: 'image/webp' },
    ...gallery(11, 70_000),
  ]
  // Last to first: the order of the zip is that of the page, not of the uploads.
  await addImages(app, uid, images.toReversed())
  const { headers, bytes } = await download(app, vanity_name)
  const files = await unzip(bytes)
  const numbered = images.slice(2).map((_, i) => `images/gallery-${String(i + 1).padStart(2, '0')}.png`)
  assert.deepEqual([...files.keys()], ['factsheet.json', 'images/cover.jpg', 'images/thumbnail.webp', ...numbered])
  for (const [i, content] of [...files.values()].slice(1).entries()) assert.ok(content.equals(images[i]!.bytes), `image ${i}`)
  const { body } = await app.get(`/api/v1/public/games/${uid}/press`)
  assert.deepEqual(JSON.parse(files.get('factsheet.json')!.toString()), body.data)
  assert.deepEqual(
    ['content-type', 'content-disposition', 'x-content-type-options', 'content-length', 'cache-control'].map((name) => headers.get(name)),
    ['application/zip', `attachment; filename="${vanity_name}-press.zip"`, 'nosniff', String(bytes.length), 'no-cache'],
  )
})

test('the usual unpacker finds nothing wrong with the zip', async (t) => {
  if (spawnSync('unzip', ['-v']).status !== 0) return t.skip('unzip is not installed')
  const app = await startApp(t)
  const { uid } = await published(app)
  await addImages(app, uid, gallery(3, 400_000))
  const path = join(temporaryFolder(t), 'press.zip')
  writeFileSync(path, (await download(app, uid)).bytes)
  assert.match(execFileSync('unzip', ['-t', path], { encoding: 'utf8' }), /No errors detected/)
  const listed = execFileSync('unzip', ['-Z', '-T', path], { encoding: 'utf8' })
  assert.match(listed, /-rw-r--r-- .* stor \d{8}\.\d{6} images\/gallery-03\.png/)
})

test('a listing without images has a zip with the factsheet alone', async (t) => {
  const app = await startApp(t)
  const { uid } = await published(app)
  assert.deepEqual([...(await unzip((await download(app, uid)).bytes)).keys()], ['factsheet.json'])
})

test('HEAD tells the length without reading an image', async (t) => {
  const app = await startApp(t)
  const { uid } = await published(app)
  await addImages(app, uid, gallery(2, 50_000))
  const reads = t.mock.method(app.core.storage, 'get')
  const head = await app.call('HEAD', zipOf(uid))
  assert.deepEqual([head.status, reads.mock.callCount()], [200, 0])
  assert.equal(head.headers['content-length'], String((await download(app, uid)).bytes.length))
  assert.equal(reads.mock.callCount(), 2)
})

test('images over 16 MB, and those that would take the zip over 64 MB, are left out; a slow receiver holds the store back', async (t) => {
  const app = await startApp(t)
  const { uid } = await published(app)
  const sized = (size: number, slot: 'cover' | 'thumbnail' | 'gallery', position = 0) => ({ slot, position, bytes: randomBytes(size) })
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

test('a receiver that goes away in the middle leaves no file open and no error behind', linux, async (t) => {
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
})

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

test('a receiver that takes nothing for a minute is cut off, and its file closed', linux, async (t) => {
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
})

test('an image that is missing, or not as long as was said, cuts the answer off, is logged, and hurts nobody else', linux, async (t) => {
  const app = await startApp(t)
  const errors = t.mock.method(app.core.log, 'error')
  const whole = await published(app)
  const [missing, short, long, endless] = await Promise.all(Array.from({ length: 4 }, () => published(app)))
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
    assert.equal((errors.mock.calls[i]!.arguments[0] as unknown as { game_uid: string }).game_uid, broken.uid)
  }
  await eventually('every image to be closed', () => openObjects(app).length === 0)
  assert.equal((await unzip((await download(app, whole.uid)).bytes)).size, 2)
})

test('whatever a listing is called, the names of the file and in it are plain, and the factsheet has the real one', async (t) => {
  const app = await startApp(t)
  const owner = await app.a.developer()
  const names = ['"; filename="evil.exe', '../../etc/passwd', 'C:\\Windows\\x', '界界界', 'Ünïcödé 🚀', '%0d%0aSet-Cookie: a=b', '-rf']
  for (const name of names) {
    const { uid, vanity_name } = await app.a.listing({ owner, name })
    await addImages(app, uid, [{ slot: 'cover', bytes: Buffer.from('x') }])
    // Saving refuses line breaks; an older row or an import may still hold one.
    const stored = `${name}\r\nx-evil: 1`
    await show(app, uid, { visibility: 'public', name: stored })
    const { headers, bytes } = await download(app, uid)
    assert.equal(headers.get('content-disposition'), `attachment; filename="${vanity_name}-press.zip"`)
    assert.match(vanity_name, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.equal(headers.get('x-evil'), null)
    const files = await unzip(bytes)
    assert.deepEqual([...files.keys()], ['factsheet.json', 'images/cover.png'])
    assert.equal(JSON.parse(files.get('factsheet.json')!.toString()).name, stored)
  }
})

test('64 MB of images grow the server by less than half of that', linux, async (t) => {
  const database_url = await freshDatabase(t)
  const data_dir = temporaryFolder(t)
  const { url, pid } = await startServer(t, { DATABASE_URL: database_url, DATA_DIR: data_dir })
  const sql = open(database_url, 2, 'test')
  cleanup(t, () => sql.end())
  const http = client(url)
  const app = { ...http, url, sql, core: { storage: await createLocalStorage(join(data_dir, 'objects')) }, a: builders(http, data_dir) }
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
  const settings = { ...process.env, PORT: '0', METRICS_PORT: 'off', LOG_LEVEL: 'error', SLIPWAY_ROLES: 'api', ...env }
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
  const kilobytes = (field: string) => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${field}:\\s+(\\d+)`))![1])
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const before = kilobytes('VmRSS')
  return () => (kilobytes('VmHWM') - before) * 1024
}

const fileName = fc.stringMatching(/^[\p{L}\p{N} _-]{1,20}\.[a-z]{3}$/u)
const content = fc.array(fc.uint8Array({ maxLength: 2000 }), { maxLength: 5 })

test('whatever files go in come out, whichever way their bytes arrive, and the length was known before', async (t) => {
  let entries: ZipEntry[] = []
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': zipSize(entries) })
    void sendZip(response, entries, new Date())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(t, () => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const files = fc.uniqueArray(fc.record({ name: fileName, pieces: content, at_hand: fc.boolean(), known: fc.boolean() }), {
    selector: ({ name }) => name,
    maxLength: 6,
  })
  await fc.assert(
    fc.asyncProperty(files, async (some) => {
      const whole = some.map(({ name, pieces }) => [name, Buffer.concat(pieces)] as const)
      entries = some.map(({ name, pieces, at_hand, known }, i) => {
        const bytes = whole[i]![1]
        return at_hand
          ? { name, bytes }
          : {
              ...{ name, size: bytes.length, open: async () => Readable.from(pieces.map((piece) => Buffer.from(piece))) },
              ...(known ? { crc: crc32(bytes) } : {}),
            }
      })
      const answer = Buffer.from(await (await fetch(url)).arrayBuffer())
      assert.equal(answer.length, zipSize(entries))
      assert.deepEqual([...(await unzip(answer))], whole)
    }),
    { numRuns: 60 },
  )
})

test('the checksum of an image is kept with it, and one from before learns it from the first zip', async (t) => {
  const app = await startApp(t)
  const game = await app.a.listing()
  const media = await app.a.images(game)
  assert.equal(media.gallery.length, 4)
  await show(app, game.uid, { visibility: 'public' })
  const sums = async () => (await app.sql`select crc32 from listing_images order by uid`).map((row) => row.crc32 as number | null)
  const kept = await sums()
  assert.ok(kept.every((crc) => crc !== null))
  const before = await unzip((await download(app, game.uid)).bytes)
  for (const name of before.keys()) if (name !== 'factsheet.json') assert.ok(kept.includes(crc32(before.get(name)!)), name)
  await app.sql`update listing_images set crc32 = null`
  for (let i = 0; i < 2; i++) assert.deepEqual(imagesIn(await unzip((await download(app, game.uid)).bytes)), imagesIn(before))
  assert.deepEqual(await sums(), kept)
})
const imagesIn = (files: Map<string, Buffer>) => [...files].filter(([name]) => name !== 'factsheet.json')

test('a zip too large for the plain format is refused before a byte is sent', async () => {
  const huge = { name: 'x', size: 0xffff_ffff, open: async () => Readable.from([]) }
  await assert.rejects(sendZip({} as never, [huge], new Date()), RangeError)
})

test('times are written as the format has them, and held to the years it can write', () => {
  const packed = (year: number, month: number, day: number, hour: number, minute: number, second: number) =>
    (((((year - 1980) << 9) | (month << 5) | day) << 16) >>> 0) + ((hour << 11) | (minute << 5) | (second >> 1))
  assert.equal(dosTime(new Date('2024-02-29T13:37:59Z')), packed(2024, 2, 29, 13, 37, 58))
  assert.equal(dosTime(new Date('1980-01-01T00:00:00Z')), packed(1980, 1, 1, 0, 0, 0))
  assert.equal(dosTime(new Date('1979-12-31T23:59:59Z')) >>> 25, 0)
  assert.equal(dosTime(new Date('2107-12-31T23:59:59Z')), packed(2107, 12, 31, 23, 59, 58))
  assert.equal(dosTime(new Date('2108-01-01T00:00:00Z')) >>> 25, 127)
})

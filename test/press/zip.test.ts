import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { dosTime } from '../../src/core/storage/zip-format.ts'
import { sendZip, type ZipFile, zipSize } from '../../src/press/zip.ts'
import { startApp, temporaryFolder } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { fc } from '../support/property.ts'
import { sharedInFile } from '../support/shared.ts'
import { addImages, published, show } from './fixtures.ts'
import { download, gallery, unzip, zipOf } from './zip-fixtures.ts'

const sharedApp = sharedInFile(startApp)

test('the zip contains the factsheet and every image, in its announced length', async (t) => {
  const app = await sharedApp(t)
  const { uid, vanity_name, owner } = await published(app, { name: 'Boats' })
  must(
    await app.put(
      `/api/v1/private/games/${uid}/press`,
      { release_date: '2027', features: ['Boats'] },
      owner,
    ),
  )
  const images = [
    { slot: 'cover' as const, bytes: randomBytes(300_000), type: 'image/jpeg' },
    { slot: 'thumbnail' as const, bytes: randomBytes(1), type: 'image/webp' },
    ...gallery(11, 70_000),
  ]
  // Added in reverse: the zip is in the order of the page, not of the uploads.
  await addImages(app, uid, images.toReversed())
  const { headers, bytes } = await download(app, vanity_name)
  const files = await unzip(bytes)
  const numbered = images
    .slice(2)
    .map((_, i) => `images/gallery-${String(i + 1).padStart(2, '0')}.png`)
  assert.deepEqual(
    [...files.keys()],
    ['factsheet.json', 'images/cover.jpg', 'images/thumbnail.webp', ...numbered],
  )
  for (const [i, content] of [...files.values()].slice(1).entries())
    assert.ok(content.equals(images[i]!.bytes), `image ${i}`)
  const { body } = await app.get(`/api/v1/public/games/${uid}/press`)
  assert.deepEqual(JSON.parse(files.get('factsheet.json')!.toString()), body.data)
  assert.deepEqual(
    [
      'content-type',
      'content-disposition',
      'x-content-type-options',
      'content-length',
      'cache-control',
    ].map((name) => headers.get(name)),
    [
      'application/zip',
      `attachment; filename="${vanity_name}-press.zip"`,
      'nosniff',
      String(bytes.length),
      'no-cache',
    ],
  )
})

test('unzip reports no errors in the zip', async (t) => {
  if (spawnSync('unzip', ['-v']).status !== 0) return t.skip('unzip is not installed')
  const app = await sharedApp(t)
  const { uid } = await published(app)
  await addImages(app, uid, gallery(3, 400_000))
  const path = join(temporaryFolder(t), 'press.zip')
  writeFileSync(path, (await download(app, uid)).bytes)
  assert.match(execFileSync('unzip', ['-t', path], { encoding: 'utf8' }), /No errors detected/)
  const listed = execFileSync('unzip', ['-Z', '-T', path], { encoding: 'utf8' })
  assert.match(listed, /-rw-r--r-- .* stor \d{8}\.\d{6} images\/gallery-03\.png/)
})

test('a listing without images has a zip with the factsheet alone', async (t) => {
  const app = await sharedApp(t)
  const { uid } = await published(app)
  assert.deepEqual([...(await unzip((await download(app, uid)).bytes)).keys()], ['factsheet.json'])
})

test('HEAD returns the length without reading an image', async (t) => {
  // Without the jobs that read images for a reason of their own, once a minute.
  const app = await startApp(t, { SLIPWAY_ROLES: 'api,web' })
  const { uid } = await published(app)
  await addImages(app, uid, gallery(2, 50_000))
  const reads = t.mock.method(app.core.storage, 'get')
  const head = await app.call('HEAD', zipOf(uid))
  assert.deepEqual([head.status, reads.mock.callCount()], [200, 0])
  assert.equal(head.headers['content-length'], String((await download(app, uid)).bytes.length))
  assert.equal(reads.mock.callCount(), 2)
})

test('file names of the zip are safe whatever the listing is called', async (t) => {
  const app = await sharedApp(t)
  const owner = await app.a.developer()
  const names = [
    '"; filename="evil.exe',
    '../../etc/passwd',
    'C:\\Windows\\x',
    '界界界',
    'Ünïcödé 🚀',
    '%0d%0aSet-Cookie: a=b',
    '-rf',
  ]
  for (const name of names) {
    const { uid, vanity_name } = await app.a.listing({ owner, name })
    await addImages(app, uid, [{ slot: 'cover', bytes: Buffer.from('x') }])
    // Saving refuses line breaks, but an old row or an import may contain one.
    const stored = `${name}\r\nx-evil: 1`
    await show(app, uid, { visibility: 'public', name: stored })
    const { headers, bytes } = await download(app, uid)
    assert.equal(
      headers.get('content-disposition'),
      `attachment; filename="${vanity_name}-press.zip"`,
    )
    assert.match(vanity_name, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.equal(headers.get('x-evil'), null)
    const files = await unzip(bytes)
    assert.deepEqual([...files.keys()], ['factsheet.json', 'images/cover.png'])
    assert.equal(JSON.parse(files.get('factsheet.json')!.toString()).name, stored)
  }
})

const fileName = fc.stringMatching(/^[\p{L}\p{N} _-]{1,20}\.[a-z]{3}$/u)
const content = fc.array(fc.uint8Array({ maxLength: 2000 }), { maxLength: 5 })

test('round-trips any files and predicts the length of the zip', async (t) => {
  let zipFiles: ZipFile[] = []
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': zipSize(zipFiles) })
    void sendZip(response, zipFiles, new Date())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(t, () => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const files = fc.uniqueArray(
    fc.record({ name: fileName, pieces: content, in_memory: fc.boolean(), known: fc.boolean() }),
    {
      selector: ({ name }) => name,
      maxLength: 6,
    },
  )
  await fc.assert(
    fc.asyncProperty(files, async (generated) => {
      const expected = generated.map(({ name, pieces }) => [name, Buffer.concat(pieces)] as const)
      zipFiles = generated.map(({ name, pieces, in_memory, known }, i) => {
        const bytes = expected[i]![1]
        return in_memory
          ? { name, bytes }
          : {
              name,
              size: bytes.length,
              open: async () => Readable.from(pieces.map((piece) => Buffer.from(piece))),
              ...(known ? { crc: crc32(bytes) } : {}),
            }
      })
      const answer = Buffer.from(await (await fetch(url)).arrayBuffer())
      assert.equal(answer.length, zipSize(zipFiles))
      assert.deepEqual([...(await unzip(answer))], expected)
    }),
    { numRuns: 60 },
  )
})

test('an image without a stored checksum gets one from its first zip', async (t) => {
  const app = await startApp(t)
  const game = await app.a.listing()
  const media = await app.a.images(game)
  assert.equal(media.gallery.length, 4)
  await show(app, game.uid, { visibility: 'public' })
  const checksums = async () =>
    (await app.sql`select crc32 from listing_images order by uid`).map(
      (row) => row.crc32 as number | null,
    )
  const stored = await checksums()
  assert.ok(stored.every((crc) => crc !== null))
  const before = await unzip((await download(app, game.uid)).bytes)
  for (const name of before.keys())
    if (name !== 'factsheet.json') assert.ok(stored.includes(crc32(before.get(name)!)), name)
  await app.sql`update listing_images set crc32 = null`
  for (let i = 0; i < 2; i++)
    assert.deepEqual(imagesIn(await unzip((await download(app, game.uid)).bytes)), imagesIn(before))
  assert.deepEqual(await checksums(), stored)
})
const imagesIn = (files: Map<string, Buffer>) =>
  [...files].filter(([name]) => name !== 'factsheet.json')

test('rejects a zip that is too large for the plain format before it sends a byte', async () => {
  const huge = { name: 'x', size: 0xffff_ffff, open: async () => Readable.from([]) }
  await assert.rejects(sendZip({} as never, [huge], new Date()), RangeError)
})

test('dosTime encodes times and limits them to the years 1980 to 2107', () => {
  const packed = (
    [year, month, day]: [number, number, number],
    [hour, minute, second]: [number, number, number],
  ) =>
    (((((year - 1980) << 9) | (month << 5) | day) << 16) >>> 0) +
    ((hour << 11) | (minute << 5) | (second >> 1))
  assert.equal(dosTime(new Date('2024-02-29T13:37:59Z')), packed([2024, 2, 29], [13, 37, 58]))
  assert.equal(dosTime(new Date('1980-01-01T00:00:00Z')), packed([1980, 1, 1], [0, 0, 0]))
  assert.equal(dosTime(new Date('1979-12-31T23:59:59Z')) >>> 25, 0)
  assert.equal(dosTime(new Date('2107-12-31T23:59:59Z')), packed([2107, 12, 31], [23, 59, 58]))
  assert.equal(dosTime(new Date('2108-01-01T00:00:00Z')) >>> 25, 127)
})

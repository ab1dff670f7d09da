import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import sharp from 'sharp'
import { MIB } from '../../../src/core/runtime/units.ts'
import { isComplete } from '../../../src/listings/media/image-integrity.ts'
import { startApp } from '../../support/app.ts'
import { refused } from '../../support/builders.ts'
import { type Format, padPng, picture, pngWithHeader } from '../../support/images.ts'
import { sharedInFile } from '../../support/shared.ts'
import { hashOf, mediaRequests } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

const formats = ['png', 'jpeg', 'gif', 'webp'] as const
const REFUSED = [422, 4151]
/** Closes the connection, because an open one would delay the end of the test. */
const lastRequest = { headers: { connection: 'close' } }

test('each slot accepts images up to its width, height and ratio, and none larger', async (t) => {
  const app = await sharedApp(t)
  const { upload } = mediaRequests(app)
  const bounds = {
    thumbnail: {
      taken: ['960x540', '1920x1080', '1020x600', '1110x600'],
      refused: ['959x540', '960x539', '1921x1080', '1920x1081', '1019x600', '1111x600'],
    },
    cover: {
      taken: ['1024x576', '2048x1152', '1088x640', '1110x600'],
      refused: ['1023x576', '1024x575', '2049x1152', '2048x1153', '1087x640', '1111x600'],
    },
    gallery: {
      taken: ['1280x720', '2048x1152', '1360x800', '1480x800'],
      refused: ['1279x720', '1280x719', '2049x1152', '2048x1153', '1359x800', '1481x800'],
    },
  }
  let made = 0
  for (const [kind, sizes] of Object.entries(bounds)) {
    const listing = await app.a.listing()
    const send = async (size: string) => {
      const [width, height] = size.split('x').map(Number) as [number, number]
      return upload(listing, { kind }, [
        { bytes: await picture(width, height, { format: formats[made++ % 4] }) },
      ])
    }
    for (const size of sizes.taken) assert.equal((await send(size)).status, 200, `${kind} ${size}`)
    for (const size of sizes.refused) {
      const answer = await send(size)
      assert.deepEqual(refused(answer), REFUSED, `${kind} ${size}`)
      assert.match(answer.body.error.message, new RegExp(`${kind}: it is ${size}.*send`))
      assert.deepEqual(answer.body.data, { field: kind, file: 0 })
    }
  }
})

test('each slot accepts its maximum size and rejects one byte more', async (t) => {
  const app = await sharedApp(t)
  const { upload } = mediaRequests(app)
  const listing = await app.a.listing()
  const small = await picture(1280, 720)
  // Where the fields come last, the size of a small slot is checked after the file has arrived.
  for (const [kind, megabytes, fields_last] of [
    ['thumbnail', 5, false],
    ['thumbnail', 5, true],
    ['cover', 8, true],
    ['gallery', 10, false],
  ] as const) {
    const over = padPng(small, megabytes * MIB + 1)
    const most = padPng(small, megabytes * MIB)
    assert.equal(
      (await upload(listing, { kind }, [{ bytes: most }], { fields_last })).status,
      200,
      `${kind} at its limit`,
    )
    assert.deepEqual(
      refused(await upload(listing, { kind }, [{ bytes: over }], { fields_last })),
      REFUSED,
      `${kind} over its limit`,
    )
  }
})

test('detects the four image types by their bytes, not by file name or content type', async (t) => {
  const app = await sharedApp(t)
  const { upload } = mediaRequests(app)
  const listing = await app.a.listing()
  const endings = { png: 'png', jpeg: 'jpg', gif: 'gif', webp: 'webp' }
  for (const [index, format] of formats.entries()) {
    const bytes = await picture(1024, 576, { format })
    const claimed = formats[(index + 1) % 4]!
    const answer = await upload(listing, { kind: 'cover' }, [
      { bytes, filename: `x.${claimed}`, type: `image/${claimed}` },
    ])
    const url = new URL(answer.body.data.cover)
    assert.ok(url.pathname.endsWith(`.${endings[format]}`), url.pathname)
    const served = await fetch(url, lastRequest)
    assert.equal(served.headers.get('content-type'), `image/${format}`)
    assert.deepEqual(Buffer.from(await served.arrayBuffer()), bytes, 'the served bytes differ')
  }
})

test('rejects other image types, documents, random bytes and empty files', async (t) => {
  const app = await sharedApp(t)
  const { upload, read } = mediaRequests(app)
  const listing = await app.a.listing()
  const plain = sharp({ create: { width: 1280, height: 720, channels: 3, background: 'teal' } })
  const others = {
    tiff: await plain.clone().tiff().toBuffer(),
    avif: await plain.clone().avif({ effort: 0 }).toBuffer(),
    svg: Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="720">' +
        '<script>alert(1)</script></svg>',
    ),
    html: Buffer.from('<!doctype html><script>alert(1)</script>'),
    bmp: Buffer.concat([Buffer.from('BM'), randomBytes(2000)]),
    zip: Buffer.concat([Buffer.from('PK\x03\x04'), randomBytes(2000)]),
    noise: randomBytes(5000),
    empty: Buffer.alloc(0),
    'a script that begins like a GIF': Buffer.from(
      'GIF89a=1;alert(document.domain)//'.padEnd(3000, ' '),
    ),
    'an SVG after the first bytes of a PNG': Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="720"/>'),
    ]),
    'a PNG in a RIFF': Buffer.concat([
      Buffer.from('RIFF\xff\xff\0\0WEBP', 'latin1'),
      await picture(1280, 720),
    ]),
  }
  for (const [label, bytes] of Object.entries(others))
    for (const format of ['png', 'gif'])
      assert.deepEqual(
        refused(
          await upload(listing, { kind: 'gallery' }, [
            { bytes, filename: `x.${format}`, type: `image/${format}` },
          ]),
        ),
        REFUSED,
        label,
      )
  assert.deepEqual((await read(listing)).gallery, [])
})

test('bytes appended to an image are never served as another type', async (t) => {
  const app = await sharedApp(t)
  const { upload } = mediaRequests(app)
  const bytes = Buffer.concat([
    await picture(1024, 576),
    Buffer.from('<html><script>alert(1)</script>PK\x03\x04'),
  ])
  const answer = await upload(await app.a.listing(), { kind: 'cover' }, [
    { bytes, filename: 'page.html', type: 'text/html' },
  ])
  const served = await fetch(answer.body.data.cover, lastRequest)
  assert.equal(served.headers.get('content-type'), 'image/png')
  assert.equal(served.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(
    served.headers.get('content-security-policy'),
    "default-src 'none'; base-uri 'none'; sandbox; frame-ancestors 'none'",
  )
})

test('rejects decompression bombs and images that do not match their header', async (t) => {
  const app = await sharedApp(t)
  const { upload } = mediaRequests(app)
  const listing = await app.a.listing()
  const row = 1280 * 3 + 1
  const images = {
    'four thousand million pixels': pngWithHeader(65_000, 65_000, Buffer.alloc(1000)),
    'just under the pixel limit': pngWithHeader(8000, 6000, Buffer.alloc(1000)),
    'fewer pixels than it says': pngWithHeader(1280, 720, Buffer.alloc(row * 719)),
    'no pixels': pngWithHeader(1280, 0, Buffer.alloc(0)),
  }
  for (const [label, bytes] of Object.entries(images))
    assert.deepEqual(
      refused(await upload(listing, { kind: 'gallery' }, [{ bytes }])),
      REFUSED,
      label,
    )
  const huge = await upload(listing, { kind: 'gallery' }, [
    { bytes: images['four thousand million pixels'] },
  ])
  assert.match(huge.body.error.message, /too large to be decoded/, 'the dimensions were read')
  assert.equal(
    (
      await upload(listing, { kind: 'gallery' }, [
        { bytes: pngWithHeader(1280, 720, Buffer.alloc(row * 720)) },
      ])
    ).status,
    200,
  )
})

/** Three frames of 1280x720. */
async function animation(format: 'gif' | 'webp'): Promise<Buffer> {
  const [width, height, frames] = [1280, 720, 3]
  const pixels = Buffer.alloc(width * height * 3 * frames)
  for (let frame = 0; frame < frames; frame++)
    pixels.fill(40 + 60 * frame, width * height * 3 * frame, width * height * 3 * (frame + 1))
  const raw = { width, height: height * frames, channels: 3, pageHeight: height } as const
  return sharp(pixels, { raw }).toFormat(format).toBuffer()
}

const samples = async (): Promise<Record<string, { format: Format; bytes: Buffer }>> => {
  const entries = await Promise.all(
    formats.map(
      async (format) => [format, { format, bytes: await picture(1280, 720, { format }) }] as const,
    ),
  )
  const progressive = sharp({
    create: { width: 1280, height: 720, channels: 3, background: 'plum' },
  }).jpeg({ progressive: true })
  return {
    ...Object.fromEntries(entries),
    'progressive jpeg': { format: 'jpeg', bytes: await progressive.toBuffer() },
    'moving gif': { format: 'gif', bytes: await animation('gif') },
    'moving webp': { format: 'webp', bytes: await animation('webp') },
  }
}

test('rejects a truncated image, whether a byte or half is missing', async (t) => {
  const app = await sharedApp(t)
  const { upload } = mediaRequests(app)
  const listing = await app.a.listing()
  for (const [label, { bytes }] of Object.entries(await samples())) {
    for (const length of [bytes.length - 1, bytes.length - 20, bytes.length >> 1, 40, 12]) {
      const answer = await upload(listing, { kind: 'gallery' }, [
        { bytes: bytes.subarray(0, length) },
      ])
      assert.deepEqual(refused(answer), REFUSED, `${label}, ${length} of ${bytes.length}`)
    }
    assert.equal((await upload(listing, { kind: 'gallery' }, [{ bytes }])).status, 200, label)
  }
})

test('rejects every prefix of an image', async () => {
  for (const [label, { format, bytes }] of Object.entries(await samples())) {
    const type = `image/${format}` as const
    const step = Math.max(1, Math.floor(bytes.length / 2000))
    for (let length = 0; length < bytes.length; length += length < bytes.length - 50 ? step : 1)
      assert.equal(
        isComplete(type, bytes.subarray(0, length)),
        false,
        `${label}, ${length} of ${bytes.length}`,
      )
    assert.equal(isComplete(type, bytes), true, label)
    assert.equal(isComplete(type, Buffer.concat([bytes, Buffer.from('more')])), true, label)
  }
})

test('dimensions are those shown: rotated by EXIF, and one frame of an animation', async (t) => {
  const app = await sharedApp(t)
  const { upload } = mediaRequests(app)
  const listing = await app.a.listing()
  const turned = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: 'navy' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
  assert.equal(
    (await upload(listing, { kind: 'gallery' }, [{ bytes: await turned(720, 1280) }])).status,
    200,
  )
  assert.deepEqual(
    refused(await upload(listing, { kind: 'gallery' }, [{ bytes: await turned(1280, 720) }])),
    REFUSED,
  )
  for (const format of ['gif', 'webp'] as const) {
    const answer = await upload(listing, { kind: 'gallery' }, [{ bytes: await animation(format) }])
    assert.equal(answer.status, 200, format)
  }
  const rows =
    await app.sql`select width, height, size from listing_images where game_uid = ${listing.uid}`
  assert.deepEqual(
    rows.map(({ width, height }) => [width, height]),
    Array.from({ length: 3 }, () => [1280, 720]),
  )
})

test('stores an image once, and serves it until the last listing removes it', async (t) => {
  const app = await startApp(t)
  const { upload, remove } = mediaRequests(app)
  const [listing, other] = [await app.a.listing(), await app.a.listing()]
  const bytes = await picture(1280, 720)
  await upload(listing, { kind: 'cover' }, [{ bytes }])
  await upload(listing, { kind: 'gallery' }, [{ bytes }, { bytes }])
  const { cover } = (await upload(other, { kind: 'cover' }, [{ bytes }])).body.data
  const stored = await Array.fromAsync(app.core.storage.list('images/'))
  assert.deepEqual(
    stored.map(({ key }) => key),
    [`images/${hashOf(cover).slice(0, 2)}/${hashOf(cover)}`],
  )
  const gallery = (await app.get(`/api/v1/private/games/${listing.uid}/media`, listing.owner)).body
    .data.gallery
  for (const image of ['cover', ...gallery.map(({ uid }: { uid: string }) => uid)])
    assert.equal((await remove(listing, image)).status, 200)
  assert.equal((await app.get(new URL(cover).pathname)).status, 200)
  assert.equal((await remove(other, 'cover')).status, 200)
  assert.deepEqual(refused(await app.get(new URL(cover).pathname)), [404, 4040])
})

test('an image is immutable, served in every visibility, at its own address only', async (t) => {
  const app = await sharedApp(t)
  const { upload } = mediaRequests(app)
  const bytes = await picture(1024, 576)
  const { cover } = (await upload(await app.a.listing(), { kind: 'cover' }, [{ bytes }])).body.data
  assert.ok(cover.startsWith(`${app.core.addresses.web_url}/media/images/`))
  const path = new URL(cover).pathname
  const answer = await app.get(path)
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.headers, {
    'cache-control': 'public, max-age=31536000, immutable',
    'content-length': String(bytes.length),
    'content-security-policy':
      "default-src 'none'; base-uri 'none'; sandbox; frame-ancestors 'none'",
    'content-type': 'image/png',
    etag: `"${hashOf(cover)}"`,
    'x-content-type-options': 'nosniff',
  })
  const head = await app.call('HEAD', path)
  assert.deepEqual([head.status, head.headers, head.body], [200, answer.headers, ''])
  for (const known of [
    answer.headers.etag!,
    `W/${answer.headers.etag}`,
    `"x", ${answer.headers.etag}`,
    '*',
  ]) {
    const again = await app.get(path, { headers: { 'if-none-match': known } })
    assert.deepEqual(
      [again.status, again.body, again.headers.etag],
      [304, '', answer.headers.etag],
      known,
    )
  }
  assert.equal((await app.get(path, { headers: { 'if-none-match': '"x"' } })).status, 200)
  const other = `/media/images/${'0'.repeat(64)}.png`
  for (const invalidPath of [
    path.replace('.png', '.jpg'),
    path.replace('.png', ''),
    path.toUpperCase(),
    other,
    '/media/images/..%2f..%2fsecrets.key',
  ])
    assert.deepEqual(refused(await app.get(invalidPath)), [404, 4040], invalidPath)
})

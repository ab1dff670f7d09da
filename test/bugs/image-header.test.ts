import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { readImageHeader } from '../../src/bugs/reports/image-header.ts'
import { picture } from '../support/images.ts'
import { fc } from '../support/property.ts'

test('reads the same image type and size as a decoder', async () => {
  for (const format of ['png', 'jpeg', 'webp'] as const)
    for (const [width, height] of [
      [1, 1],
      [33, 7],
      [640, 480],
      [1, 3000],
    ] as const) {
      const bytes = await picture(width, height, { format })
      assert.deepEqual(readImageHeader(bytes), { type: `image/${format}`, width, height })
    }
  const blank = sharp({ create: { width: 35, height: 21, channels: 4, background: '#12345678' } })
  const variants = [
    await blank.webp({ lossless: true }).toBuffer(),
    await blank.webp({ quality: 50 }).toBuffer(),
    await blank
      .withMetadata({ exif: { IFD0: { Copyright: 'x'.repeat(40_000) } } })
      .jpeg({ progressive: true })
      .toBuffer(),
    await blank.withMetadata().webp({ quality: 50 }).toBuffer(),
  ]
  for (const bytes of variants)
    assert.deepEqual([readImageHeader(bytes)?.width, readImageHeader(bytes)?.height], [35, 21])
})

test('rejects a JPEG whose markers a decoder would skip differently', async () => {
  const bomb = (await picture(40, 30, { format: 'jpeg' })).subarray(2)
  // If the marker is skipped as if it had a length, a 1x1 frame follows that no decoder sees.
  const frame = Buffer.from('ffc0000b080001000101011100', 'hex')
  for (const marker of [0x00, 0x01, 0xd0, 0xd4, 0xd7, 0xd8, 0xd9, 0xda]) {
    const hidden = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, marker, 0, 2]), frame, bomb])
    assert.equal(readImageHeader(hidden), null, marker.toString(16))
  }
  const comment = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 2]), bomb])
  assert.deepEqual(readImageHeader(comment), { type: 'image/jpeg', width: 40, height: 30 })
})

test('reading the header of corrupt or truncated images never throws', async () => {
  const images = await Promise.all(
    (['png', 'jpeg', 'webp'] as const).map((format) => picture(40, 30, { format })),
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...images),
      fc.nat(400),
      fc.uint8Array({ maxLength: 40 }),
      fc.nat(60),
      (bytes, length, noise, where) => {
        const cut = readImageHeader(bytes.subarray(0, length))
        if (cut) assert.deepEqual(cut, readImageHeader(bytes))
        const broken = Buffer.from(bytes)
        broken.set(noise.subarray(0, Math.max(0, broken.length - where)), where)
        readImageHeader(broken)
      },
    ),
  )
})

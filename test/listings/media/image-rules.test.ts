import assert from 'node:assert/strict'
import test from 'node:test'
import { MIB } from '../../../src/core/runtime/units.ts'
import {
  checkFileCount,
  checkImage,
  checkKind,
  checkOrder,
  fitsSlot,
  type ImageSlot,
  insertAt,
  readPosition,
  sniffImage,
} from '../../../src/listings/media/image-rules.ts'
import { fc } from '../../support/property.ts'
import { refused, unlessRefused } from '../refused.ts'

const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
const image = (width: number, height: number, bytes = 1000, type: string | null = 'image/png') => ({
  width,
  height,
  bytes,
  type,
})
const notImage = (slot: ImageSlot, sent: ReturnType<typeof image>) =>
  refused('IMAGE_REJECTED', slot, () => checkImage(slot, sent))

const slots = [
  { slot: 'thumbnail', min: [960, 540], max: [1920, 1080], mb: 5 },
  { slot: 'cover', min: [1024, 576], max: [2048, 1152], mb: 8 },
  { slot: 'gallery', min: [1280, 720], max: [2048, 1152], mb: 10 },
] as const

for (const { slot, min, max, mb } of slots) {
  test(`a ${slot} image is ${min.join('x')} to ${max.join('x')} and at most ${mb} MB`, () => {
    for (const [width, height] of [min, max]) {
      checkImage(slot, image(width, height, mb * MIB))
      assert.equal(fitsSlot(slot, { width, height }), true)
      notImage(slot, image(width, height, mb * MIB + 1))
    }
    for (const [width, height] of [
      [min[0] - 1, min[1]],
      [min[0], min[1] - 1],
      [max[0] + 1, max[1]],
      [max[0], max[1] + 1],
    ] as const) {
      notImage(slot, image(width, height))
      assert.equal(fitsSlot(slot, { width, height }), false)
    }
  })
}

test('listing images have an aspect ratio of 1.70 to 1.85', () => {
  for (const slot of ['thumbnail', 'cover', 'gallery'] as const) {
    for (const [width, height] of [
      [1700, 1000],
      [1850, 1000],
    ] as const)
      checkImage(slot, image(width, height))
    for (const [width, height] of [
      [1699, 1000],
      [1851, 1000],
    ] as const)
      notImage(slot, image(width, height))
  }
})

test('an error lists everything that is wrong, the actual values and the limits', () => {
  const refusal = notImage('cover', image(800, 600, 9 * MIB, 'image/svg+xml'))
  assert.deepEqual([refusal.code, refusal.status], [4151, 422])
  assert.match(refusal.message, /not a PNG, JPEG, GIF or WebP/)
  assert.match(refusal.message, /800x600; send at least 1024x576/)
  assert.match(refusal.message, /9437184 bytes; send at most 8388608 \(8 MB\)/)
})

test('accepts PNG, JPEG, GIF and WebP only', () => {
  for (const type of imageTypes) checkImage('cover', image(1024, 576, 1, type))
  for (const type of ['image/svg+xml', 'image/avif', 'text/html', '', null])
    notImage('cover', image(1024, 576, 1, type))
})

const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const heads = {
  'image/png': '\x89PNG\r\n\x1a\n',
  'image/jpeg': '\xff\xd8\xff',
  'image/gif': 'GIF89a',
  'image/webp': 'RIFF\x01\x02\x03\x04WEBP',
}

test('detects the type of an image from its bytes', () => {
  for (const [type, head] of Object.entries(heads)) {
    assert.equal(sniffImage(bytesOf(`${head}rest`)), type)
    assert.equal(sniffImage(bytesOf(head)), type)
    assert.equal(sniffImage(bytesOf(head.slice(0, -1))), null)
    assert.equal(sniffImage(bytesOf(` ${head}`)), null)
  }
  assert.equal(sniffImage(bytesOf('GIF87a')), 'image/gif')
  for (const other of [
    '',
    'GIF88a',
    'RIFF\x01\x02\x03\x04WAVE',
    '<svg xmlns="http://www.w3.org/2000/svg">',
    'BM',
    '%PDF-1.7',
    '\x89png\r\n\x1a\n',
  ])
    assert.equal(sniffImage(bytesOf(other)), null)
})

test('property: sniffing any bytes returns a known type or none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 16 }), (bytes) =>
      [null, ...imageTypes].includes(sniffImage(bytes)),
    ),
  )
})

test('a media request is for the cover, the thumbnail or the gallery', () => {
  for (const kind of ['cover', 'thumbnail', 'gallery']) assert.equal(checkKind(kind), kind)
  for (const kind of ['avatar', '', 'Cover', undefined, 5])
    refused('INVALID_MEDIA', 'kind', () => checkKind(kind))
})

test('a request has one cover or thumbnail, or up to 10 gallery images', () => {
  for (const kind of ['cover', 'thumbnail'] as const) {
    checkFileCount(kind, 1, 20)
    for (const files of [0, 2])
      refused('INVALID_MEDIA', 'file', () => checkFileCount(kind, files, 0))
  }
  for (const files of [1, 10]) checkFileCount('gallery', files, 0)
  for (const files of [0, 11])
    refused('INVALID_MEDIA', 'file', () => checkFileCount('gallery', files, 0))
})

test('the gallery has at most 20 images', () => {
  checkFileCount('gallery', 1, 19)
  checkFileCount('gallery', 10, 10)
  const refusal = refused('GALLERY_FULL', 'file', () => checkFileCount('gallery', 10, 11))
  assert.match(refusal.message, /room for 9/)
  assert.match(
    refused('GALLERY_FULL', 'file', () => checkFileCount('gallery', 1, 20)).message,
    /room for 0/,
  )
})

test('an order names every gallery image exactly once', () => {
  const current = ['a', 'b', 'c']
  assert.deepEqual(checkOrder(current, ['c', 'a', 'b']), ['c', 'a', 'b'])
  assert.deepEqual(checkOrder([], []), [])
  for (const order of [
    ['a', 'b'],
    ['a', 'b', 'c', 'd'],
    ['a', 'b', 'b'],
    ['a', 'b', 'c', 'c'],
    ['a', 'b', 'd'],
    [],
    ['a', 'b', 3],
    null,
    'abc',
    {},
  ]) {
    const refusal = refused('INVALID_ORDER', 'order', () => checkOrder(current, order))
    assert.deepEqual([refusal.code, refusal.status], [4154, 422])
  }
})

test('property: an order is accepted exactly when it is a permutation of the gallery', () => {
  const uid = fc.constantFrom('a', 'b', 'c', 'd')
  fc.assert(
    fc.property(fc.uniqueArray(uid), fc.array(uid, { maxLength: 5 }), (current, order) => {
      assert.equal(
        unlessRefused(() => checkOrder(current, order)) !== null,
        order.toSorted().join() === current.toSorted().join(),
      )
    }),
    { numRuns: 500 },
  )
})

test('new gallery images go to the requested position, or to the end', () => {
  assert.deepEqual(insertAt(['a', 'b'], null, ['x', 'y']), ['a', 'b', 'x', 'y'])
  assert.deepEqual(insertAt(['a', 'b'], 0, ['x', 'y']), ['x', 'y', 'a', 'b'])
  assert.deepEqual(insertAt(['a', 'b'], 1, ['x']), ['a', 'x', 'b'])
  assert.deepEqual(insertAt(['a', 'b'], 99, ['x']), ['a', 'b', 'x'])
})

test('a position is a whole number from 0, as a number or a form field', () => {
  for (const [sent, read] of [
    ['0', 0],
    ['12', 12],
    [3, 3],
    ['', null],
    [undefined, null],
    [null, null],
  ] as const)
    assert.equal(readPosition(sent), read)
  for (const bad of ['-1', '1.5', 'x', ' 1', -1, 1.5, {}, '12345'])
    refused('INVALID_MEDIA', 'position', () => readPosition(bad))
})

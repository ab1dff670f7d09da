import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  nearestRendition,
  parseKey,
  parseName,
  qualityStep,
  type Rendition,
  renditionKey,
  renditionPath,
  widthsUpTo,
} from '../../../src/listings/renditions/rendition-rules.ts'

const sha256 = 'ab'.repeat(32)
const avif = (width: Rendition['width']): Rendition => ({ sha256, width, format: 'avif' })
const webp = (width: Rendition['width']): Rendition => ({ sha256, width, format: 'webp' })

test('names and keys of renditions contain content, width, encoder and format', () => {
  assert.equal(renditionPath(avif(640)), `/media/renditions/${sha256}-640-v1.avif`)
  assert.equal(renditionKey(webp(160)), `image-renditions/ab/ab/${sha256}-160-v1.webp`)
  assert.deepEqual(parseKey(renditionKey(webp(160))), { ...webp(160), encoder: 1 })
  assert.deepEqual(parseName(`${sha256}-640-v2.avif`), { ...avif(640), encoder: 2 })
})

test('only the fixed widths and formats are names of renditions', () => {
  for (const name of [
    `${sha256}-641-v1.avif`,
    `${sha256}-0640-v1.avif`,
    `${sha256}-640-v1.png`,
    `${sha256}-640-v1.toString`,
    `${sha256}-640.avif`,
    `${sha256.toUpperCase()}-640-v1.avif`,
    `../${sha256}-640-v1.avif`,
    sha256,
    '',
  ])
    assert.equal(parseName(name), undefined, name)
})

test('images are never enlarged', () => {
  assert.deepEqual(widthsUpTo(1279), [160, 320, 640])
  assert.deepEqual(widthsUpTo(1280), [160, 320, 640, 1280])
  assert.deepEqual(widthsUpTo(2048), [160, 320, 640, 1280, 1920])
})

test('an image above its budget gets a lower quality for each doubling', () => {
  assert.equal(qualityStep(24_000, 640), 0)
  assert.equal(qualityStep(24_001, 640), 1)
  assert.equal(qualityStep(48_000, 640), 1)
  assert.equal(qualityStep(48_001, 640), 2)
  assert.equal(qualityStep(10_000_000, 640), 3)
})

test('the nearest rendition is the next larger one, else the largest, that is decodable', () => {
  const nearest = (wanted: Rendition, existing: Rendition[]) => nearestRendition(wanted, existing)
  assert.deepEqual(nearest(avif(640), [avif(320), avif(1920), avif(1280)]), avif(1280))
  assert.deepEqual(nearest(avif(1920), [avif(160), avif(640), avif(320)]), avif(640))
  assert.deepEqual(nearest(avif(640), [webp(640)]), webp(640))
  assert.deepEqual(nearest(avif(1280), [webp(640), avif(640)]), avif(640))
  assert.deepEqual(nearest(webp(640), [avif(1280), webp(160)]), webp(160))
  assert.equal(nearest(webp(640), [avif(640)]), undefined)
  assert.equal(nearest(avif(640), []), undefined)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspectVideo } from '../../../src/listings/trailers/video.ts'
import { box, MP4, WEBM } from './fixtures.ts'

const inspect = (bytes: Buffer) =>
  inspectVideo({
    size: bytes.length,
    read: async (start, length) => bytes.subarray(start, start + length),
  })
const refusal = (bytes: Buffer) =>
  inspect(bytes).then(
    () => 'accepted',
    ({ message }: Error) => message,
  )

const ftyp = (brand = 'isom') => box('ftyp', Buffer.from(brand, 'latin1'), Buffer.alloc(4))
const media = box('mdat', Buffer.alloc(16))

function track(kind: string, width = 1280, height = 720): Buffer {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width * 65_536, 0)
  size.writeUInt32BE(height * 65_536, 4)
  const handler = box('hdlr', Buffer.alloc(8), Buffer.from(kind, 'latin1'), Buffer.alloc(12))
  return box('trak', box('tkhd', Buffer.alloc(76), size), box('mdia', handler))
}

function movieHeader(scale: number, duration: number): Buffer {
  const content = Buffer.alloc(100)
  content.writeUInt32BE(scale, 12)
  content.writeUInt32BE(duration, 16)
  return box('mvhd', content)
}

test('reads the type, size and length of videos', async () => {
  assert.deepEqual(await inspect(WEBM), {
    type: 'video/webm',
    width: 320,
    height: 180,
    duration_seconds: 2,
  })
  const recorded = await inspect(MP4)
  assert.deepEqual([recorded.type, recorded.width, recorded.height], ['video/mp4', 320, 180])
  const index = box('moov', movieHeader(600, 600 * 95), track('soun'), track('vide'))
  const facts = { type: 'video/mp4', width: 1280, height: 720, duration_seconds: 95 }
  assert.deepEqual(await inspect(Buffer.concat([ftyp(), index, media])), facts)
  assert.deepEqual(await inspect(Buffer.concat([ftyp('mp42'), media, index])), facts)
})

test('refuses files that are no MP4 or WebM video', async () => {
  const wrong = 'video: it is not an MP4 or WebM video'
  const matroska = Buffer.from(WEBM)
  matroska.write('mkvx', matroska.indexOf('webm'), 'latin1')
  const index = box('moov', track('vide'))
  for (const bytes of [
    Buffer.from('<!doctype html>'),
    Buffer.alloc(0),
    Buffer.alloc(64),
    matroska,
    Buffer.concat([ftyp('qt  '), index, media]),
    Buffer.concat([index, media]),
  ])
    assert.equal(await refusal(bytes), wrong, bytes.toString('latin1', 0, 16))
})

test('refuses videos without a video track, and those that are cut short', async () => {
  const silent = Buffer.concat([ftyp(), box('moov', track('soun')), media])
  assert.equal(await refusal(silent), 'video: it has no video track')
  const unsized = Buffer.concat([ftyp(), box('moov', track('vide', 0)), media])
  assert.equal(await refusal(unsized), 'video: it has no video track')
  const sound_only = Buffer.from(WEBM)
  // The type of the only track: 2 is audio.
  const type_at = sound_only.indexOf(Buffer.from([0x83, 0x81, 0x01]))
  sound_only[type_at + 2] = 2
  assert.equal(await refusal(sound_only), 'video: it has no video track')
  const damaged = 'video: the video is damaged or cut short; export it again'
  const whole = Buffer.concat([ftyp(), box('moov', track('vide')), media])
  assert.equal(await refusal(whole), 'accepted')
  assert.equal(await refusal(whole.subarray(0, -1)), damaged)
  assert.equal(await refusal(Buffer.concat([ftyp(), box('moov', track('vide'))])), damaged)
  assert.equal(await refusal(Buffer.concat([ftyp(), media])), damaged)
  assert.equal(await refusal(MP4.subarray(0, -1)), damaged)
  assert.equal(await refusal(WEBM.subarray(0, 60)), damaged)
})

test('never fails on bytes that were changed at random', async () => {
  let seed = 7
  const random = (max: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % max
  }
  for (let i = 0; i < 2000; i++) {
    const bytes = Buffer.from(i % 2 ? MP4 : WEBM)
    for (let n = 0; n < 4; n++) bytes[random(Math.min(400, bytes.length))] = random(256)
    const answer = await refusal(bytes.subarray(0, random(2) ? undefined : random(bytes.length)))
    assert.match(answer, /^accepted$|^video: /)
  }
})

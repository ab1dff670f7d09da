import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { createZstdCompress, zstdCompressSync } from 'node:zlib'
import { MIB } from '../../../src/core/runtime/units.ts'
import { applyEntry, unpackSegment } from '../../../src/updates/patches/apply.ts'
import { compressFile } from '../../../src/updates/patches/compress.ts'
import { BadPatch } from '../../../src/updates/patches/format.ts'
import { worthKeeping } from '../../../src/updates/patches/make.ts'
import { matchFiles } from '../../../src/updates/patches/match-files.ts'
import { temporaryFolder } from '../../support/app.ts'
import { needs } from '../../support/system-packages.ts'

async function roundTrip(t: TestContext, old: Buffer, next: Buffer, only_here: boolean) {
  const folder = temporaryFolder(t)
  const [old_file, new_file, out] = ['old', 'new', 'out'].map((name) => join(folder, name))
  writeFileSync(old_file!, old)
  writeFileSync(new_file!, next)
  const segments = await compressFile({
    old_file: old_file!,
    new_file: new_file!,
    out: out!,
    pass: 1,
    only_here,
  })
  const frames = readFileSync(out!)
  const apply = async (bytes = frames) => {
    const blocks: Buffer[] = []
    const contents = applyEntry(
      { offset: 0, segments },
      {
        readBase: async (start, size) => old.subarray(start, start + size),
        readFrames: async (start, size) => bytes.subarray(start, start + size),
      },
    )
    for await (const block of contents) blocks.push(block)
    return Buffer.concat(blocks)
  }
  return { frames, apply }
}

const large = randomBytes(4 * MIB)
const changed = Buffer.concat([
  large.subarray(3 * MIB),
  randomBytes(500),
  large.subarray(0, 3 * MIB),
])

for (const only_here of [false, true])
  test(`a large file is made by a small patch ${only_here ? 'of Node' : 'of the program'}`, async (t) => {
    if (!only_here && !needs(t, 'zstd')) return
    const { frames, apply } = await roundTrip(t, large, changed, only_here)
    assert.ok(frames.length < 10_000, `${frames.length} bytes for a change of 500`)
    assert.ok((await apply()).equals(changed))
    const damaged = Buffer.from(frames)
    damaged[100]! ^= 1
    const result = await apply(damaged).catch((error: Error) => error)
    assert.ok(result instanceof BadPatch || !changed.equals(result as Buffer))
  })

test('a segment is refused if it is longer or shorter than it says, small or large', async () => {
  for (const size of [1, 1000, 100_000]) {
    const bytes = large.subarray(0, size)
    const base = large.subarray(0, size / 2)
    const frame = zstdCompressSync(bytes, { dictionary: base })
    const unpacked = await unpackSegment({ size }, frame, base)
    assert.ok(unpacked.equals(bytes))
    for (const wrong of [size - 1, size + 1])
      await assert.rejects(unpackSegment({ size: wrong }, frame, base), BadPatch)
    await assert.rejects(unpackSegment({ size }, frame.subarray(0, -1), base), BadPatch)
    await assert.rejects(unpackSegment({ size }, Buffer.from('no frame'), base), BadPatch)
  }
})

test('a frame that does not say its length is unpacked, too', async () => {
  const compressor = createZstdCompress()
  const bytes = Buffer.concat([large, large])
  const blocks = Array.from({ length: 8 }, (_, n) => bytes.subarray(n * MIB, (n + 1) * MIB))
  const frame = await buffer(Readable.from(blocks).pipe(compressor))
  const unpacked = await unpackSegment({ size: bytes.length }, frame, Buffer.alloc(0))
  assert.ok(unpacked.equals(bytes))
})

test('a base that begins like a trained dictionary is used as bytes', async (t) => {
  const magic = Buffer.from([0x37, 0xa4, 0x30, 0xec])
  const old = Buffer.concat([magic, magic, large.subarray(0, 50_000)])
  const next = Buffer.concat([large.subarray(0, 50_000), Buffer.from('more')])
  const { frames, apply } = await roundTrip(t, old, next, true)
  assert.ok(frames.length < 500, `${frames.length} bytes`)
  assert.ok((await apply()).equals(next))
})

test('the base of a file has its path, its name, or a name much like it', () => {
  const file = (path: string, size = 1000) => ({ path, size, sha256: `${path} ${size}` })
  const bases = (old: string[], next: string[]) =>
    matchFiles(
      old.map((path) => file(path)),
      next.map((path) => file(path, 1001)),
    ).map(({ from, to }) => `${from.path} > ${to.path}`)
  assert.deepEqual(bases(['a', 'b'], ['a', 'c']), ['a > a'])
  assert.deepEqual(bases(['old/game.pak'], ['new/game.pak']), ['old/game.pak > new/game.pak'])
  assert.deepEqual(bases(['main.1a2b.js', 'x.js'], ['main.9f8e.js']), [
    'main.1a2b.js > main.9f8e.js',
  ])
  assert.deepEqual(
    bases(['v1.pak'], ['v1.pak', 'v2.pak']),
    ['v1.pak > v1.pak'],
    'it is still there',
  )
  assert.deepEqual(matchFiles([file('a')], [{ ...file('b'), sha256: 'a 1000' }]), [], 'a rename')
  assert.deepEqual(matchFiles([file('a', 0)], [file('a')]), [], 'nothing to make it of')
})

test('a patch keeps the files that save the most, up to half of what they save', () => {
  const entry = (path: string, length: number, full: number) => ({
    path,
    size: full,
    sha256: '',
    from: { path, size: 1, sha256: '' },
    full,
    offset: 0,
    segments: [{ size: full, base: [0, 1] as [number, number], length }],
  })
  const kept = (...entries: ReturnType<typeof entry>[]) =>
    worthKeeping(entries).map(({ path }) => path)
  assert.deepEqual(kept(entry('a', 10, 100), entry('b', 80, 100)), ['a', 'b'])
  assert.deepEqual(kept(entry('a', 40, 100), entry('b', 80, 100)), ['a'])
  assert.deepEqual(kept(entry('a', 51, 100)), [])
  assert.deepEqual(kept(entry('a', 1, 1000), entry('b', 100, 100)), ['a'], 'b saves nothing')
})

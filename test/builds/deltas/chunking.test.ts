import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { chunkLengths, chunkSizes, chunksOf } from '../../../src/builds/deltas/chunking.ts'
import { fc } from '../../support/property.ts'

/** Bytes without a pattern, the same for the same seed. */
function noise(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed | 1
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    bytes[index] = state >>> 24
  }
  return bytes
}

function split(data: Uint8Array): Uint8Array[] {
  let from = 0
  return chunkLengths(data).map((length) => {
    from += length
    return data.subarray(from - length, from)
  })
}

const hashes = (data: Uint8Array) =>
  new Set(split(data).map((chunk) => createHash('sha256').update(chunk).digest('hex')))

/** Inputs of every length around the bounds: noise, zeros, and repetitions of a short pattern. */
const inputs = fc
  .record({
    length: fc.nat({ max: 300_000 }),
    seed: fc.integer(),
    kind: fc.constantFrom('noise', 'zeros', 'pattern'),
    period: fc.integer({ min: 1, max: 5000 }),
  })
  .map(({ length, seed, kind, period }) => {
    if (kind === 'noise') return noise(length, seed)
    if (kind === 'zeros') return Buffer.alloc(length)
    return Buffer.alloc(length, noise(period, seed))
  })

test('chunks join to the input and keep to their bounds', () => {
  fc.assert(
    fc.property(inputs, (data) => {
      const lengths = chunkLengths(data)
      assert.equal(
        lengths.reduce((total, length) => total + length, 0),
        data.length,
      )
      for (const [index, length] of lengths.entries()) {
        assert.ok(length > 0 && length <= chunkSizes.max, `a chunk of ${length} bytes`)
        if (index < lengths.length - 1) assert.ok(length >= chunkSizes.min)
      }
    }),
    { numRuns: 60 },
  )
})

test('a stream has the same chunks, whatever pieces it arrives in', async () => {
  await fc.assert(
    fc.asyncProperty(inputs, fc.array(fc.nat({ max: 70_000 })), async (data, lengths) => {
      const pieces: Uint8Array[] = []
      let from = 0
      for (const length of [...lengths, data.length]) {
        pieces.push(data.subarray(from, from + length))
        from += length
      }
      const chunks: Uint8Array[] = []
      for await (const chunk of chunksOf(pieces)) chunks.push(chunk)
      assert.deepEqual(
        chunks.map((chunk) => chunk.length),
        chunkLengths(data),
      )
      assert.ok(Buffer.concat(chunks).equals(data))
    }),
    { numRuns: 60 },
  )
})

test('bytes that are inserted or removed change few chunks', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.nat({ max: 1_000_000 }),
      fc.nat({ max: 3000 }),
      fc.nat({ max: 3000 }),
      (seed, at, removed, added) => {
        const before = noise(1_000_000, seed)
        const after = Buffer.concat([
          before.subarray(0, at),
          noise(added, seed + 1),
          before.subarray(at + removed),
        ])
        const known = hashes(before)
        const changed = [...hashes(after)].filter((hash) => !known.has(hash))
        assert.ok(changed.length <= 8, `${changed.length} of ${known.size} chunks changed`)
      },
    ),
    { numRuns: 20 },
  )
})

test('chunks have about 8 KiB on average', () => {
  const lengths = chunkLengths(noise(8_000_000, 7))
  const average = 8_000_000 / lengths.length
  assert.ok(average > 6 * 1024 && average < 12 * 1024, `${Math.round(average)} bytes on average`)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count, countAnd, countInRows, has } from '../../../src/catalog/search/index/bitset.ts'
import { fc } from '../../support/property.ts'

const block = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }) },
)
const bitset = (words: number, arbitrary = block) =>
  fc
    .array(arbitrary, { minLength: words, maxLength: words })
    .map((blocks) => Int32Array.from(blocks))

const slots = (bits: Int32Array) =>
  Array.from({ length: bits.length * 32 }, (_, slot) => slot).filter((slot) => has(bits, slot))

const rows = fc.integer({ min: 0, max: 70 }).chain((words) =>
  fc.record({
    words: fc.constant(words),
    bits: fc.oneof(bitset(words), bitset(words, fc.integer())),
    matrix: fc.array(bitset(words), { minLength: 1, maxLength: 5 }),
  }),
)

test('counts of shared bits equal those of comparing slot by slot, for every length', () => {
  fc.assert(
    fc.property(rows, ({ words, bits, matrix }) => {
      const members = slots(bits)
      const shared = matrix.map((row) => members.filter((slot) => has(row, slot)).length)
      assert.equal(count(bits, words), members.length)
      assert.deepEqual(
        matrix.map((row) => countAnd(bits, row, words)),
        shared,
      )
      const flat = Int32Array.from(matrix.flatMap((row) => [...row]))
      const numbers = matrix.map((_, row) => row)
      assert.deepEqual(countInRows(bits, flat, numbers, words), shared)
    }),
  )
})

test('counts the bits of bitsets that are larger than the memory so far', () => {
  for (const words of [3, 40_000, 5, 400_001])
    assert.equal(count(new Int32Array(words).fill(-1), words), words * 32)
})

import { countOperands, reserveOperands } from './count-bits.ts'

/**
 * A set of slots, 32 to a block. The array is signed because V8 represents numbers beyond 31 bits
 * as floating point.
 */
export type Bits = Int32Array

export const wordsFor = (size: number) => (size + 31) >>> 5
export const has = (bits: Bits, slot: number) => ((bits[slot >>> 5]! >>> (slot & 31)) & 1) === 1
export const set = (bits: Bits, slot: number) => {
  bits[slot >>> 5]! |= 1 << (slot & 31)
}
export const clear = (bits: Bits, slot: number) => {
  bits[slot >>> 5]! &= ~(1 << (slot & 31))
}

/** Each step is forced to a 32-bit integer; otherwise V8 would continue in floating point. */
export function popcount(word: number): number {
  let n = (word - ((word >>> 1) & 0x55555555)) | 0
  n = ((n & 0x33333333) + ((n >>> 2) & 0x33333333)) | 0
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

export const count = (bits: Bits, words: number) => countAnd(bits, bits, words)

export function countAnd(bits: Bits, other: Bits, words: number): number {
  const { left, right } = reserveOperands(words)
  copyBlocks(bits, 0, words, left)
  copyBlocks(other, 0, words, right)
  return countOperands()
}

/** Below this share of nonzero blocks, collecting them is faster than copying all. */
const SPARSE_SHARE = 0.2

/** How many members of `bits` are in each of the given rows of a matrix. */
export function countInRows(
  bits: Bits,
  matrix: Bits,
  rows: readonly number[],
  words: number,
): number[] {
  const nonzero = findNonzero(bits, words)
  const is_sparse = nonzero.length < words * SPARSE_SHARE
  const { left, right } = reserveOperands(is_sparse ? nonzero.length : words)
  const copy = (from: Bits, at: number, to: Bits) =>
    is_sparse ? collectBlocks(from, at, nonzero, to) : copyBlocks(from, at, words, to)
  copy(bits, 0, left)
  return rows.map((row) => {
    copy(matrix, row * words, right)
    return countOperands()
  })
}

function findNonzero(bits: Bits, words: number): Uint32Array {
  const nonzero = new Uint32Array(words)
  let n = 0
  for (let w = 0; w < words; w++) if (bits[w] !== 0) nonzero[n++] = w
  return nonzero.subarray(0, n)
}

const copyBlocks = (from: Bits, at: number, words: number, to: Bits) =>
  to.set(from.subarray(at, at + words))

function collectBlocks(from: Bits, at: number, blocks: Uint32Array, to: Bits) {
  for (let i = 0; i < blocks.length; i++) to[i] = from[at + blocks[i]!]!
}

export function andInto(bits: Bits, other: Bits, words: number) {
  for (let w = 0; w < words; w++) bits[w]! &= other[w]!
}

export function andNotInto(bits: Bits, other: Bits, words: number) {
  for (let w = 0; w < words; w++) bits[w]! &= ~other[w]!
}

export function orInto(bits: Bits, other: Bits, words: number) {
  for (let w = 0; w < words; w++) bits[w]! |= other[w]!
}

export const lowest = (word: number) => 31 - Math.clz32(word & -word)

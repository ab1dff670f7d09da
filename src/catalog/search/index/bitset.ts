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

export function count(bits: Bits, words: number): number {
  let total = 0
  for (let w = 0; w < words; w++) total = (total + popcount(bits[w]!)) | 0
  return total
}

export function countAnd(bits: Bits, other: Bits, words: number): number {
  let total = 0
  for (let w = 0; w < words; w++) total = (total + popcount(bits[w]! & other[w]!)) | 0
  return total
}

/**
 * How many members of `bits` are in each of the given rows of a matrix. Empty blocks are skipped
 * once for all rows.
 */
export function countInRows(
  bits: Bits,
  matrix: Bits,
  rows: readonly number[],
  words: number,
): number[] {
  const nonzero = new Uint32Array(words)
  let n = 0
  for (let w = 0; w < words; w++) if (bits[w] !== 0) nonzero[n++] = w
  return rows.map((row) => countInRow(bits, matrix, row * words, nonzero, n))
}

function countInRow(bits: Bits, matrix: Bits, at: number, nonzero: Uint32Array, n: number): number {
  let total = 0
  for (let i = 0; i < n; i++) {
    const w = nonzero[i]!
    total = (total + popcount(bits[w]! & matrix[at + w]!)) | 0
  }
  return total
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

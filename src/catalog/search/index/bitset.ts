/** Sets of slots as rows of bits. With a sign, because whole numbers beyond 31 bits would be floating point to the engine. */
export type Bits = Int32Array

export const wordsFor = (size: number) => (size + 31) >>> 5
export const has = (bits: Bits, slot: number) => ((bits[slot >>> 5]! >>> (slot & 31)) & 1) === 1
export const set = (bits: Bits, slot: number) => {
  bits[slot >>> 5]! |= 1 << (slot & 31)
}
export const clear = (bits: Bits, slot: number) => {
  bits[slot >>> 5]! &= ~(1 << (slot & 31))
}

/** Every step stays a whole number of 32 bits: left to itself, the engine would go on in floating point. */
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

export function countBoth(bits: Bits, other: Bits, words: number): number {
  let total = 0
  for (let w = 0; w < words; w++) total = (total + popcount(bits[w]! & other[w]!)) | 0
  return total
}

/** How many of `bits` stand in each of the given rows of a matrix. Words without any are looked at once, not once for each row. */
export function countInRows(
  bits: Bits,
  matrix: Bits,
  rows: readonly number[],
  words: number,
): number[] {
  const places = new Uint32Array(words)
  let n = 0
  for (let w = 0; w < words; w++) if (bits[w] !== 0) places[n++] = w
  return rows.map((row) => countInRow(bits, matrix, row * words, places, n))
}

function countInRow(bits: Bits, matrix: Bits, at: number, places: Uint32Array, n: number): number {
  let total = 0
  for (let i = 0; i < n; i++) {
    const w = places[i]!
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

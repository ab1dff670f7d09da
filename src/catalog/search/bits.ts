/** Sets of slots as rows of bits. */
export type Bits = Uint32Array

export const wordsFor = (size: number) => (size + 31) >>> 5
export const has = (bits: Bits, slot: number) => ((bits[slot >>> 5]! >>> (slot & 31)) & 1) === 1
export const set = (bits: Bits, slot: number) => {
  bits[slot >>> 5]! |= 1 << (slot & 31)
}
export const clear = (bits: Bits, slot: number) => {
  bits[slot >>> 5]! &= ~(1 << (slot & 31))
}

export function popcount(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555)
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333)
  return (((n + (n >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

export function count(bits: Bits, words: number): number {
  let total = 0
  for (let w = 0; w < words; w++) total += popcount(bits[w]!)
  return total
}

/** How many are in both. `other` begins at `at`, as one row of many. */
export function countBoth(bits: Bits, other: Bits, at: number, words: number): number {
  let total = 0
  for (let w = 0; w < words; w++) total += popcount(bits[w]! & other[at + w]!)
  return total
}

export function andInto(bits: Bits, other: Bits, words: number) {
  for (let w = 0; w < words; w++) bits[w]! &= other[w]!
}

export function andNotInto(bits: Bits, other: Bits, words: number) {
  for (let w = 0; w < words; w++) bits[w]! &= ~other[w]!
}

export const lowest = (word: number) => 31 - Math.clz32(word & -word)

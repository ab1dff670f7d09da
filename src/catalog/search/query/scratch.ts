import { type Bits, wordsFor } from '../index/bitset.ts'

/** When a list counts as long, and when what is found as so little that it is looked at one by one. */
export type Thresholds = { many: (size: number) => number; few: (size: number) => number }
export const thresholds: Thresholds = {
  many: (size) => Math.max(64, size / 16),
  few: (size) => Math.max(4, size / 64),
}

/** What the rarer spellings of a word weigh, by slot, and at most in each word of bits. */
export type WordWeights = { weights: Uint8Array; most: Uint8Array }

/** Room to work in, as large as the largest segment; one search at a time uses it. */
export type Scratch = {
  size: number
  thresholds: Thresholds
  /** How many long lists a search may still make into rows of bits (dense.ts): each takes milliseconds. */
  dense_budget: number
  /** Who is left. */
  match: Bits
  other: Bits
  bounds: Uint16Array
  most: Uint8Array
  /** Empty room for the weights of the n-th word, and for sums. */
  lay: (n: number, size: number) => WordWeights
  sum: (size: number) => { sums: Uint16Array; most: Uint16Array }
}

export const DENSE_BUDGET = 2

export function createScratch(size: number, by = thresholds): Scratch {
  const words = wordsFor(size)
  const laid: WordWeights[] = []
  const summed = { sums: new Uint16Array(size), most: new Uint16Array(words) }
  return {
    size,
    thresholds: by,
    dense_budget: 0,
    match: new Int32Array(words),
    other: new Int32Array(words),
    bounds: new Uint16Array(words),
    most: new Uint8Array(words),
    lay(n, used) {
      laid[n] ??= { weights: new Uint8Array(size), most: new Uint8Array(words) }
      laid[n].weights.fill(0, 0, used)
      laid[n].most.fill(0, 0, wordsFor(used))
      return laid[n]
    },
    sum(used) {
      summed.sums.fill(0, 0, used)
      summed.most.fill(0, 0, wordsFor(used))
      return summed
    },
  }
}

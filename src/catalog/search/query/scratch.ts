import { type Bits, wordsFor } from '../index/bitset.ts'

/**
 * From which length posting lists become dense, and up to how many postings a result is collected
 * slot by slot, both for a segment of a size.
 */
export type Thresholds = {
  dense_above: (size: number) => number
  small_up_to: (size: number) => number
}
export const defaultThresholds: Thresholds = {
  dense_above: (size) => Math.max(64, size / 16),
  small_up_to: (size) => Math.max(4, size / 64),
}

/**
 * The weights of the terms of a word that have sparse lists, by slot, and the greatest in each
 * block.
 */
export type WordWeights = { weights: Uint8Array; block_max: Uint8Array }

/** Buffers as large as the largest segment, reused by one search after another. */
export type Scratch = {
  size: number
  thresholds: Thresholds
  /**
   * How many dense lists the search may still build (dense-postings.ts). Each takes milliseconds.
   */
  dense_budget: number
  /** The slots that match so far. */
  match: Bits
  temp: Bits
  bounds: Uint16Array
  block_max: Uint8Array
  /** Cleared buffers for the weights of the n-th word, and for the scores of tags. */
  wordWeights: (n: number, size: number) => WordWeights
  tagSums: (size: number) => { sums: Uint16Array; block_max: Uint16Array }
}

export const DENSE_BUDGET = 2

export function createScratch(size: number, thresholds = defaultThresholds): Scratch {
  const words = wordsFor(size)
  const by_word: WordWeights[] = []
  const tag_sums = { sums: new Uint16Array(size), block_max: new Uint16Array(words) }
  return {
    size,
    thresholds,
    dense_budget: 0,
    match: new Int32Array(words),
    temp: new Int32Array(words),
    bounds: new Uint16Array(words),
    block_max: new Uint8Array(words),
    wordWeights(n, used) {
      by_word[n] ??= { weights: new Uint8Array(size), block_max: new Uint8Array(words) }
      by_word[n].weights.fill(0, 0, used)
      by_word[n].block_max.fill(0, 0, wordsFor(used))
      return by_word[n]
    },
    tagSums(used) {
      tag_sums.sums.fill(0, 0, used)
      tag_sums.block_max.fill(0, 0, wordsFor(used))
      return tag_sums
    },
  }
}

import type { Scratch } from '../query/scratch.ts'
import { type Bits, popcount, wordsFor } from './bitset.ts'
import { markKey, readDense } from './postings.ts'
import { isKey, type Segment } from './segment.ts'

/**
 * A long posting list as a bitmap, which gives random access to a slot and skips blocks of 32
 * slots.
 */
export type DensePostings = {
  bits: Bits
  /**
   * Of a word: its weights in slot order, how many slots come before each block, and the greatest
   * weight within each block. Of a key they are empty.
   */
  weights: Uint8Array
  ranks: Uint32Array
  block_max: Uint8Array
}

/** Not `createCache`: the keys are numbers, and every word of every search looks here. */
type DenseCache = { lists: Map<number, DensePostings>; bytes: number }
const caches = new WeakMap<Segment, DenseCache>()
/** The size of the cache per slot of the segment. Beyond it, the least recently used lists go. */
const MAX_BYTES_PER_SLOT = 64

/**
 * The dense postings of a term, if its list is long. They are built on demand, but only a few per
 * search; other lists are read sequentially.
 */
export function denseOf(
  segment: Segment,
  term: number,
  scratch: Scratch,
): DensePostings | undefined {
  if (segment.counts[term]! <= scratch.thresholds.dense_above(segment.size)) return undefined
  const cache = caches.get(segment) ?? { lists: new Map<number, DensePostings>(), bytes: 0 }
  caches.set(segment, cache)
  const cached = cache.lists.get(term)
  if (!cached && scratch.dense_budget === 0) return undefined
  const dense = cached ?? buildDense(segment, term)
  if (!cached) {
    scratch.dense_budget--
    cache.bytes += bytesOf(dense)
  }
  // Move the list to the end, which holds the most recently used.
  cache.lists.delete(term)
  cache.lists.set(term, dense)
  for (const [oldest, list] of cache.lists) {
    if (cache.bytes <= segment.size * MAX_BYTES_PER_SLOT || oldest === term) break
    cache.lists.delete(oldest)
    cache.bytes -= bytesOf(list)
  }
  return dense
}

const bytesOf = ({ bits, weights, ranks, block_max }: DensePostings) =>
  bits.byteLength + weights.byteLength + ranks.byteLength + block_max.byteLength

function buildDense(segment: Segment, term: number): DensePostings {
  const words = wordsFor(segment.size)
  const bits = new Int32Array(words)
  if (isKey(segment, term)) {
    markKey(segment, term, bits)
    return {
      bits,
      weights: new Uint8Array(0),
      ranks: new Uint32Array(0),
      block_max: new Uint8Array(0),
    }
  }
  const weights = new Uint8Array(segment.counts[term]!)
  const block_max = new Uint8Array(words)
  const ranks = new Uint32Array(words)
  readDense(segment, term, bits, weights, block_max)
  for (let w = 1; w < words; w++) ranks[w] = ranks[w - 1]! + popcount(bits[w - 1]!)
  return { bits, weights, ranks, block_max }
}

/**
 * The weight of a word at a slot, given by block and bit; 0 if the slot does not contain the word.
 */
export function weightAt({ bits, ranks, weights }: DensePostings, w: number, bit: number): number {
  const word = bits[w]!
  return (word >>> bit) & 1 ? weights[ranks[w]! + popcount(word & ((1 << bit) - 1))]! : 0
}

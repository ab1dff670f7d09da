import type { Scratch } from '../query/scratch.ts'
import { type Bits, popcount, wordsFor } from './bitset.ts'
import { markKey, readDense } from './postings.ts'
import { isKey, type Segment } from './segment.ts'

/** A long list as rows of bits, in which a slot is looked up and a word of 32 slots passed over without reading what comes before. */
export type Dense = {
  bits: Bits
  /** Of a word: the weights of its slots in their order, how many come before each word of bits, and the greatest weight within it. */
  weights: Uint8Array
  before: Uint32Array
  most: Uint8Array
}

type DenseCache = { lists: Map<number, Dense>; bytes: number }
const kept = new WeakMap<Segment, DenseCache>()
/** What the lists of a segment may take, for each of its slots. Beyond it, what nobody has asked for longest goes. */
const BYTES_A_SLOT = 64

/** The list of a term, if it is a long one. It is made when it is asked for, but only a few are in one search: the others are read as they are. */
export function denseOf(segment: Segment, term: number, scratch: Scratch): Dense | undefined {
  if (segment.counts[term]! <= scratch.thresholds.many(segment.size)) return undefined
  const mine = kept.get(segment) ?? { lists: new Map<number, Dense>(), bytes: 0 }
  kept.set(segment, mine)
  const known = mine.lists.get(term)
  if (!known && scratch.dense_budget === 0) return undefined
  const dense = known ?? makeDense(segment, term)
  if (!known) {
    scratch.dense_budget--
    mine.bytes += bytesOf(dense)
  }
  // Last in the order, as the one asked for just now.
  mine.lists.delete(term)
  mine.lists.set(term, dense)
  for (const [oldest, list] of mine.lists) {
    if (mine.bytes <= segment.size * BYTES_A_SLOT || oldest === term) break
    mine.lists.delete(oldest)
    mine.bytes -= bytesOf(list)
  }
  return dense
}

const bytesOf = ({ bits, weights, before, most }: Dense) =>
  bits.byteLength + weights.byteLength + before.byteLength + most.byteLength

function makeDense(segment: Segment, term: number): Dense {
  const words = wordsFor(segment.size)
  const bits = new Int32Array(words)
  if (isKey(segment, term)) {
    markKey(segment, term, bits)
    return { bits, weights: new Uint8Array(0), before: new Uint32Array(0), most: new Uint8Array(0) }
  }
  const [weights, most, before] = [
    new Uint8Array(segment.counts[term]!),
    new Uint8Array(words),
    new Uint32Array(words),
  ]
  readDense(segment, term, bits, weights, most)
  for (let w = 1; w < words; w++) before[w] = before[w - 1]! + popcount(bits[w - 1]!)
  return { bits, weights, before, most }
}

/** What a word weighs at a slot, given as a word of bits and a bit of it; 0 where it is not. */
export function weightAt({ bits, before, weights }: Dense, w: number, bit: number): number {
  const word = bits[w]!
  return (word >>> bit) & 1 ? weights[before[w]! + popcount(word & ((1 << bit) - 1))]! : 0
}

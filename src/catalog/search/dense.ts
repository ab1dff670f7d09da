import { type Bits, popcount, wordsFor } from './bits.ts'
import { readKey, readWord } from './postings.ts'
import { isKey, type Segment } from './segment.ts'

/** A long list as rows of bits, in which a slot is looked up and a word of 32 slots passed over without reading what comes before. */
export type Dense = {
  bits: Bits
  /** Of a word: the weights of its slots in their order, how many come before each word of bits, and the greatest weight within it. */
  weights: Uint8Array
  before: Uint32Array
  most: Uint8Array
}

const made = new WeakMap<Segment, Map<number, Dense>>()

/** Made when it is first asked for, and kept as long as its segment. */
export function denseOf(segment: Segment, term: number): Dense {
  const of_segment = made.get(segment) ?? new Map<number, Dense>()
  made.set(segment, of_segment)
  const dense = of_segment.get(term) ?? makeDense(segment, term)
  of_segment.set(term, dense)
  return dense
}

function makeDense(segment: Segment, term: number): Dense {
  const words = wordsFor(segment.size)
  const count = segment.counts[term]!
  const slots = new Uint32Array(count)
  const key = isKey(segment, term)
  const dense: Dense = {
    bits: new Int32Array(words),
    weights: new Uint8Array(key ? 0 : count),
    before: new Uint32Array(key ? 0 : words),
    most: new Uint8Array(key ? 0 : words),
  }
  if (key) readKey(segment, term, slots)
  else readWord(segment, term, slots, dense.weights)
  for (let i = 0; i < count; i++) dense.bits[slots[i]! >>> 5]! |= 1 << (slots[i]! & 31)
  if (!key) sumUp(dense, slots)
  return dense
}

function sumUp({ bits, weights, before, most }: Dense, slots: Uint32Array) {
  for (let w = 1; w < bits.length; w++) before[w] = before[w - 1]! + popcount(bits[w - 1]!)
  for (let i = 0; i < slots.length; i++) {
    const w = slots[i]! >>> 5
    if (most[w]! < weights[i]!) most[w] = weights[i]!
  }
}

/** What a word weighs at a slot, given as a word of bits and a bit of it; 0 where it is not. */
export function weightAt({ bits, before, weights }: Dense, w: number, bit: number): number {
  const word = bits[w]!
  return (word >>> bit) & 1 ? weights[before[w]! + popcount(word & ((1 << bit) - 1))]! : 0
}

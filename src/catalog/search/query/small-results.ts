import { type Bits, has, lowest, wordsFor } from '../index/bitset.ts'
import { type DensePostings, denseOf, weightAt } from '../index/dense-postings.ts'
import { ADULT, keys } from '../index/document.ts'
import { markKey, readWord, scatterWord, scatterWordMarked } from '../index/postings.ts'
import { type Segment, termOf } from '../index/segment.ts'
import { filter, needsPostings } from './filter.ts'
import type { QueryPlan } from './plan.ts'
import { TAG_SCORE } from './ranking.ts'
import type { Scratch } from './scratch.ts'
import type { TermMatch } from './terms.ts'

/** A result that is small enough to be collected slot by slot: ascending slots and their scores. */
export type SmallResult = { n: number; slots: Uint32Array; scores: Uint16Array }

/**
 * Up to this many slots are tested singly against the bitmaps; for more, the whole segment is
 * filtered.
 */
const MAX_TESTED_SINGLY = 256

/** The terms that match a word, and the total length of their lists. */
type Word = { matches: readonly TermMatch[]; postings: number }

/** The words, the rarest first, if the rarest has few postings. */
export function planSmallResult(
  { size, counts }: Segment,
  matches: readonly TermMatch[][],
  { thresholds }: Scratch,
): Word[] | undefined {
  if (!matches.length) return undefined
  const words = matches.map((matches) => ({
    matches,
    postings: matches.reduce((sum, { term }) => sum + counts[term]!, 0),
  }))
  words.sort((a, b) => a.postings - b.postings)
  return words[0]!.postings <= thresholds.small_up_to(size) ? words : undefined
}

export function findSmallResult(
  segment: Segment,
  plan: QueryPlan,
  [rarest, ...others]: Word[],
  scratch: Scratch,
): SmallResult {
  const result =
    rarest!.matches.length === 1
      ? readPostings(segment, rarest!.matches[0]!)
      : unionPostings(segment, rarest!, scratch)
  for (const { matches } of others) intersect(segment, result, matches, scratch)
  const passed = new Uint8Array(result.n)
  if (result.n > MAX_TESTED_SINGLY || needsPostings(plan)) {
    filter(segment, plan, scratch)
    testSlots(scratch.match, result, passed)
  } else
    for (let i = 0; i < result.n; i++) passed[i] = passes(segment, plan, result.slots[i]!) ? 1 : 0
  keepNonzero(result, passed)
  for (const tag of plan.tags) addTag(segment, result, tag, scratch)
  return result
}

function readPostings(segment: Segment, { term, shift }: TermMatch): SmallResult {
  const slots = new Uint32Array(segment.counts[term]!)
  const weights = new Uint8Array(slots.length)
  const n = readWord(segment, term, slots, weights)
  const scores = new Uint16Array(n)
  for (let i = 0; i < n; i++) scores[i] = weights[i]! >> shift
  return { n, slots, scores }
}

/** The slots that contain any of the terms. The greatest weight at a slot counts. */
function unionPostings(
  segment: Segment,
  { matches, postings }: Word,
  scratch: Scratch,
): SmallResult {
  const { temp } = scratch
  const words = wordsFor(segment.size)
  const { weights, block_max } = scratch.wordWeights(0, segment.size)
  temp.fill(0, 0, words)
  for (const { term, shift } of matches) scatterWord(segment, term, shift, temp, weights, block_max)
  const result: SmallResult = {
    n: 0,
    slots: new Uint32Array(postings),
    scores: new Uint16Array(postings),
  }
  for (let w = 0; w < words; w++)
    for (let word = temp[w]!; word !== 0; word &= word - 1) {
      const slot = (w << 5) + lowest(word)
      result.slots[result.n] = slot
      result.scores[result.n++] = weights[slot]!
    }
  return result
}

/** Keeps the slots that also contain any of these terms, and adds the weights. */
function intersect(
  segment: Segment,
  result: SmallResult,
  matches: readonly TermMatch[],
  scratch: Scratch,
) {
  const weights = new Uint8Array(result.n)
  const dense: (TermMatch & { list: DensePostings })[] = []
  const sparse_matches: TermMatch[] = []
  for (const match of matches) {
    const list = denseOf(segment, match.term, scratch)
    if (list) dense.push({ ...match, list })
    else sparse_matches.push(match)
  }
  if (sparse_matches.length) weighSparse(segment, sparse_matches, { result, weights }, scratch)
  for (const { list, shift } of dense) weighDense(list, shift, result, weights)
  addScores(result, weights)
  keepNonzero(result, weights)
}

/** Marks the slots of the result, then reads each list and takes the weights at marked slots. */
function weighSparse(
  segment: Segment,
  matches: readonly TermMatch[],
  { result, weights }: { result: SmallResult; weights: Uint8Array },
  { temp, wordWeights }: Scratch,
) {
  const sparse = wordWeights(0, 0).weights
  temp.fill(0, 0, wordsFor(segment.size))
  markSlots(result, temp, sparse)
  for (const { term, shift } of matches) scatterWordMarked(segment, term, shift, temp, sparse)
  readWeights(sparse, result, weights)
}

// Each small integer loop is a function of its own, which V8 optimizes best.
function weighDense(
  list: DensePostings,
  shift: number,
  { n, slots }: SmallResult,
  weights: Uint8Array,
) {
  for (let i = 0; i < n; i++) {
    const slot = slots[i]!
    const weight = weightAt(list, slot >>> 5, slot & 31) >> shift
    if (weights[i]! < weight) weights[i] = weight
  }
}

function markSlots({ n, slots }: SmallResult, bits: Bits, sparse: Uint8Array) {
  for (let i = 0; i < n; i++) {
    const slot = slots[i]!
    bits[slot >>> 5]! |= 1 << (slot & 31)
    sparse[slot] = 0
  }
}

function readWeights(sparse: Uint8Array, { n, slots }: SmallResult, weights: Uint8Array) {
  for (let i = 0; i < n; i++) weights[i] = sparse[slots[i]!]!
}

function addScores({ n, scores }: SmallResult, weights: Uint8Array) {
  for (let i = 0; i < n; i++) scores[i] = scores[i]! + weights[i]!
}

/** Sets `bits` to the slots of the result. */
export function markResult({ n, slots }: SmallResult, bits: Bits, words: number) {
  bits.fill(0, 0, words)
  for (let i = 0; i < n; i++) bits[slots[i]! >>> 5]! |= 1 << (slots[i]! & 31)
}

function testSlots(bits: Bits, { n, slots }: SmallResult, flags: Uint8Array) {
  for (let i = 0; i < n; i++) flags[i] = (bits[slots[i]! >>> 5]! >>> (slots[i]! & 31)) & 1
}

/** Keeps the slots whose flag or weight is not zero. No weight of a match is zero (ranking.ts). */
function keepNonzero(result: SmallResult, flags: Uint8Array) {
  const { slots, scores } = result
  let n = 0
  for (let i = 0; i < result.n; i++) {
    if (flags[i] === 0) continue
    slots[n] = slots[i]!
    scores[n++] = scores[i]!
  }
  result.n = n
}

function passes(
  { live, bitmaps, size }: Segment,
  { adult, include, exclude }: QueryPlan,
  slot: number,
): boolean {
  const words = wordsFor(size)
  const isInBitmap = (row: number) =>
    ((bitmaps[row * words + (slot >>> 5)]! >>> (slot & 31)) & 1) === 1
  return (
    has(live, slot) &&
    (adult || !isInBitmap(ADULT)) &&
    include.every((group) => group.some(isInBitmap)) &&
    !exclude.some(isInBitmap)
  )
}

function addTag(segment: Segment, result: SmallResult, tag: string, scratch: Scratch) {
  const term = termOf(segment, keys.tag(tag))
  if (term < 0) return
  const list = denseOf(segment, term, scratch)
  const bits = list ? list.bits : scratch.temp.fill(0, 0, wordsFor(segment.size))
  if (!list) markKey(segment, term, bits)
  const tagged = new Uint8Array(result.n)
  testSlots(bits, result, tagged)
  for (let i = 0; i < result.n; i++) result.scores[i]! += tagged[i]! * TAG_SCORE
}

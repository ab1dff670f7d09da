import { type Bits, has, lowest, wordsFor } from '../index/bitset.ts'
import { type Dense, denseOf, weightAt } from '../index/dense-postings.ts'
import { ADULT, keys } from '../index/document.ts'
import { markKey, readWord, scatterWord, scatterWordMarked } from '../index/postings.ts'
import { type Segment, termOf } from '../index/segment.ts'
import { filter, needsPostings } from './filter.ts'
import type { QueryPlan } from './plan.ts'
import { TAG_SCORE } from './ranking.ts'
import type { Scratch } from './scratch.ts'
import type { TermMatch } from './terms.ts'

/** What a search finds, where it is so little that it is looked at one by one: slots in their order, and what each scores. */
export type SmallResult = { n: number; slots: Uint32Array; scores: Uint16Array }

/** Up to so many are asked about their rows of bits; for more, all slots are filtered at once. */
const ONE_BY_ONE = 256

/** What stands for a word, and on how many lists. */
type Word = { hits: readonly TermMatch[]; postings: number }

/** The words, the rarest first, if that one is held by few. */
export function planSmallResult(
  { size, counts }: Segment,
  plan: QueryPlan,
  hits: readonly TermMatch[][],
  { thresholds }: Scratch,
): Word[] | undefined {
  if (!hits.length || plan.facets.length) return undefined
  const words = hits.map((hits) => ({
    hits,
    postings: hits.reduce((sum, { term }) => sum + counts[term]!, 0),
  }))
  words.sort((a, b) => a.postings - b.postings)
  return words[0]!.postings <= thresholds.few(size) ? words : undefined
}

export function findSmallResult(
  segment: Segment,
  plan: QueryPlan,
  [rarest, ...others]: Word[],
  scratch: Scratch,
): SmallResult {
  const few =
    rarest!.hits.length === 1 ? take(segment, rarest!.hits[0]!) : takeAny(segment, rarest!, scratch)
  for (const { hits } of others) keepThose(segment, few, hits, scratch)
  const passed = new Uint8Array(few.n)
  if (few.n > ONE_BY_ONE || needsPostings(plan)) {
    filter(segment, plan, scratch)
    lookUp(scratch.match, few, passed)
  } else for (let i = 0; i < few.n; i++) passed[i] = passes(segment, plan, few.slots[i]!) ? 1 : 0
  keep(few, passed)
  for (const tag of plan.tags) addTag(segment, few, tag, scratch)
  return few
}

function take(segment: Segment, { term, shift }: TermMatch): SmallResult {
  const slots = new Uint32Array(segment.counts[term]!)
  const weights = new Uint8Array(slots.length)
  const n = readWord(segment, term, slots, weights)
  const scores = new Uint16Array(n)
  for (let i = 0; i < n; i++) scores[i] = weights[i]! >> shift
  return { n, slots, scores }
}

/** Who has any of the words; of several, the one that weighs most counts. */
function takeAny(segment: Segment, { hits, postings }: Word, scratch: Scratch): SmallResult {
  const { other } = scratch
  const words = wordsFor(segment.size)
  const { weights, most } = scratch.lay(0, segment.size)
  other.fill(0, 0, words)
  for (const { term, shift } of hits) scatterWord(segment, term, shift, other, weights, most)
  const few: SmallResult = {
    n: 0,
    slots: new Uint32Array(postings),
    scores: new Uint16Array(postings),
  }
  for (let w = 0; w < words; w++)
    for (let word = other[w]!; word !== 0; word &= word - 1) {
      const slot = (w << 5) + lowest(word)
      few.slots[few.n] = slot
      few.scores[few.n++] = weights[slot]!
    }
  return few
}

/** Those who have any of these words as well, with what it weighs there. */
function keepThose(
  segment: Segment,
  few: SmallResult,
  hits: readonly TermMatch[],
  scratch: Scratch,
) {
  const weights = new Uint8Array(few.n)
  const long: (TermMatch & { list: Dense })[] = []
  const rarer: TermMatch[] = []
  for (const hit of hits) {
    const list = denseOf(segment, hit.term, scratch)
    if (list) long.push({ ...hit, list })
    else rarer.push(hit)
  }
  if (rarer.length) weighAll(segment, rarer, few, weights, scratch)
  for (const { list, shift } of long) weighLong(list, shift, few, weights)
  addUp(few, weights)
  keep(few, weights)
}

/** The slots are marked, and each list looks who of its own is. */
function weighAll(
  segment: Segment,
  hits: readonly TermMatch[],
  few: SmallResult,
  weights: Uint8Array,
  { other, lay }: Scratch,
) {
  const laid = lay(0, 0).weights
  other.fill(0, 0, wordsFor(segment.size))
  mark(few, other, laid)
  for (const { term, shift } of hits) scatterWordMarked(segment, term, shift, other, laid)
  readAt(laid, few, weights)
}

// Small loops over whole numbers, each a function of its own: so the engine makes the best of them.
function weighLong(list: Dense, shift: number, { n, slots }: SmallResult, weights: Uint8Array) {
  for (let i = 0; i < n; i++) {
    const slot = slots[i]!
    const weight = weightAt(list, slot >>> 5, slot & 31) >> shift
    if (weights[i]! < weight) weights[i] = weight
  }
}

function mark({ n, slots }: SmallResult, bits: Bits, laid: Uint8Array) {
  for (let i = 0; i < n; i++) {
    const slot = slots[i]!
    bits[slot >>> 5]! |= 1 << (slot & 31)
    laid[slot] = 0
  }
}

function readAt(laid: Uint8Array, { n, slots }: SmallResult, weights: Uint8Array) {
  for (let i = 0; i < n; i++) weights[i] = laid[slots[i]!]!
}

function addUp({ n, scores }: SmallResult, weights: Uint8Array) {
  for (let i = 0; i < n; i++) scores[i] = scores[i]! + weights[i]!
}

function lookUp(bits: Bits, { n, slots }: SmallResult, found: Uint8Array) {
  for (let i = 0; i < n; i++) found[i] = (bits[slots[i]! >>> 5]! >>> (slots[i]! & 31)) & 1
}

/** Those for which there is something. No weight is nothing: the least of all, shifted by the most, is still one (document.ts). */
function keep(few: SmallResult, what: Uint8Array) {
  const { slots, scores } = few
  let n = 0
  for (let i = 0; i < few.n; i++) {
    if (what[i] === 0) continue
    slots[n] = slots[i]!
    scores[n++] = scores[i]!
  }
  few.n = n
}

function passes(
  { live, bitmaps, size }: Segment,
  { adult, include, exclude }: QueryPlan,
  slot: number,
): boolean {
  const words = wordsFor(size)
  const stands = (row: number) => ((bitmaps[row * words + (slot >>> 5)]! >>> (slot & 31)) & 1) === 1
  return (
    has(live, slot) &&
    (adult || !stands(ADULT)) &&
    include.every((group) => group.some(stands)) &&
    !exclude.some(stands)
  )
}

function addTag(segment: Segment, few: SmallResult, tag: string, scratch: Scratch) {
  const term = termOf(segment, keys.tag(tag))
  if (term < 0) return
  const list = denseOf(segment, term, scratch)
  const bits = list ? list.bits : scratch.other.fill(0, 0, wordsFor(segment.size))
  if (!list) markKey(segment, term, bits)
  const tagged = new Uint8Array(few.n)
  lookUp(bits, few, tagged)
  for (let i = 0; i < few.n; i++) few.scores[i]! += tagged[i]! * TAG_SCORE
}

import { type Bits, count, countBoth, countInRows, lowest, wordsFor } from '../index/bitset.ts'
import { denseOf } from '../index/dense-postings.ts'
import { bitmapRows, costRows, dimensions, keys, PROBLEMATIC } from '../index/document.ts'
import { countMarked } from '../index/postings.ts'
import {
  compareBytes,
  compareUids,
  type Segment,
  termsFrom,
  termText,
  toBytes,
  uidText,
} from '../index/segment.ts'
import { filter } from './filter.ts'
import {
  type Facet,
  type FacetCounts,
  type IndexResult,
  MAX_DEPTH,
  MAX_FACET_VALUES,
  type QueryPlan,
} from './plan.ts'
import { HEALTH_BOOST } from './ranking.ts'
import { type Scores, score, scoreAt } from './score.ts'
import type { Scratch } from './scratch.ts'
import { findSmallResult, planSmallResult, type SmallResult } from './small-results.ts'
import { resolveWords } from './terms.ts'
import { bySlot, createTopK, offer, sortBestFirst, type TopK } from './top-k.ts'

/** The page of a search, over all segments; `total` counts beyond it. */
export function find(segments: readonly Segment[], plan: QueryPlan, scratch: Scratch): IndexResult {
  const most = plan.offset + plan.limit
  const depth = most > MAX_DEPTH ? 0 : most
  const words = resolveWords(segments, plan)
  const tops: TopK[] = []
  const counts = new Map<string, number>()
  let total = 0
  segments.forEach((segment, s) => {
    const hits = words.map((word) => word[s]!)
    if (hits.some((found) => found.length === 0)) {
      tops.push(createTopK(0))
      return
    }
    const few_hold = planSmallResult(segment, plan, hits, scratch)
    if (few_hold) {
      const few = findSmallResult(segment, plan, few_hold, scratch)
      tops.push(topOfSmallResult(segment, plan, few, Math.min(depth, few.n)))
      total += few.n
      return
    }
    filter(segment, plan, scratch)
    const scores = score(segment, plan, hits, scratch)
    const n = count(scratch.match, wordsFor(segment.size))
    tops.push(topOf(segment, plan, scratch.match, scores, Math.min(depth, n)))
    if (plan.facets.length) countFacets(segment, plan.facets, scratch, counts)
    total += n
  })
  const page = merge(segments, tops, plan, depth)
  return {
    total,
    ...page,
    ...(plan.facets.length ? { facets: facetsOf(plan.facets, counts) } : {}),
  }
}

/** Without words and tags the order is that of the slots, so that only the page itself is looked at. */
function firstOf(segment: Segment, { sort }: QueryPlan, match: Bits, depth: number): TopK {
  const top = createTopK(depth)
  const at = PROBLEMATIC * wordsFor(segment.size)
  for (const sound of sort === 'relevance' ? [true, false] : [null])
    for (let w = 0; w < wordsFor(segment.size) && top.n < depth; w++) {
      const problems = segment.bitmaps[at + w]!
      for (
        let word = match[w]! & (sound === null ? -1 : sound ? ~problems : problems);
        word !== 0 && top.n < depth;
        word &= word - 1
      ) {
        top.keys[top.n] = sound ? HEALTH_BOOST : 0
        top.slots[top.n++] = (w << 5) + lowest(word)
      }
    }
  return top
}

function topOf(
  segment: Segment,
  plan: QueryPlan,
  match: Bits,
  scores: Scores,
  depth: number,
): TopK {
  const { sort, reverse } = plan
  if (depth === 0) return createTopK(0)
  if (
    !plan.words.length &&
    !plan.tags.length &&
    !reverse &&
    (sort === 'relevance' || sort === 'newest')
  )
    return firstOf(segment, plan, match, depth)
  if (sort === 'relevance') return bestScores(segment, match, scores, depth)
  const top = createTopK(depth, sort === 'name' ? byName(segment, reverse) : bySlot)
  const sign = reverse ? -1 : 1
  const keyOf = sortKeys[sort](segment)
  for (let w = 0; w < wordsFor(segment.size); w++)
    for (let word = match[w]!; word !== 0; word &= word - 1) {
      const slot = (w << 5) + lowest(word)
      offer(top, sign * keyOf(slot), slot, 0)
    }
  for (let i = 0; i < top.n; i++)
    top.scores[i] = scoreAt(scores, top.slots[i]! >>> 5, top.slots[i]! & 31)
  return sortBestFirst(top)
}

function topOfSmallResult(
  segment: Segment,
  { sort, reverse }: QueryPlan,
  { n, slots, scores }: SmallResult,
  depth: number,
): TopK {
  const top = createTopK(depth, sort === 'name' ? byName(segment, reverse) : bySlot)
  const at = PROBLEMATIC * wordsFor(segment.size)
  const sign = reverse ? -1 : 1
  if (depth === 0) return top
  const keyOf = sort === 'relevance' ? undefined : sortKeys[sort](segment)
  for (let i = 0; i < n; i++) {
    const slot = slots[i]!
    const problem = (segment.bitmaps[at + (slot >>> 5)]! >>> (slot & 31)) & 1
    offer(
      top,
      keyOf ? sign * keyOf(slot) : scores[i]! + (problem ? 0 : HEALTH_BOOST),
      slot,
      scores[i]!,
    )
  }
  return sortBestFirst(top)
}

/** Once the page is full, only a word of bits that may hold a better one is looked into. */
function bestScores({ bitmaps, size }: Segment, match: Bits, scores: Scores, depth: number): TopK {
  const top = createTopK(depth)
  const words = wordsFor(size)
  const at = PROBLEMATIC * words
  let least = -1
  for (let w = 0; w < words; w++) {
    if (match[w] === 0 || scores.bounds[w]! + HEALTH_BOOST <= least) continue
    const problems = bitmaps[at + w]!
    for (let word = match[w]!; word !== 0; word &= word - 1) {
      const bit = lowest(word)
      const score = scoreAt(scores, w, bit)
      const key = score + ((problems >>> bit) & 1 ? 0 : HEALTH_BOOST)
      if (key <= least) continue
      offer(top, key, (w << 5) + bit, score)
      if (top.n === depth) least = top.keys[0]!
    }
  }
  return sortBestFirst(top)
}

/** Of a segment, the keys that its slots are sorted by: the greater comes first. */
type KeyOf = (segment: Segment) => (slot: number) => number

/** By the place of its licence among the names editors give them; the lower comes first. */
const costKey: KeyOf = ({ bitmaps: bits, size }) => {
  const words = wordsFor(size)
  return (slot) => {
    const [word, bit] = [slot >>> 5, 1 << (slot & 31)]
    let place = 0
    while (place < costRows.length && !(bits[costRows[place]! * words + word]! & bit)) place++
    return -place
  }
}

/** The first letters of each name as a number, so that few names have to be read to their end. Made when they are first sorted by. */
const first_letters = new WeakMap<Segment, Float64Array>()

/** The lower comes first. */
const nameKey: KeyOf = (segment) => {
  const letters = first_letters.get(segment) ?? readLetters(segment)
  return (slot) => -letters[slot]!
}

function readLetters(segment: Segment): Float64Array {
  const { names, name_offsets, size } = segment
  const letters = new Float64Array(size)
  for (let slot = 0; slot < size; slot++) {
    const [at, end] = [name_offsets[slot]!, name_offsets[slot + 1]!]
    for (let i = at; i < at + 6; i++)
      letters[slot] = letters[slot]! * 256 + (i < end ? names[i]! : 0)
  }
  first_letters.set(segment, letters)
  return letters
}

const sortKeys = {
  newest:
    ({ published }) =>
    (slot) =>
      published[slot]!,
  updated:
    ({ updated }) =>
    (slot) =>
      updated[slot]!,
  name: nameKey,
  released:
    ({ released }) =>
    (slot) =>
      released[slot]!,
  cost: costKey,
  rating:
    ({ ratings }) =>
    (slot) =>
      ratings[slot]!,
} as const satisfies Record<string, KeyOf>

const byName = (segment: Segment, reverse: boolean) => (a: number, b: number) =>
  compareNames(segment, a, segment, b, reverse) || a - b

function compareNames(
  a: Segment,
  slot_a: number,
  b: Segment,
  slot_b: number,
  reverse: boolean,
): number {
  const difference = compareBytes(
    a.names,
    a.name_offsets[slot_a]!,
    a.name_offsets[slot_a + 1]!,
    b.names,
    b.name_offsets[slot_b]!,
    b.name_offsets[slot_b + 1]!,
  )
  return reverse ? -difference : difference
}

/** The best of all segments in order, from the offset on. */
function merge(
  segments: readonly Segment[],
  tops: TopK[],
  plan: QueryPlan,
  depth: number,
): { uids: string[]; scores: number[] } {
  const next = tops.map(() => 0)
  const uids: string[] = []
  const scores: number[] = []
  for (let taken = 0; taken < depth; taken++) {
    let best = -1
    for (let s = 0; s < tops.length; s++) {
      if (next[s]! >= tops[s]!.n) continue
      if (best < 0 || isBefore(segments, tops, plan, s, next[s]!, best, next[best]!)) best = s
    }
    if (best < 0) break
    const at = next[best]!++
    if (taken < plan.offset) continue
    uids.push(uidText(segments[best]!.uids, tops[best]!.slots[at]!))
    scores.push(tops[best]!.scores[at]!)
  }
  return { uids, scores }
}

function isBefore(
  segments: readonly Segment[],
  tops: TopK[],
  plan: QueryPlan,
  s: number,
  i: number,
  t: number,
  j: number,
): boolean {
  const difference = tops[t]!.keys[j]! - tops[s]!.keys[i]!
  if (difference !== 0) return difference < 0
  const [a, b] = [segments[s]!, segments[t]!]
  const [slot_a, slot_b] = [tops[s]!.slots[i]!, tops[t]!.slots[j]!]
  const named = plan.sort === 'name' ? compareNames(a, slot_a, b, slot_b, plan.reverse) : 0
  if (named !== 0) return named < 0
  const newer = b.published[slot_b]! - a.published[slot_a]!
  return newer !== 0 ? newer < 0 : compareUids(a.uids, slot_a, b.uids, slot_b) < 0
}

/** Adds up, by `facet value`, what was found. */
function countFacets(
  segment: Segment,
  facets: Facet[],
  scratch: Scratch,
  counts: Map<string, number>,
) {
  const { match } = scratch
  const add = (name: string, number: number) =>
    number && counts.set(name, (counts.get(name) ?? 0) + number)
  const names = facets.flatMap((facet) =>
    facet === 'tags' ? [] : dimensions[facet].values.map((value) => `${facet} ${value}`),
  )
  const which = names.map((name) => bitmapRows.get(name)!)
  countInRows(match, segment.bitmaps, which, wordsFor(segment.size)).forEach(
    (number, i) => void add(names[i]!, number),
  )
  if (facets.includes('tags')) countTags(segment, scratch, add)
}

function countTags(
  segment: Segment,
  scratch: Scratch,
  add: (name: string, number: number) => void,
) {
  const words = wordsFor(segment.size)
  const [from, end] = termsFrom(segment, toBytes(keys.tags))
  for (let term = from; term < end; term++) {
    const list = denseOf(segment, term, scratch)
    const both = list
      ? countBoth(scratch.match, list.bits, words)
      : countMarked(segment, term, scratch.match)
    if (both) add(`tags ${termText(segment, term).slice(1)}`, both)
  }
}

function facetsOf(facets: Facet[], counts: Map<string, number>): FacetCounts {
  const all = [...counts].map(([name, number]) => {
    const space = name.indexOf(' ')
    return { facet: name.slice(0, space), value: name.slice(space + 1), count: number }
  })
  const most = (a: { value: string; count: number }, b: { value: string; count: number }) =>
    b.count - a.count || (a.value < b.value ? -1 : 1)
  return Object.fromEntries(
    facets.map((facet) => [
      facet,
      all
        .filter((entry) => entry.facet === facet)
        .map(({ value, count }) => ({ value, count }))
        .sort(most)
        .slice(0, MAX_FACET_VALUES),
    ]),
  )
}

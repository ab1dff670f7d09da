import { type Bits, count, lowest, wordsFor } from '../index/bitset.ts'
import { costRows, PROBLEMATIC } from '../index/document.ts'
import { compareBytes, compareUids, type Segment, uidText } from '../index/segment.ts'
import { countAlternatives, countFacets, facetsOf } from './facets.ts'
import { filter } from './filter.ts'
import { type IndexResult, MAX_DEPTH, type QueryPlan } from './plan.ts'
import { HEALTH_BOOST } from './ranking.ts'
import { type Scores, score, scoreAt } from './score.ts'
import type { Scratch } from './scratch.ts'
import { findSmallResult, markResult, planSmallResult, type SmallResult } from './small-results.ts'
import { resolveWords } from './terms.ts'
import { bySlot, createTopK, offer, sortBestFirst, type TopK } from './top-k.ts'

/** Executes a search over all segments. Returns one page and the total number of matches. */
export function executePlan(
  segments: readonly Segment[],
  plan: QueryPlan,
  scratch: Scratch,
): IndexResult {
  const end = plan.offset + plan.limit
  const depth = end > MAX_DEPTH ? 0 : end
  const words = resolveWords(segments, plan)
  const tops: TopK[] = []
  const counts = new Map<string, number>()
  const { alternatives = [] } = plan
  const facets = plan.facets.filter((name) => !alternatives.some(({ facet }) => facet === name))
  let total = 0
  segments.forEach((segment, s) => {
    const matches = words.map((word) => word[s]!)
    if (matches.some((terms) => terms.length === 0)) {
      tops.push(createTopK(0))
      return
    }
    const words_by_rarity = planSmallResult(segment, matches, scratch)
    if (words_by_rarity) {
      const result = findSmallResult(segment, plan, words_by_rarity, scratch)
      tops.push(topOfSmallResult(segment, plan, result, Math.min(depth, result.n)))
      if (facets.length && result.n) {
        markResult(result, scratch.match, wordsFor(segment.size))
        countFacets(segment, facets, scratch, counts)
      }
      countAlternatives(segment, { alternatives, matches }, scratch, counts)
      total += result.n
      return
    }
    filter(segment, plan, scratch)
    const scores = score(segment, plan, matches, scratch)
    const n = count(scratch.match, wordsFor(segment.size))
    tops.push(topMatches(segment, plan, { match: scratch.match, scores }, Math.min(depth, n)))
    if (facets.length) countFacets(segment, facets, scratch, counts)
    countAlternatives(segment, { alternatives, matches }, scratch, counts)
    total += n
  })
  const page = mergePages(segments, tops, plan, depth)
  return {
    total,
    ...page,
    ...(plan.facets.length ? { facets: facetsOf(plan.facets, counts) } : {}),
  }
}

/** Without words and tags the result order is the slot order, so only the page itself is read. */
function firstSlots(segment: Segment, { sort }: QueryPlan, match: Bits, depth: number): TopK {
  const top = createTopK(depth)
  const at = PROBLEMATIC * wordsFor(segment.size)
  for (const healthy of sort === 'relevance' ? [true, false] : [null])
    for (let w = 0; w < wordsFor(segment.size) && top.n < depth; w++) {
      const problems = segment.bitmaps[at + w]!
      for (
        let word = match[w]! & (healthy === null ? -1 : healthy ? ~problems : problems);
        word !== 0 && top.n < depth;
        word &= word - 1
      ) {
        top.keys[top.n] = healthy ? HEALTH_BOOST : 0
        top.slots[top.n++] = (w << 5) + lowest(word)
      }
    }
  return top
}

function topMatches(
  segment: Segment,
  plan: QueryPlan,
  { match, scores }: { match: Bits; scores: Scores },
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
    return firstSlots(segment, plan, match, depth)
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
    const has_problem = (segment.bitmaps[at + (slot >>> 5)]! >>> (slot & 31)) & 1
    offer(
      top,
      keyOf ? sign * keyOf(slot) : scores[i]! + (has_problem ? 0 : HEALTH_BOOST),
      slot,
      scores[i]!,
    )
  }
  return sortBestFirst(top)
}

/** Once the page is full, a block is read only if its upper bound exceeds the least score on it. */
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

/** The sort keys of a segment's slots. The greatest key comes first. */
type KeyOf = (segment: Segment) => (slot: number) => number

/** By the position of the license among the names that editors show, lowest first. */
const costKey: KeyOf = ({ bitmaps: bits, size }) => {
  const words = wordsFor(size)
  return (slot) => {
    const word = slot >>> 5
    const bit = 1 << (slot & 31)
    let position = 0
    while (position < costRows.length && !(bits[costRows[position]! * words + word]! & bit))
      position++
    return -position
  }
}

/**
 * The first letters of each name as a number, so that few names are compared in full. Built when a
 * segment is first sorted by name.
 */
const letters_by_segment = new WeakMap<Segment, Float64Array>()

/** Lowest first. */
const nameKey: KeyOf = (segment) => {
  const letters = letters_by_segment.get(segment) ?? readFirstLetters(segment)
  return (slot) => -letters[slot]!
}

function readFirstLetters(segment: Segment): Float64Array {
  const { names, name_offsets, size } = segment
  const letters = new Float64Array(size)
  for (let slot = 0; slot < size; slot++) {
    const at = name_offsets[slot]!
    const end = name_offsets[slot + 1]!
    for (let i = at; i < at + 6; i++)
      letters[slot] = letters[slot]! * 256 + (i < end ? names[i]! : 0)
  }
  letters_by_segment.set(segment, letters)
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
  popular:
    ({ popularity }) =>
    (slot) =>
      popularity[slot]!,
  top_rated:
    ({ approval }) =>
    (slot) =>
      approval[slot]!,
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
  (reverse ? -1 : 1) * compareNames(segment, a, segment, b) || a - b

const compareNames = (a: Segment, slot_a: number, b: Segment, slot_b: number): number =>
  compareBytes(
    a.names,
    a.name_offsets[slot_a]!,
    a.name_offsets[slot_a + 1]!,
    b.names,
    b.name_offsets[slot_b]!,
    b.name_offsets[slot_b + 1]!,
  )

/** The next entry to take from the best of a segment. */
type Cursor = { segment: Segment; top: TopK; at: number }

/** Merges the best of all segments in order, from the offset on. */
function mergePages(
  segments: readonly Segment[],
  tops: TopK[],
  plan: QueryPlan,
  depth: number,
): { uids: string[]; scores: number[] } {
  const cursors = tops.map((top, s): Cursor => ({ segment: segments[s]!, top, at: 0 }))
  const uids: string[] = []
  const scores: number[] = []
  for (let taken = 0; taken < depth; taken++) {
    let best: Cursor | undefined
    for (const cursor of cursors) {
      if (cursor.at >= cursor.top.n) continue
      if (!best || isBefore(cursor, best, plan)) best = cursor
    }
    if (!best) break
    const { segment, top } = best
    const at = best.at++
    if (taken < plan.offset) continue
    uids.push(uidText(segment.uids, top.slots[at]!))
    scores.push(top.scores[at]!)
  }
  return { uids, scores }
}

function isBefore(first: Cursor, second: Cursor, { sort, reverse }: QueryPlan): boolean {
  const difference = second.top.keys[second.at]! - first.top.keys[first.at]!
  if (difference !== 0) return difference < 0
  const a = first.segment
  const b = second.segment
  const slot_a = first.top.slots[first.at]!
  const slot_b = second.top.slots[second.at]!
  const name_difference = sort === 'name' ? compareNames(a, slot_a, b, slot_b) : 0
  if (name_difference !== 0) return reverse ? name_difference > 0 : name_difference < 0
  const age_difference = b.published[slot_b]! - a.published[slot_a]!
  return age_difference !== 0 ? age_difference < 0 : compareUids(a.uids, slot_a, b.uids, slot_b) < 0
}

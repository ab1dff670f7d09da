import { covers, parseVersion } from '../../../listings/fields/engine-versions.ts'
import { andInto, andNotInto, type Bits, orInto, wordsFor } from '../index/bitset.ts'
import { denseOf } from '../index/dense-postings.ts'
import { ADULT, keys, type Range, readRangeKey } from '../index/document.ts'
import { markKey } from '../index/postings.ts'
import {
  lowerBound,
  type Segment,
  termOf,
  termsWithPrefix,
  termText,
  toBytes,
} from '../index/segment.ts'
import type { QueryPlan } from './plan.ts'
import type { Scratch } from './scratch.ts'

/** Whether any filter needs posting lists, not only bitmaps. */
export const needsPostings = ({
  tags,
  exclude_tags,
  codes,
  owners,
  editors,
  engines,
  engine_version,
  renderers,
  max_price_cents,
}: QueryPlan) =>
  tags.length + exclude_tags.length + codes.length > 0 ||
  owners.length + engines.length + renderers.length > 0 ||
  engine_version !== null ||
  max_price_cents !== null ||
  editors !== undefined

/** Sets `scratch.match` to the live slots that pass every filter of the plan. */
export function filter(segment: Segment, plan: QueryPlan, scratch: Scratch) {
  const words = wordsFor(segment.size)
  const { match, temp } = scratch
  match.set(segment.live)
  if (!plan.adult) andNotRow(segment, ADULT, match, words)
  for (const group of plan.include) {
    temp.fill(0, 0, words)
    for (const row of group) orRow(segment, row, temp, words)
    andInto(match, temp, words)
  }
  for (const row of plan.exclude) andNotRow(segment, row, match, words)
  if (plan.tags.length) {
    temp.fill(0, 0, words)
    for (const tag of plan.tags) mark(segment, keys.tag(tag), scratch)
    andInto(match, temp, words)
  }
  if (plan.exclude_tags.length) {
    temp.fill(0, 0, words)
    for (const tag of plan.exclude_tags) mark(segment, keys.tag(tag), scratch)
    andNotInto(match, temp, words)
  }
  for (const group of plan.codes) {
    temp.fill(0, 0, words)
    for (const key of group) mark(segment, key, scratch)
    andInto(match, temp, words)
  }
  if (plan.owners.length) {
    temp.fill(0, 0, words)
    for (const uid of plan.owners) mark(segment, keys.owner(uid), scratch)
    andInto(match, temp, words)
  }
  if (plan.editors) {
    temp.fill(0, 0, words)
    for (const minor of plan.editors) mark(segment, keys.editor(minor), scratch)
    andInto(match, temp, words)
  }
  if (plan.max_price_cents !== null) {
    temp.fill(0, 0, words)
    const from = lowerBound(segment, toBytes(keys.prices))
    const end = lowerBound(segment, toBytes(keys.price(plan.max_price_cents + 1)), from)
    for (let term = from; term < end; term++) markTerm(segment, term, scratch)
    andInto(match, temp, words)
  }
  filterEngines(segment, plan, scratch)
}

/**
 * Listings made with an engine or declaring support for it. With a version or renderer, only
 * declarations count, and a single one must cover the whole filter.
 */
function filterEngines(segment: Segment, plan: QueryPlan, scratch: Scratch) {
  const { engines, engine_version, renderers } = plan
  const words = wordsFor(segment.size)
  if (!engines.length && engine_version === null && !renderers.length) return
  scratch.temp.fill(0, 0, words)
  if (engine_version === null && !renderers.length)
    for (const engine of engines) mark(segment, keys.engine(engine), scratch)
  else
    for (const start of engines.length ? engines.map(keys.rangesOf) : [keys.ranges])
      markRanges(segment, start, plan, scratch)
  andInto(scratch.match, scratch.temp, words)
}

function markRanges(
  segment: Segment,
  start: string,
  { engine_version, renderers }: QueryPlan,
  scratch: Scratch,
) {
  const version = engine_version === null ? null : parseVersion(engine_version)
  const [from, end] = termsWithPrefix(segment, toBytes(start))
  const covered = new Map<string, boolean>()
  for (let term = from; term < end; term++) {
    const range = rangeOf(segment, term)
    if (renderers.length && range.renderer !== null && !renderers.includes(range.renderer)) continue
    // Many listings and engines declare the same range.
    const bounds = `${range.min_version} ${range.max_version}`
    if (version && !covered.has(bounds)) covered.set(bounds, covers(range, version))
    if (!version || covered.get(bounds)) markTerm(segment, term, scratch)
  }
}

/** The parsed ranges of each segment, by term. */
const rangesBySegment = new WeakMap<Segment, Map<number, Range>>()

function rangeOf(segment: Segment, term: number): Range {
  const ranges = rangesBySegment.get(segment) ?? new Map<number, Range>()
  rangesBySegment.set(segment, ranges)
  const range = ranges.get(term) ?? readRangeKey(termText(segment, term))
  ranges.set(term, range)
  return range
}

function mark(segment: Segment, key: string, scratch: Scratch) {
  const term = termOf(segment, key)
  if (term >= 0) markTerm(segment, term, scratch)
}

function markTerm(segment: Segment, term: number, scratch: Scratch) {
  const list = denseOf(segment, term, scratch)
  if (list) orInto(scratch.temp, list.bits, wordsFor(segment.size))
  else markKey(segment, term, scratch.temp)
}

function orRow({ bitmaps }: Segment, row: number, bits: Bits, words: number) {
  const at = row * words
  for (let w = 0; w < words; w++) bits[w]! |= bitmaps[at + w]!
}

function andNotRow({ bitmaps }: Segment, row: number, bits: Bits, words: number) {
  const at = row * words
  for (let w = 0; w < words; w++) bits[w]! &= ~bitmaps[at + w]!
}

import { mergeSegments } from '../merge/merge.ts'
import { executePlan } from '../query/execute.ts'
import type { IndexResult, QueryPlan } from '../query/plan.ts'
import {
  createScratch,
  DENSE_BUDGET,
  defaultThresholds,
  type Scratch,
  type Thresholds,
} from '../query/scratch.ts'
import { correctSpelling, type SpellingRequest } from '../query/spelling.ts'
import { suggestTerms, type TermCounts, type TermRequest } from '../query/suggest-terms.ts'
import { clear, has } from './bitset.ts'
import type { Document } from './document.ts'
import { buildSegment, type Segment, slotOf, uidBytes } from './segment.ts'

/**
 * How many segments of a size tier are merged into one. This keeps the number of segments low and
 * moves each listing rarely.
 */
const MERGE_FANOUT = 4
/** Merges of up to this many listings take a few milliseconds and are done immediately. */
const MAX_IMMEDIATE_MERGE = 512
/** A segment is rewritten when a greater share of its listings is deleted. */
const MAX_DELETED_SHARE = 0.25

type Merge = { sources: Segment[]; size: number; work: Generator<void, Segment> }
export type Index = { segments: Segment[]; merges: Merge[]; scratch: Scratch } & Tuning
type Tuning = { fanout: number; max_immediate_merge: number; thresholds: Thresholds }
/** The new state of a listing; null if it is no longer public. */
export type Change = { uid: string; doc: Document | null }

export function createIndex(segments: Segment[] = [], tuning: Partial<Tuning> = {}): Index {
  const tuned = {
    fanout: MERGE_FANOUT,
    max_immediate_merge: MAX_IMMEDIATE_MERGE,
    thresholds: defaultThresholds,
    ...tuning,
  }
  return { segments, merges: [], scratch: createScratch(0, tuned.thresholds), ...tuned }
}
export const sizeOf = ({ segments }: Index) =>
  segments.reduce((sum, { live_count }) => sum + live_count, 0)

export const searchIndex = (index: Index, plan: QueryPlan): IndexResult =>
  executePlan(index.segments, plan, scratchFor(index))

export const findTerms = (index: Index, request: TermRequest): TermCounts =>
  suggestTerms(index.segments, request, scratchFor(index))

export const correctWords = ({ segments }: Index, request: SpellingRequest): string[] | null =>
  correctSpelling(segments, request)

/** Buffers for the largest segment. */
function scratchFor(index: Index): Scratch {
  const largest = Math.max(0, ...index.segments.map(({ size }) => size))
  if (index.scratch.size < largest) index.scratch = createScratch(largest, index.thresholds)
  index.scratch.dense_budget = DENSE_BUDGET
  return index.scratch
}

/**
 * Applies changes; applying one twice does no harm. The previous version of each listing is marked
 * as deleted first.
 */
export function applyChanges(index: Index, changes: readonly Change[]) {
  const last = new Map(changes.map((change) => [change.uid, change.doc]))
  for (const uid of last.keys()) markDeleted(index, uid)
  const docs = [...last.values()].filter((doc) => doc !== null)
  if (docs.length) index.segments.push(buildSegment(docs))
  planMerges(index)
}

const lookup_uid = new Uint8Array(16)

function markDeleted({ segments }: Index, uid: string) {
  uidBytes(uid, lookup_uid, 0)
  for (const segment of segments) {
    const slot = slotOf(segment, lookup_uid)
    if (slot < 0 || !has(segment.live, slot)) continue
    clear(segment.live, slot)
    segment.live_count--
  }
}

/**
 * Starts the merges that are due. Small ones are completed at once, large ones in `advanceMerges`.
 */
function planMerges(index: Index) {
  index.segments = index.segments.filter(({ live_count }) => live_count > 0)
  for (let sources = dueMerge(index); sources; sources = dueMerge(index)) {
    const size = sources.reduce((sum, { live_count }) => sum + live_count, 0)
    const merge = { sources, size, work: mergeSegments(sources) }
    if (size > index.max_immediate_merge) index.merges.push(merge)
    else while (!advance(index, merge)) {}
  }
}

const tier = (live_count: number, fanout: number) =>
  Math.floor(Math.log(live_count) / Math.log(fanout))

function dueMerge({ segments, merges, fanout }: Index): Segment[] | undefined {
  const busy = new Set(merges.flatMap(({ sources }) => sources))
  const free = segments.filter((segment) => !busy.has(segment))
  for (const [, same_tier] of Map.groupBy(free, ({ live_count }) => tier(live_count, fanout)))
    if (same_tier.length >= fanout) return same_tier
  const sparse = free.find(
    ({ size, live_count }) => size - live_count > Math.max(size * MAX_DELETED_SHARE, 1),
  )
  return sparse && [sparse]
}

/** Performs one step of a merge. Returns true when the new segment has replaced its sources. */
function advance(index: Index, merge: Merge): boolean {
  const { done, value } = merge.work.next()
  if (!done) return false
  const merged_away = new Set(merge.sources)
  index.segments = [...index.segments.filter((segment) => !merged_away.has(segment)), value]
  return true
}

/** Continues the pending merges for a time, the smallest first. Returns false when none is left. */
export function advanceMerges(index: Index, milliseconds: number): boolean {
  const until = performance.now() + milliseconds
  for (
    let first = true;
    index.merges.length && (first || performance.now() < until);
    first = false
  ) {
    const merge = index.merges.reduce((a, b) => (b.size < a.size ? b : a))
    if (!advance(index, merge)) continue
    index.merges = index.merges.filter((pending) => pending !== merge)
    planMerges(index)
  }
  return index.merges.length > 0
}

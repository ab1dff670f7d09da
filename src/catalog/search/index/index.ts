import { mergeSegments } from '../merge/merge.ts'
import { find } from '../query/execute.ts'
import type { IndexResult, QueryPlan } from '../query/plan.ts'
import {
  createScratch,
  DENSE_BUDGET,
  type Scratch,
  type Thresholds,
  thresholds,
} from '../query/scratch.ts'
import { clear, has } from './bitset.ts'
import type { Document } from './document.ts'
import { buildSegment, type Segment, slotOf, uidBytes } from './segment.ts'

/** Segments of like size are merged when there are this many, so that there are ever few of them and each listing moves rarely. */
const FANOUT = 4
/** So small that merging them takes a few milliseconds, and is done on the spot. */
const AT_ONCE = 512
/** A larger segment is written anew when this part of it is dead. */
const DEAD_PART = 0.25

type Merge = { sources: Segment[]; size: number; work: Generator<void, Segment> }
export type Index = { segments: Segment[]; merges: Merge[]; scratch: Scratch } & Tuning
type Tuning = { fanout: number; at_once: number; thresholds: Thresholds }
/** What a listing has become: nothing, if it is not public any more. */
export type Change = { uid: string; doc: Document | null }

export function createIndex(segments: Segment[] = [], tuning: Partial<Tuning> = {}): Index {
  const tuned = { fanout: FANOUT, at_once: AT_ONCE, thresholds, ...tuning }
  return { segments, merges: [], scratch: createScratch(0, tuned.thresholds), ...tuned }
}
export const sizeOf = ({ segments }: Index) =>
  segments.reduce((sum, { live_count }) => sum + live_count, 0)

export function searchIndex(index: Index, plan: QueryPlan): IndexResult {
  const largest = Math.max(0, ...index.segments.map(({ size }) => size))
  if (index.scratch.size < largest) index.scratch = createScratch(largest, index.thresholds)
  index.scratch.dense_budget = DENSE_BUDGET
  return find(index.segments, plan, index.scratch)
}

/** Takes changes in, each once or more often: what a listing was before is forgotten first. */
export function applyChanges(index: Index, changes: readonly Change[]) {
  const last = new Map(changes.map((change) => [change.uid, change.doc]))
  for (const uid of last.keys()) markDeleted(index, uid)
  const docs = [...last.values()].filter((doc) => doc !== null)
  if (docs.length) index.segments.push(buildSegment(docs))
  planMerges(index)
}

const sought = new Uint8Array(16)

function markDeleted({ segments }: Index, uid: string) {
  uidBytes(uid, sought, 0)
  for (const segment of segments) {
    const slot = slotOf(segment, sought)
    if (slot < 0 || !has(segment.live, slot)) continue
    clear(segment.live, slot)
    segment.live_count--
  }
}

/** Begins what is due. Small merges are done at once; a large one goes on in `advanceMerges`. */
function planMerges(index: Index) {
  index.segments = index.segments.filter(({ live_count }) => live_count > 0)
  for (let sources = due(index); sources; sources = due(index)) {
    const size = sources.reduce((sum, { live_count }) => sum + live_count, 0)
    const merge = { sources, size, work: mergeSegments(sources) }
    if (size > index.at_once) index.merges.push(merge)
    else while (!advance(index, merge)) {}
  }
}

const tier = (live_count: number, fanout: number) =>
  Math.floor(Math.log(live_count) / Math.log(fanout))

function due({ segments, merges, fanout }: Index): Segment[] | undefined {
  const busy = new Set(merges.flatMap(({ sources }) => sources))
  const free = segments.filter((segment) => !busy.has(segment))
  for (const [, alike] of Map.groupBy(free, ({ live_count }) => tier(live_count, fanout)))
    if (alike.length >= fanout) return alike
  const dying = free.find(
    ({ size, live_count }) => size - live_count > Math.max(size * DEAD_PART, 1),
  )
  return dying && [dying]
}

/** One step of a merge; true when it is done and stands in the place of its sources. */
function advance(index: Index, merge: Merge): boolean {
  const { done, value } = merge.work.next()
  if (!done) return false
  const gone = new Set(merge.sources)
  index.segments = [...index.segments.filter((segment) => !gone.has(segment)), value]
  return true
}

/** Goes on with the merges for so long, the smallest first; false when there is nothing left to do. */
export function advanceMerges(index: Index, milliseconds: number): boolean {
  const until = performance.now() + milliseconds
  for (
    let first = true;
    index.merges.length && (first || performance.now() < until);
    first = false
  ) {
    const merge = index.merges.reduce((a, b) => (b.size < a.size ? b : a))
    if (!advance(index, merge)) continue
    index.merges = index.merges.filter((one) => one !== merge)
    planMerges(index)
  }
  return index.merges.length > 0
}

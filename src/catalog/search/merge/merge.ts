import { type Bits, has, lowest, set, wordsFor } from '../index/bitset.ts'
import { bitmapRows } from '../index/document.ts'
import { MAX_POSTING_BYTES, readKey, readWord, writePosting } from '../index/postings.ts'
import {
  compareBytes,
  compareUids,
  type Dictionary,
  isKey,
  orderByUid,
  type Segment,
  termCount,
} from '../index/segment.ts'
import { buildFuzzyFilter } from '../query/fuzzy-terms.ts'

const NOWHERE = 0xffffffff
/** How much is done between two chances to do something else. */
const STEP = 20_000

type Moved = { segment: Segment; live: Bits; to: Uint32Array }

/**
 * One segment of what lives in several. It yields often, so that searches and changes go on in between; whoever died meanwhile is taken out
 * of the new segment at the end, in the step that returns it.
 */
export function* mergeSegments(sources: readonly Segment[]): Generator<void, Segment> {
  // The largest last: each list is then merged with the lists before it, which are short.
  const moved = sources
    .toSorted((a, b) => a.live_count - b.live_count)
    .map(
      (segment): Moved => ({
        segment,
        live: segment.live.slice(),
        to: new Uint32Array(segment.size).fill(NOWHERE),
      }),
    )
  const merged = yield* moveColumns(moved)
  yield* moveRows(moved, merged)
  const dictionary = yield* moveTerms(moved, merged.size)
  const segment: Segment = { ...merged, ...dictionary }
  for (const { segment: source, live, to } of moved) bury(source, live, to, segment)
  return segment
}

type Columns = Omit<Segment, keyof Dictionary>

function* moveColumns(moved: Moved[]): Generator<void, Columns> {
  const size = moved.reduce((sum, { live, segment }) => sum + countLive(live, segment.size), 0)
  const bytes = moved.reduce((sum, { segment }) => sum + segment.names.length, 0)
  const merged: Columns = {
    size,
    live: new Int32Array(wordsFor(size)),
    live_count: size,
    uids: new Uint8Array(size * 16),
    by_uid: new Uint32Array(0),
    published: new Float64Array(size),
    updated: new Float64Array(size),
    released: new Float64Array(size),
    ratings: new Uint8Array(size),
    names: new Uint8Array(bytes),
    name_offsets: new Uint32Array(size + 1),
    bitmaps: new Int32Array(bitmapRows.size * wordsFor(size)),
  }
  const next = moved.map(() => 0)
  for (let slot = 0; slot < size; slot++) {
    let best = -1
    moved.forEach(({ segment, live }, s) => {
      while (next[s]! < segment.size && !has(live, next[s]!)) next[s]!++
      if (
        next[s]! < segment.size &&
        (best < 0 || isNewer(segment, next[s]!, moved[best]!.segment, next[best]!))
      )
        best = s
    })
    moveSlot(moved[best]!, next[best]!++, merged, slot)
    if (slot % (STEP / 10) === 0) yield
  }
  merged.names = merged.names.slice(0, merged.name_offsets[size]!)
  yield
  merged.by_uid = yield* orderSlots(merged.uids, size)
  return merged
}

const isNewer = (a: Segment, slot_a: number, b: Segment, slot_b: number) =>
  a.published[slot_a]! !== b.published[slot_b]!
    ? a.published[slot_a]! > b.published[slot_b]!
    : compareUids(a.uids, slot_a, b.uids, slot_b) < 0

function moveSlot({ segment, to }: Moved, from: number, merged: Columns, slot: number) {
  to[from] = slot
  set(merged.live, slot)
  for (let i = 0; i < 16; i++) merged.uids[slot * 16 + i] = segment.uids[from * 16 + i]!
  merged.published[slot] = segment.published[from]!
  merged.updated[slot] = segment.updated[from]!
  merged.released[slot] = segment.released[from]!
  merged.ratings[slot] = segment.ratings[from]!
  let at = merged.name_offsets[slot]!
  for (let i = segment.name_offsets[from]!; i < segment.name_offsets[from + 1]!; i++)
    merged.names[at++] = segment.names[i]!
  merged.name_offsets[slot + 1] = at
}

/** Sorts parts and merges them, so that no step is long. */
function* orderSlots(uids: Uint8Array, size: number): Generator<void, Uint32Array> {
  const part = 2_000
  let ordered = new Uint32Array(size)
  for (let from = 0; from < size; from += part) {
    const end = Math.min(from + part, size)
    const sorted = orderByUid(uids.subarray(from * 16, end * 16), end - from)
    for (let i = from; i < end; i++) ordered[i] = sorted[i - from]! + from
    yield
  }
  for (let width = part; width < size; width *= 2) {
    const wider = new Uint32Array(size)
    for (let from = 0; from < size; from += 2 * width) {
      const middle = Math.min(from + width, size)
      const end = Math.min(from + 2 * width, size)
      let [a, b] = [from, middle]
      for (let i = from; i < end; i++) {
        const left =
          b >= end || (a < middle && compareUids(uids, ordered[a]!, uids, ordered[b]!) <= 0)
        wider[i] = ordered[left ? a++ : b++]!
        if (i % STEP === 0) yield
      }
    }
    ordered = wider
  }
  return ordered
}

function* moveRows(moved: Moved[], merged: Columns): Generator<void, void> {
  const words = wordsFor(merged.size)
  let done = 0
  for (const { segment, live, to } of moved) {
    const own = wordsFor(segment.size)
    for (let row = 0; row < bitmapRows.size; row++) {
      for (let w = 0; w < own; w++) {
        for (let word = segment.bitmaps[row * own + w]! & live[w]!; word !== 0; word &= word - 1) {
          const slot = to[(w << 5) + lowest(word)]!
          merged.bitmaps[row * words + (slot >>> 5)]! |= 1 << (slot & 31)
          done++
        }
        if (++done > STEP * 5) {
          done = 0
          yield
        }
      }
    }
  }
}

type List = { n: number; slots: Uint32Array; weights: Uint8Array }
const room = (size: number): List => ({
  n: 0,
  slots: new Uint32Array(size),
  weights: new Uint8Array(size),
})

function* moveTerms(moved: Moved[], size: number): Generator<void, Dictionary> {
  const most_terms = moved.reduce((sum, { segment }) => sum + termCount(segment), 0)
  const most_bytes = moved.reduce((sum, { segment }) => sum + segment.terms.length, 0)
  const most_postings = yield* countPostings(moved)
  // Only what is written takes memory: the system gives pages out when they are touched.
  const terms = new Uint8Array(most_bytes)
  const term_offsets = new Uint32Array(most_terms + 1)
  const counts = new Uint32Array(most_terms)
  const postings = new Uint8Array(most_postings * MAX_POSTING_BYTES)
  const posting_offsets = new Uint32Array(most_terms + 1)
  const largest = Math.max(size, ...moved.map(({ segment }) => segment.size))
  let [kept, read, both] = [room(largest), room(largest), room(largest)]
  const next = moved.map(() => 0)
  let [n, at, done] = [0, 0, 0]
  for (;;) {
    const least = leastTerm(moved, next)
    if (least < 0) break
    const { segment, term } = { segment: moved[least]!.segment, term: next[least]! }
    const key = isKey(segment, term)
    kept.n = 0
    for (let s = least; s < moved.length; s++) {
      const one = moved[s]!
      if (s !== least && !sameTerm(one.segment, next[s]!, segment, term)) continue
      readMoved(one, next[s]!++, key, read)
      done += read.n
      // A list of many takes milliseconds to read, to merge and to write.
      if (read.n > STEP) yield
      if (kept.n === 0) [kept, read] = [read, kept]
      else if (read.n) {
        mergeLists(kept, read, both)
        ;[kept, both] = [both, kept]
        if (kept.n > STEP) yield
      }
    }
    done++
    if (kept.n) {
      const from = segment.term_offsets[term]!
      const end = segment.term_offsets[term + 1]!
      terms.set(segment.terms.subarray(from, end), term_offsets[n])
      term_offsets[n + 1] = term_offsets[n]! + end - from
      counts[n] = kept.n
      at = writeList(postings, at, kept, key)
      posting_offsets[++n] = at
    }
    if (done > STEP) {
      done = 0
      yield
    }
  }
  const kept_terms = {
    terms: terms.slice(0, term_offsets[n]!),
    term_offsets: term_offsets.slice(0, n + 1),
  }
  yield
  return {
    ...kept_terms,
    counts: counts.slice(0, n),
    // Cut, not copied: the pages beyond were never touched.
    postings: postings.subarray(0, at),
    posting_offsets: posting_offsets.slice(0, n + 1),
    fuzzy_filter: yield* buildFuzzyFilter(kept_terms.terms, kept_terms.term_offsets),
  }
}

function* countPostings(moved: Moved[]): Generator<void, number> {
  let sum = 0
  for (const { segment } of moved) {
    for (let term = 0; term < termCount(segment); term++) {
      sum += segment.counts[term]!
      if (term % (STEP * 10) === 0) yield
    }
  }
  return sum
}

function leastTerm(moved: Moved[], next: number[]): number {
  let least = -1
  for (let s = 0; s < moved.length; s++) {
    const { segment } = moved[s]!
    if (next[s]! >= termCount(segment)) continue
    if (least < 0 || compareTerms(segment, next[s]!, moved[least]!.segment, next[least]!) < 0)
      least = s
  }
  return least
}

function compareTerms(a: Segment, term_a: number, b: Segment, term_b: number): number {
  return compareBytes(
    a.terms,
    a.term_offsets[term_a]!,
    a.term_offsets[term_a + 1]!,
    b.terms,
    b.term_offsets[term_b]!,
    b.term_offsets[term_b + 1]!,
  )
}

const sameTerm = (a: Segment, term_a: number, b: Segment, term_b: number) =>
  term_a < termCount(a) && compareTerms(a, term_a, b, term_b) === 0

/** The living of a list, in their new slots. */
function readMoved({ segment, to }: Moved, term: number, key: boolean, out: List) {
  const all = key
    ? readKey(segment, term, out.slots)
    : readWord(segment, term, out.slots, out.weights)
  let n = 0
  for (let i = 0; i < all; i++) {
    const slot = to[out.slots[i]!]!
    if (slot === NOWHERE) continue
    out.slots[n] = slot
    out.weights[n++] = out.weights[i]!
  }
  out.n = n
}

function mergeLists(a: List, b: List, out: List) {
  // Segments are mostly of different times, and then one list follows the other.
  if (a.slots[a.n - 1]! < b.slots[0]!) return chain(a, b, out)
  if (b.slots[b.n - 1]! < a.slots[0]!) return chain(b, a, out)
  let [i, j, n] = [0, 0, 0]
  while (i < a.n || j < b.n) {
    const left = j >= b.n || (i < a.n && a.slots[i]! < b.slots[j]!)
    out.slots[n] = left ? a.slots[i]! : b.slots[j]!
    out.weights[n++] = left ? a.weights[i++]! : b.weights[j++]!
  }
  out.n = n
}

function chain(first: List, second: List, out: List) {
  out.slots.set(first.slots.subarray(0, first.n))
  out.weights.set(first.weights.subarray(0, first.n))
  out.slots.set(second.slots.subarray(0, second.n), first.n)
  out.weights.set(second.weights.subarray(0, second.n), first.n)
  out.n = first.n + second.n
}

function writeList(
  postings: Uint8Array,
  from: number,
  { n, slots, weights }: List,
  key: boolean,
): number {
  let at = from
  let before = -1
  for (let i = 0; i < n; i++) {
    at = writePosting(postings, at, slots[i]! - before, key ? -1 : weights[i]!)
    before = slots[i]!
  }
  return at
}

/** Takes out who has died in the source since the merge began. */
function bury(source: Segment, live: Bits, to: Uint32Array, merged: Segment) {
  for (let w = 0; w < live.length; w++)
    for (let word = live[w]! & ~source.live[w]!; word !== 0; word &= word - 1) {
      const slot = to[(w << 5) + lowest(word)]!
      merged.live[slot >>> 5]! &= ~(1 << (slot & 31))
      merged.live_count--
    }
}

function countLive(live: Bits, size: number): number {
  let n = 0
  for (let slot = 0; slot < size; slot++) if (has(live, slot)) n++
  return n
}

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

const DELETED = 0xffffffff
/** How much work is done between two pauses. */
const STEP = 20_000

type MergeSource = { segment: Segment; live: Bits; new_slots: Uint32Array }

/**
 * Merges the live listings of several segments into one. It yields often, so that searches and
 * changes run in between; listings deleted meanwhile are deleted from the new segment in the step
 * that returns it.
 */
export function* mergeSegments(segments: readonly Segment[]): Generator<void, Segment> {
  // The largest segment comes last, so that lists are merged with short lists before.
  const sources = segments
    .toSorted((a, b) => a.live_count - b.live_count)
    .map(
      (segment): MergeSource => ({
        segment,
        live: segment.live.slice(),
        new_slots: new Uint32Array(segment.size).fill(DELETED),
      }),
    )
  const merged = yield* mergeColumns(sources)
  yield* mergeBitmaps(sources, merged)
  const dictionary = yield* mergeTerms(sources, merged.size)
  const segment: Segment = { ...merged, ...dictionary }
  for (const { segment: source, live, new_slots } of sources)
    applyDeletions(source, live, new_slots, segment)
  return segment
}

type Columns = Omit<Segment, keyof Dictionary>

function* mergeColumns(sources: MergeSource[]): Generator<void, Columns> {
  const size = sources.reduce((sum, { live, segment }) => sum + countLive(live, segment.size), 0)
  const bytes = sources.reduce((sum, { segment }) => sum + segment.names.length, 0)
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
    popularity: new Float64Array(size),
    approval: new Float64Array(size),
    names: new Uint8Array(bytes),
    name_offsets: new Uint32Array(size + 1),
    bitmaps: new Int32Array(bitmapRows.size * wordsFor(size)),
  }
  const next = sources.map(() => 0)
  for (let slot = 0; slot < size; slot++) {
    let best = -1
    sources.forEach(({ segment, live }, s) => {
      while (next[s]! < segment.size && !has(live, next[s]!)) next[s]!++
      if (
        next[s]! < segment.size &&
        (best < 0 || isNewer(segment, next[s]!, sources[best]!.segment, next[best]!))
      )
        best = s
    })
    copySlot(sources[best]!, next[best]!++, merged, slot)
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

function copySlot(
  { segment, new_slots }: MergeSource,
  from: number,
  merged: Columns,
  slot: number,
) {
  new_slots[from] = slot
  set(merged.live, slot)
  for (let i = 0; i < 16; i++) merged.uids[slot * 16 + i] = segment.uids[from * 16 + i]!
  merged.published[slot] = segment.published[from]!
  merged.updated[slot] = segment.updated[from]!
  merged.released[slot] = segment.released[from]!
  merged.ratings[slot] = segment.ratings[from]!
  merged.popularity[slot] = segment.popularity[from]!
  merged.approval[slot] = segment.approval[from]!
  let at = merged.name_offsets[slot]!
  for (let i = segment.name_offsets[from]!; i < segment.name_offsets[from + 1]!; i++)
    merged.names[at++] = segment.names[i]!
  merged.name_offsets[slot + 1] = at
}

/** Merge sort in short steps. */
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
      let a = from
      let b = middle
      for (let i = from; i < end; i++) {
        const from_a =
          b >= end || (a < middle && compareUids(uids, ordered[a]!, uids, ordered[b]!) <= 0)
        wider[i] = ordered[from_a ? a++ : b++]!
        if (i % STEP === 0) yield
      }
    }
    ordered = wider
  }
  return ordered
}

function* mergeBitmaps(sources: MergeSource[], merged: Columns): Generator<void, void> {
  const words = wordsFor(merged.size)
  let done = 0
  for (const { segment, live, new_slots } of sources) {
    const source_words = wordsFor(segment.size)
    for (let row = 0; row < bitmapRows.size; row++) {
      for (let w = 0; w < source_words; w++) {
        for (
          let word = segment.bitmaps[row * source_words + w]! & live[w]!;
          word !== 0;
          word &= word - 1
        ) {
          const slot = new_slots[(w << 5) + lowest(word)]!
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

type PostingList = { n: number; slots: Uint32Array; weights: Uint8Array }
const createList = (size: number): PostingList => ({
  n: 0,
  slots: new Uint32Array(size),
  weights: new Uint8Array(size),
})

/** A dictionary that is being written: arrays of the greatest possible length, and its end. */
type OpenDictionary = Omit<Dictionary, 'fuzzy_filter'> & { n: number; postings_end: number }

function openDictionary(sources: readonly MergeSource[], max_postings: number): OpenDictionary {
  const max_terms = sources.reduce((sum, { segment }) => sum + termCount(segment), 0)
  const max_bytes = sources.reduce((sum, { segment }) => sum + segment.terms.length, 0)
  // Only written pages take memory: the operating system allocates a page when it is touched.
  return {
    terms: new Uint8Array(max_bytes),
    term_offsets: new Uint32Array(max_terms + 1),
    counts: new Uint32Array(max_terms),
    postings: new Uint8Array(max_postings * MAX_POSTING_BYTES),
    posting_offsets: new Uint32Array(max_terms + 1),
    n: 0,
    postings_end: 0,
  }
}

function appendTerm(open: OpenDictionary, segment: Segment, term: number, list: PostingList): void {
  const { terms, term_offsets, counts, postings, posting_offsets, n } = open
  const from = segment.term_offsets[term]!
  const end = segment.term_offsets[term + 1]!
  terms.set(segment.terms.subarray(from, end), term_offsets[n])
  term_offsets[n + 1] = term_offsets[n]! + end - from
  counts[n] = list.n
  open.postings_end = writeList(postings, open.postings_end, list, isKey(segment, term))
  open.n = n + 1
  posting_offsets[open.n] = open.postings_end
}

function* closeDictionary(open: OpenDictionary): Generator<void, Dictionary> {
  const { n } = open
  const terms = open.terms.slice(0, open.term_offsets[n]!)
  const term_offsets = open.term_offsets.slice(0, n + 1)
  yield
  return {
    terms,
    term_offsets,
    counts: open.counts.slice(0, n),
    // A view instead of a copy: the pages beyond it were never touched.
    postings: open.postings.subarray(0, open.postings_end),
    posting_offsets: open.posting_offsets.slice(0, n + 1),
    fuzzy_filter: yield* buildFuzzyFilter(terms, term_offsets),
  }
}

function* mergeTerms(sources: MergeSource[], size: number): Generator<void, Dictionary> {
  const dictionary = openDictionary(sources, yield* countPostings(sources))
  const largest = Math.max(size, ...sources.map(({ segment }) => segment.size))
  let merged_list = createList(largest)
  let read = createList(largest)
  let spare = createList(largest)
  const next = sources.map(() => 0)
  let done = 0
  for (;;) {
    const least = leastTerm(sources, next)
    if (least < 0) break
    const segment = sources[least]!.segment
    const term = next[least]!
    const key = isKey(segment, term)
    merged_list.n = 0
    for (let s = least; s < sources.length; s++) {
      const source = sources[s]!
      if (s !== least && !sameTerm(source.segment, next[s]!, segment, term)) continue
      readLive(source, next[s]!++, key, read)
      done += read.n
      // Reading, merging and writing a long list each take milliseconds.
      if (read.n > STEP) yield
      if (merged_list.n === 0) [merged_list, read] = [read, merged_list]
      else if (read.n) {
        mergeLists(merged_list, read, spare)
        ;[merged_list, spare] = [spare, merged_list]
        if (merged_list.n > STEP) yield
      }
    }
    done++
    if (merged_list.n) appendTerm(dictionary, segment, term, merged_list)
    if (done > STEP) {
      done = 0
      yield
    }
  }
  return yield* closeDictionary(dictionary)
}

function* countPostings(sources: MergeSource[]): Generator<void, number> {
  let sum = 0
  for (const { segment } of sources) {
    for (let term = 0; term < termCount(segment); term++) {
      sum += segment.counts[term]!
      if (term % (STEP * 10) === 0) yield
    }
  }
  return sum
}

function leastTerm(sources: MergeSource[], next: number[]): number {
  let least = -1
  for (let s = 0; s < sources.length; s++) {
    const { segment } = sources[s]!
    if (next[s]! >= termCount(segment)) continue
    if (least < 0 || compareTerms(segment, next[s]!, sources[least]!.segment, next[least]!) < 0)
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

/** Reads the live postings of a list, in their new slots. */
function readLive(
  { segment, new_slots }: MergeSource,
  term: number,
  key: boolean,
  out: PostingList,
) {
  const all = key
    ? readKey(segment, term, out.slots)
    : readWord(segment, term, out.slots, out.weights)
  let n = 0
  for (let i = 0; i < all; i++) {
    const slot = new_slots[out.slots[i]!]!
    if (slot === DELETED) continue
    out.slots[n] = slot
    out.weights[n++] = out.weights[i]!
  }
  out.n = n
}

function mergeLists(a: PostingList, b: PostingList, out: PostingList) {
  // Segments mostly cover different times, so that one list follows the other.
  if (a.slots[a.n - 1]! < b.slots[0]!) return concatenate(a, b, out)
  if (b.slots[b.n - 1]! < a.slots[0]!) return concatenate(b, a, out)
  let i = 0
  let j = 0
  let n = 0
  while (i < a.n || j < b.n) {
    const from_a = j >= b.n || (i < a.n && a.slots[i]! < b.slots[j]!)
    out.slots[n] = from_a ? a.slots[i]! : b.slots[j]!
    out.weights[n++] = from_a ? a.weights[i++]! : b.weights[j++]!
  }
  out.n = n
}

function concatenate(first: PostingList, second: PostingList, out: PostingList) {
  out.slots.set(first.slots.subarray(0, first.n))
  out.weights.set(first.weights.subarray(0, first.n))
  out.slots.set(second.slots.subarray(0, second.n), first.n)
  out.weights.set(second.weights.subarray(0, second.n), first.n)
  out.n = first.n + second.n
}

function writeList(
  postings: Uint8Array,
  from: number,
  { n, slots, weights }: PostingList,
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

/** Deletes the listings that were deleted in the source since the merge began. */
function applyDeletions(source: Segment, live: Bits, new_slots: Uint32Array, merged: Segment) {
  for (let w = 0; w < live.length; w++)
    for (let word = live[w]! & ~source.live[w]!; word !== 0; word &= word - 1) {
      const slot = new_slots[(w << 5) + lowest(word)]!
      merged.live[slot >>> 5]! &= ~(1 << (slot & 31))
      merged.live_count--
    }
}

function countLive(live: Bits, size: number): number {
  let n = 0
  for (let slot = 0; slot < size; slot++) if (has(live, slot)) n++
  return n
}

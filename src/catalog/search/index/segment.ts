import { provenApproval } from '../../../library/approval.ts'
import { buildFuzzyFilter } from '../query/fuzzy-terms.ts'
import { impactsOf } from '../query/ranking.ts'
import { fold } from '../query/tokenize.ts'
import { type Bits, set, wordsFor } from './bitset.ts'
import { bitmapRows, bitmapRowsOf, type Document, isSign, keysOf } from './document.ts'
import { MAX_POSTING_BYTES, writePosting } from './postings.ts'

/**
 * An immutable part of the index; only its set of live slots changes. Slots are in the order of
 * `newest`: the newest listing first, and of the same time the one with the lower uid first. All
 * data is in flat arrays, which keeps the overhead per listing low.
 */
export type Segment = {
  size: number
  live: Bits
  live_count: number
  /** 16 bytes per slot. */
  uids: Uint8Array
  /** The slots in the order of their uids. */
  by_uid: Uint32Array
  published: Float64Array
  updated: Float64Array
  /** Of packages: the last release and the rating. */
  released: Float64Array
  ratings: Uint8Array
  popularity: Float64Array
  /** The share of players who enjoyed it, as far as reviews prove it. */
  approval: Float64Array
  /** Folded names, to sort by. */
  names: Uint8Array
  name_offsets: Uint32Array
  /** One bitmap for each value of each dimension. */
  bitmaps: Bits
  /** The dictionary: words and keys in byte order. `counts` has the number of postings of each. */
  terms: Uint8Array
  term_offsets: Uint32Array
  counts: Uint32Array
  /** The posting lists (postings.ts). Words have weights, keys have none. */
  postings: Uint8Array
  posting_offsets: Uint32Array
  /** A Bloom filter of the words and their spellings with one letter left out (fuzzy-terms.ts). */
  fuzzy_filter: Bits
}
export type Dictionary = Pick<
  Segment,
  'terms' | 'term_offsets' | 'counts' | 'postings' | 'posting_offsets' | 'fuzzy_filter'
>

export const isKey = ({ terms, term_offsets }: Segment, term: number) =>
  isSign(terms[term_offsets[term]!]!)
export const termCount = (segment: Segment) => segment.counts.length

const encoder = new TextEncoder()
const decoder = new TextDecoder()
export const toBytes = (text: string): Uint8Array => encoder.encode(text)
export const termText = ({ terms, term_offsets }: Segment, term: number) =>
  decoder.decode(terms.subarray(term_offsets[term]!, term_offsets[term + 1]!))

export function uidBytes(uid: string, out: Uint8Array, at: number) {
  let text = 0
  for (let i = 0; i < 16; i++) {
    if (uid.charCodeAt(text) === 45) text++
    out[at + i] = (nibble(uid.charCodeAt(text)) << 4) | nibble(uid.charCodeAt(text + 1))
    text += 2
  }
}

const nibble = (code: number) => (code & 15) + (code > 57 ? 9 : 0)
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export function uidText(uids: Uint8Array, slot: number): string {
  let text = ''
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += '-'
    text += hex[uids[slot * 16 + i]!]
  }
  return text
}

export function compareUids(a: Uint8Array, slot_a: number, b: Uint8Array, slot_b: number): number {
  for (let i = 0; i < 16; i++) {
    const difference = a[slot_a * 16 + i]! - b[slot_b * 16 + i]!
    if (difference !== 0) return difference
  }
  return 0
}

/** The slot of a listing, live or deleted; -1 if the segment does not contain it. */
export function slotOf({ by_uid, uids, size }: Segment, uid: Uint8Array): number {
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareUids(uids, by_uid[middle]!, uid, 0) < 0) low = middle + 1
    else high = middle
  }
  return low < size && compareUids(uids, by_uid[low]!, uid, 0) === 0 ? by_uid[low]! : -1
}

/** The first term that is not less than these bytes. */
export function lowerBound(
  { terms, term_offsets, counts }: Segment,
  bytes: Uint8Array,
  from = 0,
): number {
  let low = from
  let high = counts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (
      compareBytes(
        terms,
        term_offsets[middle]!,
        term_offsets[middle + 1]!,
        bytes,
        0,
        bytes.length,
      ) < 0
    )
      low = middle + 1
    else high = middle
  }
  return low
}

/** Called for every comparison of terms and names, so it takes offsets instead of subarrays. */
export function compareBytes(
  a: Uint8Array,
  a_at: number,
  a_end: number,
  b: Uint8Array,
  b_at: number,
  b_end: number,
): number {
  const length = Math.min(a_end - a_at, b_end - b_at)
  for (let i = 0; i < length; i++) {
    const difference = a[a_at + i]! - b[b_at + i]!
    if (difference !== 0) return difference
  }
  return a_end - a_at - (b_end - b_at)
}

/** The term with this text, or -1. */
export function termOf(segment: Segment, text: string): number {
  const bytes = toBytes(text)
  const term = lowerBound(segment, bytes)
  return term < termCount(segment) &&
    startsWith(segment, term, bytes) &&
    lengthOf(segment, term) === bytes.length
    ? term
    : -1
}

export const lengthOf = ({ term_offsets }: Segment, term: number) =>
  term_offsets[term + 1]! - term_offsets[term]!

export function startsWith(
  { terms, term_offsets }: Segment,
  term: number,
  start: Uint8Array,
): boolean {
  const at = term_offsets[term]!
  if (term_offsets[term + 1]! - at < start.length) return false
  for (let i = 0; i < start.length; i++) if (terms[at + i] !== start[i]) return false
  return true
}

/** The terms with a prefix, from the first up to but not including `end`. */
export function termsWithPrefix(segment: Segment, start: Uint8Array): [from: number, end: number] {
  const from = lowerBound(segment, start)
  const hasPrefix = (term: number) => term < termCount(segment) && startsWith(segment, term, start)
  // Few terms share a prefix, so look for the end nearby first (exponential search).
  let width = 1
  while (hasPrefix(from + width - 1)) width *= 2
  let low = from + (width >> 1)
  let high = from + width - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (hasPrefix(middle)) low = middle + 1
    else high = middle
  }
  return [from, low]
}

/** The postings of the documents in document order: term, slot and weight in parallel arrays. */
type PostingBuffer = {
  ids: Map<string, number>
  n: number
  term: Uint32Array
  slot: Uint32Array
  weight: Int16Array
}

export function buildSegment(documents: readonly Document[]): Segment {
  const docs = documents.toSorted(
    (a, b) => b.published_us - a.published_us || (a.uid < b.uid ? -1 : 1),
  )
  const size = docs.length
  const words = wordsFor(size)
  const uids = new Uint8Array(size * 16)
  const bits = new Int32Array(bitmapRows.size * words)
  const live = new Int32Array(words)
  const buffer = createPostingBuffer(size * 64)
  docs.forEach((doc, slot) => {
    uidBytes(doc.uid, uids, slot * 16)
    set(live, slot)
    for (const row of bitmapRowsOf(doc)) bits[row * words + (slot >>> 5)]! |= 1 << (slot & 31)
    for (const [word, weight] of impactsOf(doc)) addPosting(buffer, word, slot, weight)
    for (const key of keysOf(doc)) addPosting(buffer, key, slot, -1)
  })
  const names = pack(docs.map(({ name }) => fold(name)))
  return {
    size,
    live,
    live_count: size,
    uids,
    by_uid: orderByUid(uids, size),
    published: Float64Array.from(docs, ({ published_us }) => published_us),
    updated: Float64Array.from(docs, ({ updated_us }) => updated_us),
    released: Float64Array.from(docs, (doc) => doc.package?.released_us ?? 0),
    ratings: Uint8Array.from(docs, (doc) => doc.package?.rating ?? 0),
    popularity: Float64Array.from(docs, ({ popularity }) => popularity),
    approval: Float64Array.from(docs, ({ enjoyed, reviews }) => provenApproval(enjoyed, reviews)),
    names: names.bytes,
    name_offsets: names.at,
    bitmaps: bits,
    ...invert(buffer),
  }
}

const createPostingBuffer = (capacity: number): PostingBuffer => ({
  ids: new Map(),
  n: 0,
  term: new Uint32Array(capacity),
  slot: new Uint32Array(capacity),
  weight: new Int16Array(capacity),
})

function addPosting(buffer: PostingBuffer, text: string, slot: number, weight: number) {
  const { ids, n } = buffer
  if (n === buffer.term.length) grow(buffer)
  let id = ids.get(text)
  if (id === undefined) {
    id = ids.size
    ids.set(text, id)
  }
  buffer.term[n] = id
  buffer.slot[n] = slot
  buffer.weight[n] = weight
  buffer.n++
}

function grow(buffer: PostingBuffer) {
  const wider = createPostingBuffer(buffer.n * 2)
  wider.term.set(buffer.term)
  wider.slot.set(buffer.slot)
  wider.weight.set(buffer.weight)
  Object.assign(buffer, { term: wider.term, slot: wider.slot, weight: wider.weight })
}

export function orderByUid(uids: Uint8Array, size: number): Uint32Array {
  return Uint32Array.from({ length: size }, (_, slot) => slot).sort((a, b) =>
    compareUids(uids, a, uids, b),
  )
}

/** Inverts the postings from document order to term order. */
function invert({ ids, n, term, slot, weight }: PostingBuffer): Dictionary {
  const texts = sortByBytes([...ids.keys()])
  const by_id = new Uint32Array(ids.size + 1)
  for (let i = 0; i < n; i++) by_id[term[i]! + 1]!++
  for (let id = 0; id < ids.size; id++) by_id[id + 1]! += by_id[id]!
  const next = by_id.slice()
  const order = new Uint32Array(n)
  for (let i = 0; i < n; i++) order[next[term[i]!]!++] = i
  const postings = new Uint8Array(n * MAX_POSTING_BYTES)
  const posting_offsets = new Uint32Array(ids.size + 1)
  const counts = new Uint32Array(ids.size)
  let at = 0
  for (let rank = 0; rank < texts.length; rank++) {
    const id = ids.get(texts[rank]!)!
    const end = by_id[id + 1]!
    let before = -1
    for (let i = by_id[id]!; i < end; i++) {
      const entry = order[i]!
      at = writePosting(postings, at, slot[entry]! - before, weight[entry]!)
      before = slot[entry]!
    }
    counts[rank] = end - by_id[id]!
    posting_offsets[rank + 1] = at
  }
  const { bytes, at: term_offsets } = pack(texts)
  return {
    terms: bytes,
    term_offsets,
    counts,
    postings: postings.slice(0, at),
    posting_offsets,
    fuzzy_filter: runToEnd(buildFuzzyFilter(bytes, term_offsets)),
  }
}

/** Runs a generator to its end without pausing between its steps. */
function runToEnd<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** Sorts by UTF-8 bytes. Without surrogate pairs this is the order of code units. */
function sortByBytes(texts: string[]): string[] {
  if (texts.every((text) => !/[\ud800-\uffff]/.test(text))) return texts.sort()
  const encoded = texts.map((text) => ({ text, bytes: toBytes(text) }))
  encoded.sort((a, b) => compareBytes(a.bytes, 0, a.bytes.length, b.bytes, 0, b.bytes.length))
  return encoded.map(({ text }) => text)
}

function pack(texts: string[]): { bytes: Uint8Array; at: Uint32Array } {
  const at = new Uint32Array(texts.length + 1)
  const capacity = texts.reduce((sum, text) => sum + text.length, 0)
  const bytes = new Uint8Array(capacity * 3)
  for (let i = 0; i < texts.length; i++)
    at[i + 1] = at[i]! + encoder.encodeInto(texts[i]!, bytes.subarray(at[i]!)).written
  return { bytes: bytes.slice(0, at[texts.length]!), at }
}

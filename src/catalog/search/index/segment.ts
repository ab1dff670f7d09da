import { buildFuzzyFilter, isSign } from '../query/fuzzy-terms.ts'
import { impactsOf } from '../query/ranking.ts'
import { fold } from '../query/tokenize.ts'
import { type Bits, set, wordsFor } from './bitset.ts'
import { bitmapRows, bitmapRowsOf, type Document, keysOf } from './document.ts'
import { MAX_POSTING_BYTES, writePosting } from './postings.ts'

/**
 * A part of the index that never changes but for who is still alive in it. Slots are in the order of `newest`: the first is the newest,
 * and of the same moment the one with the lower uid. Everything is a flat array, so that a million cost what their bytes cost.
 */
export type Segment = {
  size: number
  live: Bits
  live_count: number
  /** 16 bytes a slot. */
  uids: Uint8Array
  /** Slots by uid. */
  by_uid: Uint32Array
  published: Float64Array
  updated: Float64Array
  /** Of packages: when they were last released, and how they are rated. */
  released: Float64Array
  ratings: Uint8Array
  /** Folded names, for sorting by them. */
  names: Uint8Array
  name_offsets: Uint32Array
  /** One row of bits for each value of each dimension. */
  bitmaps: Bits
  /** The dictionary: words and keys in the order of their bytes. */
  terms: Uint8Array
  term_offsets: Uint32Array
  counts: Uint32Array
  /** Distances between slots, each followed by the weight of the word there; keys have none. */
  postings: Uint8Array
  posting_offsets: Uint32Array
  /** What is spelled like a word of the dictionary but for a letter (fuzzy_filter.ts). */
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

/** The slot of a listing, dead or alive; -1 if it was never here. */
export function slotOf({ by_uid, uids, size }: Segment, sought: Uint8Array): number {
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareUids(uids, by_uid[middle]!, sought, 0) < 0) low = middle + 1
    else high = middle
  }
  return low < size && compareUids(uids, by_uid[low]!, sought, 0) === 0 ? by_uid[low]! : -1
}

/** The first term that does not come before these bytes. */
export function lowerBound(
  { terms, term_offsets, counts }: Segment,
  sought: Uint8Array,
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
        sought,
        0,
        sought.length,
      ) < 0
    )
      low = middle + 1
    else high = middle
  }
  return low
}

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

/** The term, or -1. */
export function termOf(segment: Segment, text: string): number {
  const sought = toBytes(text)
  const term = lowerBound(segment, sought)
  return term < termCount(segment) &&
    startsWith(segment, term, sought) &&
    lengthOf(segment, term) === sought.length
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

/** The terms that begin so: from, and up to but without, end. */
export function termsFrom(segment: Segment, start: Uint8Array): [from: number, end: number] {
  const from = lowerBound(segment, start)
  const beginsSo = (term: number) => term < termCount(segment) && startsWith(segment, term, start)
  // Mostly few or none do: the end is looked for nearby first.
  let width = 1
  while (beginsSo(from + width - 1)) width *= 2
  let [low, high] = [from + (width >> 1), from + width - 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (beginsSo(middle)) low = middle + 1
    else high = middle
  }
  return [from, low]
}

/** What the documents hold, one after the other: term, slot and weight side by side. */
type Gathered = {
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
  const gathered = createGathered(size * 64)
  docs.forEach((doc, slot) => {
    uidBytes(doc.uid, uids, slot * 16)
    set(live, slot)
    for (const row of bitmapRowsOf(doc)) bits[row * words + (slot >>> 5)]! |= 1 << (slot & 31)
    for (const [word, weight] of impactsOf(doc)) gather(gathered, word, slot, weight)
    for (const key of keysOf(doc)) gather(gathered, key, slot, -1)
  })
  const names = packed(docs.map(({ name }) => fold(name)))
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
    names: names.bytes,
    name_offsets: names.at,
    bitmaps: bits,
    ...invert(gathered),
  }
}

const createGathered = (room: number): Gathered => ({
  ids: new Map(),
  n: 0,
  term: new Uint32Array(room),
  slot: new Uint32Array(room),
  weight: new Int16Array(room),
})

function gather(gathered: Gathered, text: string, slot: number, weight: number) {
  const { ids, n } = gathered
  if (n === gathered.term.length) widen(gathered)
  let id = ids.get(text)
  if (id === undefined) {
    id = ids.size
    ids.set(text, id)
  }
  gathered.term[n] = id
  gathered.slot[n] = slot
  gathered.weight[n] = weight
  gathered.n++
}

function widen(gathered: Gathered) {
  const wider = createGathered(gathered.n * 2)
  wider.term.set(gathered.term)
  wider.slot.set(gathered.slot)
  wider.weight.set(gathered.weight)
  Object.assign(gathered, { term: wider.term, slot: wider.slot, weight: wider.weight })
}

export function orderByUid(uids: Uint8Array, size: number): Uint32Array {
  return Uint32Array.from({ length: size }, (_, slot) => slot).sort((a, b) =>
    compareUids(uids, a, uids, b),
  )
}

/** From what each document holds to where each term is found. */
function invert({ ids, n, term, slot, weight }: Gathered): Dictionary {
  const texts = sortByBytes([...ids.keys()])
  const by_id = new Uint32Array(ids.size + 1)
  for (let i = 0; i < n; i++) by_id[term[i]! + 1]!++
  for (let id = 0; id < ids.size; id++) by_id[id + 1]! += by_id[id]!
  const next = by_id.slice()
  const places = new Uint32Array(n)
  for (let i = 0; i < n; i++) places[next[term[i]!]!++] = i
  const postings = new Uint8Array(n * MAX_POSTING_BYTES)
  const posting_offsets = new Uint32Array(ids.size + 1)
  const counts = new Uint32Array(ids.size)
  let at = 0
  for (let rank = 0; rank < texts.length; rank++) {
    const id = ids.get(texts[rank]!)!
    const end = by_id[id + 1]!
    let before = -1
    for (let i = by_id[id]!; i < end; i++) {
      const place = places[i]!
      at = writePosting(postings, at, slot[place]! - before, weight[place]!)
      before = slot[place]!
    }
    counts[rank] = end - by_id[id]!
    posting_offsets[rank + 1] = at
  }
  const { bytes, at: term_offsets } = packed(texts)
  return {
    terms: bytes,
    term_offsets,
    counts,
    postings: postings.slice(0, at),
    posting_offsets,
    fuzzy_filter: finished(buildFuzzyFilter(bytes, term_offsets)),
  }
}

/** Work that gives way to others in between, done without doing so. */
function finished<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** The order of UTF-8 bytes, which is that of code units as long as there are no pairs of them. */
function sortByBytes(texts: string[]): string[] {
  if (texts.every((text) => !/[\ud800-\uffff]/.test(text))) return texts.sort()
  const encoded = texts.map((text) => ({ text, bytes: toBytes(text) }))
  encoded.sort((a, b) => compareBytes(a.bytes, 0, a.bytes.length, b.bytes, 0, b.bytes.length))
  return encoded.map(({ text }) => text)
}

function packed(texts: string[]): { bytes: Uint8Array; at: Uint32Array } {
  const at = new Uint32Array(texts.length + 1)
  const room = texts.reduce((sum, text) => sum + text.length, 0)
  const bytes = new Uint8Array(room * 3)
  for (let i = 0; i < texts.length; i++)
    at[i + 1] = at[i]! + encoder.encodeInto(texts[i]!, bytes.subarray(at[i]!)).written
  return { bytes: bytes.slice(0, at[texts.length]!), at }
}

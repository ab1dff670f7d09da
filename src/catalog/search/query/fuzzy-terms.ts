import type { Bits } from '../index/bitset.ts'
import { isSign } from '../index/document.ts'

/**
 * Two words are one edit apart only if they are equal after removing at most one letter from each.
 * A Bloom filter therefore holds the words of a dictionary and each of them without one letter (the
 * first letter is always kept). A spelling that is not in it is near no word; for a false positive,
 * the dictionary lookup finds nothing.
 */
const BITS_PER_LETTER = 16
const PROBES = 4
/** How many letters are hashed between two pauses. */
const STEP = 200_000

/** The end of the UTF-8 letter that begins at `from`. */
function letterEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from + 1
  while (at < end && (bytes[at]! & 0xc0) === 0x80) at++
  return at
}

/** FNV-1a of the bytes without those from `gap` to `gap_end`. */
function hash(bytes: Uint8Array, from: number, gap: number, gap_end: number, end: number): number {
  let sum = 0x811c9dc5 | 0
  for (let i = from; i < gap; i++) sum = Math.imul(sum ^ bytes[i]!, 0x01000193)
  for (let i = gap_end; i < end; i++) sum = Math.imul(sum ^ bytes[i]!, 0x01000193)
  return sum
}

const stride = (sum: number) => Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d) | 1

function addHash(fuzzy_filter: Bits, sum: number) {
  const step = stride(sum)
  const last = fuzzy_filter.length * 32 - 1
  for (let i = 0, at = sum ^ (sum >>> 13); i < PROBES; i++, at = (at + step) | 0)
    fuzzy_filter[(at & last) >>> 5]! |= 1 << (at & 31)
}

function hasHash(fuzzy_filter: Bits, sum: number): boolean {
  const step = stride(sum)
  const last = fuzzy_filter.length * 32 - 1
  for (let i = 0, at = sum ^ (sum >>> 13); i < PROBES; i++, at = (at + step) | 0)
    if (((fuzzy_filter[(at & last) >>> 5]! >>> (at & 31)) & 1) === 0) return false
  return true
}

export function* buildFuzzyFilter(
  terms: Uint8Array,
  term_offsets: Uint32Array,
): Generator<void, Bits> {
  const count = term_offsets.length - 1
  let letter_count = 0
  let done = 0
  for (let term = 0; term < count; term++) {
    if (!isSign(terms[term_offsets[term]!]!))
      letter_count += term_offsets[term + 1]! - term_offsets[term]!
    if (term % STEP === 0) yield
  }
  const fuzzy_filter = new Int32Array(
    2 ** Math.ceil(Math.log2(Math.max(1, (letter_count * BITS_PER_LETTER) / 32))),
  )
  for (let term = 0; term < count; term++) {
    const from = term_offsets[term]!
    const end = term_offsets[term + 1]!
    if (!isSign(terms[from]!)) addWord(fuzzy_filter, terms, from, end)
    // Each letter is left out once, and the others are hashed.
    done += (end - from) ** 2 + 1
    if (done > STEP) {
      done = 0
      yield
    }
  }
  return fuzzy_filter
}

function addWord(fuzzy_filter: Bits, terms: Uint8Array, from: number, end: number) {
  addHash(fuzzy_filter, hash(terms, from, end, end, end))
  for (let at = letterEnd(terms, from, end); at < end; ) {
    const next = letterEnd(terms, at, end)
    addHash(fuzzy_filter, hash(terms, from, at, next, end))
    at = next
  }
}

/** The hashes of a word as it is and without each of its letters but the first. */
export type Spellings = { full: number; without: number[] }

export function spellingsOf(word: Uint8Array): Spellings {
  const end = word.length
  const without: number[] = []
  for (let at = letterEnd(word, 0, end); at < end; ) {
    const next = letterEnd(word, at, end)
    without.push(hash(word, 0, at, next, end))
    at = next
  }
  return { full: hash(word, 0, end, end, end), without }
}

/**
 * Whether the dictionary may contain a word with one letter more (`longer`), and for each letter
 * but the first, a word without it or with another letter in its place (`at`).
 */
export function testFuzzyFilter(
  fuzzy_filter: Bits,
  { full, without }: Spellings,
): { longer: boolean; at: boolean[] } | undefined {
  const longer = hasHash(fuzzy_filter, full)
  const at = without.map((sum) => hasHash(fuzzy_filter, sum))
  return longer || at.includes(true) ? { longer, at } : undefined
}

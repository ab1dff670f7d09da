import type { Bits } from '../index/bitset.ts'

/**
 * Two words are a letter apart only if they are alike once each has lost one letter or none. So what the words of a dictionary become without one of their letters,
 * the first excepted, is kept as a few bits in a large row of them: what is not there is fuzzy_filter no word. Now and then the bits say yes to what is not there, and the dictionary says no.
 */
const BITS_EACH = 16
const PROBES = 4
/** How many letters are looked at between two chances to do something else. */
const STEP = 200_000

/** The bytes that keys begin with, and no word does: # > @ ^ ~ */
const signs = new Set([0x23, 0x3e, 0x40, 0x5e, 0x7e])
export const isSign = (byte: number) => signs.has(byte)

/** Where a letter ends that begins here, in UTF-8. */
function letterEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from + 1
  while (at < end && (bytes[at]! & 0xc0) === 0x80) at++
  return at
}

/** Of the bytes, without those from `gap` to `gap_end`. */
function hash(bytes: Uint8Array, from: number, gap: number, gap_end: number, end: number): number {
  let sum = 0x811c9dc5 | 0
  for (let i = from; i < gap; i++) sum = Math.imul(sum ^ bytes[i]!, 0x01000193)
  for (let i = gap_end; i < end; i++) sum = Math.imul(sum ^ bytes[i]!, 0x01000193)
  return sum
}

const stride = (sum: number) => Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d) | 1

function put(fuzzy_filter: Bits, sum: number) {
  const step = stride(sum)
  const last = fuzzy_filter.length * 32 - 1
  for (let i = 0, at = sum ^ (sum >>> 13); i < PROBES; i++, at = (at + step) | 0)
    fuzzy_filter[(at & last) >>> 5]! |= 1 << (at & 31)
}

function stands(fuzzy_filter: Bits, sum: number): boolean {
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
  let letters = 0
  let done = 0
  for (let term = 0; term < count; term++) {
    if (!isSign(terms[term_offsets[term]!]!))
      letters += term_offsets[term + 1]! - term_offsets[term]!
    if (term % STEP === 0) yield
  }
  const fuzzy_filter = new Int32Array(
    2 ** Math.ceil(Math.log2(Math.max(1, (letters * BITS_EACH) / 32))),
  )
  for (let term = 0; term < count; term++) {
    const from = term_offsets[term]!
    const end = term_offsets[term + 1]!
    if (!isSign(terms[from]!)) putWord(fuzzy_filter, terms, from, end)
    // Each letter is left out once, and all the others looked at.
    done += (end - from) ** 2 + 1
    if (done > STEP) {
      done = 0
      yield
    }
  }
  return fuzzy_filter
}

function putWord(fuzzy_filter: Bits, terms: Uint8Array, from: number, end: number) {
  put(fuzzy_filter, hash(terms, from, end, end, end))
  for (let at = letterEnd(terms, from, end); at < end; ) {
    const next = letterEnd(terms, at, end)
    put(fuzzy_filter, hash(terms, from, at, next, end))
    at = next
  }
}

/** How a word is looked for: as it is, and without each of its letters but the first. */
export type Spellings = { whole: number; without: number[] }

export function spellingsOf(word: Uint8Array): Spellings {
  const end = word.length
  const without: number[] = []
  for (let at = letterEnd(word, 0, end); at < end; ) {
    const next = letterEnd(word, at, end)
    without.push(hash(word, 0, at, next, end))
    at = next
  }
  return { whole: hash(word, 0, end, end, end), without }
}

/** Whether a word may be there that has a letter more; and for each letter but the first, whether one without it, or with another in its place. */
export function testFuzzyFilter(
  fuzzy_filter: Bits,
  { whole, without }: Spellings,
): { longer: boolean; at: boolean[] } | undefined {
  const longer = stands(fuzzy_filter, whole)
  const at = without.map((sum) => stands(fuzzy_filter, sum))
  return longer || at.includes(true) ? { longer, at } : undefined
}

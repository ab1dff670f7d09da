import {
  lengthOf,
  lowerBound,
  type Segment,
  startsWith,
  termCount,
  termOf,
  termsWithPrefix,
  termText,
  toBytes,
} from '../index/segment.ts'
import { MIN_FUZZY_LENGTH, MIN_PREFIX_LENGTH } from './plan.ts'
import { isVisible } from './terms.ts'

/** The words of a query that found little. */
export type SpellingRequest = { words: string[]; adult: boolean }

/** Two edits turn a shorter word into an unrelated one. */
const MIN_TWO_EDITS = 6
/** Terms that are compared per segment; it bounds the cost in a hostile dictionary. */
const MAX_COMPARED = 60_000

/**
 * The words with those that no visible listing has replaced by the nearest word of the index, the
 * most frequent one of several. Null if there is nothing to replace. The first letter is kept, as
 * people rarely mistype it.
 */
export function correctSpelling(
  segments: readonly Segment[],
  { words, adult }: SpellingRequest,
): string[] | null {
  const corrected = words.map((word, i) =>
    isKnown(segments, word, { adult, as_prefix: i === words.length - 1 })
      ? word
      : (nearestWord(segments, word, adult) ?? word),
  )
  return corrected.some((word, i) => word !== words[i]) ? corrected : null
}

function isKnown(
  segments: readonly Segment[],
  word: string,
  { adult, as_prefix }: { adult: boolean; as_prefix: boolean },
): boolean {
  const bytes = toBytes(word)
  const is_prefix = as_prefix && [...word].length >= MIN_PREFIX_LENGTH
  return segments.some((segment) => {
    const [from, end] = termsWithPrefix(segment, bytes)
    for (let term = from; term < end; term++) {
      if (!is_prefix && lengthOf(segment, term) !== bytes.length) break
      if (isVisible(segment, term, adult)) return true
    }
    return false
  })
}

type Candidate = { text: string; distance: number; count: number }

function nearestWord(
  segments: readonly Segment[],
  word: string,
  adult: boolean,
): string | undefined {
  const letters = [...word]
  if (letters.length < MIN_FUZZY_LENGTH) return undefined
  const max = letters.length >= MIN_TWO_EDITS ? 2 : 1
  const candidates = new Map<string, Candidate>()
  for (const segment of segments)
    for (const { term, distance } of nearTerms(segment, word, max)) {
      const text = termText(segment, term)
      const count = (candidates.get(text)?.count ?? 0) + segment.counts[term]!
      candidates.set(text, { text, distance, count })
    }
  return [...candidates.values()]
    .sort((a, b) => a.distance - b.distance || b.count - a.count || (a.text < b.text ? -1 : 1))
    .find(({ text }) =>
      segments.some((segment) => {
        const term = termOf(segment, text)
        return term >= 0 && isVisible(segment, term, adult)
      }),
    )?.text
}

/** The terms with the first letter of a word that are at most `max` edits away. */
function nearTerms(segment: Segment, word: string, max: number) {
  const typed = Array.from(word, (letter) => letter.codePointAt(0)!)
  const first = toBytes(String.fromCodePoint(typed[0]!))
  const is_ascii = typed.every((code) => code < 128)
  const near: { term: number; distance: number }[] = []
  const { terms, term_offsets } = segment
  const from = lowerBound(segment, first)
  for (let term = from; term < Math.min(termCount(segment), from + MAX_COMPARED); term++) {
    if (!startsWith(segment, term, first)) break
    if (is_ascii && Math.abs(lengthOf(segment, term) - typed.length) > max) continue
    // Most words are ASCII, whose bytes are their letters.
    const letters = is_ascii
      ? terms.subarray(term_offsets[term]!, term_offsets[term + 1]!)
      : Array.from(termText(segment, term), (letter) => letter.codePointAt(0)!)
    const distance = editDistance(typed, letters, max)
    if (distance <= max) near.push({ term, distance })
  }
  return near
}

/** Three rows of distances that every comparison uses again: tens of thousands are made at once. */
let rows: Uint8Array[] = []

function rowsFor(length: number): Uint8Array[] {
  if ((rows[0]?.length ?? 0) < length)
    rows = Array.from({ length: 3 }, () => new Uint8Array(2 * length))
  return rows
}

/**
 * The edits that turn one word into another: a letter added, removed or replaced, or two neighbors
 * swapped. Gives up with a number above `max` as soon as there must be more, and looks only at
 * positions that differ by at most `max`.
 */
export function editDistance(a: ArrayLike<number>, b: ArrayLike<number>, max: number): number {
  const more = max + 1
  if (Math.abs(a.length - b.length) > max) return more
  let [before, last, row] = rowsFor(b.length + 2) as [Uint8Array, Uint8Array, Uint8Array]
  for (let j = 0; j <= b.length; j++) last[j] = Math.min(j, more)
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - max)
    const to = Math.min(b.length, i + max)
    let least = from === 1 ? Math.min(i, more) : more
    row[from - 1] = least
    for (let j = from; j <= to; j++) {
      const letter = a[i - 1]!
      let edits = last[j - 1]! + (letter === b[j - 1] ? 0 : 1)
      if (last[j]! + 1 < edits) edits = last[j]! + 1
      if (row[j - 1]! + 1 < edits) edits = row[j - 1]! + 1
      const is_swap = i > 1 && j > 1 && letter === b[j - 2] && a[i - 2] === b[j - 1]
      if (is_swap && before[j - 2]! + 1 < edits) edits = before[j - 2]! + 1
      if (edits > more) edits = more
      row[j] = edits
      if (edits < least) least = edits
    }
    row[to + 1] = more
    if (least > max) return more
    const free = before
    before = last
    last = row
    row = free
  }
  return last[b.length]!
}

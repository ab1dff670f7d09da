import { wordsFor } from '../index/bitset.ts'
import { ADULT } from '../index/document.ts'
import { hasVisiblePosting } from '../index/postings.ts'
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
import { type Spellings, spellingsOf, testFuzzyFilter } from './fuzzy-terms.ts'
import { MIN_FUZZY_LENGTH, MIN_PREFIX_LENGTH, type QueryPlan } from './plan.ts'
import { matchShifts } from './ranking.ts'
import { defaultThresholds } from './scratch.ts'

/** A dictionary term that matches a typed word. `shift` reduces its weight (ranking.ts). */
export type TermMatch = { term: number; shift: number }

/**
 * The matching terms by word and segment. A word without any visible match is looked up again with
 * one edit.
 */
export function resolveWords(
  segments: readonly Segment[],
  { words, adult, only_frequent_completions }: QueryPlan,
): TermMatch[][][] {
  return words.map((word, i) => {
    const letters = [...word]
    const bytes = toBytes(word)
    const as_prefix = i === words.length - 1 && letters.length >= MIN_PREFIX_LENGTH
    const direct = segments.map((segment) => {
      const matches = matchTerms(segment, bytes, as_prefix)
      return only_frequent_completions ? frequentTerms(segment, matches) : matches
    })
    const seen = segments.some((segment, s) =>
      direct[s]!.some(({ term }) => isVisible(segment, term, adult)),
    )
    if (seen || letters.length < MIN_FUZZY_LENGTH) return direct
    const spellings = spellingsOf(bytes)
    return segments.map((segment) => fuzzyMatches(segment, letters, spellings))
  })
}

function matchTerms(segment: Segment, word: Uint8Array, as_prefix: boolean): TermMatch[] {
  const [from, end] = termsWithPrefix(segment, word)
  const matches: TermMatch[] = []
  for (let term = from; term < end; term++) {
    const exact = lengthOf(segment, term) === word.length
    if (exact || as_prefix)
      matches.push({ term, shift: exact ? matchShifts.exact : matchShifts.prefix })
    // The word itself sorts before all terms that begin with it.
    else break
  }
  return matches
}

/** The postings that are read for the completions of a word in a segment of this size. */
const maxPostings = (size: number) => Math.max(65_536, size / 8)

/**
 * Leaves out rare completions: in a large catalog, two letters begin thousands of words. Sums by
 * powers of two find the least count to keep without sorting. The longest lists are free, because
 * they are kept as bitmaps.
 */
function frequentTerms({ counts, size }: Segment, matches: TermMatch[]): TermMatch[] {
  const free_above = defaultThresholds.dense_above(size)
  const sums = new Float64Array(33)
  for (const { term } of matches)
    if (counts[term]! <= free_above) sums[32 - Math.clz32(counts[term]!)]! += counts[term]!
  let postings = 0
  let power = 32
  while (power > 0 && postings + sums[power]! <= maxPostings(size)) postings += sums[power--]!
  const least = 2 ** power
  return power === 0
    ? matches
    : matches.filter(({ term, shift }) => counts[term]! >= least || shift === matchShifts.exact)
}

/** Whether a listing with the term can be shown. */
export function isVisible(segment: Segment, term: number, adult: boolean): boolean {
  const { live, bitmaps, size } = segment
  return hasVisiblePosting(segment, term, live, bitmaps, adult ? undefined : ADULT * wordsFor(size))
}

/**
 * The terms one edit away that keep the first letter: one letter added, removed or replaced, or two
 * neighbors swapped. The dictionary provides the letters that can follow a prefix, so the cost does
 * not depend on the size of the alphabet.
 */
function fuzzyMatches(
  segment: Segment,
  letters_typed: readonly string[],
  spellings: Spellings,
): TermMatch[] {
  const fuzzy_filter = testFuzzyFilter(segment.fuzzy_filter, spellings)
  if (!fuzzy_filter) return []
  const matches = new Set<number>()
  const addTerm = (text: string) => {
    const term = termOf(segment, text)
    if (term >= 0) matches.add(term)
  }
  for (let i = 1; i <= letters_typed.length; i++) {
    const without = fuzzy_filter.at[i - 1] ?? false
    if (!without && !fuzzy_filter.longer) continue
    const before = letters_typed.slice(0, i).join('')
    const rest = letters_typed.slice(i)
    for (const letter of nextLetters(segment, before)) {
      if (fuzzy_filter.longer) addTerm(before + letter + rest.join(''))
      if (without) addTerm(before + letter + rest.slice(1).join(''))
    }
    if (without) addTerm(before + rest.slice(1).join(''))
    if (without && rest.length > 1) addTerm(before + rest[1] + rest[0] + rest.slice(2).join(''))
  }
  return [...matches].map((term) => ({ term, shift: matchShifts.fuzzy }))
}

/**
 * The maximum number of letters tried after a prefix. No natural prefix has more; it bounds the
 * cost of hostile dictionaries.
 */
const MAX_NEXT_LETTERS = 256

function nextLetters(segment: Segment, before: string): string[] {
  const start = toBytes(before)
  const matches: string[] = []
  for (
    let term = lowerBound(segment, start);
    matches.length < MAX_NEXT_LETTERS &&
    term < termCount(segment) &&
    startsWith(segment, term, start);
  ) {
    const letter = [...termText(segment, term).slice(before.length)][0]
    if (letter === undefined) term++
    else {
      matches.push(letter)
      term = lowerBound(segment, Uint8Array.from([...toBytes(before + letter), 0xff]), term)
    }
  }
  return matches
}

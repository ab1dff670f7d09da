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
  termsFrom,
  termText,
  toBytes,
} from '../index/segment.ts'
import { type Spellings, spellingsOf, testFuzzyFilter } from './fuzzy-terms.ts'
import { MIN_FUZZY_LENGTH, MIN_PREFIX_LENGTH, type QueryPlan } from './plan.ts'
import { matchShifts } from './ranking.ts'

/** A word of the dictionary that stands for one that was typed; `shift` is what its weight loses. */
export type TermMatch = { term: number; shift: number }

/** For each word and each segment, what it finds there. A word that nobody may see anywhere is looked for once more with one letter off. */
export function resolveWords(
  segments: readonly Segment[],
  { words, adult }: QueryPlan,
): TermMatch[][][] {
  return words.map((word, i) => {
    const letters = [...word]
    const bytes = toBytes(word)
    const as_prefix = i === words.length - 1 && letters.length >= MIN_PREFIX_LENGTH
    const direct = segments.map((segment) => matchTerms(segment, bytes, as_prefix))
    const seen = segments.some((segment, s) =>
      direct[s]!.some(({ term }) => anyVisible(segment, term, adult)),
    )
    if (seen || letters.length < MIN_FUZZY_LENGTH) return direct
    const spellings = spellingsOf(bytes)
    return segments.map((segment) => fuzzyMatches(segment, letters, spellings))
  })
}

function matchTerms(segment: Segment, word: Uint8Array, as_prefix: boolean): TermMatch[] {
  const [from, end] = termsFrom(segment, word)
  const hits: TermMatch[] = []
  for (let term = from; term < end; term++) {
    const exact = lengthOf(segment, term) === word.length
    if (exact || as_prefix)
      hits.push({ term, shift: exact ? matchShifts.exact : matchShifts.prefix })
    // The word itself comes before all that begin with it.
    else break
  }
  return hits
}

function anyVisible(segment: Segment, term: number, adult: boolean): boolean {
  const { live, bitmaps, size } = segment
  return hasVisiblePosting(segment, term, live, bitmaps, adult ? undefined : ADULT * wordsFor(size))
}

/**
 * The words one edit away, the first letter kept: a letter too many, one missing, one wrong, or two neighbours swapped. For every place the
 * dictionary itself says which letters can stand there, so that this costs the same in every script.
 */
function fuzzyMatches(
  segment: Segment,
  typed: readonly string[],
  spellings: Spellings,
): TermMatch[] {
  const fuzzy_filter = testFuzzyFilter(segment.fuzzy_filter, spellings)
  if (!fuzzy_filter) return []
  const found = new Set<number>()
  const take = (text: string) => {
    const term = termOf(segment, text)
    if (term >= 0) found.add(term)
  }
  for (let i = 1; i <= typed.length; i++) {
    const without = fuzzy_filter.at[i - 1] ?? false
    if (!without && !fuzzy_filter.longer) continue
    const before = typed.slice(0, i).join('')
    const rest = typed.slice(i)
    for (const letter of nextLetters(segment, before)) {
      if (fuzzy_filter.longer) take(before + letter + rest.join(''))
      if (without) take(before + letter + rest.slice(1).join(''))
    }
    if (without) take(before + rest.slice(1).join(''))
    if (without && rest.length > 1) take(before + rest[1] + rest[0] + rest.slice(2).join(''))
  }
  return [...found].map((term) => ({ term, shift: matchShifts.fuzzy }))
}

/** More letters than these go on from no beginning that people type; whoever publishes such words is not forgiven typos in them. */
const MAX_NEXT_LETTERS = 256

function nextLetters(segment: Segment, before: string): string[] {
  const start = toBytes(before)
  const found: string[] = []
  for (
    let term = lowerBound(segment, start);
    found.length < MAX_NEXT_LETTERS &&
    term < termCount(segment) &&
    startsWith(segment, term, start);
  ) {
    const letter = [...termText(segment, term).slice(before.length)][0]
    if (letter === undefined) term++
    else {
      found.push(letter)
      term = lowerBound(segment, Uint8Array.from([...toBytes(before + letter), 0xff]), term)
    }
  }
  return found
}

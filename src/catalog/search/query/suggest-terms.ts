import { andNotInto, wordsFor } from '../index/bitset.ts'
import { ADULT, keys } from '../index/document.ts'
import { countMarked } from '../index/postings.ts'
import { type Segment, termOf, termsWithPrefix, termText, toBytes } from '../index/segment.ts'
import type { Scratch } from './scratch.ts'

/** The tags and engines whose names begin with a text. */
export type TermRequest = { prefix: string; adult: boolean; limit: number }
export type TermCount = { value: string; count: number }
export type TermCounts = { tags: TermCount[]; engines: TermCount[] }

/** More terms than any real prefix has; it bounds the cost of hostile tags. */
const MAX_TERMS = 5_000
/** Of the most frequent terms, those of visible listings are counted exactly. */
const CANDIDATES_PER_RESULT = 4

export function suggestTerms(
  segments: readonly Segment[],
  { prefix, adult, limit }: TermRequest,
  scratch: Scratch,
): TermCounts {
  const named = (sign: string) =>
    countVisible(segments, frequentTerms(segments, sign + prefix, limit), { adult, sign, scratch })
      .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, limit)
  return { tags: named(keys.tags), engines: named(keys.engine('')) }
}

type Candidate = { text: string; terms: { segment: Segment; term: number }[]; count: number }

/** The terms with the most postings, those of hidden listings included. */
function frequentTerms(segments: readonly Segment[], prefix: string, limit: number): Candidate[] {
  const max = limit * CANDIDATES_PER_RESULT
  const texts = new Set(segments.flatMap((segment) => longestLists(segment, prefix, max)))
  return Array.from(texts, (text) => candidateOf(segments, text))
    .sort((a, b) => b.count - a.count)
    .slice(0, max)
}

/** The texts of these terms in one segment. Only those of the longest lists are decoded. */
function longestLists(segment: Segment, prefix: string, max: number): string[] {
  const { counts } = segment
  const [from, end] = termsWithPrefix(segment, toBytes(prefix))
  const longest: number[] = []
  for (let term = from; term < Math.min(end, from + MAX_TERMS); term++) {
    if (longest.length === max && counts[term]! <= counts[longest[max - 1]!]!) continue
    let at = longest.length
    while (at > 0 && counts[longest[at - 1]!]! < counts[term]!) at--
    longest.splice(at, 0, term)
    if (longest.length > max) longest.pop()
  }
  return longest.map((term) => termText(segment, term))
}

function candidateOf(segments: readonly Segment[], text: string): Candidate {
  const terms = segments.flatMap((segment) => {
    const term = termOf(segment, text)
    return term < 0 ? [] : [{ segment, term }]
  })
  const count = terms.reduce((sum, { segment, term }) => sum + segment.counts[term]!, 0)
  return { text, terms, count }
}

/** A tag that only hidden listings have must not be named. */
function countVisible(
  segments: readonly Segment[],
  candidates: readonly Candidate[],
  { adult, sign, scratch }: { adult: boolean; sign: string; scratch: Scratch },
): TermCount[] {
  const counts = new Map<string, number>()
  for (const segment of segments) {
    const own = candidates.flatMap(({ text, terms }) =>
      terms.flatMap((entry) => (entry.segment === segment ? [{ text, term: entry.term }] : [])),
    )
    if (!own.length) continue
    const words = wordsFor(segment.size)
    scratch.match.set(segment.live)
    if (!adult) {
      const at = ADULT * words
      andNotInto(scratch.match, segment.bitmaps.subarray(at, at + words), words)
    }
    for (const { text, term } of own)
      counts.set(text, (counts.get(text) ?? 0) + countMarked(segment, term, scratch.match))
  }
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([text, count]) => ({ value: text.slice(sign.length), count }))
}

import { andInto, countAnd, countInRows, wordsFor } from '../index/bitset.ts'
import { denseOf } from '../index/dense-postings.ts'
import { bitmapRows, type DimensionName, dimensions, keys } from '../index/document.ts'
import { countMarked } from '../index/postings.ts'
import { type Segment, termsWithPrefix, termText, toBytes } from '../index/segment.ts'
import { filter } from './filter.ts'
import { type Facet, type FacetCounts, MAX_FACET_VALUES, type QueryPlan } from './plan.ts'
import { slotsWithWords } from './score.ts'
import type { Scratch } from './scratch.ts'
import type { TermMatch } from './terms.ts'

type AlternativeSearch = {
  alternatives: NonNullable<QueryPlan['alternatives']>
  matches: readonly TermMatch[][]
}

/**
 * Counts each facet that has a filter of its own as if it had none. The words are looked up once
 * for all of them, and nothing is scored or sorted. Overwrites `scratch.match`.
 */
export function countAlternatives(
  segment: Segment,
  { alternatives, matches }: AlternativeSearch,
  scratch: Scratch,
  counts: Map<string, number>,
) {
  if (!alternatives.length) return
  const with_words = matches.length ? slotsWithWords(segment, matches, scratch) : undefined
  for (const { facet, plan } of alternatives) {
    filter(segment, plan, scratch)
    if (with_words) andInto(scratch.match, with_words, wordsFor(segment.size))
    countFacets(segment, [facet], scratch, counts)
  }
}

/** Adds the number of matches by `facet value`. */
export function countFacets(
  segment: Segment,
  facets: Facet[],
  scratch: Scratch,
  counts: Map<string, number>,
) {
  const { match } = scratch
  const add = (name: string, number: number) =>
    number && counts.set(name, (counts.get(name) ?? 0) + number)
  const names = facets.flatMap((facet) =>
    hasDimension(facet) ? dimensions[facet].values.map((value) => `${facet} ${value}`) : [],
  )
  const row_numbers = names.map((name) => bitmapRows.get(name)!)
  countInRows(match, segment.bitmaps, row_numbers, wordsFor(segment.size)).forEach(
    (number, i) => void add(names[i]!, number),
  )
  for (const facet of facets) if (!hasDimension(facet)) countTerms(segment, facet, scratch, add)
}

const hasDimension = (facet: Facet): facet is DimensionName => Object.hasOwn(dimensions, facet)

/** Counts a facet whose values are dictionary terms. */
function countTerms(
  segment: Segment,
  facet: Exclude<Facet, DimensionName>,
  scratch: Scratch,
  add: (name: string, number: number) => void,
) {
  const words = wordsFor(segment.size)
  const prefix = facet === 'tags' ? keys.tags : keys.codesOf(facet)
  const [from, end] = termsWithPrefix(segment, toBytes(prefix))
  for (let term = from; term < end; term++) {
    const list = denseOf(segment, term, scratch)
    const matching = list
      ? countAnd(scratch.match, list.bits, words)
      : countMarked(segment, term, scratch.match)
    if (matching) add(`${facet} ${termText(segment, term).slice(prefix.length)}`, matching)
  }
}

export function facetsOf(facets: Facet[], counts: Map<string, number>): FacetCounts {
  const entries = [...counts].map(([name, number]) => {
    const space = name.indexOf(' ')
    return { facet: name.slice(0, space), value: name.slice(space + 1), count: number }
  })
  const byCount = (a: { value: string; count: number }, b: { value: string; count: number }) =>
    b.count - a.count || (a.value < b.value ? -1 : 1)
  return Object.fromEntries(
    facets.map((facet) => [
      facet,
      entries
        .filter((entry) => entry.facet === facet)
        .map(({ value, count }) => ({ value, count }))
        .sort(byCount)
        .slice(0, MAX_FACET_VALUES),
    ]),
  )
}

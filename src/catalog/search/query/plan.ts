import type { CodedField, FacetOf } from '../../../listings/fields/fields.ts'
import type { DimensionName } from '../index/document.ts'

export const sorts = ['relevance', 'newest', 'updated', 'popular', 'top_rated', 'name'] as const
/** The last three orders are for packages in editors. */
export type Sort = (typeof sorts)[number] | 'released' | 'cost' | 'rating'

/** A search as the index executes it: every value is known, bounded and folded. */
export type QueryPlan = {
  /** Every word must match; the last one also as a prefix. */
  words: string[]
  /** Of the words that begin with the last one, only frequent ones count where they are many. */
  only_frequent_completions?: boolean
  /**
   * Bitmap numbers: a listing must be in any bitmap of each group. An empty group matches nothing.
   */
  include: number[][]
  exclude: number[]
  tags: string[]
  exclude_tags: string[]
  /** Dictionary terms of codes: a listing must have any term of each group. */
  codes: string[][]
  engines: string[]
  engine_version: string | null
  renderers: string[]
  /** The highest price in US cents, sales included. */
  max_price_cents: number | null
  owners: string[]
  /**
   * First minor versions of editors (listings/fields/editor-versions.ts), any of them. Absent means
   * no filter.
   */
  editors?: string[]
  adult: boolean
  sort: Sort
  reverse: boolean
  offset: number
  limit: number
  facets: Facet[]
  /** Facets to count by another plan, of which only the filters are used. */
  alternatives?: { facet: Facet; plan: QueryPlan }[]
}
export type Facet = DimensionName | FacetOf<CodedField> | 'tags'
export type FacetCounts = Partial<Record<Facet, { value: string; count: number }[]>>
export type IndexResult = { total: number; uids: string[]; scores: number[]; facets?: FacetCounts }

/** Results beyond this position cannot be requested, which keeps every page quick. */
export const MAX_DEPTH = 10_000
export const MAX_FACET_VALUES = 50
/** Shorter prefixes match too many terms to be useful. */
export const MIN_PREFIX_LENGTH = 2
/** One edit turns a shorter word into an unrelated one. */
export const MIN_FUZZY_LENGTH = 4

import type { DimensionName } from '../index/document.ts'

export const sorts = ['relevance', 'newest', 'updated', 'name'] as const
/** The last three order packages for editors. */
export type Sort = (typeof sorts)[number] | 'released' | 'cost' | 'rating'

/** A search as the index takes it: everything known, bounded and folded. */
export type Plan = {
  /** Every one must match; the last also as the beginning of a word. */
  words: string[]
  /** Rows of bits: any of each group, every group. An empty group matches nothing. */
  include: number[][]
  exclude: number[]
  tags: string[]
  exclude_tags: string[]
  engines: string[]
  engine_version: string | null
  renderers: string[]
  owners: string[]
  /** First minors of editors (listings/editor-versions.ts), any of them; absent, for none in particular. */
  editors?: string[]
  adult: boolean
  sort: Sort
  reverse: boolean
  offset: number
  limit: number
  facets: Facet[]
}
export type Facet = DimensionName | 'tags'
export type FacetCounts = Partial<Record<Facet, { value: string; count: number }[]>>
export type Found = { total: number; uids: string[]; scores: number[]; facets?: FacetCounts }

/** A filter tag that a listing has weighs as much as a word among its tags. */
export const TAG_SCORE = 48
/** Listings with launch problems stand behind all others: no score reaches this. */
export const SOUND = 65_536
/** Nobody reads further, and every page up to here is quick. */
export const MAX_DEPTH = 10_000
export const MAX_FACET_VALUES = 50
/** Shorter ones begin too many words to say anything. */
export const MIN_PREFIX = 2
/** In shorter words one letter makes another word. */
export const MIN_TYPO = 4

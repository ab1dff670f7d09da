import { DEFAULT_PAGE_SIZE, paging } from '../../core/http/paging.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import {
  dependsOnViewer,
  type SeenAdult,
  seenAdultChildren,
} from '../../listings/page/parent-and-children.ts'
import { type Item, itemOf, itemToJson } from '../cards/search-item.ts'
import { PLAYABLE } from './index/document.ts'
import { createIndexClient, type IndexClient } from './index-client.ts'
import { planQuery, queryTags, queryWords, type SearchQuery } from './query/parameters.ts'
import { type FacetCounts, type IndexResult, MAX_DEPTH, type QueryPlan } from './query/plan.ts'
import type { TermCounts, TermRequest } from './query/suggest-terms.ts'
import { type CachedRow, freshRows, type RowTexts } from './result-rows.ts'

export type Viewer = { user_uid: string; show_adult: boolean } | null
export type SearchPage = {
  items: (Item & { score: number; matched_tags: string[] })[]
  total: number
  page: number
  page_size: number
  facets?: FacetCounts
}

/** Without a client until `installSearch`. */
const installed = perCore((): { client?: IndexClient } => ({}))

/** Gives a process its index, which loads with the first use or with `start`. */
export function installSearch(core: Core, database_url: string): IndexClient {
  const client = createIndexClient(core, database_url)
  installed(core).client = client
  return client
}

function clientOf(core: Core): IndexClient {
  const { client } = installed(core)
  if (!client)
    throw new Error('this process has no search index: its roles are neither api nor web')
  return client
}

/**
 * Searches the index only: uids in order, scores and the total. The index may lag behind, so
 * callers must read the listings again before showing them.
 */
export const find = (
  core: Core,
  query: SearchQuery,
  sees_adult: boolean,
  overrides: Partial<QueryPlan> = {},
): Promise<IndexResult> =>
  clientOf(core).find({ ...withoutPlaying(core, planQuery(query, sees_adult)), ...overrides })

/** In a store without origins for games nothing can be played, whatever builds there are. */
function withoutPlaying({ addresses }: Core, plan: QueryPlan): QueryPlan {
  if (addresses.play_url) return plan
  const is_filtered = plan.include.some((group) => group.includes(PLAYABLE))
  return {
    ...plan,
    // An empty group matches nothing.
    include: is_filtered ? [...plan.include, []] : plan.include,
    facets: plan.facets.filter((facet) => facet !== 'playable'),
    ...(plan.alternatives && {
      alternatives: plan.alternatives.filter(({ facet }) => facet !== 'playable'),
    }),
  }
}

/** Tags and engines that begin with a text, of listings that the viewer may see. */
export const findTerms = (core: Core, request: TermRequest): Promise<TermCounts> =>
  clientOf(core).findTerms(request)

/**
 * The text of a query with words that the index does not know replaced by their nearest; undefined
 * if that changes nothing.
 */
export async function correctQuery(
  core: Core,
  query: SearchQuery,
  sees_adult: boolean,
): Promise<string | undefined> {
  const words = queryWords(query)
  if (!words.length) return undefined
  const corrected = await clientOf(core).correctWords({ words, adult: sees_adult })
  return corrected?.join(' ')
}

/** How often a page that lost listings is searched again with a higher limit. */
const MAX_TRIES = 3

type Result = { row: CachedRow; score: number; matched_tags: string[] }
type Results = Omit<SearchPage, 'items'> & { results: Result[] }

/**
 * A page of results with rows from the database: listings that the viewer may not see now are left
 * out, even if the index lags behind.
 */
async function findResults(core: Core, query: SearchQuery, viewer: Viewer): Promise<Results> {
  const { page, page_size, limit, offset } = paging({
    page: query.page ?? 1,
    page_size: query.page_size ?? DEFAULT_PAGE_SIZE,
  })
  const sees_adult = viewer?.show_adult ?? false
  const words = queryWords(query)
  const tags = queryTags(query)
  for (let extra = 0, tries = 1; ; tries++) {
    const result = await find(core, query, sees_adult, {
      offset,
      limit: Math.min(limit + extra, Math.max(limit, MAX_DEPTH - offset)),
    })
    const rows = await freshRows(core, result.uids, sees_adult)
    const results = result.uids.flatMap((uid, i) => {
      const row = rows.get(uid)
      return row
        ? [{ row, score: result.scores[i]!, matched_tags: matchedTags(row, words, tags) }]
        : []
    })
    const lost = result.uids.length - results.length
    if (lost > extra && tries < MAX_TRIES && result.uids.length === limit + extra) extra = lost
    else
      return {
        results: results.slice(0, limit),
        total: result.total - lost,
        page,
        page_size,
        ...(result.facets && { facets: result.facets }),
      }
  }
}

export async function search(core: Core, query: SearchQuery, viewer: Viewer): Promise<SearchPage> {
  const { results, ...page } = await findResults(core, query, viewer)
  const seen_adult = await seenAdultOf(core, viewer, results)
  const items = results.map(({ row, score, matched_tags }) => ({
    ...itemOf(core.addresses, row, seen_adult(row.uid)),
    score,
    matched_tags,
  }))
  return { items, ...page }
}

/**
 * The same as JSON text. The JSON of a row is cached, because creating it is most of the work of a
 * page.
 */
export async function searchText(core: Core, query: SearchQuery, viewer: Viewer): Promise<string> {
  const { results, ...page } = await findResults(core, query, viewer)
  const seen_adult = await seenAdultOf(core, viewer, results)
  const items = results.map(
    ({ row, score, matched_tags }) =>
      `${itemJson(core, row, seen_adult(row.uid)).slice(0, -1)},"score":${score},` +
      `"matched_tags":${matched_tags.length ? JSON.stringify(matched_tags) : '[]'}}`,
  )
  return `{"success":true,"data":{"items":[${items.join(',')}],${JSON.stringify(page).slice(1)}}`
}

const seenAdultOf = ({ sql }: Core, viewer: Viewer, results: readonly Result[]) =>
  seenAdultChildren(
    sql,
    viewer,
    results.map(({ row }) => row),
  )

function itemJson({ addresses }: Core, row: CachedRow, seen_adult: SeenAdult): string {
  if (typeof seen_adult === 'object') return itemToJson(addresses, row, seen_adult)
  if (row.texts?.web_url !== addresses.web_url) row.texts = textsOf(addresses, row)
  return seen_adult ? row.texts.adult_json : row.texts.json
}

function textsOf(addresses: Addresses, row: CachedRow): RowTexts {
  const json = itemToJson(addresses, row, false)
  const adult_json = dependsOnViewer(row) ? itemToJson(addresses, row, true) : json
  return { web_url: addresses.web_url, json, adult_json }
}

/**
 * The tags of a listing that match the search: by a tag filter, or because the words of the query
 * spell them out.
 */
function matchedTags(
  listing: { tags: string[]; community_tags: string[] },
  words: readonly string[],
  tags: readonly string[],
): string[] {
  const last = words.at(-1)
  const isTyped = (word: string) =>
    words.includes(word) || (last !== undefined && last.length > 1 && word.startsWith(last))
  return [...listing.tags, ...listing.community_tags].filter(
    (tag) => tags.includes(tag) || (words.length > 0 && tag.split('-').every(isTyped)),
  )
}

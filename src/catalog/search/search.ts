import { paging } from '../../core/http/paging.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type Item, itemOf, itemText } from '../cards/search-item.ts'
import { createIndexClient, type IndexClient } from './index-client.ts'
import { planQuery, queryTags, queryWords, type SearchQuery } from './query/parameters.ts'
import { type FacetCounts, type IndexResult, MAX_DEPTH, type QueryPlan } from './query/plan.ts'
import { freshRows, type KeptRow } from './result-rows.ts'

export type Viewer = { show_adult: boolean } | null
export type SearchPage = {
  items: (Item & { score: number; matched_tags: string[] })[]
  total: number
  page: number
  page_size: number
  facets?: FacetCounts
}

const finders = new WeakMap<Core, IndexClient>()

/** Gives a process its index. It is loaded with the first use, or by `start`. */
export function installSearch(core: Core, database_url: string): IndexClient {
  const finder = createIndexClient(core, database_url)
  finders.set(core, finder)
  return finder
}

function finderOf(core: Core): IndexClient {
  const finder = finders.get(core)
  if (!finder)
    throw new Error('this process has no search index: its roles are neither api nor web')
  return finder
}

/** What the index alone says: uids in order, scores, how many in all. Whoever shows them must look at the listings again. */
export const find = (
  core: Core,
  query: SearchQuery,
  sees_adult: boolean,
  part: Partial<QueryPlan> = {},
): Promise<IndexResult> => finderOf(core).find({ ...planQuery(query, sees_adult), ...part })

/** How often a page that lost listings on the way is asked for again, with more of them. */
const TRIES = 3

type Result = { row: KeptRow; score: number; matched_tags: string[] }
type Results = Omit<SearchPage, 'items'> & { results: Result[] }

/** A page of results, filled from the database: what is not the viewer's to see now is not on it, however old the index may be. */
async function resultsOf(core: Core, query: SearchQuery, viewer: Viewer): Promise<Results> {
  const { page, page_size, limit, offset } = paging({
    page: query.page ?? 1,
    page_size: query.page_size ?? 20,
  })
  const sees_adult = viewer?.show_adult ?? false
  const words = queryWords(query)
  const tags = queryTags(query)
  for (let lost = 0, tries = 1; ; tries++) {
    const found = await find(core, query, sees_adult, {
      offset,
      limit: Math.min(limit + lost, Math.max(limit, MAX_DEPTH - offset)),
    })
    const rows = await freshRows(core, found.uids, sees_adult)
    const results = found.uids.flatMap((uid, i) => {
      const row = rows.get(uid)
      return row
        ? [{ row, score: found.scores[i]!, matched_tags: matchedTags(row, words, tags) }]
        : []
    })
    const gone = found.uids.length - results.length
    if (gone > lost && tries < TRIES && found.uids.length === limit + lost) lost = gone
    else
      return {
        results: results.slice(0, limit),
        total: found.total - gone,
        page,
        page_size,
        ...(found.facets && { facets: found.facets }),
      }
  }
}

export async function search(core: Core, query: SearchQuery, viewer: Viewer): Promise<SearchPage> {
  const { results, ...page } = await resultsOf(core, query, viewer)
  const items = results.map(({ row, score, matched_tags }) => ({
    ...itemOf(core.addresses, row),
    score,
    matched_tags,
  }))
  return { items, ...page }
}

/** The same as the text of an answer: rows are spelled out once for each of their states, which is most of the work of a page. */
export async function searchText(core: Core, query: SearchQuery, viewer: Viewer): Promise<string> {
  const { results, ...page } = await resultsOf(core, query, viewer)
  const items = results.map(
    ({ row, score, matched_tags }) =>
      `${textOf(core, row).slice(0, -1)},"score":${score},"matched_tags":${matched_tags.length ? JSON.stringify(matched_tags) : '[]'}}`,
  )
  return `{"success":true,"data":{"items":[${items.join(',')}],${JSON.stringify(page).slice(1)}}`
}

function textOf({ addresses }: Core, row: KeptRow): string {
  if (row.text?.web_url !== addresses.web_url)
    row.text = { web_url: addresses.web_url, json: itemText(addresses, row) }
  return row.text.json
}

/** The tags of the search that a listing has: filtered by, or spelled out by its words. */
export function matchedTags(
  listing: { tags: string[]; community_tags: string[] },
  words: readonly string[],
  tags: readonly string[],
): string[] {
  const last = words.at(-1)
  const typed = (word: string) =>
    words.includes(word) || (last !== undefined && last.length > 1 && word.startsWith(last))
  return [...listing.tags, ...listing.community_tags].filter(
    (tag) => tags.includes(tag) || (words.length > 0 && tag.split('-').every(typed)),
  )
}

import type { Identity } from '../../accounts/sessions/identity.ts'
import { bitmapRows } from '../../catalog/search/index/document.ts'
import { type FacetCounts, MAX_DEPTH, type QueryPlan } from '../../catalog/search/query/plan.ts'
import { fold, tokenize, tokenizeQuery } from '../../catalog/search/query/tokenize.ts'
import { find } from '../../catalog/search/search.ts'
import type { Core } from '../../core/runtime/core.ts'
import { packageCategories } from '../../listings/fields/editor.ts'
import { editorWords } from '../../listings/fields/editor-versions.ts'
import { normalizeTag } from '../../listings/fields/taxonomy.ts'
import { licenseName } from './categories.ts'
import { type EditorClient, type PackageView, viewPackage } from './package.ts'
import { loadPackages } from './package-cache.ts'
import type { PackageQuery, PackageSort } from './parameters.ts'
import { findAuthor, type PackageRow, readOwnPackages } from './queries.ts'

export type PackagePage = { offers: PackageView[]; total: number }
/** The search index returns no results beyond this depth. */
export const MAX_RESULTS = MAX_DEPTH
/** The most unpublished packages of the caller that are searched. */
const MAX_OWN = 200

const rowsOf = (dimension: string, values: readonly string[]) =>
  values.map((value) => bitmapRows.get(`${dimension} ${value}`)!)

/** The filters and the order for the search index. */
function planOf(query: PackageQuery, owner: string | null): Partial<QueryPlan> {
  const include = [rowsOf('package', query.categories)]
  if (query.price) include.push(rowsOf('price', [query.price]))
  if (query.licenses)
    include.push(
      query.licenses.flatMap((kind) =>
        kind === 'unknown' ? rowsOf('unlicensed', ['unlicensed']) : rowsOf('license', [kind]),
      ),
    )
  const sort = query.sort === 'updated' ? ('released' as const) : query.sort
  const plan = { include, sort, reverse: query.reverse, ...(owner ? { owners: [owner] } : {}) }
  return query.editor ? { ...plan, editors: editorWords(query.editor) } : plan
}

type TextQuery = { q: string; tags: string[] }

/**
 * Splits the text into words and tags, which begin with #. Null if the text can match nothing: it
 * contains neither, or all of its tags are invalid.
 */
function readText(text: string): TextQuery | null {
  const named = text.match(/(?<=#)[^\s#]+/g) ?? []
  const tags = named.flatMap((tag) => normalizeTag(tag) ?? [])
  const q = text.replace(/#[^\s#]+/g, ' ')
  const can_match = named.length
    ? tags.length > 0
    : text.trim() === '' || tokenizeQuery(q).length > 0
  return can_match ? { q, tags } : null
}

const newestFirst = (a: Date, b: Date) => b.getTime() - a.getTime()
const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The sort orders of the index, for packages that are not in it. */
const orders: Partial<Record<PackageSort, (a: PackageView, b: PackageView) => number>> = {
  updated: (a, b) => newestFirst(a.updated_at, b.updated_at),
  newest: (a, b) => newestFirst(a.created_at, b.created_at),
  name: (a, b) => compareTexts(fold(a.name), fold(b.name)),
  cost: (a, b) => compareTexts(licenseName(a.license_kind), licenseName(b.license_kind)),
  rating: (a, b) => b.rating - a.rating,
}

function ordered(offers: PackageView[], { sort, reverse }: PackageQuery): PackageView[] {
  const order = orders[sort]
  return order ? offers.toSorted((a, b) => (reverse ? order(b, a) : order(a, b))) : offers
}

/**
 * A page of packages. The caller's own unpublished packages come first, then the public ones from
 * the index. Each is checked again in the database, so that a stale index does not expose packages
 * that are hidden by now.
 */
export async function findPackages(
  core: Core,
  who: Identity | null,
  query: PackageQuery,
  client: EditorClient,
): Promise<PackagePage> {
  const owner = query.author === null ? null : await findAuthor(core.sql, query.author)
  const text_query = readText(query.text)
  if (owner === undefined || !text_query) return { offers: [], total: 0 }
  const seen = { ...client, editor: query.editor ?? client.editor }
  const filtered = query.editor !== null
  const view = (row: PackageRow) =>
    viewPackage(core.addresses, row, seen) ??
    (filtered ? undefined : viewPackage(core.addresses, row, { ...seen, editor: null }))
  const own = who
    ? (await readOwnPackages(core.sql, who, MAX_OWN))
        .flatMap((row) => view(row) ?? [])
        .filter((offer) => matchesQuery(offer, query, text_query, owner))
    : []
  const first = ordered(own, query).slice(query.offset, query.offset + query.limit)
  const offset = Math.max(0, query.offset - own.length)
  const limit = Math.max(0, Math.min(query.limit - first.length, MAX_RESULTS - offset))
  const result = await find(core, text_query, who?.show_adult ?? false, {
    ...planOf(query, owner),
    offset,
    limit,
  })
  const rows = limit ? await loadPackages(core, result.uids, who) : []
  // The index also contains packages that are hidden only because the email address of their owner
  // is not verified.
  const own_uids = new Set(own.map(({ uid }) => uid))
  const others = rows.filter(({ uid }) => !own_uids.has(uid)).flatMap((row) => view(row) ?? [])
  return {
    offers: [...first, ...others],
    total: own.length + result.total - (limit ? result.uids.length - others.length : 0),
  }
}

/** The filters of the index, for packages that are not in it. */
function matchesQuery(
  offer: PackageView,
  { categories, licenses, price }: PackageQuery,
  { q, tags }: TextQuery,
  owner: string | null,
): boolean {
  const texts = [offer.name, offer.tagline, offer.description, ...offer.tags]
  const words = new Set(texts.flatMap(tokenize))
  return (
    categories.includes(offer.category) &&
    (owner === null || offer.owner_uid === owner) &&
    (price === null || (offer.price_cents > 0 ? 'paid' : 'free') === price) &&
    (licenses === null || licenses.includes(offer.license_kind ?? 'unknown')) &&
    (!tags.length || tags.some((tag) => offer.tags.includes(tag))) &&
    tokenizeQuery(q).every(
      (word, i, all) =>
        words.has(word) ||
        (i === all.length - 1 && [...words].some((other) => other.startsWith(word))),
    )
  )
}

/** The most common tags of packages. */
export async function popularTags(core: Core, limit: number): Promise<string[]> {
  const plan = {
    include: [rowsOf('package', packageCategories)],
    limit: 0,
    facets: ['tags' as const],
  }
  const { facets } = (await find(core, {}, false, plan)) as { facets?: FacetCounts }
  return (facets?.tags ?? []).slice(0, limit).map(({ value }) => value)
}

import type { Identity } from '../accounts/identity.ts'
import { rows as indexRows } from '../catalog/search/document.ts'
import { type FacetCounts, MAX_DEPTH, type Plan } from '../catalog/search/plan.ts'
import { find } from '../catalog/search/search.ts'
import { wordsOf, wordsSought } from '../catalog/search/words.ts'
import type { Core } from '../core/core.ts'
import { packageCategories } from '../listings/editor.ts'
import { editorWords } from '../listings/editor-versions.ts'
import { normaliseTag } from '../listings/taxonomy.ts'
import { freshPackages } from './kept.ts'
import { type Asker, type Offer, offer } from './package.ts'
import { findMaker, type PackageRow, readOwnPackages } from './queries.ts'
import type { PackageQuery } from './query.ts'

export type PackagePage = { offers: Offer[]; total: number }
/** The index goes no deeper, and nobody reads further. */
export const MOST_RESULTS = MAX_DEPTH
/** Of someone's own projects that are not out. */
const MOST_OWN = 200

const rowsOf = (dimension: string, values: readonly string[]) => values.map((value) => indexRows.get(`${dimension} ${value}`)!)

/** What the index is asked. */
function planOf(query: PackageQuery, owner: string | null): Partial<Plan> {
  const include = [rowsOf('package', query.categories)]
  if (query.price) include.push(rowsOf('price', [query.price]))
  if (query.licenses)
    include.push(query.licenses.flatMap((kind) => (kind === 'unknown' ? rowsOf('unlicensed', ['unlicensed']) : rowsOf('license', [kind]))))
  const sort = query.sort === 'updated' ? ('released' as const) : query.sort
  const plan = { include, sort, reverse: query.reverse, ...(owner ? { owners: [owner] } : {}) }
  return query.editor ? { ...plan, editors: editorWords(query.editor) } : plan
}

/** Words, and tags with a # before them. */
function textOf(text: string): { q: string; tags: string[] } {
  const tags = text.match(/(?<=#)[^\s#]+/g) ?? []
  return { q: text.replace(/#[^\s#]+/g, ' '), tags: tags.flatMap((tag) => normaliseTag(tag) ?? []) }
}

/**
 * A page of packages: those of the caller that only they see, then those of everyone, from the index. Each is looked at again in the database,
 * so that an index that is behind shows nothing it should not.
 */
export async function findPackages(core: Core, who: Identity | null, query: PackageQuery, asker: Asker): Promise<PackagePage> {
  const owner = query.maker === null ? null : await findMaker(core.sql, query.maker)
  if (owner === undefined) return { offers: [], total: 0 }
  const seen = { ...asker, editor: query.editor ?? asker.editor }
  const filtered = query.editor !== null
  const shown = (row: PackageRow) =>
    offer(core.addresses, row, seen) ?? (filtered ? undefined : offer(core.addresses, row, { ...seen, editor: null }))
  const own = who
    ? (await readOwnPackages(core.sql, who, MOST_OWN)).flatMap((row) => shown(row) ?? []).filter((one) => isSought(one, query, owner))
    : []
  const first = own.slice(query.offset, query.offset + query.limit)
  const offset = Math.max(0, query.offset - own.length)
  const limit = Math.max(0, Math.min(query.limit - first.length, MOST_RESULTS - offset))
  const { q, tags } = textOf(query.text)
  const found = await find(core, { q, tags }, who?.show_adult ?? false, { ...planOf(query, owner), offset, limit })
  const rows = limit ? await freshPackages(core, found.uids, who) : []
  // One that is public but for its maker's address is in the index as well.
  const mine = new Set(own.map(({ uid }) => uid))
  const others = rows.filter(({ uid }) => !mine.has(uid)).flatMap((row) => shown(row) ?? [])
  return { offers: [...first, ...others], total: own.length + found.total - (limit ? found.uids.length - others.length : 0) }
}

/** The same filters for what is in no index. */
function isSought(one: Offer, { text, categories, licenses, price }: PackageQuery, owner: string | null): boolean {
  const { q, tags } = textOf(text)
  const words = new Set([one.name, one.tagline, one.description, ...one.tags].flatMap(wordsOf))
  return (
    categories.includes(one.category) &&
    (owner === null || one.owner_uid === owner) &&
    (price === null || (one.price_cents > 0 ? 'paid' : 'free') === price) &&
    (licenses === null || licenses.includes(one.license_kind ?? 'unknown')) &&
    (!tags.length || tags.some((tag) => one.tags.includes(tag))) &&
    wordsSought(q).every((word, i, all) => words.has(word) || (i === all.length - 1 && [...words].some((other) => other.startsWith(word))))
  )
}

/** The tags that most packages have. */
export async function popularTags(core: Core, most: number): Promise<string[]> {
  const plan = { include: [rowsOf('package', packageCategories)], limit: 0, facets: ['tags' as const] }
  const { facets } = (await find(core, {}, false, plan)) as { facets?: FacetCounts }
  return (facets?.tags ?? []).slice(0, most).map(({ value }) => value)
}

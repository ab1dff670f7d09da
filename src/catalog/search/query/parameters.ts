import { archAliases, architectures } from '../../../builds/builds/fields.ts'
import { paging } from '../../../core/http/paging.ts'
import { isUuid } from '../../../core/security/crypto.ts'
import { normalizeTag } from '../../../listings/fields/taxonomy.ts'
import { normalizeVersion, osAliases } from '../../../listings/fields/versions.ts'
import { bitmapRows, type DimensionName, dimensions } from '../index/document.ts'
import { type Facet, type QueryPlan, sorts } from './plan.ts'
import { tokenizeQuery } from './tokenize.ts'

/** Further words of a query are ignored. */
export const MAX_WORDS = 16
/** Further values of one filter are ignored. */
export const MAX_VALUES = 100
const SLUG = /^[a-z0-9][a-z0-9-]{0,31}$/

/**
 * The parameters of a search. Unknown values are ignored, so every object of this shape has an
 * answer.
 */
export type SearchQuery = {
  q?: string
  asset_type?: readonly string[]
  genres?: readonly string[]
  tags?: readonly string[]
  tone?: readonly string[]
  ai_uses?: readonly string[]
  session_bucket?: readonly string[]
  net?: readonly string[]
  authorship?: readonly string[]
  status?: readonly string[]
  inputs?: readonly string[]
  health?: readonly string[]
  os?: readonly string[]
  /** Only together with `os`. */
  arch?: readonly string[]
  exclude_types?: readonly string[]
  exclude_genres?: readonly string[]
  exclude_tone?: readonly string[]
  exclude_tags?: readonly string[]
  exclude_warnings?: readonly string[]
  exclude_ai_uses?: readonly string[]
  players?: number
  engine?: readonly string[]
  engine_version?: string
  renderer?: readonly string[]
  license?: readonly string[]
  price?: readonly string[]
  owner?: readonly string[]
  sort?: string
  reverse?: boolean
  page?: number
  page_size?: number
  facets?: readonly string[]
}
type ListName = {
  [K in keyof SearchQuery]-?: NonNullable<SearchQuery[K]> extends readonly string[] ? K : never
}[keyof SearchQuery]

/** The dimension that each filter includes or excludes values of. */
const includeFilters = {
  asset_type: 'asset_type',
  genres: 'genres',
  tone: 'tone',
  ai_uses: 'ai_uses',
  session_bucket: 'session_bucket',
  net: 'net',
  authorship: 'authorship',
  status: 'status',
  inputs: 'inputs',
  health: 'health',
  license: 'license',
  price: 'price',
} as const satisfies { [K in ListName]?: DimensionName }
const excludeFilters = {
  exclude_types: 'asset_type',
  exclude_genres: 'genres',
  exclude_tone: 'tone',
  exclude_warnings: 'content_warnings',
  exclude_ai_uses: 'ai_uses',
} as const satisfies { [K in ListName]?: DimensionName }

/** Every dimension that is meaningful to people, and the tags. */
export const facetNames = [
  ...new Set([...Object.values(includeFilters), 'content_warnings' as const, 'os' as const]),
  'tags' as const,
] as const

/**
 * The distinct words of the query. The last typed word stays last, because it also matches as a
 * prefix.
 */
export function queryWords({ q = '' }: SearchQuery): string[] {
  const words = tokenizeQuery(q).slice(0, MAX_WORDS)
  const last = words.pop()
  return last === undefined ? [] : [...new Set(words.filter((word) => word !== last)), last]
}

export const queryTags = ({ tags }: SearchQuery) => readValues(tags, (text) => normalizeTag(text))

export function planQuery(query: SearchQuery, sees_adult: boolean): QueryPlan {
  const { limit, offset } = paging({ page: query.page ?? 1, page_size: query.page_size ?? 20 })
  const include = Object.entries(includeFilters).map(([name, dimension]) =>
    rowsFor(dimension, query[name as ListName]),
  )
  const exclude = Object.entries(excludeFilters).flatMap(([name, dimension]) =>
    rowsFor(dimension, query[name as ListName]),
  )
  return {
    words: queryWords(query),
    include: [...include, platformRows(query)]
      .filter((group) => group.length)
      .concat(playerRows(query)),
    exclude,
    tags: queryTags(query),
    exclude_tags: readValues(query.exclude_tags, (text) => normalizeTag(text)),
    engines: readValues(query.engine, slug),
    engine_version:
      query.engine_version === undefined ? null : normalizeVersion(query.engine_version),
    renderers: readValues(query.renderer, slug),
    owners: readValues(query.owner, (uid) => (isUuid(uid) ? uid : null)),
    adult: sees_adult,
    sort: sorts.find((sort) => sort === query.sort?.trim().toLowerCase()) ?? 'relevance',
    reverse: query.reverse ?? false,
    offset,
    limit,
    facets: readValues(
      query.facets,
      (name) => facetNames.find((facet): facet is Facet & typeof facet => facet === name) ?? null,
    ),
  }
}

/** The distinct known values. */
function readValues<T extends string>(
  values: readonly string[] | undefined,
  normalize: (text: string) => T | null,
): T[] {
  const normalized = (values ?? [])
    .slice(0, MAX_VALUES)
    .map((value) => normalize(value.trim().toLowerCase()))
  return [...new Set(normalized.filter((value) => value !== null))]
}

const slug = (text: string) => (SLUG.test(text) ? text : null)

function rowsFor(dimension: DimensionName, values: readonly string[] | undefined): number[] {
  const known = readValues(values, (text) => (bitmapRows.has(`${dimension} ${text}`) ? text : null))
  return known.map((value) => bitmapRows.get(`${dimension} ${value}`)!)
}

function platformRows({ os, arch }: SearchQuery): number[] {
  const systems = readValues(os, (text) => alias(osAliases, text, dimensions.os.values))
  const archs = readValues(arch, (text) => alias(archAliases, text, architectures))
  const names = archs.length
    ? systems.flatMap((system) => archs.map((arch) => `platform ${system}/${arch}`))
    : systems.map((system) => `os ${system}`)
  return names.map((name) => bitmapRows.get(name)!)
}

function alias<T extends string>(
  aliases: Record<string, T>,
  text: string,
  values: readonly T[],
): T | null {
  return (
    (Object.hasOwn(aliases, text) ? aliases[text] : values.find((value) => value === text)) ?? null
  )
}

/** A number that no game supports becomes an empty group, which matches nothing. */
function playerRows({ players }: SearchQuery): number[][] {
  if (players === undefined) return []
  const row = bitmapRows.get(`players ${players}`)
  return [row === undefined ? [] : [row]]
}

/**
 * Reads the parameters of a request. Several values are separated by commas or sent by repeating
 * the parameter; numbers that do not parse are left out; aliases are stored under the main name.
 */
export function readParameters(sent: Record<string, unknown>): SearchQuery {
  const text = (...names: string[]) =>
    names.flatMap((name) => textsOf(sent[name])).find((value) => value.trim() !== '')
  const list = (...names: string[]) =>
    names.flatMap((name) => textsOf(sent[name])).flatMap((value) => value.split(',', MAX_VALUES))
  const number = (name: string) =>
    textsOf(sent[name])
      .map(wholeNumber)
      .find((value) => value !== undefined)
  const lists = Object.fromEntries(
    listNames.map((name) => [name, list(name, ...(aliases[name] ?? []))]),
  ) as { [K in ListName]: string[] }
  return {
    ...lists,
    q: text('q', 'search'),
    players: number('players'),
    engine_version: textsOf(sent.engine_version).find((value) => normalizeVersion(value) !== null),
    sort: text('sort'),
    page: number('page'),
    page_size: number('page_size'),
  }
}

const aliases: { [K in ListName]?: string[] } = { asset_type: ['type'] }
// biome-ignore format: a table of names reads better in rows
const listNames: ListName[] = [
  'asset_type', 'genres', 'tags', 'tone', 'ai_uses', 'session_bucket', 'net', 'authorship',
  'os', 'arch', 'engine', 'renderer', 'license', 'facets',
  'exclude_types', 'exclude_genres', 'exclude_tone', 'exclude_tags', 'exclude_warnings',
  'exclude_ai_uses',
]

const textsOf = (value: unknown) =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')

function wholeNumber(text: string): number | undefined {
  return /^\s*[+-]?\d+\s*$/.test(text)
    ? Math.max(-1, Math.min(Number(text), 1_000_000_000))
    : undefined
}

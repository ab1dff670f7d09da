import { archAliases, architectures } from '../../../builds/builds/fields.ts'
import { paging } from '../../../core/http/paging.ts'
import { isUuid } from '../../../core/security/crypto.ts'
import { normalizeTag } from '../../../listings/fields/taxonomy.ts'
import { normalizeVersion, osAliases } from '../../../listings/fields/versions.ts'
import { type DimensionName, dimensions, rows } from '../index/document.ts'
import { type Facet, type Plan, sorts } from './plan.ts'
import { wordsSought } from './words.ts'

/** More words say no more about what is sought. */
export const MAX_WORDS = 16
/** Values of one filter beyond these are not looked at. */
export const MAX_VALUES = 100
const SLUG = /^[a-z0-9][a-z0-9-]{0,31}$/

/** A search as anyone may put it. What is not known is ignored, so that every object of this shape has an answer. */
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
  /** Only together with os. */
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
  /** Uids of developers. */
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

/** Which filter looks at which dimension. */
const included = {
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
const excluded = {
  exclude_types: 'asset_type',
  exclude_genres: 'genres',
  exclude_tone: 'tone',
  exclude_warnings: 'content_warnings',
  exclude_ai_uses: 'ai_uses',
} as const satisfies { [K in ListName]?: DimensionName }

/** What can be counted: every dimension that says something to people, and the tags. */
export const facetNames = [
  ...new Set([...Object.values(included), 'content_warnings' as const, 'os' as const]),
  'tags' as const,
] as const

/** The words that are looked for, each once; the last one typed stays last. */
export function queryWords({ q = '' }: SearchQuery): string[] {
  const words = wordsSought(q).slice(0, MAX_WORDS)
  const last = words.pop()
  return last === undefined ? [] : [...new Set(words.filter((word) => word !== last)), last]
}

/** The tags a search filters by. */
export const queryTags = ({ tags }: SearchQuery) => read(tags, (text) => normalizeTag(text))

export function planOf(query: SearchQuery, sees_adult: boolean): Plan {
  const { limit, offset } = paging({ page: query.page ?? 1, page_size: query.page_size ?? 20 })
  const include = Object.entries(included).map(([name, dimension]) =>
    rowsOf(dimension, query[name as ListName]),
  )
  const exclude = Object.entries(excluded).flatMap(([name, dimension]) =>
    rowsOf(dimension, query[name as ListName]),
  )
  return {
    words: queryWords(query),
    include: [...include, platformRows(query)]
      .filter((group) => group.length)
      .concat(playerRows(query)),
    exclude,
    tags: queryTags(query),
    exclude_tags: read(query.exclude_tags, (text) => normalizeTag(text)),
    engines: read(query.engine, slug),
    engine_version:
      query.engine_version === undefined ? null : normalizeVersion(query.engine_version),
    renderers: read(query.renderer, slug),
    owners: read(query.owner, (uid) => (isUuid(uid) ? uid : null)),
    adult: sees_adult,
    sort: sorts.find((sort) => sort === query.sort?.trim().toLowerCase()) ?? 'relevance',
    reverse: query.reverse ?? false,
    offset,
    limit,
    facets: read(
      query.facets,
      (name) => facetNames.find((one): one is Facet & typeof one => one === name) ?? null,
    ),
  }
}

/** Each known value once. */
function read<T extends string>(
  values: readonly string[] | undefined,
  known: (text: string) => T | null,
): T[] {
  const found = (values ?? [])
    .slice(0, MAX_VALUES)
    .map((value) => known(value.trim().toLowerCase()))
  return [...new Set(found.filter((value) => value !== null))]
}

const slug = (text: string) => (SLUG.test(text) ? text : null)

function rowsOf(dimension: DimensionName, values: readonly string[] | undefined): number[] {
  const known = read(values, (text) => (rows.has(`${dimension} ${text}`) ? text : null))
  return known.map((value) => rows.get(`${dimension} ${value}`)!)
}

function platformRows({ os, arch }: SearchQuery): number[] {
  const systems = read(os, (text) => alias(osAliases, text, dimensions.os.values))
  const archs = read(arch, (text) => alias(archAliases, text, architectures))
  const wanted = archs.length
    ? systems.flatMap((one) => archs.map((other) => `platform ${one}/${other}`))
    : systems.map((one) => `os ${one}`)
  return wanted.map((name) => rows.get(name)!)
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

/** A number that no game supports matches none. */
function playerRows({ players }: SearchQuery): number[][] {
  if (players === undefined) return []
  const row = rows.get(`players ${players}`)
  return [row === undefined ? [] : [row]]
}

/** The parameters of a request: several values by commas or by repeating, numbers that are none left out, aliases under their names. */
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
  'asset_type', 'genres', 'tags', 'tone', 'ai_uses', 'session_bucket', 'net', 'authorship', 'os', 'arch', 'engine', 'renderer', 'license',
  'exclude_types', 'exclude_genres', 'exclude_tone', 'exclude_tags', 'exclude_warnings', 'exclude_ai_uses', 'facets',
]

const textsOf = (value: unknown) =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')

function wholeNumber(text: string): number | undefined {
  return /^\s*[+-]?\d+\s*$/.test(text)
    ? Math.max(-1, Math.min(Number(text), 1_000_000_000))
    : undefined
}

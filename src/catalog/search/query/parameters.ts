import { archAliases } from '../../../builds/builds/fields.ts'
import { DEFAULT_PAGE_SIZE, paging } from '../../../core/http/paging.ts'
import { isUuid } from '../../../core/security/crypto.ts'
import { normalizeVersion } from '../../../listings/fields/engine-versions.ts'
import {
  codedFields,
  type FilterName,
  fieldOf,
  filterParameters,
  indexedFields,
} from '../../../listings/fields/fields.ts'
import type { FilterParameter } from '../../../listings/fields/kinds.ts'
import { architectures, osAliases } from '../../../listings/fields/platforms.ts'
import { listingFields } from '../../../listings/fields/table.ts'
import { normalizeTag } from '../../../listings/fields/taxonomy.ts'
import { bitmapRows, type DimensionName, dimensions, keys } from '../index/document.ts'
import { type Facet, type QueryPlan, sorts } from './plan.ts'
import { tokenizeQuery } from './tokenize.ts'

/** Further words of a query are ignored. */
const MAX_WORDS = 16
/** Further values of one filter are ignored. */
const MAX_VALUES = 100
const SLUG = /^[a-z0-9][a-z0-9-]{0,31}$/

/**
 * The parameters of a search. Unknown values are ignored, so every object of this shape has an
 * answer.
 */
export type SearchQuery = { [Name in FilterName]?: readonly string[] } & {
  q?: string
  health?: readonly string[]
  os?: readonly string[]
  /** Only together with `os`. */
  arch?: readonly string[]
  players?: number
  engine_version?: string
  renderer?: readonly string[]
  price?: readonly string[]
  /** `true`: only listings whose price is reduced now. */
  on_sale?: readonly string[]
  /** Costs at most this many US cents now. */
  max_price?: number
  /** Where it can be played without installing it. */
  playable?: readonly string[]
  /** At least this percentage of players enjoyed it. */
  rating?: readonly string[]
  owner?: readonly string[]
  sort?: string
  reverse?: boolean
  page?: number
  page_size?: number
  facets?: readonly string[]
  /**
   * Counts a facet without the filter that includes its values: any of the values matches, so
   * these are the numbers of further listings to choose from. Not a parameter of requests.
   */
  count_alternatives?: boolean
}
type ListName = {
  [K in keyof SearchQuery]-?: NonNullable<SearchQuery[K]> extends readonly string[] ? K : never
}[keyof SearchQuery]

type FieldFilter = { name: ListName; dimension: DimensionName }

const fieldFilters = (direction: 'include' | 'exclude'): FieldFilter[] =>
  indexedFields.flatMap((field) => {
    const { facet, [direction]: filter } = fieldOf(field)
    return filter ? [{ name: filter.parameter as ListName, dimension: facet as DimensionName }] : []
  })
/** The dimension that each filter includes or excludes values of. */
const includeFilters: FieldFilter[] = [
  ...fieldFilters('include'),
  { name: 'health', dimension: 'health' },
  { name: 'price', dimension: 'price' },
  { name: 'on_sale', dimension: 'on_sale' },
  { name: 'playable', dimension: 'playable' },
  { name: 'rating', dimension: 'rating' },
]
const excludeFilters = fieldFilters('exclude')

/** Every dimension that is meaningful to people, and the tags. */
export const facetNames: readonly Facet[] = [
  ...indexedFields.map((field) => listingFields[field].facet),
  ...codedFields.map((field) => listingFields[field].facet),
  'health',
  'price',
  'rating',
  'os',
  'playable',
  'tags',
]

/** The filter that includes the values of each facet. */
const filterOfFacet = new Map<string, ListName>([
  ...includeFilters.map(({ name, dimension }) => [dimension, name] as const),
  ...codedFields.map((field) => {
    const { facet, include } = listingFields[field]
    return [facet, include.parameter] as const
  }),
  ['os', 'os'],
  ['tags', 'tags'],
])

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
  const plan = planFilters(query, sees_adult)
  if (!query.count_alternatives) return plan
  const alternatives = plan.facets.flatMap((facet) => {
    const name = filterOfFacet.get(facet)
    if (!name || !query[name]?.length) return []
    return [{ facet, plan: planFilters({ ...query, [name]: [] }, sees_adult) }]
  })
  return { ...plan, alternatives }
}

function planFilters(query: SearchQuery, sees_adult: boolean): QueryPlan {
  const { limit, offset } = paging({
    page: query.page ?? 1,
    page_size: query.page_size ?? DEFAULT_PAGE_SIZE,
  })
  const include = includeFilters.map(({ name, dimension }) => rowsFor(dimension, query[name]))
  const exclude = excludeFilters.flatMap(({ name, dimension }) => rowsFor(dimension, query[name]))
  return {
    words: queryWords(query),
    include: [...include, platformRows(query)]
      .filter((group) => group.length)
      .concat(playerRows(query)),
    exclude,
    tags: queryTags(query),
    exclude_tags: readValues(query.exclude_tags, (text) => normalizeTag(text)),
    codes: codeGroups(query),
    engines: readValues(query.engine, slug),
    engine_version:
      query.engine_version === undefined ? null : normalizeVersion(query.engine_version),
    renderers: readValues(query.renderer, slug),
    max_price_cents: query.max_price === undefined ? null : Math.max(-1, query.max_price),
    owners: readValues(query.owner, (uid) => (isUuid(uid) ? uid : null)),
    adult: sees_adult,
    sort: sorts.find((sort) => sort === query.sort?.trim().toLowerCase()) ?? 'relevance',
    reverse: query.reverse ?? false,
    offset,
    limit,
    facets: readValues(query.facets, (name) => facetNames.find((facet) => facet === name) ?? null),
  }
}

/** For each filter by codes that is used, the dictionary terms that match. */
const codeGroups = (query: SearchQuery): string[][] =>
  codedFields
    .map((name) => {
      const { codes, facet, include } = listingFields[name]
      const values = readValues(query[include.parameter], codes.normalize)
      return values.map((code) => keys.code(facet, code))
    })
    .filter((group) => group.length)

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

export const slug = (text: string) => (SLUG.test(text) ? text : null)

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
    listParameters.map(({ parameter, alias }) => [
      parameter,
      list(parameter, ...(alias ? [alias] : [])),
    ]),
  ) as { [K in ListName]: string[] }
  return {
    ...lists,
    q: text('q', 'search'),
    players: number('players'),
    max_price: number('max_price'),
    engine_version: textsOf(sent.engine_version).find((value) => normalizeVersion(value) !== null),
    sort: text('sort'),
    page: number('page'),
    page_size: number('page_size'),
  }
}

const listParameters: readonly FilterParameter[] = [
  // Parameters without a description are only used within the service.
  ...filterParameters.filter(({ description }) => description),
  ...['os', 'arch', 'renderer', 'price', 'on_sale', 'playable', 'rating', 'facets'].map(
    (parameter) => ({ parameter }),
  ),
]

const textsOf = (value: unknown) =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')

function wholeNumber(text: string): number | undefined {
  return /^\s*[+-]?\d+\s*$/.test(text)
    ? Math.max(-1, Math.min(Number(text), 1_000_000_000))
    : undefined
}

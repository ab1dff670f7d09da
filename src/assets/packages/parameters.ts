import { Type } from 'typebox'
import type { PackageCategory } from '../../listings/fields/editor.ts'
import { type Editor, readEditor } from '../../listings/fields/editor-versions.ts'
import type { LicenseKind } from '../../listings/fields/fields.ts'
import { categories, findLicenses, type PackageKind } from './categories.ts'

/** A search for packages, parsed from either protocol. */
export type PackageQuery = {
  text: string
  categories: PackageCategory[]
  editor: Editor | null
  /** A username. */
  author: string | null
  licenses: (LicenseKind | 'unknown')[] | null
  price: 'free' | 'paid' | null
  sort: PackageSort
  reverse: boolean
  offset: number
  limit: number
}
export type PackageSort = 'relevance' | 'updated' | 'newest' | 'name' | 'cost' | 'rating'

const listLimits = {
  filter: 100,
  results: 500,
  results_default: 40,
  offset: 2 ** 31,
} as const
export const sorts = ['updated', 'name', 'cost', 'rating'] as const

/** The parameters as clients send them. All of them are text, and no value is an error. */
export type ListQuery = Partial<
  Record<
    | 'type'
    | 'category'
    | 'support'
    | 'filter'
    | 'user'
    | 'cost'
    | 'price'
    | 'godot_version'
    | 'max_results'
    | 'page'
    | 'offset'
    | 'sort'
    | 'reverse',
    string
  >
>

/** A query parameter. If it is repeated, the last value counts. */
export const parameter = (more: { description?: string } = {}) =>
  Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string' },
      ...more,
    }),
  )

export const lastValues = <Name extends string>(query: Partial<Record<Name, string | string[]>>) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, [value].flat().at(-1)]),
  ) as Partial<Record<Name, string>>

/** The integer, clamped to the bounds. Text that is not an integer counts as absent. */
export function clampInteger(
  text: string | undefined,
  least: number,
  most: number,
): number | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text.trim())) return undefined
  return Math.min(Math.max(Number(text), least), most)
}

export const readPaging = (query: ListQuery) => {
  const limit = clampInteger(query.max_results, 1, listLimits.results) ?? listLimits.results_default
  const offset =
    clampInteger(query.offset, 0, listLimits.offset) ??
    (clampInteger(query.page, 0, listLimits.offset / limit) ?? 0) * limit
  return { limit, offset: Math.floor(offset) }
}

/**
 * Undefined if a filter matches nothing. The response is then an empty list, because editors report
 * every error response as a failure of the service.
 */
export function readQuery(query: ListQuery): PackageQuery | undefined {
  const editor_version = (query.godot_version ?? '').trim()
  const editor =
    editor_version === '' || editor_version === 'any' ? null : readEditor(editor_version)
  const price = (query.price ?? '').trim().toLowerCase()
  const cost = (query.cost ?? '').trim()
  const licenses = cost === '' ? null : findLicenses(cost)
  const slugs = categoriesOf(query.type, query.category)
  if (
    (editor_version !== '' && editor_version !== 'any' && !editor) ||
    (price !== '' && price !== 'free' && price !== 'paid')
  )
    return undefined
  if (licenses?.length === 0 || slugs.length === 0 || !isSupported(query.support)) return undefined
  const sort = sorts.find((name) => name === query.sort) ?? 'updated'
  return {
    text: (query.filter ?? '').slice(0, listLimits.filter),
    categories: slugs,
    editor,
    author: query.user?.trim() || null,
    licenses,
    price: price === '' ? null : (price as 'free' | 'paid'),
    sort,
    reverse: ['true', '1', ''].includes(query.reverse?.toLowerCase() ?? 'no'),
    ...readPaging(query),
  }
}

/** An empty category or 0 selects all categories of the kind. */
function categoriesOf(type: string | undefined, category = ''): PackageCategory[] {
  const packageKinds: PackageKind[] =
    type === 'any' ? ['addon', 'project'] : [type === 'project' ? 'project' : 'addon']
  const requested_id = category.trim().replace(/^0+(?=\d)/, '')
  return categories
    .filter(({ kind, id }) => packageKinds.includes(kind) && ['', '0', id].includes(requested_id))
    .map(({ slug }) => slug)
}

/**
 * The levels are joined by plus signs, which URL decoding turns into spaces. Every package here has
 * the level `community`.
 */
const isSupported = (support = '') =>
  support.trim() === '' || support.split(/[\s+,]+/).includes('community')

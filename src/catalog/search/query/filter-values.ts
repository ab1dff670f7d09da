import { archAliases } from '../../../builds/builds/fields.ts'
import { normalizeVersion } from '../../../listings/fields/engine-versions.ts'
import { codedFields, fieldNames, fieldOf } from '../../../listings/fields/fields.ts'
import type { FieldDefinition } from '../../../listings/fields/kinds.ts'
import { architectures, operatingSystems, osAliases } from '../../../listings/fields/platforms.ts'
import { listingFields } from '../../../listings/fields/table.ts'
import { normalizeTag } from '../../../listings/fields/taxonomy.ts'
import { dimensions } from '../index/document.ts'
import { facetNames, slug } from './parameters.ts'

/** The orders that the search offers over HTTP. */
export const interfaceSorts = ['relevance', 'newest', 'updated', 'popular', 'top_rated']

type Filter = { parameter: string; field: FieldDefinition; description: string }

/** The filters by listing fields that the search offers over HTTP. */
export const fieldFilters: readonly Filter[] = fieldNames.flatMap((name) => {
  const field = fieldOf(name)
  return [field.include, field.exclude].flatMap((filter) =>
    filter?.description
      ? [{ parameter: filter.parameter, field, description: filter.description }]
      : [],
  )
})

const namesOf = (values: readonly string[], aliases: object) => [...values, ...Object.keys(aliases)]

/** The values of each filter that has a fixed list of them, aliases included. */
export const filterValues: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    fieldFilters.flatMap(({ parameter, field }) =>
      'values' in field ? [[parameter, Object.keys(field.values)]] : [],
    ),
  ),
  os: namesOf(operatingSystems, osAliases),
  arch: namesOf(architectures, archAliases),
  price: dimensions.price.values,
  on_sale: dimensions.on_sale.values,
  playable: dimensions.playable.values,
  rating: dimensions.rating.values,
  facets: facetNames,
  sort: interfaceSorts,
}

/** How the values of other filters are read; what is not of that form is ignored. */
const readers: Readonly<Record<string, (text: string) => string | null>> = {
  tags: normalizeTag,
  exclude_tags: normalizeTag,
  engine: slug,
  renderer: slug,
  engine_version: normalizeVersion,
  ...Object.fromEntries(
    codedFields.map((name) => {
      const { include, codes } = listingFields[name]
      return [include.parameter, codes.normalize]
    }),
  ),
}

export type IgnoredValue = { argument: string; value: string; reason: string }

/** The values that a search ignores, each with the reason, so that a caller can correct them. */
export function ignoredValues(sent: Readonly<Record<string, readonly string[]>>): IgnoredValue[] {
  const ignored = Object.entries(sent).flatMap(([argument, values]) =>
    values.flatMap((value) => {
      const reason = reasonToIgnore(argument, value.trim().toLowerCase())
      return reason ? [{ argument, value, reason }] : []
    }),
  )
  if (sent.os?.length || !sent.arch) return ignored
  const reason = 'arch counts only together with os'
  return [...ignored, ...sent.arch.map((value) => ({ argument: 'arch', value, reason }))]
}

function reasonToIgnore(argument: string, value: string): string | undefined {
  const values = filterValues[argument]
  if (values) return values.includes(value) ? undefined : `Not one of ${values.join(', ')}`
  const read = readers[argument]
  return !read || read(value) !== null ? undefined : 'Not of the form that this filter takes'
}

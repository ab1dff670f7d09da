import { type TSchema, Type } from 'typebox'
import {
  fieldFilters,
  filterValues,
  ignoredValues,
} from '../../catalog/search/query/filter-values.ts'
import { searchRoute } from '../../catalog/search/routes.ts'
import { OneOf } from '../../core/http/route.ts'
import { APPROVAL_HELP } from '../../library/approval.ts'
import { explainValues } from '../../listings/fields/schema.ts'
import { type Composed, mapData } from './composed-tools.ts'
import { pages } from './schemas.ts'
import type { Arguments } from './tool.ts'

const optional = Type.Optional
const listOf = (parameter: string, description: string) => {
  const values = filterValues[parameter]
  return optional(Type.Array(values ? OneOf(values) : Type.String(), { description }))
}

const lists: Record<string, TSchema> = {
  ...Object.fromEntries(
    fieldFilters.map(({ parameter, field, description }) => {
      const meanings = 'values' in field ? explainValues(field) : ''
      return [parameter, listOf(parameter, [description, meanings].filter(Boolean).join('. '))]
    }),
  ),
  os: listOf('os', 'Has a clean build for any of these systems'),
  arch: listOf('arch', 'With os: has a clean build for any of these architectures'),
  price: listOf('price', 'Free or paid'),
  playable: listOf('playable', 'Can be played there without installing it'),
  rating: listOf('rating', APPROVAL_HELP),
  renderer: listOf('renderer', 'Declared to work with any of these renderers'),
  facets: listOf('facets', 'Count the matches by the values of these'),
}

/** Texts where a list or a text is meant were taken before; several values have commas. */
const TextOrList = Type.Union([Type.String(), Type.Array(Type.String())])
const widen = (names: string[]) => Object.fromEntries(names.map((name) => [name, TextOrList]))

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value])
    .flatMap((text) => String(text).split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '')

/** Searches the catalog, and names what the search ignores. */
export const searchCatalog: Composed = {
  calls: [searchRoute],
  input: {
    q: optional(
      Type.String({
        description:
          'Words that all occur in the name, tags, tagline or description; the last one also ' +
          'matches as a prefix',
      }),
    ),
    ...lists,
    players: optional(
      Type.Integer({ minimum: 1, maximum: 64, description: 'Supports this number of players' }),
    ),
    engine_version: optional(
      Type.String({ description: 'Declared to work with this version of the engine' }),
    ),
    sort: optional(OneOf(filterValues.sort!, { description: 'relevance by default' })),
    ...pages(50),
  },
  accepts: widen([...Object.keys(lists), 'q', 'engine_version', 'sort']),
  output: (answer) => ({
    ...answer,
    properties: {
      ...answer.properties,
      ignored_values: {
        type: 'array',
        items: {
          type: 'object',
          properties: Object.fromEntries(
            ['argument', 'value', 'reason'].map((name) => [name, { type: 'string' }]),
          ),
        },
      },
    },
  }),
  run(call, args) {
    const names = [...Object.keys(lists), 'engine_version', 'sort'].filter((name) => name in args)
    const sent = Object.fromEntries(names.map((name) => [name, textsOf(args[name])]))
    const ignored_values = ignoredValues(sent)
    const query: Arguments = { ...args, ...sent }
    return mapData(call(searchRoute, query), (data) => ({
      ...data,
      ...(ignored_values.length ? { ignored_values } : {}),
    }))
  },
}

import { type TSchema, Type } from 'typebox'
import { viewer } from '../../accounts/sessions/schemes.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, pageData } from '../../core/http/paging.ts'
import { route, TextOf, Uid } from '../../core/http/route.ts'
import { perIp } from '../../core/security/limits.ts'
import { APPROVAL_HELP } from '../../library/approval.ts'
import { filterParameters } from '../../listings/fields/fields.ts'
import { architectures, operatingSystems } from '../../listings/fields/platforms.ts'
import { playables } from '../../listings/fields/web-build.ts'
import { pageUrl } from '../../listings/page/url.ts'
import { ItemData } from '../cards/search-item.ts'
import { dimensions } from './index/document.ts'
import { interfaceSorts } from './query/filter-values.ts'
import { facetNames, readParameters, type SearchQuery } from './query/parameters.ts'
import { searchText } from './search.ts'
import { suggest } from './suggest.ts'

const PLAYABLE_HELP = 'Can be played there without installing it: browser'

/**
 * A search never fails validation: unknown values are ignored, and lists are sent with commas or by
 * repeating the parameter.
 */
const parameter = (description: string): TSchema =>
  Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string' },
      description,
    }),
  )
const listOf = (description: string) =>
  parameter(`${description}. Separate values with commas or repeat the parameter`)

const fieldParameters = Object.fromEntries(
  filterParameters.flatMap(({ parameter, alias, description }) => [
    ...(description ? [[parameter, listOf(description)]] : []),
    ...(alias ? [[alias, listOf(`Alias of ${parameter}`)]] : []),
  ]),
)

const parameters = {
  q: parameter(
    'Words that all occur in the name, tags, tagline or description. ' +
      'The last word also matches as a prefix',
  ),
  search: parameter('Alias of q'),
  ...fieldParameters,
  os: listOf('Has a clean build for any of these operating systems'),
  arch: listOf('With os: has a clean build for any of these architectures'),
  players: parameter('Supports this number of players'),
  price: listOf('Free or paid'),
  on_sale: parameter('true: only listings whose price is reduced now'),
  max_price: parameter('Costs at most this many US cents now, sales included'),
  playable: listOf(PLAYABLE_HELP),
  rating: listOf(APPROVAL_HELP),
  engine_version: parameter('Declared to work with this engine version'),
  renderer: parameter('Declared to work with this renderer'),
  sort: parameter(`One of ${interfaceSorts.join(', ')}; any other value means relevance`),
  page: parameter('Page number, from 1'),
  page_size: parameter(`Results per page, 1 to ${MAX_PAGE_SIZE}; default ${DEFAULT_PAGE_SIZE}`),
  facets: listOf(`Count the matches by value of any of ${facetNames.join(', ')}`),
}

/** How clients send a list: by repeating the parameter. Other forms are accepted as well. */
const listed = (values: readonly string[], description: string): TSchema =>
  Type.Optional(Type.Array(TextOf(values), { description }))
const number = (minimum: number, description: string, more = {}): TSchema =>
  Type.Optional(Type.Integer({ minimum, description, ...more }))

const describedParameters = {
  ...Object.fromEntries(
    filterParameters.flatMap(({ parameter, alias, description = '', values }) => {
      if (!description) return []
      const schema = values
        ? listed(values, description)
        : Type.Optional(Type.Array(Type.String(), { description }))
      return [[parameter, schema], ...(alias ? [[alias, schema]] : [])]
    }),
  ),
  os: listed(operatingSystems, 'Has a clean build for any of these operating systems'),
  arch: listed(architectures, 'With os: has a clean build for any of these architectures'),
  players: number(1, 'Supports this number of players'),
  price: listed(dimensions.price.values, 'Free or paid'),
  on_sale: listed(dimensions.on_sale.values, 'true: only listings whose price is reduced now'),
  max_price: number(0, 'Costs at most this many US cents now, sales included'),
  playable: listed(playables, PLAYABLE_HELP),
  rating: listed(dimensions.rating.values, APPROVAL_HELP),
  sort: Type.Optional(TextOf(interfaceSorts, 'The order; relevance by default')),
  page: number(1, 'Page number, from 1', { default: 1 }),
  page_size: number(1, 'Results per page', {
    maximum: MAX_PAGE_SIZE,
    default: DEFAULT_PAGE_SIZE,
  }),
  facets: listed(facetNames, 'Count the matches by value of these fields'),
}

/** The index supports more orders, which only our own pages and editors use. */
const limitSorts = ({ sort, ...query }: SearchQuery): SearchQuery => ({
  ...query,
  ...(sort && interfaceSorts.includes(sort.trim().toLowerCase()) && { sort }),
})

const FacetData = Type.Record(
  Type.String(),
  Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() })),
)

const SuggestedValue = Type.Object({ value: Type.String(), count: Type.Integer() })

const suggestRoute = route({
  method: 'GET',
  url: '/api/v1/public/search/suggest',
  summary: 'Suggest listings, developers, tags and engines while somebody types',
  auth: viewer,
  limits: [perIp(600)],
  query: Type.Object({
    q: Type.Optional(Type.String({ maxLength: 200, description: 'What was typed so far' })),
  }),
  data: Type.Object({
    listings: Type.Array(
      Type.Object({ uid: Uid, name: Type.String(), username: Type.String(), url: Type.String() }),
    ),
    developers: Type.Array(Type.Object({ username: Type.String() })),
    tags: Type.Array(SuggestedValue),
    engines: Type.Array(SuggestedValue),
  }),
  errors: ['UNAVAILABLE'],
  async handle({ core, who, query }) {
    const { listings, ...others } = await suggest(core, query.q ?? '', who)
    const urlOf = ({ username, vanity_name }: (typeof listings)[number]) =>
      pageUrl(core.addresses, { owner_username: username, vanity_name })
    return {
      ...others,
      listings: listings.map((row) => ({
        uid: row.uid,
        name: row.name,
        username: row.username,
        url: urlOf(row),
      })),
    }
  },
})

export const searchRoute = route({
  method: 'GET',
  url: '/api/v1/public/search',
  summary: 'Search the catalog',
  auth: viewer,
  limits: [perIp(300)],
  query: Type.Object(parameters),
  described: { query: describedParameters },
  data: Type.Object({
    items: Type.Array(
      Type.Object(
        {
          ...ItemData.properties,
          score: Type.Number(),
          matched_tags: Type.Array(Type.String()),
        },
        { title: 'SearchResult' },
      ),
    ),
    ...pageData,
    facets: Type.Optional(FacetData),
  }),
  errors: ['UNAVAILABLE'],
  async handle({ core, who, query, reply }) {
    const text = await searchText(core, limitSorts(readParameters(query)), who)
    return reply.type('application/json; charset=utf-8').send(text) as never
  },
})

export const searchRoutes = [searchRoute, suggestRoute]

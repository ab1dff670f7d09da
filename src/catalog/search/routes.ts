import { type TSchema, Type } from 'typebox'
import { viewer } from '../../accounts/sessions/schemes.ts'
import { pageData } from '../../core/http/paging.ts'
import { route } from '../../core/http/route.ts'
import { perIp } from '../../core/security/limits.ts'
import { ItemData } from '../cards/search-item.ts'
import { facetNames, readParameters, type SearchQuery } from './query/parameters.ts'
import { searchText } from './search.ts'

/** Nothing that is sent is refused: what is not known is ignored, and several values come by commas or by repeating the parameter. */
const sent = (description: string): TSchema =>
  Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string' },
      description,
    }),
  )
const listOf = (what: string) => sent(`${what}; several by commas or by repeating the parameter`)

const interfaceSorts = ['relevance', 'newest', 'updated']

const parameters = {
  q: sent(
    'Words that name, tags, tagline or description hold, every one; the last also as the beginning of a word',
  ),
  search: sent('Another name of q'),
  asset_type: listOf('Types of listing'),
  type: listOf('Another name of asset_type'),
  genres: listOf('Any of these genres'),
  tags: listOf("Any of these tags, the developer's or the community's"),
  tone: listOf('Any of these tones'),
  ai_uses: listOf('Discloses generative AI for any of these'),
  session_bucket: listOf('Length of a session'),
  net: listOf('How it is played together'),
  authorship: listOf('Who made it'),
  os: listOf('Has a clean build for any of these systems'),
  arch: listOf('With os: for this architecture'),
  exclude_types: listOf('None of these types'),
  exclude_genres: listOf('None of these genres'),
  exclude_tone: listOf('None of these tones'),
  exclude_tags: listOf("None of these tags, the developer's or the community's"),
  exclude_warnings: listOf('None of these content warnings'),
  exclude_ai_uses: listOf('Discloses generative AI for none of these'),
  players: sent('Supports this many players'),
  engine: sent('Made with this engine, or declared to work with it'),
  engine_version: sent('Declared to work with this version'),
  renderer: sent('Declared to work with this renderer'),
  license: sent('Of this license kind'),
  sort: sent(`One of ${interfaceSorts.join(', ')}; anything else is relevance`),
  page: sent('From 1'),
  page_size: sent('1 to 50, 20 unless said'),
  facets: listOf(`Counts by value of any of ${facetNames.join(', ')}`),
}

/** The index knows more orders, for our own pages and for editors. */
const asInterface = ({ sort, ...query }: SearchQuery): SearchQuery => ({
  ...query,
  ...(sort && interfaceSorts.includes(sort.trim().toLowerCase()) && { sort }),
})

const FacetData = Type.Record(
  Type.String(),
  Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() })),
)

export const searchRoute = route({
  method: 'GET',
  url: '/api/v1/public/search',
  summary: 'Search the catalog',
  auth: viewer,
  limits: [perIp(300)],
  query: Type.Object(parameters),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        ...ItemData.properties,
        score: Type.Number(),
        matched_tags: Type.Array(Type.String()),
      }),
    ),
    ...pageData,
    facets: Type.Optional(FacetData),
  }),
  errors: ['UNAVAILABLE'],
  async handle({ core, who, query, reply }) {
    const text = await searchText(core, asInterface(readParameters(query)), who)
    return reply.type('application/json; charset=utf-8').send(text) as never
  },
})

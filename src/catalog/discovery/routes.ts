import { Type } from 'typebox'
import { anyone, route } from '../../core/http/route.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perIp } from '../../core/security/limits.ts'
import { isIndexable } from '../../listings/listing/visibility.ts'
import { readPage } from '../../listings/page/queries.ts'
import { developerUrl, pageUrl } from '../../listings/page/url.ts'
import { type FeedRow, readNews } from '../feeds/queries.ts'
import {
  API_CATALOG_TYPE,
  apiCatalog,
  apiCatalogLink,
  developerLlms,
  humans,
  type Listed,
  platformLlms,
  robots,
  securityTxt,
} from './discovery.ts'
import { listingLlms } from './listing-llms.ts'
import { findDeveloper, findIndexable } from './queries.ts'

const TEXT = 'text/plain; charset=utf-8'
const NEWEST = 20
/** A developer with more of them is told of the newest. */
const MOST_LISTED = 1000

const limits = [perIp(120, { bucket: 'discovery' })]
const file = {
  method: 'GET',
  auth: anyone,
  limits,
  envelope: false,
  produces: 'text/plain',
  cache: 'public, max-age=600',
} as const
// What each host is asked for by itself; the rest belongs to the website.
const everywhere = { ...file, role: 'every' } as const
const website = { ...file, role: 'web' } as const

export const robotsRoute = route({
  ...everywhere,
  url: '/robots.txt',
  summary: 'What crawlers may visit',
  handle: ({ core, reply }) => reply.type(TEXT).send(robots(core.addresses)),
})

export const securityRoute = route({
  ...everywhere,
  url: '/.well-known/security.txt',
  summary: 'Whom to tell of a weakness',
  handle: ({ core, reply }) =>
    reply.type(TEXT).send(securityTxt(core.addresses, core.config, new Date())),
})

export const humansRoute = route({
  ...website,
  url: '/humans.txt',
  summary: 'Who is behind this',
  handle: ({ core, reply }) => reply.type(TEXT).send(humans(core.addresses)),
})

export const apiCatalogRoute = route({
  ...everywhere,
  url: '/.well-known/api-catalog',
  summary: 'Which programming interfaces there are',
  produces: 'application/linkset+json',
  handle: ({ core, reply }) =>
    reply
      .header('link', apiCatalogLink(core.addresses))
      .type(API_CATALOG_TYPE)
      // As bytes: to text the framework would add a charset, which this type does not have.
      .send(Buffer.from(JSON.stringify(apiCatalog(core.addresses)))),
})

/** A listing in a list for machines: its own text file says more. */
const listed = (
  addresses: Addresses,
  { name, tagline, username, vanity_name }: FeedRow,
): Listed => ({
  name,
  url: `${pageUrl(addresses, { owner_username: username, vanity_name })}/llms.txt`,
  about: tagline,
})

export const platformLlmsRoute = route({
  ...website,
  url: '/llms.txt',
  summary: 'A map of the service, for language models',
  async handle({ core: { addresses }, sql, reply }) {
    const newest = await readNews(sql, 'newest', NEWEST)
    return reply.type(TEXT).send(
      platformLlms(
        addresses,
        newest.map((row) => listed(addresses, row)),
      ),
    )
  },
})

export const developerLlmsRoute = route({
  ...website,
  url: '/:username/llms.txt',
  summary: 'What a developer publishes, for language models',
  params: Type.Object({ username: Type.String() }),
  errors: ['NOT_FOUND'],
  async handle({ core: { addresses }, sql, params, reply }) {
    const { uid, username } = (await findDeveloper(sql, params.username)) ?? refuse('NOT_FOUND')
    const rows = await readNews(sql, 'newest', MOST_LISTED + 1, uid)
    if (!rows.length) refuse('NOT_FOUND')
    const listings = rows.slice(0, MOST_LISTED).map((row) => listed(addresses, row))
    return reply
      .type(TEXT)
      .send(
        developerLlms(
          username,
          developerUrl(addresses, username),
          listings,
          rows.length > MOST_LISTED,
        ),
      )
  },
})

export const listingLlmsRoute = route({
  ...website,
  url: '/:username/:vanity_name/llms.txt',
  summary: 'A listing, for language models',
  params: Type.Object({ username: Type.String(), vanity_name: Type.String() }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, params, reply }) {
    const { uid, parent_username } =
      (await findIndexable(sql, params.username, params.vanity_name)) ?? refuse('NOT_FOUND')
    const page = await readPage(sql, uid, null)
    // Hidden between the two looks.
    if (!page || !isIndexable(page)) refuse('NOT_FOUND')
    return reply.type(TEXT).send(listingLlms(core.addresses, page, parent_username))
  },
})

export const discoveryRoutes = [
  robotsRoute,
  securityRoute,
  humansRoute,
  apiCatalogRoute,
  platformLlmsRoute,
  developerLlmsRoute,
  listingLlmsRoute,
]

import { Type } from 'typebox'
import { anyone, route } from '../../core/http/route.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perIp } from '../../core/security/limits.ts'
import { isIndexable } from '../../listings/listing/visibility.ts'
import { readPage } from '../../listings/page/queries.ts'
import { developerUrl, pageUrl } from '../../listings/page/url.ts'
import { type FeedRow, readFeed } from '../feeds/queries.ts'
import {
  API_CATALOG_TYPE,
  apiCatalog,
  apiCatalogLink,
  developerLlms,
  humans,
  type LinkEntry,
  platformLlms,
  robots,
  securityTxt,
} from './discovery.ts'
import { listingLlms } from './listing-llms.ts'
import { findDeveloper, findIndexable } from './queries.ts'

const TEXT = 'text/plain; charset=utf-8'
const MAX_NEWEST = 20
/** For a developer with more listings, only the newest are included. */
const MAX_DEVELOPER_LISTINGS = 1000

const limits = [perIp(120, { bucket: 'discovery' })]
const file = {
  method: 'GET',
  auth: anyone,
  limits,
  envelope: false,
  produces: 'text/plain',
  cache: 'public, max-age=600',
} as const
// Every host serves these; all others belong to the website.
const everyHost = { ...file, role: 'every' } as const
const website = { ...file, role: 'web' } as const

const robotsRoute = route({
  ...everyHost,
  url: '/robots.txt',
  summary: 'Rules for crawlers',
  handle: ({ core, reply }) => reply.type(TEXT).send(robots(core.addresses)),
})

const securityRoute = route({
  ...everyHost,
  url: '/.well-known/security.txt',
  summary: 'Security contact',
  handle: ({ core, reply }) =>
    reply.type(TEXT).send(securityTxt(core.addresses, core.config, new Date())),
})

const humansRoute = route({
  ...website,
  url: '/humans.txt',
  summary: 'About the people behind this site',
  handle: ({ core, reply }) => reply.type(TEXT).send(humans(core)),
})

const apiCatalogRoute = route({
  ...everyHost,
  url: '/.well-known/api-catalog',
  summary: 'The APIs of this service (RFC 9727)',
  produces: 'application/linkset+json',
  handle: ({ core, reply }) =>
    reply
      .header('link', apiCatalogLink(core.addresses))
      .type(API_CATALOG_TYPE)
      // Sent as bytes, because Fastify adds a charset to text and this type has none.
      .send(Buffer.from(JSON.stringify(apiCatalog(core.addresses)))),
})

/** A listing in a list of links, with the address of its text file. */
const toLink = (
  addresses: Addresses,
  { name, tagline, username, vanity_name }: FeedRow,
): LinkEntry => ({
  name,
  url: `${pageUrl(addresses, { owner_username: username, vanity_name })}/llms.txt`,
  about: tagline,
})

const platformLlmsRoute = route({
  ...website,
  url: '/llms.txt',
  summary: 'An overview of the service for language models',
  async handle({ core, sql, reply }) {
    const rows = await readFeed(sql, 'newest', MAX_NEWEST)
    const newest = rows.map((row) => toLink(core.addresses, row))
    return reply.type(TEXT).send(platformLlms(core, newest))
  },
})

const developerLlmsRoute = route({
  ...website,
  url: '/:username/llms.txt',
  summary: 'The listings of a developer for language models',
  params: Type.Object({ username: Type.String() }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, params, reply }) {
    const { addresses } = core
    const { uid, username } = (await findDeveloper(sql, params.username)) ?? refuse('NOT_FOUND')
    const rows = await readFeed(sql, 'newest', MAX_DEVELOPER_LISTINGS + 1, uid)
    if (!rows.length) refuse('NOT_FOUND')
    const listings = rows.slice(0, MAX_DEVELOPER_LISTINGS).map((row) => toLink(addresses, row))
    const more = rows.length > MAX_DEVELOPER_LISTINGS
    const url = developerUrl(addresses, username)
    return reply.type(TEXT).send(developerLlms(core, { username, url, listings, more }))
  },
})

const listingLlmsRoute = route({
  ...website,
  url: '/:username/:vanity_name/llms.txt',
  summary: 'A listing for language models',
  params: Type.Object({ username: Type.String(), vanity_name: Type.String() }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, params, reply }) {
    const { uid, parent_username } =
      (await findIndexable(sql, params.username, params.vanity_name)) ?? refuse('NOT_FOUND')
    const page = await readPage(sql, uid, null)
    // The listing may have been hidden between the two queries.
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

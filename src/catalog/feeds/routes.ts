import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { anyone, OneOf, route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { overallShared } from '../../core/security/limits.ts'
import { developerUrl } from '../../listings/page/url.ts'
import { findDeveloper } from '../discovery/queries.ts'
import { readParameters, type SearchQuery } from '../search/query/parameters.ts'
import { find } from '../search/search.ts'
import { atom, FEED_LENGTH, type Feed, isCurrent, searchHead } from './atom.ts'
import { type FeedRow, type FeedSort, readFeed, readIndexable } from './queries.ts'

const limits = overallShared(1200, { bucket: 'feeds' })
/** How many search results are read at most to fill a feed. */
const MAX_RESULTS_READ = 2000
const feedRoute = {
  method: 'GET',
  role: 'web',
  auth: anyone,
  limits,
  envelope: false,
  produces: 'application/atom+xml',
} as const

const Sort = OneOf(['newest', 'updated'], {
  default: 'newest',
  description: 'Newest listings first, or last edited listings first',
})

function sendFeed(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  feed: Feed,
) {
  reply.headers({ etag: feed.etag, 'last-modified': feed.updated_at.toUTCString() })
  if (isCurrent(feed, request.headers)) return reply.code(304).send()
  return reply.type('application/atom+xml; charset=utf-8').send(feed.xml)
}

const newFeed = route({
  ...feedRoute,
  url: '/feeds/new.atom',
  summary: 'The newest listings, as an Atom feed',
  async handle({ core, request, reply }) {
    const { addresses, read, settings } = core
    const head = {
      title: `New on ${settings.current.store_name}`,
      self: `${addresses.web_url}/feeds/new.atom`,
      page: `${addresses.web_url}/`,
    }
    return sendFeed(
      { request, reply },
      atom(core, head, await read((sql) => readFeed(sql, 'newest', FEED_LENGTH))),
    )
  },
})

const updatedFeed = route({
  ...feedRoute,
  url: '/feeds/updated.atom',
  summary: 'The last edited listings, as an Atom feed',
  async handle({ core, request, reply }) {
    const { addresses, read, settings } = core
    const head = {
      title: `Updated on ${settings.current.store_name}`,
      self: `${addresses.web_url}/feeds/updated.atom`,
      page: `${addresses.web_url}/`,
    }
    return sendFeed(
      { request, reply },
      atom(core, head, await read((sql) => readFeed(sql, 'updated', FEED_LENGTH))),
    )
  },
})

const developerFeed = route({
  ...feedRoute,
  url: '/:username/feed.atom',
  summary: 'The listings of one developer, as an Atom feed',
  params: Type.Object({ username: Type.String() }),
  query: Type.Object({ sort: Sort }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, params, query, request, reply }) {
    const { addresses, read, settings } = core
    const { uid, username } = (await findDeveloper(sql, params.username)) ?? refuse('NOT_FOUND')
    const rows = await read((replica) => readFeed(replica, query.sort, FEED_LENGTH, uid))
    if (!rows.length) refuse('NOT_FOUND')
    const page = developerUrl(addresses, username)
    const self = `${page}/feed.atom${query.sort === 'newest' ? '' : `?sort=${query.sort}`}`
    const title = `${username} on ${settings.current.store_name}`
    return sendFeed({ request, reply }, atom(core, { title, self, page }, rows))
  },
})

/** Reads more results than a feed has entries, because some may not be indexable. */
async function readSearchFeed(core: Core, query: SearchQuery): Promise<FeedRow[]> {
  const limit = 2 * FEED_LENGTH
  const rows: FeedRow[] = []
  for (let offset = 0; rows.length < FEED_LENGTH && offset < MAX_RESULTS_READ; offset += limit) {
    const { uids } = await find(core, query, false, { offset, limit, facets: [] })
    rows.push(...(await core.read((sql) => readIndexable(sql, uids))))
    if (uids.length < limit) break
  }
  return rows.slice(0, FEED_LENGTH)
}

const searchFeed = route({
  ...feedRoute,
  url: '/feeds/search.atom',
  summary: 'The results of a search as an Atom feed; takes the parameters of the search',
  // Like the search itself, it ignores unknown parameters.
  query: Type.Record(Type.String(), Type.Unknown()),
  errors: ['UNAVAILABLE'],
  async handle({ core, query, request, reply }) {
    const { sort, ...filters } = readParameters(query)
    const order: FeedSort = sort === 'updated' ? 'updated' : 'newest'
    const rows = await readSearchFeed(core, { ...filters, sort: order })
    const head = searchHead(core, filters, order)
    return sendFeed({ request, reply }, atom(core, head, rows))
  },
})

export const feedRoutes = [newFeed, updatedFeed, searchFeed, developerFeed]

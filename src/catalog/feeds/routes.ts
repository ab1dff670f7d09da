import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { anyone, OneOf, route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { overall, perIp } from '../../core/security/limits.ts'
import { developerUrl } from '../../listings/page/url.ts'
import { findDeveloper } from '../discovery/queries.ts'
import { readParameters, type SearchQuery } from '../search/query/parameters.ts'
import { find } from '../search/search.ts'
import { atom, FEED_LENGTH, type Feed, isCurrent, searchHead } from './atom.ts'
import { type FeedRow, type FeedSort, readFound, readNews } from './queries.ts'

const limits = [perIp(120, { bucket: 'feeds' }), overall(1200, { bucket: 'feeds' })]
const LOOKED_AT = 2000
const feed = {
  method: 'GET',
  role: 'web',
  auth: anyone,
  limits,
  envelope: false,
  produces: 'application/atom+xml',
} as const

export const Sort = OneOf(['newest', 'updated'], {
  default: 'newest',
  description: 'What comes first: what is new, or what was edited',
})

export function sendFeed(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  made: Feed,
) {
  reply.headers({ etag: made.etag, 'last-modified': made.updated_at.toUTCString() })
  if (isCurrent(made, request.headers)) return reply.code(304).send()
  return reply.type('application/atom+xml; charset=utf-8').send(made.xml)
}

export const newFeed = route({
  ...feed,
  url: '/feeds/new.atom',
  summary: 'The newest listings, as an Atom feed',
  async handle({ core: { addresses, read }, request, reply }) {
    const head = {
      title: 'New on Slipway',
      self: `${addresses.web_url}/feeds/new.atom`,
      page: `${addresses.web_url}/`,
    }
    return sendFeed(
      { request, reply },
      atom(addresses, head, await read((sql) => readNews(sql, 'newest', FEED_LENGTH))),
    )
  },
})

export const updatedFeed = route({
  ...feed,
  url: '/feeds/updated.atom',
  summary: 'The last edited listings, as an Atom feed',
  async handle({ core: { addresses, read }, request, reply }) {
    const head = {
      title: 'Updated on Slipway',
      self: `${addresses.web_url}/feeds/updated.atom`,
      page: `${addresses.web_url}/`,
    }
    return sendFeed(
      { request, reply },
      atom(addresses, head, await read((sql) => readNews(sql, 'updated', FEED_LENGTH))),
    )
  },
})

export const developerFeed = route({
  ...feed,
  url: '/:username/feed.atom',
  summary: 'The listings of one developer, as an Atom feed',
  params: Type.Object({ username: Type.String() }),
  query: Type.Object({ sort: Sort }),
  errors: ['NOT_FOUND'],
  async handle({ core: { addresses, read }, sql, params, query, request, reply }) {
    const { uid, username } = (await findDeveloper(sql, params.username)) ?? refuse('NOT_FOUND')
    const rows = await read((one) => readNews(one, query.sort, FEED_LENGTH, uid))
    if (!rows.length) refuse('NOT_FOUND')
    const page = developerUrl(addresses, username)
    const self = `${page}/feed.atom${query.sort === 'newest' ? '' : `?sort=${query.sort}`}`
    return sendFeed(
      { request, reply },
      atom(addresses, { title: `${username} on Slipway`, self, page }, rows),
    )
  },
})

/** Some of what is found may not be read by machines, so it is looked further than a feed is long. */
async function readSome(core: Core, asked: SearchQuery): Promise<FeedRow[]> {
  const limit = 2 * FEED_LENGTH
  const rows: FeedRow[] = []
  for (let offset = 0; rows.length < FEED_LENGTH && offset < LOOKED_AT; offset += limit) {
    const { uids } = await find(core, asked, false, { offset, limit, facets: [] })
    rows.push(...(await core.read((sql) => readFound(sql, uids))))
    if (uids.length < limit) break
  }
  return rows.slice(0, FEED_LENGTH)
}

export const searchFeed = route({
  ...feed,
  url: '/feeds/search.atom',
  summary:
    'What a search finds, newest first, as an Atom feed; it takes the parameters of the search',
  // As the search itself: what is not known is ignored.
  query: Type.Record(Type.String(), Type.Unknown()),
  errors: ['UNAVAILABLE'],
  async handle({ core, query, request, reply }) {
    const { sort, ...asked } = readParameters(query)
    const order: FeedSort = sort === 'updated' ? 'updated' : 'newest'
    const rows = await readSome(core, { ...asked, sort: order })
    return sendFeed(
      { request, reply },
      atom(core.addresses, searchHead(core.addresses, asked, order), rows),
    )
  },
})

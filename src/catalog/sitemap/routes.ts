import { Type } from 'typebox'
import { optionalToken } from '../../accounts/sessions/schemes.ts'
import { anyone, Nullable, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { overallShared } from '../../core/security/limits.ts'
import { findDeveloper } from '../discovery/queries.ts'
import { streamText } from '../stream-response.ts'
import {
  fitsOneFile,
  pagesFile,
  SECTION_SIZE,
  sectionSpan,
  sitemapIndex,
  sitemapJson,
  urlset,
} from './sitemap.ts'

const limits = overallShared(120, { bucket: 'sitemap' })
const cache = 'public, max-age=600'
const XML = 'application/xml; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'

export const Cursor = Type.String({
  pattern: '^[0-9]{1,15}$',
  description: 'The cursor of an earlier response, to continue after it',
})

const sitemapJsonRoute = route({
  method: 'GET',
  url: '/api/v1/public/sitemap',
  summary: 'List indexable listings and their developers, up to 50,000 listings per page',
  auth: optionalToken,
  limits,
  cache,
  query: Type.Object({ cursor: Type.Optional(Cursor) }),
  data: Type.Object({
    listings: Type.Array(
      Type.Object({
        uid: Uid,
        vanity_name: Type.String(),
        developer: Type.String(),
        url: Type.String(),
        press_url: Type.String(),
        updated_at: Timestamp,
      }),
    ),
    developers: Type.Array(
      Type.Object({ username: Type.String(), url: Type.String(), updated_at: Timestamp }),
    ),
    next_cursor: Nullable(Type.String()),
  }),
  handle: (input) =>
    streamText(input, JSON_TYPE, sitemapJson(input.core, Number(input.query.cursor ?? 0))) as never,
})

const xml = {
  method: 'GET',
  role: 'web',
  auth: anyone,
  limits,
  cache,
  envelope: false,
  produces: 'application/xml',
} as const

const sitemapXml = route({
  ...xml,
  url: '/sitemap.xml',
  summary: 'The sitemap for search engines, or the index of its files in a large catalog',
  async handle(input) {
    const { core, reply } = input
    if (!(await fitsOneFile(core))) return reply.type(XML).send(await sitemapIndex(core))
    return streamText(input, XML, urlset(core, { after: 0, up_to: SECTION_SIZE }, { pages: true }))
  },
})

const sitemapSection = route({
  ...xml,
  url: '/sitemaps/:file',
  summary: 'One file of a large sitemap',
  params: Type.Object({ file: Type.String() }),
  errors: ['NOT_FOUND'],
  async handle(input) {
    const { core, params, reply } = input
    if (params.file === 'pages.xml') return reply.type(XML).send(pagesFile(core))
    const section = Number(/^([1-9]\d{0,7})\.xml$/.exec(params.file)?.[1] ?? refuse('NOT_FOUND'))
    return streamText(input, XML, unlessEmpty(urlset(core, sectionSpan(section), {})))
  },
})

const developerSitemap = route({
  ...xml,
  url: '/:username/sitemap.xml',
  summary: 'The sitemap of one developer',
  params: Type.Object({ username: Type.String() }),
  errors: ['NOT_FOUND'],
  async handle(input) {
    const { core, sql, params } = input
    const { uid: owner_uid } = (await findDeveloper(sql, params.username)) ?? refuse('NOT_FOUND')
    // Each listing has a page and a press page.
    const options = { press: true, max_listings: SECTION_SIZE - 1 }
    const span = { after: 0, up_to: null, owner_uid }
    return streamText(input, XML, unlessEmpty(urlset(core, span, options)))
  },
})

/** An empty file is reported as missing. */
async function* unlessEmpty(chunks: AsyncGenerator<string>): AsyncGenerator<string> {
  const first = await chunks.next()
  if (first.done) refuse('NOT_FOUND')
  yield first.value
  yield* chunks
}

export const sitemapRoutes = [sitemapJsonRoute, sitemapXml, sitemapSection, developerSitemap]

import { Type } from 'typebox'
import { etagMatches, FILE_POLICY } from '../../core/http/file-headers.ts'
import { anyone, route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perIp } from '../../core/security/limits.ts'
import { imagePath } from '../media/url.ts'
import { readContents } from './queries.ts'
import { ENCODER, parseName, renditionPath } from './rendition-rules.ts'
import { findNearest, openRendition } from './store.ts'

/** For answers that are replaced once the rendition is made. */
const SHORT_CACHE = 'public, max-age=10'

/** Serves a rendition to anyone who knows its name, exactly while the original is served. */
export const serveRendition = route({
  method: 'GET',
  url: '/media/renditions/:name',
  summary: 'Read an image of a listing or profile in a size and format for pages',
  role: 'web',
  auth: anyone,
  // A page shows up to 100 images, and many visitors may share an address.
  limits: [perIp(6000, { bucket: 'image renditions' })],
  params: Type.Object({ name: Type.String() }),
  envelope: false,
  produces: 'image/*',
  described: {
    answers: { 302: { description: 'Not made yet: another rendition, or the original' } },
  },
  cache: 'public, max-age=31536000, immutable',
  errors: ['NOT_FOUND'],
  async handle({ core, sql, params, request, reply }) {
    const rendition = parseName(params.name) ?? refuse('NOT_FOUND')
    const [content] = await readContents(sql, [rendition.sha256])
    if (!content || rendition.width > content.width) return refuse('NOT_FOUND')
    const is_current = rendition.encoder === ENCODER
    const etag = `"${params.name}"`
    if (is_current && etagMatches(request.headers['if-none-match'], etag))
      return reply.header('etag', etag).code(304).send()
    const decodable = content.preview?.decodable !== false
    const object = decodable ? await openRendition(core, rendition) : null
    if (object)
      return reply
        .headers({
          'content-type': `image/${rendition.format}`,
          'content-length': object.size,
          'content-security-policy': FILE_POLICY,
          ...(is_current ? { etag } : { 'cache-control': SHORT_CACHE }),
        })
        .send(object.stream)
    const nearest = decodable ? await findNearest(core, rendition) : undefined
    return reply
      .header('cache-control', SHORT_CACHE)
      .redirect(nearest ? renditionPath(nearest) : imagePath(content), 302)
  },
})

import { Type } from 'typebox'
import { etagMatches, FILE_POLICY } from '../../core/http/file-headers.ts'
import { anyone, route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perIp } from '../../core/security/limits.ts'
import { findContent } from '../../listings/media/queries.ts'
import { makeRendition, readName, renditionKey, renditions } from './renditions.ts'

/** Public for anyone who knows the name, like the original images. */
export const editorImage = route({
  method: 'GET',
  url: '/media/editor/:name',
  summary: 'Read an image of a listing in a size and format for editors',
  role: 'web',
  auth: anyone,
  // A page of packages shows up to 500 icons.
  limits: [perIp(3000, { bucket: 'editor images' })],
  params: Type.Object({ name: Type.String() }),
  envelope: false,
  produces: 'image/*',
  cors: true,
  cache: 'public, max-age=31536000, immutable',
  errors: ['NOT_FOUND'],
  async handle({ core, sql, params, request, reply }) {
    const { sha256, kind } = readName(params.name) ?? refuse('NOT_FOUND')
    if (!(await findContent(sql, sha256))) refuse('NOT_FOUND')
    const etag = `"${params.name}"`
    reply.headers({ etag, 'content-security-policy': FILE_POLICY })
    if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send()
    const stored = await core.storage.get(renditionKey(sha256, kind))
    const bytes = stored
      ? undefined
      : ((await makeRendition(core, sha256, kind)) ?? refuse('NOT_FOUND'))
    reply.headers({
      'content-type': `image/${renditions[kind].type}`,
      'content-length': stored?.size ?? bytes!.length,
    })
    return reply.send(stored?.stream ?? bytes)
  },
})

import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import type { Identity } from '../../../accounts/sessions/identity.ts'
import { etagMatches, FILE_POLICY } from '../../../core/http/file-headers.ts'
import { route } from '../../../core/http/route.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { isUuid } from '../../../core/security/crypto.ts'
import { perIp } from '../../../core/security/limits.ts'
import { sendObject } from '../../../core/storage/send-object.ts'
import { openPage } from '../../../listings/page/page.ts'
import { findCaptions, findVideo } from '../../../listings/trailers/queries.ts'
import { videoEndings } from '../../../listings/trailers/trailer-rules.ts'
import { videoKey } from '../../../listings/trailers/url.ts'
import { visitor } from '../../visitor.ts'
import { isGated } from '../listing/adult-gate.ts'

/** Files of trailers open for those for whom the page of the listing opens. */
async function checkVisitor(core: Core, who: Identity | null, game_uid: string): Promise<void> {
  const state = await openPage(core, who, game_uid)
  if (isGated(who, state)) refuse('NOT_FOUND')
}

// A player reads a video in many ranges, and many visitors may share an address.
const limits = [perIp(6000, { bucket: 'trailers' })]
const common = {
  method: 'GET',
  role: 'web',
  auth: visitor,
  hidden: true,
  envelope: false,
} as const
const NO_SCRIPTS = { 'content-security-policy': FILE_POLICY }

/** The address of a video changes with its content. */
export const serveVideo = route({
  ...common,
  limits,
  url: '/media/trailers/:trailer/:name',
  summary: 'Read the video of a trailer, or a range of it',
  params: Type.Object({ trailer: Type.String(), name: Type.String() }),
  produces: 'video/*',
  cache: 'private, max-age=86400',
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
  async handle({ core, sql, who, params, request, reply }) {
    const video = isUuid(params.trailer) ? await findVideo(sql, params.trailer) : undefined
    if (video?.scan !== 'clean') return refuse('NOT_FOUND')
    if (params.name !== `${video.object_uid}.${videoEndings[video.type]}`) refuse('NOT_FOUND')
    await checkVisitor(core, who, video.game_uid)
    const { type, size, sha256: checksum } = video
    const key = videoKey(video)
    return sendObject(core.storage, request, reply.headers(NO_SCRIPTS), {
      key,
      size,
      type,
      checksum,
    }) as never
  },
})

export const serveCaptions = route({
  ...common,
  limits,
  url: '/media/trailers/:trailer/captions/:name',
  summary: 'Read the captions of a trailer',
  params: Type.Object({ trailer: Type.String(), name: Type.String() }),
  produces: 'text/vtt',
  cache: 'private, no-cache',
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params, request, reply }) {
    const language = /^([\w-]+)\.vtt$/.exec(params.name)?.[1]
    if (!language || !isUuid(params.trailer)) return refuse('NOT_FOUND')
    const captions = (await findCaptions(sql, params.trailer, language)) ?? refuse('NOT_FOUND')
    await checkVisitor(core, who, captions.game_uid)
    const etag = `"${createHash('sha256').update(captions.content).digest('hex')}"`
    reply.headers({ ...NO_SCRIPTS, etag })
    if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send() as never
    return reply.type('text/vtt; charset=utf-8').send(captions.content) as never
  },
})

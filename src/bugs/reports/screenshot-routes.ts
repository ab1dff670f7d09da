import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { developer } from '../../accounts/sessions/schemes.ts'
import { anyone, route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { screenshotKey, screenshotPath } from '../deliveries/payload.ts'
import { checkPath, readSigningKey } from '../deliveries/signing.ts'
import { type ScreenshotType, screenshotEndings } from './image-header.ts'
import { findScreenshot } from './queries.ts'

type Shot = { uid: string; game_uid: string; type: ScreenshotType; size: number }

/** A stranger's bytes, shown as the image they were found to be and as nothing else. */
async function send(core: Core, reply: FastifyReply, shot: Shot) {
  const object = (await core.storage.get(screenshotKey(shot))) ?? refuse('NOT_FOUND')
  const disposition = `inline; filename="bug-${shot.uid}.${screenshotEndings[shot.type]}"`
  reply.headers({
    'content-disposition': disposition,
    'content-security-policy': "default-src 'none'; sandbox",
  })
  return reply
    .headers({ 'content-type': shot.type, 'content-length': object.size })
    .send(object.stream)
}

export const serveBugScreenshot = route({
  method: 'GET',
  url: '/media/bugs/:game_uid/:bug_uid/:name',
  summary: 'A screenshot, by the signed link of a webhook',
  auth: anyone,
  params: Type.Object({ game_uid: Type.String(), bug_uid: Type.String(), name: Type.String() }),
  query: Type.Object({
    Expires: Type.String({ default: '' }),
    Signature: Type.String({ default: '' }),
  }),
  envelope: false,
  produces: 'image/*',
  cache: 'private, no-store',
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handle({ core, sql, params: { game_uid, bug_uid: uid, name }, query, reply }) {
    if (!isUuid(game_uid) || !isUuid(uid)) refuse('NOT_FOUND')
    const key = (await readSigningKey(core, sql, game_uid)) ?? refuse('NOT_FOUND')
    const verdict = checkPath(key, `/media/bugs/${game_uid}/${uid}/${name}`, query, new Date())
    if (verdict === 'over')
      refuse('FORBIDDEN', undefined, 'This link has expired; open the ticket to see the screenshot')
    const found = verdict === 'good' && (await findScreenshot(sql, game_uid, uid))
    if (
      !found ||
      screenshotPath({ uid, game_uid }, found.type) !== `/media/bugs/${game_uid}/${uid}/${name}`
    )
      refuse('NOT_FOUND')
    return send(core, reply, { uid, game_uid, ...found })
  },
})

export const readBugScreenshot = route({
  browser_errors: true,
  method: 'GET',
  url: '/api/v1/private/games/:uid/bugs/:bug_uid/screenshot',
  summary: 'The screenshot of a bug ticket',
  auth: developer('mcp:bugs.read'),
  params: Type.Object({ uid: Type.String(), bug_uid: Type.String() }),
  envelope: false,
  produces: 'image/*',
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params, reply }) {
    const { uid: game_uid } = await findForEditor(sql, who, params.uid)
    const found =
      (isUuid(params.bug_uid) && (await findScreenshot(sql, game_uid, params.bug_uid))) ||
      refuse('NOT_FOUND')
    return send(core, reply, { uid: params.bug_uid, game_uid, ...found })
  },
})

import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { developer } from '../../accounts/sessions/schemes.ts'
import { FILE_POLICY } from '../../core/http/file-headers.ts'
import { anyone, route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { readSigningKey, verifyPath } from '../deliveries/signing.ts'
import { type ScreenshotType, screenshotEndings } from './image-header.ts'
import { findScreenshot } from './queries.ts'
import { screenshotKey, screenshotPath } from './screenshots.ts'

type StoredScreenshot = { uid: string; game_uid: string; type: ScreenshotType; size: number }

/** Untrusted bytes: browsers must treat them as this image type and as nothing else. */
async function sendScreenshot(core: Core, reply: FastifyReply, screenshot: StoredScreenshot) {
  const { uid, type } = screenshot
  const object = (await core.storage.get(screenshotKey(screenshot))) ?? refuse('NOT_FOUND')
  const disposition = `inline; filename="bug-${uid}.${screenshotEndings[type]}"`
  reply.headers({
    'content-disposition': disposition,
    'content-security-policy': FILE_POLICY,
  })
  return reply.headers({ 'content-type': type, 'content-length': object.size }).send(object.stream)
}

const serveBugScreenshot = route({
  method: 'GET',
  url: '/media/bugs/:game_uid/:bug_uid/:name',
  summary: 'Download a screenshot by the signed link of a webhook',
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
    const path = `/media/bugs/${game_uid}/${uid}/${name}`
    const link_state = verifyPath(key, path, query, new Date())
    if (link_state === 'expired')
      refuse('FORBIDDEN', undefined, 'This link has expired; open the ticket to see the screenshot')
    const screenshot = link_state === 'valid' && (await findScreenshot(sql, game_uid, uid))
    if (!screenshot || screenshotPath({ uid, game_uid }, screenshot.type) !== path)
      refuse('NOT_FOUND')
    return sendScreenshot(core, reply, { uid, game_uid, ...screenshot })
  },
})

export const readBugScreenshot = route({
  browser_errors: true,
  method: 'GET',
  url: '/api/v1/private/games/:uid/bugs/:bug_uid/screenshot',
  summary: 'Download the screenshot of a bug ticket',
  auth: developer('mcp:bugs.read'),
  params: Type.Object({ uid: Type.String(), bug_uid: Type.String() }),
  envelope: false,
  produces: 'image/*',
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params, reply }) {
    const { uid: game_uid } = await findForEditor(sql, who, params.uid)
    const screenshot =
      (isUuid(params.bug_uid) && (await findScreenshot(sql, game_uid, params.bug_uid))) ||
      refuse('NOT_FOUND')
    return sendScreenshot(core, reply, { uid: params.bug_uid, game_uid, ...screenshot })
  },
})

export const bugScreenshotRoutes = [readBugScreenshot, serveBugScreenshot]

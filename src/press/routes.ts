import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { developer, viewer } from '../accounts/sessions/schemes.ts'
import { STALLED_READER_MS } from '../core/http/connections.ts'
import { route } from '../core/http/route.ts'
import { overall, perIp } from '../core/security/limits.ts'
import { isIndexable } from '../listings/listing/visibility.ts'
import {
  factsheet,
  openPressPage,
  type PressPage,
  pressZipFiles,
  readPressKit,
  savePressKit,
} from './kit.ts'
import { FactsheetData, KitData } from './schema.ts'
import { sendZip, zipSize } from './zip.ts'

const globalLimit = overall(600, { bucket: 'press' })

export const readPressKitRoute = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/press',
  summary: 'Read the press kit of your listing',
  auth: developer('mcp:read', 'mcp:catalog.write'),
  params: Type.Object({ uid: Type.String() }),
  data: KitData,
  errors: ['NOT_FOUND'],
  handle: ({ core, who, params }) => readPressKit(core, who, params.uid),
})

export const savePressKitRoute = route({
  method: 'PUT',
  url: '/api/v1/private/games/:uid/press',
  summary: 'Replace the press kit; missing fields are cleared',
  auth: developer('mcp:catalog.write'),
  params: Type.Object({ uid: Type.String() }),
  // The rules check every field, so that each error is 4235 and names its field.
  body: Type.Object({}, { additionalProperties: true }),
  data: KitData,
  errors: ['NOT_FOUND', 'INVALID_PRESS_KIT', 'LISTING_CHECK_FAILED'],
  handle: ({ core, who, params, body }) => savePressKit(core, who, params.uid, body),
})

export const readPress = route({
  method: 'GET',
  url: '/api/v1/public/games/:game_id/press',
  summary: 'Read the press factsheet of a listing',
  auth: viewer,
  limits: [globalLimit],
  params: Type.Object({ game_id: Type.String() }),
  data: FactsheetData,
  errors: ['NOT_FOUND', 'UNAVAILABLE'],
  async handle({ core, who, params, reply }) {
    const page = await openPressPage(core, who, params.game_id)
    setRobotsHeader(reply, page)
    return factsheet(core.addresses, page)
  },
})

export const readPressZip = route({
  browser_errors: true,
  method: 'GET',
  url: '/api/v1/public/games/:game_id/press.zip',
  summary: 'Download the press factsheet and images of a listing as a zip',
  auth: viewer,
  limits: [perIp(30, { bucket: 'press-zip' }), globalLimit],
  params: Type.Object({ game_id: Type.String() }),
  envelope: false,
  produces: 'application/zip',
  errors: ['NOT_FOUND', 'UNAVAILABLE'],
  async handle({ core, who, params, request, reply }) {
    const page = await openPressPage(core, who, params.game_id)
    setRobotsHeader(reply, page)
    const files = pressZipFiles(core, page)
    // A vanity name contains only lowercase letters, digits and hyphens, so it needs no quoting.
    reply.header(
      'content-disposition',
      `attachment; filename="${page.listing.vanity_name}-press.zip"`,
    )
    const response = startResponse(
      reply.type('application/zip').header('content-length', zipSize(files)),
    )
    if (request.method === 'HEAD') return response.end()
    await sendZip(response, files, page.listing.updated_at).catch((error) =>
      core.log.error({ err: error, game_uid: page.listing.uid }, 'press zip aborted'),
    )
  },
})

/**
 * Writes the response without the framework, which would keep every streamed body in memory until
 * the next garbage collection.
 */
function startResponse(reply: FastifyReply): ServerResponse {
  reply.hijack()
  reply.raw.setTimeout(STALLED_READER_MS)
  return reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders)
}

const setRobotsHeader = (reply: FastifyReply, { listing }: PressPage) => {
  if (!isIndexable(listing)) reply.header('x-robots-tag', 'noindex')
}

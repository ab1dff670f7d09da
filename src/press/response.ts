import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { STALLED_READER_MS } from '../core/http/connections.ts'
import type { Core } from '../core/runtime/core.ts'
import { overallShared, perIp } from '../core/security/limits.ts'
import { isIndexable } from '../listings/listing/visibility.ts'
import { type PressPage, pressZipFiles } from './kit.ts'
import { sendZip, zipSize } from './zip.ts'

export const pressLimits = overallShared(600, { bucket: 'press' })
/** The limits of the zip, whether it is requested from the API or from the press page. */
export const pressZipLimits = [perIp(30, { bucket: 'press-zip' }), ...pressLimits]

type ZipRequest = { core: Core; request: FastifyRequest; reply: FastifyReply }

/** Sends the press zip of a page that the caller may see. */
export async function sendPressZip(
  { core, request, reply }: ZipRequest,
  page: PressPage,
): Promise<void> {
  setRobotsHeader(reply, page)
  const files = pressZipFiles(core, page)
  // A vanity name contains only lowercase letters, digits and hyphens, so it needs no quoting.
  const filename = `${page.listing.vanity_name}-press.zip`
  reply.header('content-disposition', `attachment; filename="${filename}"`)
  const response = startResponse(
    reply.type('application/zip').header('content-length', zipSize(files)),
  )
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  await sendZip(response, files, page.listing.updated_at).catch((error) =>
    core.log.error({ id: request.id, err: error, game_uid: page.listing.uid }, 'press zip aborted'),
  )
}

/**
 * Writes the response without the framework, which would keep every streamed body in memory until
 * the next garbage collection.
 */
function startResponse(reply: FastifyReply): ServerResponse {
  reply.hijack()
  reply.raw.setTimeout(STALLED_READER_MS)
  return reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders)
}

export const setRobotsHeader = (reply: FastifyReply, { listing }: PressPage) => {
  if (!isIndexable(listing)) reply.header('x-robots-tag', 'noindex')
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { limitQueries } from '../core/database/timeouts.ts'
import { isDatabaseUnavailable } from '../core/database/unavailable.ts'
import { requestId } from '../core/http/admission.ts'
import type { Core } from '../core/runtime/core.ts'
import { observeRequest } from '../core/runtime/request-durations.ts'
import { isStorageUnavailable } from '../core/storage/storage.ts'
import { findPlayable } from './access.ts'
import { readAddress } from './address.ts'
import { openPath } from './choose-build.ts'
import { entryTable, findEntry } from './entries.ts'
import { mediaTypeOf } from './media-types.ts'
import { playOrigins } from './origin.ts'
import { headersOf } from './policy.ts'
import { isDamage, reportDamage } from './report-damage.ts'
import { sendEntry } from './send-entry.ts'
import { playCookie, readPlayCookie, readStartLink } from './start-link.ts'

const ROUTE = 'play'
const RETRY_SECONDS = 5
/** The headers of answers that are no file. They are shown in the frame that the game would be in. */
const NO_FILE = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors *",
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'no-store',
}
const PLAIN = {
  ...NO_FILE,
  'content-type': 'text/plain; charset=utf-8',
  'cross-origin-embedder-policy': 'require-corp',
}

/**
 * Serves the origins of games. They have none of our routes, so that nothing of the store can be
 * called there with anything a browser keeps for it; requests for other hosts are not handled.
 */
export function servePlay(core: Core, request: IncomingMessage, response: ServerResponse): boolean {
  const { play_url } = core.addresses
  const { host } = request.headers
  if (!play_url || !playOrigins(play_url).includes(host)) return false
  const began = performance.now()
  response.once('close', () =>
    observeRequest(
      request.method ?? '',
      ROUTE,
      response.statusCode,
      (performance.now() - began) / 1000,
    ),
  )
  if (core.checks.stopping) response.shouldKeepAlive = false
  const timeout_ms = core.config.database_timeout * 1000
  const game_uid = playOrigins(play_url).gameOf(host)
  limitQueries(() => answer(core, game_uid, request, response), timeout_ms).catch((error) =>
    answerFailure({ core, request, response }, error),
  )
  return true
}

async function answer(
  core: Core,
  game_uid: string | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return plain(response, 405, 'Files of a game are only read', { allow: 'GET, HEAD' })
  const address = readAddress(request.url ?? '/')
  if (!game_uid || !address) return missing(response)
  if (address.kind === 'game') {
    const path = await openPath(core, game_uid)
    return path ? redirect(response, path) : missing(response)
  }
  const { file_uid } = address
  const { addresses } = core
  const is_https = addresses.play_url!.startsWith('https:')
  const now = new Date()
  const ticket =
    address.kind === 'start'
      ? readStartLink(core, file_uid, address.query, now)
      : readPlayCookie(core, file_uid, request.headers.cookie, is_https, now)
  if (address.kind === 'start' && !ticket) return missing(response)
  const build = await findPlayable(core, game_uid, file_uid, ticket ?? null)
  if (!build) return missing(response)
  if (address.kind !== 'file')
    return redirect(
      response,
      `/${file_uid}/`,
      address.kind === 'start' && ticket ? playCookie(core, ticket, is_https) : undefined,
    )
  try {
    const table = await entryTable(core, build)
    const entry = findEntry(table, address.path)
    if (!entry) return missing(response)
    const media = mediaTypeOf(entry.path)
    const headers = headersOf(build, media, addresses)
    await sendEntry({ core, request, response, table, entry, media, headers })
  } catch (error) {
    if (isDamage(error)) reportDamage(core, build)
    throw error
  }
}

function redirect(response: ServerResponse, location: string, cookie?: string) {
  response.writeHead(302, { ...NO_FILE, location, ...(cookie && { 'set-cookie': cookie }) }).end()
}

function plain(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { ...PLAIN, ...headers }).end(`${text}\n`)
}

/** The same for what does not exist and for what the caller may not play. */
const missing = (response: ServerResponse) => plain(response, 404, 'There is nothing here')

type PlayRequest = { core: Core; request: IncomingMessage; response: ServerResponse }

function answerFailure({ core, request, response }: PlayRequest, error: Error & { code?: string }) {
  const id = requestId(request.headers['x-request-id'])
  const entry = { id, error: error.message }
  const is_unavailable = isDatabaseUnavailable(error) || isStorageUnavailable(error)
  const is_damaged = isDamage(error)
  if (is_damaged) core.log.error(entry, 'a stored build is damaged; it was not served')
  else if (!response.destroyed && !is_unavailable)
    core.log.error(entry, 'a file of a game could not be served')
  // After the head, only a broken connection tells the client that the file is not whole.
  if (response.headersSent || is_damaged) return void response.destroy()
  const headers = { 'x-request-id': id }
  if (is_unavailable)
    return plain(response, 503, 'Try again in a moment', {
      ...headers,
      'retry-after': String(RETRY_SECONDS),
    })
  plain(response, 500, 'This file cannot be served', headers)
}

import type { FastifyRequest } from 'fastify'
import { isInnerCall } from '../../core/http/call.ts'
import type { Core } from '../../core/runtime/core.ts'
import { isUuid } from '../../core/security/crypto.ts'
import type { Identity } from '../sessions/identity.ts'
import { type Call, insertCall } from './call-log-queries.ts'

/** Path parameters that name a listing. */
const listingParams = ['uid', 'game_id', 'game_uid']

/**
 * Logs every request with a key or token before it is answered, including refused ones. Requests of
 * people on the website are not logged.
 */
export async function logRequest(
  core: Core,
  request: FastifyRequest,
  status: number,
  text: unknown,
): Promise<void> {
  const who = request.who as Identity | null | undefined
  if (!who || who.kind === 'session' || isInnerCall()) return
  await logCall(core, who, {
    tool: null,
    game_uid: await listingOf(core, request),
    method: request.method,
    path: request.routeOptions.url ?? '',
    status,
    code: status === 202 || status >= 400 ? errorCode(text) : null,
  })
}

/** A call that cannot be logged still succeeds: it has already happened. */
export async function logCall(core: Core, who: Identity, call: Call): Promise<void> {
  await insertCall(core.sql, who, call).catch((error) =>
    core.log.error(
      { error: error.message, user_uid: who.user_uid, credential_uid: who.credential_uid, ...call },
      'a call of a key could not be recorded in the call log',
    ),
  )
}

async function listingOf(
  core: Core,
  { params, routeOptions }: FastifyRequest,
): Promise<string | null> {
  if (!routeOptions.url?.startsWith('/api/v1/private/games/')) return null
  const values = params as Record<string, string>
  const listing = listingParams.map((name) => values[name]).find(Boolean)
  return listing ? resolveListing(core, listing) : null
}

export async function resolveListing(core: Core, uid_or_name: string): Promise<string | null> {
  const uid = await core.gameUid(uid_or_name).catch(() => '')
  return isUuid(uid) ? uid : null
}

function errorCode(text: unknown): number | null {
  try {
    const { error } = JSON.parse(String(text))
    // A JSON-RPC error has a code of its own and the code of the service in its data.
    return error?.data?.code ?? error?.code ?? null
  } catch {
    return null
  }
}

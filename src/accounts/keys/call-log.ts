import type { FastifyRequest } from 'fastify'
import { isInnerCall } from '../../core/http/call.ts'
import type { Core } from '../../core/runtime/core.ts'
import { isUuid } from '../../core/security/crypto.ts'
import type { Identity } from '../sessions/identity.ts'
import { type Call, insertCall } from './call-log-queries.ts'

/** How long it can be asked what a key or a token did. */
export const CALL_DAYS = 90
const gameParams = ['uid', 'game_id', 'game_uid']

/** Every call by key or token is written down before it is answered, refused ones too; people on the website are not. */
export async function recordCall(
  core: Core,
  request: FastifyRequest,
  status: number,
  text: unknown,
): Promise<void> {
  const who = request.who as Identity | null | undefined
  if (!who || who.kind === 'session' || isInnerCall()) return
  const code = status === 202 || status >= 400 ? codeOf(text) : null
  const { method } = request
  await keepCall(core, who, {
    tool: null,
    game_uid: await gameOf(core, request),
    method,
    path: request.routeOptions.url ?? '',
    status,
    code,
  })
}

/** What was done cannot be taken back because it could not be written down; then the log of the process says it. */
export async function keepCall(core: Core, who: Identity, call: Call): Promise<void> {
  await insertCall(core.sql, who, call).catch((error) =>
    core.log.error(
      { error: error.message, user_uid: who.user_uid, credential_uid: who.credential_uid, ...call },
      'a call was not kept',
    ),
  )
}

async function gameOf(
  core: Core,
  { params, routeOptions }: FastifyRequest,
): Promise<string | null> {
  if (!routeOptions.url?.startsWith('/api/v1/private/games/')) return null
  const given = params as Record<string, string>
  const named = gameParams.map((name) => given[name]).find(Boolean)
  return named ? knownGame(core, named) : null
}

export async function knownGame(core: Core, uid_or_name: string): Promise<string | null> {
  const uid = await core.gameUid(uid_or_name).catch(() => '')
  return isUuid(uid) ? uid : null
}

function codeOf(text: unknown): number | null {
  try {
    return JSON.parse(String(text)).error?.code ?? null
  } catch {
    return null
  }
}

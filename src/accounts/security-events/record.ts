import type { FastifyRequest } from 'fastify'
import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { networkOf } from '../../core/security/client-address.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { browserName, systemName } from '../devices/user-agent.ts'
import type { EventActor, EventKind } from './kinds.ts'
import { insertEvent } from './queries.ts'

/** The request that caused an event, or the command or job without one. */
export type EventSource = {
  core: Pick<Core, 'log'>
  request?: FastifyRequest
  actor?: 'command_line' | 'service'
}
/** As the input of a handler. */
export type RequestSource = { core: Core; request: FastifyRequest }

export type SecurityEvent = {
  kind: EventKind
  /** The account that it concerns; by default who did it. Null for an unknown name. */
  user_uid?: string | null
  game_uid?: string | null
  /** Who did it, where the request has no credential yet, as while signing in. */
  actor_uid?: string
  /** Never contains a secret or a name. */
  detail?: Record<string, string | number | boolean>
}

/**
 * Records what happened to the security of an account or a listing, in the transaction of the
 * change, and writes one line to the log. If the transaction fails afterwards, the line stays.
 */
export async function recordSecurityEvent(
  sql: Sql | Tx,
  source: EventSource,
  { kind, game_uid = null, detail = {}, ...event }: SecurityEvent,
): Promise<void> {
  const who = actorOf(source)
  const actor_uid = event.actor_uid ?? who.user_uid
  const row = {
    uid: uuidv7(),
    kind,
    user_uid: event.user_uid === undefined ? actor_uid : event.user_uid,
    game_uid,
    actor_uid,
    actor: who.actor,
    ...originOf(source.request),
  }
  await insertEvent(sql, row, detail)
  source.core.log.info({ ...row, detail }, 'security event')
}

type Caller = { user_uid: string | null; actor: EventActor }

function actorOf({ request, actor = 'command_line' }: EventSource): Caller {
  if (!request) return { user_uid: null, actor }
  const who = request.who as { user_uid?: string; kind?: EventActor } | null
  return { user_uid: who?.user_uid ?? null, actor: who?.kind ?? 'visitor' }
}

/** Where a request came from, without its address. */
function originOf(request: FastifyRequest | undefined) {
  if (!request) return { network: null, browser: null, system: null, request_id: null }
  const user_agent = request.headers['user-agent'] ?? ''
  return {
    network: networkOf(request.ip_address),
    browser: browserName(user_agent),
    system: systemName(user_agent),
    request_id: request.id,
  }
}

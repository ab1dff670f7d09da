import type { Sql } from '../../core/database/sql.ts'
import type { MaybePromise } from '../../core/runtime/maybe-promise.ts'
import { isToken, sha256 } from '../../core/security/crypto.ts'
import { findGranted, findKey, findSession } from '../people/queries.ts'

export type Account = {
  user_uid: string
  username: string
  email_verified: boolean
  developer: boolean
  show_adult: boolean
}

/** Who holds a credential, and what kind of credential it is. */
export type Identity = Account & {
  kind: 'session' | 'player' | 'agent'
  credential_uid: string
  /** What its owner called it. */
  credential_name: string
  scopes: string[]
  /** The one project an agent key is bound to. */
  game_uid: string | null
  expires_at: Date | null
}

/**
 * Looking a credential up costs a query, and clients send the same one many times a second. An answer is kept for a second, the
 * time within which a revocation must show everywhere; whoever changes an account or a credential in this process forgets all at once.
 */
const KEEP_MS = 1000
const MOST_KEPT = 10_000
const kept = new Map<string, { identity: Identity; until: number }>()

export function forgetIdentities() {
  kept.clear()
}

export function identify(sql: Sql, token: string): MaybePromise<Identity | undefined> {
  const known = kept.get(token)
  if (known && known.until > Date.now() && !isOver(known.identity)) return known.identity
  return lookUpAndKeep(sql, token)
}

async function lookUpAndKeep(sql: Sql, token: string): Promise<Identity | undefined> {
  const identity = await lookUp(sql, token, sha256(token))
  if (identity) {
    if (kept.size >= MOST_KEPT) kept.clear()
    kept.set(token, { identity, until: Date.now() + KEEP_MS })
  }
  return identity
}

const isOver = ({ expires_at }: Identity) =>
  expires_at !== null && expires_at.getTime() <= Date.now()

async function lookUp(sql: Sql, token: string, hash: Buffer): Promise<Identity | undefined> {
  if (isToken('svc_sess_', token)) return findSession(sql, hash)
  if (isToken('svc_play_', token) || isToken('svc_mcp_', token)) return findKey(sql, hash)
  if (isToken('svc_oat_', token)) return findGranted(sql, hash)
  return undefined
}

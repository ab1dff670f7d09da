import type { Sql } from '../../core/database/sql.ts'
import { createCache } from '../../core/runtime/cache.ts'
import type { MaybePromise } from '../../core/runtime/maybe-promise.ts'
import { isToken, sha256 } from '../../core/security/crypto.ts'
import { findAccessToken, findKey } from '../keys/queries.ts'
import type { Account } from '../people/queries.ts'
import { findSession } from './queries.ts'

/** The account of a credential, and what the credential may do. */
export type Identity = Account & {
  kind: 'session' | 'player' | 'agent'
  credential_uid: string
  /** The name that its owner gave it. */
  credential_name: string
  scopes: string[]
  /** The one project an agent key is bound to. */
  game_uid: string | null
  expires_at: Date | null
}

/**
 * Looking up a credential costs a query, and clients send the same one many times a second. The
 * cache keeps an identity for one second, the time within which a revocation must take effect in
 * every process. A change of an account or a credential in this process clears it at once.
 */
const CACHE_MS = 1000
const MAX_CACHED = 10_000
const cache = createCache<Identity>({ max_entries: MAX_CACHED, ttl_ms: CACHE_MS })

export function clearIdentityCache() {
  cache.clear()
}

export function identify(sql: Sql, token: string): MaybePromise<Identity | undefined> {
  const cached = cache.get(token)
  if (cached && !isExpired(cached)) return cached
  return findAndCache(sql, token)
}

async function findAndCache(sql: Sql, token: string): Promise<Identity | undefined> {
  const identity = await findIdentity(sql, token, sha256(token))
  if (identity) cache.set(token, identity)
  return identity
}

const isExpired = ({ expires_at }: Identity) =>
  expires_at !== null && expires_at.getTime() <= Date.now()

async function findIdentity(sql: Sql, token: string, hash: Buffer): Promise<Identity | undefined> {
  if (isToken('svc_sess_', token)) return findSession(sql, hash)
  if (isToken('svc_play_', token) || isToken('svc_mcp_', token)) return findKey(sql, hash)
  if (isToken('svc_oat_', token)) return findAccessToken(sql, hash)
  return undefined
}

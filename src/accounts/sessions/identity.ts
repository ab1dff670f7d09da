import { createCache } from '../../core/runtime/cache.ts'
import type { Core } from '../../core/runtime/core.ts'
import type { MaybePromise } from '../../core/runtime/maybe-promise.ts'
import { isToken, sha256 } from '../../core/security/crypto.ts'
import { findAccessToken, findKey } from '../keys/queries.ts'
import type { Account } from '../people/queries.ts'
import { isIdle, isUseDue } from './idle.ts'
import { findSession, recordUse } from './queries.ts'

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
 * every process. A change of an account or a credential in this process clears it at once. What an
 * account may do only after a step of its owner, such as turning developer mode on, is read again
 * before it is refused: the next request may reach another process. That is why an identity whose
 * email address is not verified is not kept.
 */
const CACHE_MS = 1000
const MAX_CACHED = 10_000
const cache = createCache<Identity>({ max_entries: MAX_CACHED, ttl_ms: CACHE_MS })

export function clearIdentityCache() {
  cache.clear()
}

type Context = Pick<Core, 'sql' | 'settings' | 'log'>

export function identify(core: Context, token: string): MaybePromise<Identity | undefined> {
  const cached = cache.get(token)
  if (cached && !isExpired(cached)) return cached
  return findAndCache(core, token)
}

async function findAndCache(core: Context, token: string): Promise<Identity | undefined> {
  const identity = await findIdentity(core, token, sha256(token))
  if (identity?.email_verified) cache.set(token, identity)
  return identity
}

const isExpired = ({ expires_at }: Identity) =>
  expires_at !== null && expires_at.getTime() <= Date.now()

async function findIdentity(
  core: Context,
  token: string,
  hash: Buffer,
): Promise<Identity | undefined> {
  const { sql } = core
  if (isToken('svc_sess_', token)) return findUsedSession(core, hash)
  if (isToken('svc_play_', token) || isToken('svc_mcp_', token)) return findKey(sql, hash)
  if (isToken('svc_oat_', token)) return findAccessToken(sql, hash)
  return undefined
}

/** A session that was used lately enough; this use counts too. */
async function findUsedSession(
  { sql, settings, log }: Context,
  hash: Buffer,
): Promise<Identity | undefined> {
  const session = await findSession(sql, hash)
  const now = new Date()
  if (!session || isIdle(session, settings.current, now)) return undefined
  const { last_used_at, ...identity } = session
  // A database that takes no writes for a moment still answers reads.
  if (isUseDue(last_used_at, now))
    await recordUse(sql, identity.credential_uid).catch((error) =>
      log.warn({ err: error }, 'the use of a session could not be recorded'),
    )
  return identity
}

import type { Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { type EventSource, recordSecurityEvent } from '../security-events/record.ts'
import { endAccess, endAccessSince, type RevokedAccess, type RevokedSince } from './queries.ts'

type Source = EventSource & { core: Core }
type Scope = {
  user_uid: string
  /** Null for every listing, as when the account is deleted. */
  game_uid: string | null
}

/** What the owner of a listing has to replace. */
export type OwnerNotice = { has_deploy_key: boolean; has_secrets: boolean }

function noticesOf(revoked: readonly RevokedAccess[]): Map<string, OwnerNotice> {
  const notices = new Map<string, OwnerNotice>()
  for (const { event, game_uid } of revoked) {
    const notice = notices.get(game_uid) ?? { has_deploy_key: false, has_secrets: false }
    if (event === 'deploy_key_revoked') notice.has_deploy_key = true
    if (event === 'secrets_exposed') notice.has_secrets = true
    if (notice.has_deploy_key || notice.has_secrets) notices.set(game_uid, notice)
  }
  return notices
}

/**
 * Ends what a person issued or could use for a listing, records each, and mails the owner what to
 * replace. Call it in the transaction in which the person loses the role, before it is gone, and
 * clear the cache of identities afterwards.
 */
export async function revokeAccess(
  source: Source,
  tx: Tx,
  { user_uid, game_uid }: Scope,
): Promise<void> {
  const revoked = await endAccess(tx, user_uid, game_uid)
  for (const access of revoked) await recordRevoked(source, tx, { ...access, user_uid })
  for (const [game_uid, notice] of noticesOf(revoked)) {
    const data = { id: uuidv7(), game_uid, user_uid, ...notice }
    await source.core.jobs.send(tx, 'accounts.mail-lost-role', data)
  }
}

async function recordRevoked(source: Source, tx: Tx, revoked: RevokedSince): Promise<void> {
  const { event: kind, user_uid, game_uid } = revoked
  if (kind === 'secrets_exposed') return
  const detail: Record<string, string> = kind === 'key_revoked' ? { key: 'agent' } : {}
  await recordSecurityEvent(tx, source, { kind, user_uid, game_uid, detail })
}

/**
 * Ends what whoever took an account over since a moment could use or leave to others, and records
 * each. Clear the cache of identities afterwards.
 */
export async function revokeAccessSince(
  source: Source,
  tx: Tx,
  { user_uid, since }: { user_uid: string; since: Date },
): Promise<void> {
  for (const revoked of await endAccessSince(tx, user_uid, since))
    await recordRevoked(source, tx, revoked)
}

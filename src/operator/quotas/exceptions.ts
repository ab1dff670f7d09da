import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { findPersonByLogin } from '../../accounts/people/operator-queries.ts'
import type { Sql } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import {
  deleteException,
  findAnyListing,
  findException,
  type QuotaException,
  type QuotaTarget,
  saveException,
  type Target,
} from './queries.ts'

/** A person by uid, username or address, or a listing by uid or the name in its address. */
export async function findTarget(sql: Sql, type: QuotaTarget, name: string): Promise<Target> {
  const uid =
    type === 'person' ? (await findPersonByLogin(sql, name))?.uid : await findAnyListing(sql, name)
  if (uid) return { type, uid }
  const explanation =
    type === 'person'
      ? explain('quota_person', 'target: there is no such person')
      : explain('quota_listing', 'target: there is no such listing')
  return refuse('NOT_FOUND', { field: 'target' }, explanation)
}

/** Null for an administrator on the command line. */
type Actor = string | null

/** Gives a person or listing a quota of its own; null bytes are without a limit. */
export async function setException(
  { sql }: Core,
  actor: Actor,
  target: Target,
  { bytes, note }: { bytes: number | null; note: string },
): Promise<QuotaException> {
  return transact(sql, async (tx) => {
    await saveException(tx, target, { uid: uuidv7(), bytes, note, set_by: actor })
    await recordAudit(tx, {
      user_uid: actor,
      game_uid: target.type === 'listing' ? target.uid : null,
      action: 'operator.set-quota',
      detail: { [target.type]: target.uid, bytes: bytes ?? 'no limit', note },
    })
    return (await findException(tx, target))!
  })
}

/** The default applies again. */
export async function removeException({ sql }: Core, actor: Actor, target: Target): Promise<void> {
  await transact(sql, async (tx) => {
    if (!(await deleteException(tx, target))) refuse('NOT_FOUND')
    await recordAudit(tx, {
      user_uid: actor,
      game_uid: target.type === 'listing' ? target.uid : null,
      action: 'operator.remove-quota',
      detail: { [target.type]: target.uid },
    })
  })
}

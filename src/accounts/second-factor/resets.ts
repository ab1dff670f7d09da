import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { forgetDevices } from '../devices/queries.ts'
import { recordAudit } from '../people/audit-queries.ts'
import { lockUser } from '../people/queries.ts'
import { type EventSource, recordSecurityEvent } from '../security-events/record.ts'
import { clearIdentityCache } from '../sessions/identity.ts'
import { deleteSessions } from '../sessions/queries.ts'
import { notifyChange } from './changes.ts'
import { deleteSecondFactors, secondStepsOf } from './queries.ts'
import { insertReset, isResetDue, listDueResets, stopReset, takeDueReset } from './reset-queries.ts'

/**
 * Starts the waiting time after which a person loses every second factor, and mails them how to
 * stop it. False if one waits already: its time stays.
 */
export async function requestReset(core: Core, tx: Tx, user_uid: string): Promise<boolean> {
  await lockUser(tx, user_uid)
  if (!(await secondStepsOf(tx, user_uid)).length)
    refuse(
      'CONFLICT',
      undefined,
      explain('no_second_factor', 'This person has no second factor to reset'),
    )
  const reset = { nonce: uuidv7(), user_uid }
  if (!(await insertReset(tx, reset, core.settings.current.second_factor_reset_wait))) return false
  await core.jobs.send(tx, 'accounts.mail-second-factor-reset', reset)
  return true
}

type StoppedReset = { nonce: string } | { user_uid: string }

/** Stops a reset by its mailed link or for a person. False if none waits. */
export async function stopWaitingReset(
  source: EventSource & { core: Core },
  tx: Tx,
  by: StoppedReset,
): Promise<boolean> {
  const user_uid = await stopReset(tx, by)
  if (!user_uid) return false
  await notifyChange(source.core, tx, user_uid, 'reset_stopped')
  await recordSecurityEvent(tx, source, { kind: 'second_factor_reset_stopped', user_uid })
  return true
}

/**
 * Removes the second factors of a person whose waiting time is over, ends their sessions and mails
 * them. Called by a job and while signing in, so that nobody waits for a job that is late. False if
 * no reset is due.
 */
export async function applyDueReset(core: Core, user_uid: string): Promise<boolean> {
  if (!(await isResetDue(core.sql, user_uid))) return false
  const is_applied = await transact(core.sql, async (tx) => {
    // Waits for a second factor that is being added.
    await lockUser(tx, user_uid)
    if (!(await takeDueReset(tx, user_uid))) return false
    await deleteSecondFactors(tx, user_uid)
    await deleteSessions(tx, user_uid)
    await forgetDevices(tx, user_uid)
    await notifyChange(core, tx, user_uid, 'reset')
    const action = 'accounts.reset-second-factor'
    await recordAudit(tx, { user_uid: null, game_uid: null, action, detail: { person: user_uid } })
    const event = { kind: 'second_factor_reset_applied', user_uid } as const
    await recordSecurityEvent(tx, { core, actor: 'service' }, event)
    return true
  })
  clearIdentityCache()
  return is_applied
}

const BATCH = 100

/** Applies every reset that is due. */
export async function applyDueResets(core: Core, signal: AbortSignal): Promise<void> {
  for (;;) {
    const due = await listDueResets(core.sql, BATCH)
    for (const user_uid of due) {
      if (signal.aborted) return
      await applyDueReset(core, user_uid)
    }
    if (due.length < BATCH) return
  }
}

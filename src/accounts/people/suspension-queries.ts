import { isoTime, type Sql, type Tx } from '../../core/database/sql.ts'
import type { SuspensionScope } from './suspension.ts'

/** The suspension of a user `u` that is in force, as JSON; null without one. */
export const suspensionOf = (sql: Sql | Tx) => sql`
  case
    when u.suspension is not null and (u.suspended_until is null or u.suspended_until > now())
    then json_build_object(
      'scope', u.suspension,
      'until', ${isoTime(sql, sql`u.suspended_until`)},
      'statement', u.suspension_statement)
  end`

/** Whether a person is suspended from everything. */
export async function isSuspended(sql: Sql | Tx, user_uid: string): Promise<boolean> {
  const [row] = await sql`
    select
    from users u
    where u.uid = ${user_uid} and ${suspensionOf(sql)} ->> 'scope' = 'everything'`
  return row !== undefined
}

/**
 * Replaces the suspension of a person; false if it is the same already. The sessions of a person
 * who is suspended from everything end with the suspension at the latest. Until then they are
 * refused with its reason.
 */
export async function suspend(
  tx: Tx,
  user_uid: string,
  { scope, until, statement }: { scope: SuspensionScope; until: Date | null; statement: string },
): Promise<boolean> {
  if (scope !== 'everything') await endRefusedSessions(tx, user_uid)
  else
    await tx`
      update sessions
      set expires_at = least(expires_at, ${until}::timestamptz)
      where user_uid = ${user_uid}`
  const { count } = await tx`
    update users
    set suspension = ${scope}, suspended_until = ${until}, suspension_statement = ${statement}
    where uid = ${user_uid}
      and (suspension, suspended_until) is distinct from (${scope}, ${until}::timestamptz)`
  return count === 1
}

/** Ends the sessions that a suspension from everything refused, before it is lifted. */
async function endRefusedSessions(tx: Tx, user_uid: string): Promise<void> {
  if (await isSuspended(tx, user_uid)) await tx`delete from sessions where user_uid = ${user_uid}`
}

/** False if the person is not suspended. */
export async function endSuspension(tx: Tx, user_uid: string): Promise<boolean> {
  await endRefusedSessions(tx, user_uid)
  const { count } = await tx`
    update users
    set suspension = null, suspended_until = null, suspension_statement = null
    where uid = ${user_uid} and suspension is not null
      and (suspended_until is null or suspended_until > now())`
  return count === 1
}

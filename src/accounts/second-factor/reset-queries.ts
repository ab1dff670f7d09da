import { isoTime, type Sql, type Tx } from '../../core/database/sql.ts'

export type WaitingReset = { requested_at: Date; due_at: Date }

const isOpen = (sql: Sql | Tx) => sql`r.stopped_at is null and r.applied_at is null`

/** The reset that waits for its time, of a user `u`, as JSON; null without one. */
export const waitingResetOf = (sql: Sql | Tx) => sql`
  (
    select json_build_object(
      'requested_at', ${isoTime(sql, sql`r.requested_at`)},
      'due_at', ${isoTime(sql, sql`r.due_at`)})
    from second_factor_resets r
    where r.user_uid = u.uid and ${isOpen(sql)}
  )`

/** False if one waits already. */
export async function insertReset(
  tx: Tx,
  { nonce, user_uid }: { nonce: string; user_uid: string },
  wait_hours: number,
): Promise<boolean> {
  const { count } = await tx`
    insert into second_factor_resets (nonce, user_uid, due_at)
    values (${nonce}, ${user_uid}, now() + ${wait_hours} * interval '1 hour')
    on conflict (user_uid) where stopped_at is null and applied_at is null do nothing`
  return count === 1
}

/** The reset of a person that can still be stopped. */
export async function findWaitingReset(
  sql: Sql,
  user_uid: string,
): Promise<WaitingReset | undefined> {
  const [row] = await sql<WaitingReset[]>`
    select r.requested_at, r.due_at
    from second_factor_resets r
    where r.user_uid = ${user_uid} and ${isOpen(sql)} and r.due_at > now()`
  return row
}

/** The end of the waiting time, for as long as the reset can be stopped. */
export async function findResetEnd(sql: Sql, nonce: string): Promise<Date | undefined> {
  const [row] = await sql<{ due_at: Date }[]>`
    select r.due_at
    from second_factor_resets r
    where r.nonce = ${nonce} and ${isOpen(sql)} and r.due_at > now()`
  return row?.due_at
}

/** Whom the stopped reset was for; undefined if there was none, or its time is over. */
export async function stopReset(
  tx: Tx,
  by: { nonce: string } | { user_uid: string },
): Promise<string | undefined> {
  const matches = 'nonce' in by ? tx`r.nonce = ${by.nonce}` : tx`r.user_uid = ${by.user_uid}`
  const [row] = await tx<{ user_uid: string }[]>`
    update second_factor_resets r
    set stopped_at = now()
    where ${matches} and ${isOpen(tx)} and r.due_at > now()
    returning r.user_uid`
  return row?.user_uid
}

/** People whose reset is due. */
export async function listDueResets(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ user_uid: string }[]>`
    select r.user_uid
    from second_factor_resets r
    where ${isOpen(sql)} and r.due_at <= now()
    order by r.due_at
    limit ${limit}`
  return rows.map(({ user_uid }) => user_uid)
}

export async function isResetDue(sql: Sql, user_uid: string): Promise<boolean> {
  const [row] = await sql`
    select
    from second_factor_resets r
    where r.user_uid = ${user_uid} and ${isOpen(sql)} and r.due_at <= now()`
  return row !== undefined
}

/** Of two that take a reset that is due, one gets false. */
export async function takeDueReset(tx: Tx, user_uid: string): Promise<boolean> {
  const { count } = await tx`
    update second_factor_resets r
    set applied_at = now()
    where r.user_uid = ${user_uid} and ${isOpen(tx)} and r.due_at <= now()`
  return count === 1
}

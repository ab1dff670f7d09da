import type { Sql, Tx } from '../../core/database/sql.ts'
import { retention } from '../../core/runtime/retention.ts'

/** The tables of codes that are sent by mail, each with one row per person. */
export type CodeTable = 'mail_codes' | 'email_changes'

/** Seconds until another code may be sent, at least one. */
export async function readResendWait(
  tx: Tx,
  table: CodeTable,
  user_uid: string,
  resend_seconds: number,
): Promise<number> {
  const [row] = await tx<{ wait: number }[]>`
    select ceil(extract(
      epoch from sent_at + ${resend_seconds} * interval '1 second' - now()))::int as wait
    from ${tx(table)}
    where user_uid = ${user_uid}`
  return Math.max(1, row!.wait)
}

/**
 * Counts an attempt before the code is compared, so that parallel guesses cannot share one.
 * Returns the nonce of the code, or undefined when no attempt is left.
 */
export async function takeAttempt(
  sql: Sql,
  table: CodeTable,
  user_uid: string,
  max_attempts: number,
): Promise<string | undefined> {
  const [row] = await sql<{ nonce: string }[]>`
    update ${sql(table)}
    set tries = tries + 1
    where user_uid = ${user_uid} and expires_at > now() and tries < ${max_attempts}
    returning nonce`
  return row?.nonce
}

/** Why no attempt can be made: nothing was sent, the code has expired, or all attempts are used. */
export async function readCodeState(
  sql: Sql,
  table: CodeTable,
  user_uid: string,
): Promise<'missing' | 'expired' | 'used_up'> {
  const [row] = await sql<{ is_expired: boolean }[]>`
    select expires_at <= now() as is_expired
    from ${sql(table)}
    where user_uid = ${user_uid}`
  return row ? (row.is_expired ? 'expired' : 'used_up') : 'missing'
}

export async function sweepCodes(tx: Tx, table: CodeTable): Promise<void> {
  await tx`
    delete from ${tx(table)}
    where expires_at < now() - ${retention.email_code_days} * interval '1 day'`
}

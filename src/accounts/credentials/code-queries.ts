import type { Sql, Tx } from '../../core/database/sql.ts'
import { retention } from '../../core/runtime/retention.ts'
import type { Recipient } from '../people/queries.ts'

/** Starts a new code, unless one was sent moments ago: then it returns the seconds to wait. */
export async function startCode(
  tx: Tx,
  { user_uid, nonce }: { user_uid: string; nonce: string },
  { valid_seconds, resend_seconds }: { valid_seconds: number; resend_seconds: number },
): Promise<number> {
  const started = await tx`
    insert into mail_codes (user_uid, nonce, sent_at, expires_at)
    values (${user_uid}, ${nonce}, now(), now() + ${valid_seconds} * interval '1 second')
    on conflict (user_uid) do update
    set nonce = excluded.nonce, tries = 0,
      sent_at = excluded.sent_at, expires_at = excluded.expires_at
    where mail_codes.sent_at <= now() - ${resend_seconds} * interval '1 second'`
  if (started.count === 1) return 0
  const [row] = await tx`
    select ceil(extract(
      epoch from sent_at + ${resend_seconds} * interval '1 second' - now()))::int as wait
    from mail_codes
    where user_uid = ${user_uid}`
  return Math.max(1, row!.wait)
}

/**
 * Counts an attempt before the code is compared, so that parallel guesses cannot share one.
 * Returns the nonce of the code, or undefined when no attempt is left.
 */
export async function takeCodeAttempt(
  sql: Sql,
  user_uid: string,
  max_attempts: number,
): Promise<string | undefined> {
  const [row] = await sql`
    update mail_codes
    set tries = tries + 1
    where user_uid = ${user_uid} and expires_at > now() and tries < ${max_attempts}
    returning nonce`
  return row?.nonce
}

/** Why no attempt can be made: nothing was sent, the code has expired, or all attempts are used. */
export async function readCodeState(
  sql: Sql,
  user_uid: string,
): Promise<'missing' | 'expired' | 'used_up'> {
  const [row] = await sql`
    select expires_at <= now() as is_expired
    from mail_codes
    where user_uid = ${user_uid}`
  return row ? (row.is_expired ? 'expired' : 'used_up') : 'missing'
}

/** The address to send the code to, while the code is still the current one. */
export async function findCodeRecipient(
  sql: Sql,
  user_uid: string,
  nonce: string,
): Promise<Recipient | undefined> {
  const [row] = await sql<Recipient[]>`
    select u.email, u.language
    from mail_codes c
    join users u on u.uid = c.user_uid
    where c.user_uid = ${user_uid} and c.nonce = ${nonce} and c.expires_at > now()`
  return row
}

/** Consumes the code and marks the address as verified; false if the code was already consumed. */
export async function verifyEmail(sql: Sql, user_uid: string, nonce: string): Promise<boolean> {
  return sql.begin(async (tx) => {
    const { count } = await tx`
      delete from mail_codes
      where user_uid = ${user_uid} and nonce = ${nonce}`
    if (count !== 1) return false
    await tx`
      update users
      set email_verified_at = coalesce(email_verified_at, now())
      where uid = ${user_uid}`
    return true
  })
}

export async function sweepCodes(tx: Tx): Promise<void> {
  await tx`
    delete from mail_codes
    where expires_at < now() - ${retention.email_code_days} * interval '1 day'`
}

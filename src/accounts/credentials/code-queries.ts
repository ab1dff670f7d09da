import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Recipient } from '../people/queries.ts'
import { readResendWait } from './code-table-queries.ts'
import type { CodeTimes } from './mailed-codes.ts'

/** Starts a new code, unless one was sent moments ago: then it returns the seconds to wait. */
export async function startCode(
  tx: Tx,
  { user_uid, nonce }: { user_uid: string; nonce: string },
  { valid_seconds, resend_seconds }: CodeTimes,
): Promise<number> {
  const started = await tx`
    insert into mail_codes (user_uid, nonce, sent_at, expires_at)
    values (${user_uid}, ${nonce}, now(), now() + ${valid_seconds} * interval '1 second')
    on conflict (user_uid) do update
    set nonce = excluded.nonce, tries = 0,
      sent_at = excluded.sent_at, expires_at = excluded.expires_at
    where mail_codes.sent_at <= now() - ${resend_seconds} * interval '1 second'`
  if (started.count === 1) return 0
  return readResendWait(tx, 'mail_codes', user_uid, resend_seconds)
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

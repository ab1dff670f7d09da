import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Recipient } from '../people/queries.ts'
import { isVerified } from '../people/role-queries.ts'
import { readResendWait } from './code-table-queries.ts'
import type { CodeTimes } from './mailed-codes.ts'
import { lockAddress } from './undo-queries.ts'

export type EmailChange = { user_uid: string; email: string; nonce: string }

/** Starts a change of address, unless a code was sent moments ago: then the seconds to wait. */
export async function startEmailChange(
  tx: Tx,
  { user_uid, email, nonce }: EmailChange,
  { valid_seconds, resend_seconds }: CodeTimes,
): Promise<number> {
  const started = await tx`
    insert into email_changes as c (user_uid, email, nonce, sent_at, expires_at)
    values (${user_uid}, ${email}, ${nonce}, now(),
      now() + ${valid_seconds} * interval '1 second')
    on conflict (user_uid) do update
    set email = excluded.email, nonce = excluded.nonce, tries = 0,
      sent_at = excluded.sent_at, expires_at = excluded.expires_at
    where c.sent_at <= now() - ${resend_seconds} * interval '1 second'`
  if (started.count === 1) return 0
  return readResendWait(tx, 'email_changes', user_uid, resend_seconds)
}

export async function emailIsTaken(sql: Sql, email: string): Promise<boolean> {
  const [row] = await sql`select from users where lower(email) = lower(${email})`
  return row !== undefined
}

/** The new address, for as long as its code is the current one. */
export async function findChangeRecipient(
  sql: Sql,
  user_uid: string,
  nonce: string,
): Promise<Recipient | undefined> {
  const [row] = await sql<Recipient[]>`
    select c.email, u.language
    from email_changes c
    join users u on u.uid = c.user_uid
    where c.user_uid = ${user_uid} and c.nonce = ${nonce} and c.expires_at > now()`
  return row
}

/** The address that waits for its code; undefined without one. */
export async function findEmailChange(sql: Sql, user_uid: string): Promise<string | undefined> {
  const [row] = await sql<{ email: string }[]>`
    select email
    from email_changes
    where user_uid = ${user_uid} and expires_at > now()`
  return row?.email
}

type ChangedAddress = { email: string; previous_email: string; previous_verified: boolean }

/**
 * Consumes the code and changes the address, which the code has proved. A reset link and a code
 * that went to the old address end with it. Undefined if the code was already consumed. A previous
 * address that its owner had proved is `previous_verified`.
 */
export async function changeEmail(
  tx: Tx,
  user_uid: string,
  nonce: string,
): Promise<ChangedAddress | undefined> {
  const [change] = await tx<{ email: string }[]>`
    delete from email_changes
    where user_uid = ${user_uid} and nonce = ${nonce}
    returning email`
  if (!change) return undefined
  const [previous] = await tx<{ email: string; verified: boolean }[]>`
    select u.email, ${isVerified(tx)} as verified
    from users u
    where u.uid = ${user_uid}
    for update`
  await lockAddress(tx, previous!.email)
  await tx`
    update users
    set email = ${change.email}, email_verified_at = now()
    where uid = ${user_uid}`
  await tx`delete from mail_codes where user_uid = ${user_uid}`
  await endResets(tx, user_uid)
  return {
    email: change.email,
    previous_email: previous!.email,
    previous_verified: previous!.verified,
  }
}

/** A link that was sent before stops working. Its row stays, so that no late job revives it. */
async function endResets(tx: Tx, user_uid: string): Promise<void> {
  await tx`update password_resets set expires_at = sent_at where user_uid = ${user_uid}`
}

/** False if the password changed since it was checked. Ends all sessions but the given one. */
export async function changePassword(
  tx: Tx,
  { user_uid, session_uid }: { user_uid: string; session_uid: string },
  { before, after }: { before: string; after: string },
): Promise<boolean> {
  const { count } = await tx`
    update users
    set password_hash = ${after}
    where uid = ${user_uid} and password_hash = ${before}`
  if (count !== 1) return false
  await tx`delete from sessions where user_uid = ${user_uid} and uid <> ${session_uid}`
  await endResets(tx, user_uid)
  return true
}

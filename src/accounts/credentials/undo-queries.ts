import type { Sql, Tx } from '../../core/database/sql.ts'
import { forgetDevices } from '../devices/queries.ts'

export type EmailUndo = { nonce: string; user_uid: string; previous_email: string }

export async function insertUndo(
  tx: Tx,
  { nonce, user_uid, previous_email }: EmailUndo,
  valid_seconds: number,
): Promise<void> {
  await tx`
    insert into email_undos (nonce, user_uid, previous_email, expires_at)
    values (${nonce}, ${user_uid}, ${previous_email},
      now() + ${valid_seconds} * interval '1 second')`
}

/** When the link of a change stops working; undefined if there is none. */
export async function findUndoEnd(sql: Sql, nonce: string): Promise<Date | undefined> {
  const [row] = await sql<{ expires_at: Date }[]>`
    select expires_at from email_undos where nonce = ${nonce} and expires_at > now()`
  return row?.expires_at
}

/**
 * Keeps two transactions from taking and giving up the same address at once. It must come before
 * the change of a row that has the address.
 */
export async function lockAddress(tx: Tx, email: string): Promise<void> {
  await tx`
    select pg_advisory_xact_lock(hashtextextended('email address ' || lower(${email}), 0))`
}

/** Whether an account can return to this address, so that nobody else may sign up with it. */
export async function isReserved(tx: Tx, email: string): Promise<boolean> {
  const [row] = await tx`
    select from email_undos
    where lower(previous_email) = lower(${email}) and expires_at > now()`
  return row !== undefined
}

type Undone = { user_uid: string; changed_at: Date }

/**
 * Restores the address and sets the password hash, which is of no known password. Whoever changed
 * the address loses what they could come back with: every session, pending codes and links, later
 * changes of the address, connected apps, and keys, second factors and recovery codes that were
 * added since. What they could do to listings ends in revocation/. Undefined if the link was used or has expired.
 */
export async function undoEmailChange(
  tx: Tx,
  nonce: string,
  password_hash: string,
): Promise<Undone | undefined> {
  const [undone] = await tx<(Undone & { previous_email: string })[]>`
    delete from email_undos
    where nonce = ${nonce} and expires_at > now()
    returning user_uid, previous_email, changed_at`
  if (!undone) return undefined
  const { user_uid, previous_email, changed_at } = undone
  await tx`
    update users
    set email = ${previous_email}, email_verified_at = now(), password_hash = ${password_hash}
    where uid = ${user_uid}`
  await tx`delete from sessions where user_uid = ${user_uid}`
  await forgetDevices(tx, user_uid)
  await tx`delete from mail_codes where user_uid = ${user_uid}`
  await tx`delete from email_changes where user_uid = ${user_uid}`
  await tx`delete from password_resets where user_uid = ${user_uid}`
  await tx`delete from email_undos where user_uid = ${user_uid} and changed_at >= ${changed_at}`
  await deleteCredentialsSince(tx, user_uid, changed_at)
  return { user_uid, changed_at }
}

async function deleteCredentialsSince(tx: Tx, user_uid: string, at: Date): Promise<void> {
  await tx`delete from oauth_records where user_uid = ${user_uid}`
  await tx`delete from access_keys where user_uid = ${user_uid} and created_at >= ${at}`
  await tx`delete from passkeys where user_uid = ${user_uid} and created_at >= ${at}`
  await tx`delete from recovery_codes where user_uid = ${user_uid} and created_at >= ${at}`
  await tx`
    with removed as (
      delete from totp_factors
      where user_uid = ${user_uid} and (confirmed_at is null or confirmed_at >= ${at})
      returning user_uid)
    delete from account_secrets s
    using removed r
    where s.user_uid = r.user_uid and s.field = 'totp'`
}

export async function sweepUndos(tx: Tx): Promise<void> {
  await tx`delete from email_undos where expires_at < now()`
}

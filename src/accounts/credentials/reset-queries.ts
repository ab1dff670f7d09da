import type { Sql, Tx } from '../../core/database/sql.ts'
import { retention } from '../../core/runtime/retention.ts'
import { forgetDevices } from '../devices/queries.ts'
import type { Recipient } from '../people/queries.ts'

export type PasswordReset = { user_uid: string; username: string; email: string }

/**
 * Starts a password reset, unless one was sent moments ago, and returns the address to send it to.
 * A repeated job starts the same reset again. A late repetition revives neither a used link nor one
 * that a newer link replaced, because nonces increase with time.
 */
export async function startReset(
  sql: Sql,
  user_uid: string,
  nonce: string,
  { valid_seconds, resend_seconds }: { valid_seconds: number; resend_seconds: number },
): Promise<Recipient | undefined> {
  const [row] = await sql<Recipient[]>`
    with started as (
      insert into password_resets as r (user_uid, nonce, sent_at, expires_at)
      select u.uid, ${nonce}, now(), now() + ${valid_seconds} * interval '1 second'
      from users u
      where u.uid = ${user_uid}
      on conflict (user_uid) do update
      set nonce = excluded.nonce, sent_at = excluded.sent_at, expires_at = excluded.expires_at
      where (r.nonce < excluded.nonce
          and r.sent_at <= now() - ${resend_seconds} * interval '1 second')
        or (r.nonce = excluded.nonce and r.expires_at > r.sent_at)
      returning user_uid)
    select u.email, u.language
    from started
    join users u on u.uid = started.user_uid`
  return row
}

export async function findReset(sql: Sql, nonce: string): Promise<PasswordReset | undefined> {
  const [row] = await sql<PasswordReset[]>`
    select u.uid as user_uid, u.username, u.email
    from password_resets r
    join users u on u.uid = r.user_uid
    where r.nonce = ${nonce} and r.expires_at > now()`
  return row
}

/**
 * Consumes the link: of two concurrent uses, one gets undefined. The link was mailed, so its use
 * verifies the address. If the address was unverified until now, the database also removes every
 * other credential of the account (migration 0029).
 */
export async function takeReset(
  tx: Tx,
  nonce: string,
  password_hash: string,
): Promise<{ unproven: boolean } | undefined> {
  const [reset] = await tx<{ user_uid: string }[]>`
    update password_resets
    set expires_at = sent_at
    where nonce = ${nonce} and expires_at > now()
    returning user_uid`
  if (!reset) return undefined
  const [before] = await tx<{ unproven: boolean }[]>`
    select email_verified_at is null as unproven
    from users
    where uid = ${reset.user_uid}
    for update`
  await tx`
    update users
    set password_hash = ${password_hash},
      email_verified_at = coalesce(email_verified_at, now()),
      extstore_id = case when email_verified_at is null then null else extstore_id end
    where uid = ${reset.user_uid}`
  await tx`delete from sessions where user_uid = ${reset.user_uid}`
  await forgetDevices(tx, reset.user_uid)
  return before
}

export async function sweepResets(tx: Tx): Promise<void> {
  await tx`
    delete from password_resets
    where expires_at < now() - ${retention.password_reset_days} * interval '1 day'`
}

import type { Sql, Tx } from '../../core/database/sql.ts'

export type Reset = { user_uid: string; username: string; email: string }

/**
 * Starts a link to a new password, unless one was sent moments ago; again for the same one, it is the same. A late repetition brings back
 * neither a link that was used nor one that a newer took the place of: nonces are in the order of time. Answers where to send it.
 */
export async function startReset(
  sql: Sql,
  user_uid: string,
  nonce: string,
  { valid_seconds, resend_seconds }: { valid_seconds: number; resend_seconds: number },
): Promise<string | undefined> {
  const [row] = await sql<{ email: string }[]>`
    with started as (
      insert into password_resets as r (user_uid, nonce, sent_at, expires_at)
      select u.uid, ${nonce}, now(), now() + ${valid_seconds} * interval '1 second' from users u where u.uid = ${user_uid}
      on conflict (user_uid) do update set nonce = excluded.nonce, sent_at = excluded.sent_at, expires_at = excluded.expires_at
      where (r.nonce < excluded.nonce and r.sent_at <= now() - ${resend_seconds} * interval '1 second')
        or (r.nonce = excluded.nonce and r.expires_at > r.sent_at)
      returning user_uid)
    select u.email from started join users u on u.uid = started.user_uid`
  return row?.email
}

export async function findReset(sql: Sql, nonce: string): Promise<Reset | undefined> {
  const [row] = await sql<Reset[]>`
    select u.uid as user_uid, u.username, u.email from password_resets r join users u on u.uid = r.user_uid
    where r.nonce = ${nonce} and r.expires_at > now()`
  return row
}

/**
 * Uses the link up: of two who come with it at once, one gets nothing. Whoever has it has read the mail, which proves the address.
 * Of an account whose address nobody had proven until now, the database takes every other way in (migration 0029).
 */
export async function takeReset(
  tx: Tx,
  nonce: string,
  password_hash: string,
): Promise<{ unproven: boolean } | undefined> {
  const [used] = await tx<{ user_uid: string }[]>`
    update password_resets set expires_at = sent_at where nonce = ${nonce} and expires_at > now() returning user_uid`
  if (!used) return undefined
  const [before] = await tx<{ unproven: boolean }[]>`
    select email_verified_at is null as unproven from users where uid = ${used.user_uid} for update`
  await tx`
    update users set password_hash = ${password_hash}, email_verified_at = coalesce(email_verified_at, now()),
      extstore_id = case when email_verified_at is null then null else extstore_id end
    where uid = ${used.user_uid}`
  await tx`delete from sessions where user_uid = ${used.user_uid}`
  return before
}

export async function sweepResets(tx: Tx): Promise<void> {
  await tx`delete from password_resets where expires_at < now() - interval '1 day'`
}

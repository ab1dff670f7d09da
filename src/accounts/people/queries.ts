import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Account, Identity } from '../sessions/identity.ts'

export type User = Account & { email: string; password_hash: string; extstore_id: string | null }

const account = (sql: Sql | Tx) => sql`
  u.uid as user_uid, u.username, u.email_verified_at is not null as email_verified, u.developer_enabled_at is not null as developer, u.show_adult`

export async function insertUser(
  sql: Sql | Tx,
  user: { uid: string; username: string; email: string; password_hash: string },
): Promise<void> {
  await sql`insert into users ${sql(user)}`
}

export async function findUserByLogin(sql: Sql, login: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    select ${account(sql)}, u.email, u.password_hash, u.extstore_id from users u
    where lower(u.username) = lower(${login}) or lower(u.email) = lower(${login})
    order by lower(u.username) = lower(${login}) desc limit 1`
  return user
}

export async function readUser(sql: Sql, user_uid: string): Promise<User> {
  const [user] = await sql<
    User[]
  >`select ${account(sql)}, u.email, u.password_hash, u.extstore_id from users u where u.uid = ${user_uid}`
  return user!
}

export async function findAccount(sql: Sql, user_uid: string): Promise<boolean> {
  const [row] = await sql`select from users where uid::text = ${user_uid}`
  return row !== undefined
}

/** Only while the password is the one that was checked: one who sets another at that moment ends every session, this one included. */
export async function insertSession(
  sql: Sql | Tx,
  session: { uid: string; user_uid: string; token_hash: Buffer; expires_at: Date },
  password_hash: string,
): Promise<boolean> {
  const { uid, user_uid, token_hash, expires_at } = session
  const { count } = await sql`
    insert into sessions (uid, user_uid, token_hash, expires_at)
    select ${uid}::uuid, u.uid, ${token_hash}::bytea, ${expires_at}::timestamptz from users u
    where u.uid = ${user_uid} and u.password_hash = ${password_hash} for share`
  return count === 1
}

/** Holds an account until the transaction ends, and says whether the session is still one of it: whoever sets a new password holds the account as well. */
export async function holdAccount(tx: Tx, user_uid: string, session_uid: string): Promise<boolean> {
  await tx`select from users where uid = ${user_uid} for no key update`
  const [session] = await tx`select from sessions where uid = ${session_uid} and expires_at > now()`
  return session !== undefined
}

export async function deleteSession(sql: Sql, uid: string): Promise<void> {
  await sql`delete from sessions where uid = ${uid}`
}

export async function findSession(sql: Sql, token_hash: Buffer): Promise<Identity | undefined> {
  const [found] = await sql<Identity[]>`
    select ${account(sql)}, 'session' as kind, s.uid as credential_uid, 'website' as credential_name, '{}'::text[] as scopes, null::uuid as game_uid, s.expires_at
    from sessions s join users u on u.uid = s.user_uid where s.token_hash = ${token_hash} and s.expires_at > now()`
  return found
}

export async function findKey(sql: Sql, key_hash: Buffer): Promise<Identity | undefined> {
  const [found] = await sql<Identity[]>`
    select ${account(sql)}, k.kind, k.uid as credential_uid, k.name as credential_name, k.scopes, k.game_uid, null::timestamptz as expires_at
    from access_keys k join users u on u.uid = k.user_uid where k.key_hash = ${key_hash}`
  return found
}

/** An access token of the authorization server. It ends with the grant it came from, and is of the kind of the one server it is for. */
export async function findGranted(sql: Sql, id_hash: Buffer): Promise<Identity | undefined> {
  const [found] = await sql<Identity[]>`
    select ${account(sql)}, t.audience as kind, g.uid as credential_uid, coalesce(g.client_name, '') as credential_name,
      string_to_array(t.payload ->> 'scope', ' ') as scopes, g.game_uid, t.expires_at
    from oauth_records t join oauth_records g on g.kind = 'Grant' and g.id_hash = t.grant_hash and g.expires_at > now()
    join users u on u.uid = t.user_uid
    where t.kind = 'AccessToken' and t.id_hash = ${id_hash} and t.expires_at > now() and t.audience is not null`
  return found
}

export type KeyKind = 'player' | 'agent'
export type KeyRow = {
  uid: string
  name: string
  scopes: string[]
  prefix: string
  game_uid: string | null
  created_at: Date
}

export async function listKeys(sql: Sql, user_uid: string, kind: KeyKind): Promise<KeyRow[]> {
  return sql<KeyRow[]>`
    select uid, name, scopes, prefix, game_uid, created_at from access_keys
    where user_uid = ${user_uid} and kind = ${kind} order by created_at desc, uid desc`
}

/** Adds a key unless the account already holds `most` of its kind. The account must be held, so that two at once cannot both be the last. */
export async function insertKey(
  tx: Tx,
  key: Omit<KeyRow, 'created_at'> & { user_uid: string; kind: KeyKind; key_hash: Buffer },
  most: number,
): Promise<KeyRow | undefined> {
  const [held] =
    await tx`select count(*)::int as keys from access_keys where user_uid = ${key.user_uid} and kind = ${key.kind}`
  if (held!.keys >= most) return undefined
  const [row] = await tx<
    KeyRow[]
  >`insert into access_keys ${tx(key)} returning uid, name, scopes, prefix, game_uid, created_at`
  return row
}

export async function deleteKey(
  sql: Sql,
  user_uid: string,
  kind: KeyKind,
  uid: string,
): Promise<boolean> {
  const gone =
    await sql`delete from access_keys where uid = ${uid} and user_uid = ${user_uid} and kind = ${kind}`
  return gone.count === 1
}

/** Starts a new code unless one was sent moments ago; answers the seconds to wait in that case. */
export async function startCode(
  tx: Tx,
  user_uid: string,
  nonce: string,
  valid_seconds: number,
  resend_seconds: number,
): Promise<number> {
  const started = await tx`
    insert into mail_codes (user_uid, nonce, sent_at, expires_at) values (${user_uid}, ${nonce}, now(), now() + ${valid_seconds} * interval '1 second')
    on conflict (user_uid) do update set nonce = excluded.nonce, tries = 0, sent_at = excluded.sent_at, expires_at = excluded.expires_at
    where mail_codes.sent_at <= now() - ${resend_seconds} * interval '1 second'`
  if (started.count === 1) return 0
  const [row] =
    await tx`select ceil(extract(epoch from sent_at + ${resend_seconds} * interval '1 second' - now()))::int as wait from mail_codes where user_uid = ${user_uid}`
  return Math.max(1, row!.wait)
}

/** Counts a try before the code is looked at, so that parallel guesses cannot share one. */
export async function takeCodeTry(
  sql: Sql,
  user_uid: string,
  most: number,
): Promise<string | undefined> {
  const [row] = await sql`
    update mail_codes set tries = tries + 1 where user_uid = ${user_uid} and expires_at > now() and tries < ${most} returning nonce`
  return row?.nonce
}

export async function codeIsCurrent(
  sql: Sql,
  user_uid: string,
  nonce: string,
): Promise<string | undefined> {
  const [row] = await sql`
    select u.email from mail_codes c join users u on u.uid = c.user_uid where c.user_uid = ${user_uid} and c.nonce = ${nonce} and c.expires_at > now()`
  return row?.email
}

export async function verifyEmail(sql: Sql, user_uid: string, nonce: string): Promise<boolean> {
  return sql.begin(async (tx) => {
    const used = await tx`delete from mail_codes where user_uid = ${user_uid} and nonce = ${nonce}`
    if (used.count !== 1) return false
    await tx`update users set email_verified_at = coalesce(email_verified_at, now()) where uid = ${user_uid}`
    return true
  })
}

export type DeveloperState = {
  developer: boolean
  developer_enabled_at: Date | null
  developer_terms_version: string | null
}

export async function enableDeveloper(
  sql: Sql | Tx,
  user_uid: string,
  terms_version: string,
): Promise<DeveloperState> {
  const [row] = await sql<DeveloperState[]>`
    update users set developer_enabled_at = coalesce(developer_enabled_at, now()), developer_terms_version = ${terms_version} where uid = ${user_uid}
    returning developer_enabled_at is not null as developer, developer_enabled_at, developer_terms_version`
  return row!
}

/** Nothing when the account owns or helps run a project. The lock waits for a project that is being made just now, and keeps out the next. */
export async function disableDeveloper(
  sql: Sql,
  user_uid: string,
): Promise<DeveloperState | undefined> {
  return sql.begin(async (tx) => {
    await tx`select from users where uid = ${user_uid} for update`
    const [row] = await tx<DeveloperState[]>`
      update users set developer_enabled_at = null
      where uid = ${user_uid} and not exists (select from listings where owner_uid = ${user_uid})
        and not exists (select from listing_admins where user_uid = ${user_uid} and accepted_at is not null)
      returning developer_enabled_at is not null as developer, developer_enabled_at, developer_terms_version`
    return row
  })
}

/** Whether developer mode is on, and stays on until the transaction ends. */
export async function holdDeveloper(tx: Tx, user_uid: string): Promise<boolean> {
  const [row] =
    await tx`select from users where uid = ${user_uid} and developer_enabled_at is not null for share`
  return row !== undefined
}

export type AdultState = { show_adult: boolean; adult_confirmed: boolean }

export async function setAdult(sql: Sql, user_uid: string, show: boolean): Promise<AdultState> {
  const [row] = await sql<AdultState[]>`
    update users set show_adult = ${show}, adult_confirmed_at = case when ${show} then coalesce(adult_confirmed_at, now()) else adult_confirmed_at end
    where uid = ${user_uid} returning show_adult, adult_confirmed_at is not null as adult_confirmed`
  return row!
}

export async function sweepExpired(tx: Tx): Promise<void> {
  await tx`delete from sessions where expires_at < now()`
  await tx`delete from mail_codes where expires_at < now() - interval '1 day'`
}

export async function mayRunGame(sql: Sql, user_uid: string, game_uid: string): Promise<boolean> {
  const [row] = await sql`
    select from listings where uid = ${game_uid} and (owner_uid = ${user_uid}
      or exists (select from listing_admins where game_uid = ${game_uid} and user_uid = ${user_uid} and accepted_at is not null))`
  return row !== undefined
}

/** Linked to nobody else, and this person to no other: false otherwise. */
export async function linkExtstore(
  tx: Tx,
  user_uid: string,
  extstore_id: string,
): Promise<boolean> {
  try {
    const { count } = await tx.savepoint(
      (attempt) => attempt`
        update users set extstore_id = ${extstore_id} where uid = ${user_uid} and (extstore_id is null or extstore_id = ${extstore_id})`,
    )
    return count === 1
  } catch (error) {
    if ((error as { constraint_name?: string }).constraint_name === 'users_extstore_id_key')
      return false
    throw error
  }
}

/** The account that was linked, if one was. */
export async function unlinkExtstore(tx: Tx, user_uid: string): Promise<string | undefined> {
  const [row] = await tx<{ extstore_id: string }[]>`
    update users u set extstore_id = null from (select uid, extstore_id from users where uid = ${user_uid} and extstore_id is not null for update) old
    where u.uid = old.uid returning old.extstore_id`
  return row?.extstore_id
}

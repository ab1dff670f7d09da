import type { Sql, Tx } from '../../core/database/sql.ts'
import type { SignInPlace } from '../devices/devices.ts'
import { accountColumns } from '../people/queries.ts'
import { suspensionOf } from '../people/suspension-queries.ts'
import type { Identity } from './identity.ts'

type NewSession = {
  uid: string
  user_uid: string
  token_hash: Buffer
  expires_at: Date
  device_hash?: Buffer
  place?: SignInPlace
}
const nowhere = { browser: null, system: null, country: null, network: null }

/**
 * Inserts only if the password has not changed since it was checked, because setting a new password
 * ends every session, including this one.
 */
export async function insertSession(
  sql: Sql | Tx,
  session: NewSession,
  password_hash: string,
): Promise<boolean> {
  const { uid, user_uid, token_hash, expires_at, device_hash = null, place = nowhere } = session
  const { count } = await sql`
    insert into sessions
      (uid, user_uid, token_hash, expires_at, device_hash, browser, system, country, network)
    select ${uid}::uuid, u.uid, ${token_hash}::bytea, ${expires_at}::timestamptz,
      ${device_hash}::bytea, ${place.browser}::text, ${place.system}::text,
      ${place.country}::text, ${place.network}::text
    from users u
    where u.uid = ${user_uid} and u.password_hash = ${password_hash}
    for share`
  return count === 1
}

/**
 * Locks the account until the transaction ends, and returns whether the session still exists and
 * the person is not suspended. Setting a new password and suspending take the same lock.
 */
export async function lockSignedInAccount(
  tx: Tx,
  user_uid: string,
  session_uid: string,
): Promise<boolean> {
  await tx`select from users where uid = ${user_uid} for no key update`
  const [session] = await tx`
    select
    from sessions s
    join users u on u.uid = s.user_uid
    where s.uid = ${session_uid} and s.expires_at > now()
      and ${suspensionOf(tx)} ->> 'scope' is distinct from 'everything'`
  return session !== undefined
}

type FoundSession = Identity & { last_used_at: Date }

export async function findSession(sql: Sql, token_hash: Buffer): Promise<FoundSession | undefined> {
  const [session] = await sql<FoundSession[]>`
    select ${accountColumns(sql)}, 'session' as kind,
      s.uid as credential_uid, 'website' as credential_name,
      '{}'::text[] as scopes, null::uuid as game_uid, s.expires_at, s.last_used_at
    from sessions s
    join users u on u.uid = s.user_uid
    where s.token_hash = ${token_hash} and s.expires_at > now()`
  return session
}

/** Writes a row only if no other process recorded a use in the last minute. */
export async function recordUse(sql: Sql, uid: string): Promise<void> {
  await sql`
    update sessions
    set last_used_at = now()
    where uid = ${uid} and last_used_at < now() - interval '1 minute'`
}

/** When the person last proved that the session is theirs; undefined if it has ended. */
export async function readProofTime(sql: Sql, uid: string): Promise<Date | undefined> {
  const [session] = await sql<{ proved_at: Date }[]>`
    select coalesce(proved_at, created_at) as proved_at
    from sessions
    where uid = ${uid} and expires_at > now()`
  return session?.proved_at
}

/** Undefined if the session has ended, or the password changed since it was checked. */
export async function saveProof(
  sql: Sql | Tx,
  uid: string,
  password_hash: string,
): Promise<Date | undefined> {
  const [session] = await sql<{ proved_at: Date }[]>`
    update sessions s
    set proved_at = now()
    from users u
    where s.uid = ${uid}
      and s.expires_at > now()
      and u.uid = s.user_uid
      and u.password_hash = ${password_hash}
    returning s.proved_at`
  return session?.proved_at
}

export async function deleteSession(sql: Sql, uid: string): Promise<void> {
  await sql`delete from sessions where uid = ${uid}`
}

/** Ends the sessions of one person, or of everyone. Returns how many. */
export async function deleteSessions(sql: Sql | Tx, user_uid: string | null): Promise<number> {
  const { count } = await sql`
    delete from sessions
    where user_uid = ${user_uid} or ${user_uid}::uuid is null`
  return count
}

/** Deletes sessions that expired, or that nobody used for so many days. */
export async function sweepSessions(tx: Tx, idle_days: number): Promise<void> {
  await tx`
    delete from sessions
    where expires_at < now() or last_used_at < now() - ${idle_days} * interval '1 day'`
}

export type OpenSession = {
  uid: string
  browser: string | null
  system: string | null
  country: string | null
  network: string | null
  created_at: Date
  last_used_at: Date
  expires_at: Date
}
const MAX_LISTED = 200

/** The sessions that have not expired: the current one first, then the last used. */
export async function listSessions(
  sql: Sql,
  user_uid: string,
  current_uid: string,
): Promise<OpenSession[]> {
  return sql<OpenSession[]>`
    select uid, browser, system, country, network, created_at, last_used_at, expires_at
    from sessions
    where user_uid = ${user_uid} and expires_at > now()
    order by uid = ${current_uid} desc, last_used_at desc, uid desc
    limit ${MAX_LISTED}`
}

type SessionOwner = Pick<Identity, 'user_uid' | 'credential_uid'>

/** False if the person has no such session. Forgets its device, unless it is the current one. */
export async function endOwnSession(
  sql: Sql | Tx,
  { user_uid, credential_uid }: SessionOwner,
  uid: string,
): Promise<boolean> {
  const { count } = await sql`
    with ended as (
      delete from sessions
      where uid = ${uid} and user_uid = ${user_uid}
      returning device_hash),
    forgotten as (
      delete from known_devices d
      using ended e
      where d.user_uid = ${user_uid} and d.device_hash = e.device_hash
        and d.device_hash is distinct from (
          select s.device_hash from sessions s where s.uid = ${credential_uid}))
    select 1 from ended`
  return count === 1
}

/** Also forgets all devices but the current one. Returns how many sessions ended. */
export async function endOtherSessions(
  sql: Sql | Tx,
  { user_uid, credential_uid }: SessionOwner,
): Promise<number> {
  const { count } = await sql`
    with forgotten as (
      delete from known_devices d
      where d.user_uid = ${user_uid}
        and d.device_hash is distinct from (
          select s.device_hash from sessions s where s.uid = ${credential_uid}))
    delete from sessions
    where user_uid = ${user_uid} and uid <> ${credential_uid}`
  return count
}

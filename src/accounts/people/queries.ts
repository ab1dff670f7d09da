import type { Sql, Tx } from '../../core/database/sql.ts'
import { acceptedTermsOf } from '../policies/acceptance-queries.ts'
import { administeredListings, allowsAgents, isEditor, isVerified } from './role-queries.ts'
import type { Suspension } from './suspension.ts'
import { suspensionOf } from './suspension-queries.ts'
import type { Theme } from './themes.ts'

/** The account of a credential. */
export type Account = {
  user_uid: string
  username: string
  email_verified: boolean
  developer: boolean
  show_adult: boolean
  /** The language of pages and mails; null if it follows the browser. */
  language: string | null
  /** Null if the person has not chosen one. */
  theme: Theme | null
  /** The hash of the avatar's content; null without one. */
  avatar: string | null
  /** The newest terms of the store that the person accepted; null without any. */
  store_terms_version: number | null
  /** Whether pages show what only operators need; the scheme `operator` checks it again. */
  operator: boolean
  /** Whether pages lead to the queue of reports; the scheme `moderator` checks it again. */
  moderator: boolean
  /** Null unless moderators suspended the person and the time has not passed. */
  suspension: Suspension | null
  /** Whether signing in takes a second step. */
  second_factor: boolean
}
export type User = Account & { email: string; password_hash: string; extstore_id: string | null }
/** Whom a mail is written to. */
export type Recipient = Pick<User, 'email' | 'language'>

/** The hash of the avatar of a user `u`; null without one. */
export const avatarOf = (sql: Sql | Tx) => sql`
  (select a.sha256 from profile_images a where a.user_uid = u.uid and a.slot = 'avatar')`

/** Whether a user `u` has a passkey or an authenticator app. */
export const hasSecondFactor = (sql: Sql | Tx) => sql`
  (exists (select from passkeys k where k.user_uid = u.uid)
    or exists (
      select from totp_factors f where f.user_uid = u.uid and f.confirmed_at is not null))`

/** The columns of an Account, from `users u`. */
export const accountColumns = (sql: Sql | Tx) => sql`
  u.uid as user_uid, u.username, ${isVerified(sql)} as email_verified,
  u.developer_enabled_at is not null as developer, u.show_adult, u.language, u.theme,
  ${avatarOf(sql)} as avatar, ${acceptedTermsOf(sql)} as store_terms_version,
  exists (select from operators o where o.user_uid = u.uid) as operator,
  exists (select from moderators m where m.user_uid = u.uid) as moderator,
  ${suspensionOf(sql)} as suspension, ${hasSecondFactor(sql)} as second_factor`

const userColumns = (sql: Sql | Tx) => sql`
  ${accountColumns(sql)}, u.email, u.password_hash, u.extstore_id`

export async function insertUser(
  sql: Sql | Tx,
  user: { uid: string; username: string; email: string; password_hash: string },
): Promise<void> {
  await sql`insert into users ${sql(user)}`
}

export async function findUserByLogin(sql: Sql, login: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    select ${userColumns(sql)}
    from users u
    where lower(u.username) = lower(${login}) or lower(u.email) = lower(${login})
    order by lower(u.username) = lower(${login}) desc
    limit 1`
  return user
}

export async function readUser(sql: Sql, user_uid: string): Promise<User> {
  const [user] = await sql<User[]>`
    select ${userColumns(sql)}
    from users u
    where u.uid = ${user_uid}`
  return user!
}

export async function userExists(sql: Sql, user_uid: string): Promise<boolean> {
  const [row] = await sql`select from users where uid::text = ${user_uid}`
  return row !== undefined
}

export async function lockUser(tx: Tx, user_uid: string): Promise<void> {
  await tx`select from users where uid = ${user_uid} for update`
}

export type DeveloperState = {
  developer: boolean
  developer_enabled_at: Date | null
  developer_terms_version: string | null
}

const developerColumns = (sql: Sql | Tx) => sql`
  developer_enabled_at is not null as developer, developer_enabled_at, developer_terms_version`

export async function enableDeveloper(
  sql: Sql | Tx,
  user_uid: string,
  terms_version: string,
): Promise<DeveloperState> {
  const [row] = await sql<DeveloperState[]>`
    update users
    set developer_enabled_at = coalesce(developer_enabled_at, now()),
      developer_terms_version = ${terms_version}
    where uid = ${user_uid}
    returning ${developerColumns(sql)}`
  return row!
}

/**
 * Undefined if the account owns a project or is an admin of one. The lock waits for a project that
 * is being created, and blocks new ones until the transaction ends.
 */
export async function disableDeveloper(
  sql: Sql,
  user_uid: string,
): Promise<DeveloperState | undefined> {
  return sql.begin(async (tx) => {
    await lockUser(tx, user_uid)
    const [row] = await tx<DeveloperState[]>`
      update users
      set developer_enabled_at = null
      where uid = ${user_uid}
        and not exists (select from listings where owner_uid = ${user_uid})
        and not exists (${administeredListings(tx, user_uid)})
      returning ${developerColumns(tx)}`
    return row
  })
}

/** Whether developer mode is on, also if another process turned it on within the last second. */
export async function isDeveloper(sql: Sql | Tx, account: Account): Promise<boolean> {
  if (account.developer) return true
  const [row] = await sql`
    select from users
    where uid = ${account.user_uid} and developer_enabled_at is not null`
  return row !== undefined
}

/** Whether developer mode is on. If so, it stays on until the transaction ends. */
export async function lockDeveloperMode(tx: Tx, user_uid: string): Promise<boolean> {
  const [row] = await tx`
    select from users
    where uid = ${user_uid} and developer_enabled_at is not null
    for share`
  return row !== undefined
}

export async function setLanguage(
  sql: Sql,
  user_uid: string,
  language: string | null,
): Promise<void> {
  await sql`update users set language = ${language} where uid = ${user_uid}`
}

export async function setTheme(sql: Sql, user_uid: string, theme: Theme): Promise<void> {
  await sql`update users set theme = ${theme} where uid = ${user_uid}`
}

export type AdultState = { show_adult: boolean; adult_confirmed: boolean }

export async function setAdult(sql: Sql, user_uid: string, show: boolean): Promise<AdultState> {
  const [row] = await sql<AdultState[]>`
    update users
    set show_adult = ${show},
      adult_confirmed_at = case
        when ${show} then coalesce(adult_confirmed_at, now())
        else adult_confirmed_at end
    where uid = ${user_uid}
    returning show_adult, adult_confirmed_at is not null as adult_confirmed`
  return row!
}

/** Whether agents of the person may work on the listing; undefined if the person may not. */
export async function mayUseAgents(
  sql: Sql | Tx,
  user_uid: string,
  game_uid: string,
): Promise<boolean | undefined> {
  const [row] = await sql<{ allowed: boolean }[]>`
    select ${allowsAgents(sql, user_uid)} as allowed
    from listings l
    where l.uid = ${game_uid} and ${isEditor(sql, user_uid)}`
  return row?.allowed
}

/** False if the external account is linked to another person, or this person to another account. */
export async function linkExtstore(
  tx: Tx,
  user_uid: string,
  extstore_id: string,
): Promise<boolean> {
  try {
    const { count } = await tx.savepoint(
      (savepoint) => savepoint`
        update users
        set extstore_id = ${extstore_id}
        where uid = ${user_uid} and (extstore_id is null or extstore_id = ${extstore_id})`,
    )
    return count === 1
  } catch (error) {
    if ((error as { constraint_name?: string }).constraint_name === 'users_extstore_id_key')
      return false
    throw error
  }
}

/** The account that was linked, if any. */
export async function unlinkExtstore(tx: Tx, user_uid: string): Promise<string | undefined> {
  const [row] = await tx<{ extstore_id: string }[]>`
    update users u
    set extstore_id = null
    from (
      select uid, extstore_id
      from users
      where uid = ${user_uid} and extstore_id is not null
      for update) old
    where u.uid = old.uid
    returning old.extstore_id`
  return row?.extstore_id
}

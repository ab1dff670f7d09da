import type { Sql, Tx } from '../../core/database/sql.ts'
import { isEditor } from '../people/role-queries.ts'
import { suspensionOf } from '../people/suspension-queries.ts'
import type { EventKind } from '../security-events/kinds.ts'

export type RevokedAccess = {
  event:
    | Extract<
        EventKind,
        'deploy_key_revoked' | 'key_revoked' | 'grant_revoked' | 'upload_ended' | 'approval_ended'
      >
    /** Not an event: there are secrets of the listing that the person could read. */
    | 'secrets_exposed'
  game_uid: string
}

/**
 * Ends everything that a person issued or could use for a listing, or for all listings. The
 * function writes to tables of several modules, so that all of it happens in one transaction.
 */
export async function endAccess(
  tx: Tx,
  user_uid: string,
  game_uid: string | null,
): Promise<RevokedAccess[]> {
  return tx<RevokedAccess[]>`
    select event, listing_uid as game_uid
    from revoke_access(${user_uid}::uuid, ${game_uid}::uuid)`
}

export type RevokedSince = {
  event: RevokedAccess['event'] | Extract<EventKind, 'admin_removed'>
  game_uid: string | null
  user_uid: string
}

/**
 * Ends what whoever took an account over since a moment could use or leave to others, with the
 * roles of people who were invited since. As endAccess, it writes to tables of several modules.
 */
export async function endAccessSince(
  tx: Tx,
  user_uid: string,
  since: Date,
): Promise<RevokedSince[]> {
  return tx<RevokedSince[]>`
    select event, listing_uid as game_uid, of_person as user_uid
    from revoke_access_since(${user_uid}::uuid, ${since}::timestamptz)`
}

/**
 * Keeps people from losing their role in a listing until the transaction ends. Read the role in a
 * statement of its own afterwards: one that waits for a lock sees what was true before.
 */
export async function holdRoles(tx: Tx, game_uid: string): Promise<void> {
  await tx`select from all_listings where uid = ${game_uid} for no key update`
}

/**
 * Whether a person runs a listing and is not suspended. Until the transaction ends the person is
 * neither suspended nor deleted; the caller holds the roles.
 */
export async function holdRole(tx: Tx, user_uid: string, game_uid: string): Promise<boolean> {
  const [row] = await tx`
    select
    from users u
    join listings l on l.uid = ${game_uid}
    where u.uid = ${user_uid} and ${isEditor(tx, user_uid)}
      and ${suspensionOf(tx)} ->> 'scope' is distinct from 'everything'
    for share of u`
  return row !== undefined
}

type LostRole = {
  to: string
  language: string | null
  game: string
  vanity_name: string
  /** Null after the account was deleted. */
  username: string | null
}

/** What to mail to the owner of a listing; undefined if the listing is gone. */
export async function findLostRole(
  sql: Sql,
  game_uid: string,
  user_uid: string,
): Promise<LostRole | undefined> {
  const [row] = await sql<LostRole[]>`
    select o.email as to, o.language, l.name as game, l.vanity_name, u.username
    from listings l
    join users o on o.uid = l.owner_uid
    left join users u on u.uid = ${user_uid}
    where l.uid = ${game_uid} and l.owner_uid <> ${user_uid}`
  return row
}

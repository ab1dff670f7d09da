import { listingExists } from '../../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { isUuid } from '../../core/security/crypto.ts'

export type AdminRow = {
  user_uid: string
  username: string
  invited_at: Date
  accepted_at: Date | null
}
export type InviteRow = {
  game_uid: string
  vanity_name: string
  name: string
  username: string
  invited_at: Date
}

export async function readAdmins(sql: Sql | Tx, game_uid: string): Promise<AdminRow[]> {
  return sql<AdminRow[]>`
    select a.user_uid, u.username, a.invited_at, a.accepted_at
    from listing_admins a
    join users u on u.uid = a.user_uid
    where a.game_uid = ${game_uid}
    order by a.invited_at, u.username`
}

export async function findUser(
  sql: Sql | Tx,
  name_or_uid: string,
): Promise<{ uid: string } | undefined> {
  const named = isUuid(name_or_uid)
    ? sql`uid = ${name_or_uid}`
    : sql`lower(username) = lower(${name_or_uid})`
  const [user] = await sql<{ uid: string }[]>`select uid from users where ${named}`
  return user
}

/** Invites a user. An existing invite, accepted or not, is left unchanged: then false. */
export async function insertInvite(tx: Tx, game_uid: string, user_uid: string): Promise<boolean> {
  const { count } = await tx`
    insert into listing_admins (game_uid, user_uid)
    values (${game_uid}, ${user_uid})
    on conflict do nothing`
  return count === 1
}

/** Removes an admin or an invite. */
export async function deleteAdmin(tx: Tx, game_uid: string, user_uid: string): Promise<boolean> {
  const gone = await tx`
    delete from listing_admins
    where game_uid = ${game_uid} and user_uid = ${user_uid}`
  return gone.count === 1
}

/**
 * Sets whether agents of the admins may work on the listing. Turning it off also revokes the access
 * keys that admins have for this listing.
 */
export async function setAdminAgents(
  tx: Tx,
  { uid, owner_uid }: { uid: string; owner_uid: string },
  allowed: boolean,
): Promise<void> {
  await tx`update listings set admin_agents = ${allowed} where uid = ${uid}`
  if (allowed) return
  await tx`delete from access_keys where game_uid = ${uid} and user_uid <> ${owner_uid}`
}

export async function readInvites(sql: Sql, user_uid: string): Promise<InviteRow[]> {
  return sql<InviteRow[]>`
    select a.game_uid, l.vanity_name, l.name, u.username, a.invited_at
    from listing_admins a
    join listings l on l.uid = a.game_uid
    join users u on u.uid = l.owner_uid
    where a.user_uid = ${user_uid} and a.accepted_at is null
    order by a.invited_at desc`
}

export async function acceptInvite(
  sql: Sql | Tx,
  game_uid: string,
  user_uid: string,
): Promise<boolean> {
  const accepted = await sql`
    update listing_admins a
    set accepted_at = now()
    where game_uid = ${game_uid} and user_uid = ${user_uid} and accepted_at is null
      and ${listingExists(sql, 'a')}`
  return accepted.count === 1
}

export async function declineInvite(
  sql: Sql,
  game_uid: string,
  user_uid: string,
): Promise<boolean> {
  const gone = await sql`
    delete from listing_admins a
    where game_uid = ${game_uid} and user_uid = ${user_uid} and accepted_at is null
      and ${listingExists(sql, 'a')}`
  return gone.count === 1
}

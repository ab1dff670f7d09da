import type { Sql, Tx } from '../../core/database/sql.ts'
import { retention } from '../../core/runtime/retention.ts'
import type { AssetType } from '../fields/fields.ts'

/**
 * Deleted listings that can be restored. Their rows stay in `all_listings`; all other queries read
 * `listings`, which does not have them.
 */

/**
 * Whether someone other than the people who run a listing has a copy of it, downloaded a file, or
 * signed in from it with an account of the external store.
 */
export async function hasPlayers(sql: Sql | Tx, uid: string): Promise<boolean> {
  const [row] = await sql<{ has_players: boolean }[]>`
    select
      exists (
        select
        from licences o
        where o.game_uid = l.uid
          and o.user_uid <> l.owner_uid
          and not exists (
            select
            from listing_admins a
            where a.game_uid = l.uid and a.user_uid = o.user_uid and a.accepted_at is not null))
      or exists (
        select
        from download_attempts d
        where d.game_uid = l.uid and d.outcome = 'ok' and d.access <> 'owner')
      or exists (select from extstore_sessions s where s.game_uid = l.uid)
      as has_players
    from listings l
    where l.uid = ${uid}`
  return row?.has_players ?? false
}

/** When a deleted listing `l` is gone for good. */
export const purgeTime = (sql: Sql | Tx) =>
  sql`l.deleted_at + ${retention.deleted_listing_days} * interval '1 day'`

/** Deletes a listing so that it can be restored. Returns when it will be gone for good. */
export async function markDeleted(tx: Tx, uid: string): Promise<Date> {
  const [row] = await tx<{ purge_at: Date }[]>`
    update all_listings l
    set deleted_at = now()
    where l.uid = ${uid}
    returning ${purgeTime(tx)} as purge_at`
  return row!.purge_at
}

/** Whether moderators took the listing down, which restoring it does not undo. */
const isTakenDown = (sql: Sql | Tx) => sql`l.taken_down_at is not null`

export type RestoredListing = { vanity_name: string; taken_down: boolean }

/** Undoes `markDeleted` for the owner. */
export async function unmarkDeleted(
  tx: Tx,
  uid: string,
  owner_uid: string,
): Promise<RestoredListing | undefined> {
  const [row] = await tx<RestoredListing[]>`
    update all_listings l
    set deleted_at = null
    where l.uid = ${uid} and l.owner_uid = ${owner_uid} and ${purgeTime(tx)} > now()
    returning l.vanity_name, ${isTakenDown(tx)} as taken_down`
  return row
}

export type DeletedListing = {
  uid: string
  vanity_name: string
  name: string
  asset_type: AssetType
  deleted_at: Date
  purge_at: Date
  taken_down: boolean
}

/** The listings that their owner can restore, last deleted first. */
export async function listDeleted(sql: Sql, owner_uid: string): Promise<DeletedListing[]> {
  return sql<DeletedListing[]>`
    select l.uid, l.vanity_name, l.name, l.asset_type, l.deleted_at, ${purgeTime(sql)} as purge_at,
      ${isTakenDown(sql)} as taken_down
    from all_listings l
    where l.owner_uid = ${owner_uid} and ${purgeTime(sql)} > now()
    order by l.deleted_at desc, l.uid`
}

/** Locks the listings whose time to be restored has passed, and returns their uids. */
export async function lockPurgeable(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx<{ uid: string }[]>`
    select l.uid
    from all_listings l
    where l.deleted_at < now() - ${retention.deleted_listing_days} * interval '1 day'
    order by l.deleted_at, l.uid
    limit ${limit}
    for update skip locked`
  return rows.map(({ uid }) => uid)
}

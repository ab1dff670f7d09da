import type { PendingQuery, Row } from 'postgres'
import type { Sql, Tx } from '../../core/database/sql.ts'

/** Queries read a listing as `l`, and a listing that it refers to as `o`. */
export type ListingAlias = 'l' | 'o'

/** Whether the email address of a user `u` is verified. */
export const isVerified = (sql: Sql | Tx) => sql`u.email_verified_at is not null`

/**
 * Whether the listing of a row exists. A deleted listing keeps its rows while it can be restored,
 * but is not in `listings`. For queries that find rows without reading their listing.
 */
export const listingExists = (sql: Sql | Tx, alias: string) =>
  sql`exists (select from listings where listings.uid = ${sql(alias)}.game_uid)`

/** Whether a person owns the listing; nobody does without a person. */
export const isOwner = (sql: Sql | Tx, user_uid: string | null, alias: ListingAlias = 'l') =>
  sql`${sql(alias)}.owner_uid is not distinct from ${user_uid}::uuid`

/** Whether a person is an admin of the listing. An invitation gives no role until accepted. */
export const isAcceptedAdmin = (
  sql: Sql | Tx,
  user_uid: string | null,
  alias: ListingAlias = 'l',
) => sql`
  exists (
    select
    from listing_admins a
    where a.game_uid = ${sql(alias)}.uid
      and a.user_uid = ${user_uid}
      and a.accepted_at is not null
  )`

/** Whether a person owns the listing or is an admin of it. */
export const isEditor = (sql: Sql | Tx, user_uid: string, alias: ListingAlias = 'l') => sql`
  (${sql(alias)}.owner_uid = ${user_uid} or ${isAcceptedAdmin(sql, user_uid, alias)})`

/** Whether agents of a person who runs the listing `l` may work on it. */
export const allowsAgents = (sql: Sql | Tx, user_uid: string) =>
  sql`(l.admin_agents or l.owner_uid = ${user_uid})`

/** Selects the uids of the admins of a listing. */
export const acceptedAdmins = (sql: Sql | Tx, game_uid: string | PendingQuery<Row[]>) => sql`
  select a.user_uid
  from listing_admins a
  where a.game_uid = ${game_uid} and a.accepted_at is not null`

/** Selects the uids of the listings that a person is an admin of. */
export const administeredListings = (sql: Sql | Tx, user_uid: string) => sql`
  select a.game_uid
  from listing_admins a
  where a.user_uid = ${user_uid} and a.accepted_at is not null and ${listingExists(sql, 'a')}`

/** Like `isEditor`, for queries over all listings: what a person administers is read only once. */
export const isAmongOwnListings = (sql: Sql | Tx, user_uid: string) => sql`
  (l.owner_uid = ${user_uid} or l.uid in (${administeredListings(sql, user_uid)}))`

import {
  allowsAgents,
  isAcceptedAdmin,
  isAmongOwnListings,
  isOwner,
  isVerified,
} from '../../accounts/people/role-queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { type AssetType, type FieldValues, fieldNames, type Visibility } from '../fields/fields.ts'
import { fieldColumns, storedColumns } from '../fields/queries.ts'
import { checkLockedLabels, type Labels } from '../moderated/labels.ts'
import { wherePublic } from './visibility-queries.ts'

export type Listing = FieldValues & {
  uid: string
  asset_id: number
  owner_uid: string
  price_cents: number
  anonymous_downloads: boolean
  /** Whether agents of its admins may work on it. */
  admin_agents: boolean
  parent_uid: string | null
  parent_external_name: string | null
  parent_external_url: string | null
  mod_install_path: string
  mod_loader: string
  mod_instructions: string
  published_at: Date | null
  public_since: Date | null
  /** The visibility before the store hid the listing, see `withholdAdult`. */
  withheld_visibility: Visibility | null
  /** Moderators decided that the page is not public. */
  hidden_by_moderators: boolean
  created_at: Date
  updated_at: Date
  version: number
}

/** A listing with the roles of one user in it. */
export type ListingFor = Listing & {
  is_owner: boolean
  is_accepted_admin: boolean
  owner_username: string
  owner_verified: boolean
}

export type NewListing = Pick<
  Listing,
  'uid' | 'owner_uid' | 'vanity_name' | 'name' | 'tagline' | 'description' | 'asset_type'
> &
  Partial<Pick<Listing, 'parent_uid' | 'parent_external_name' | 'parent_external_url'>>

/** Returns false when the vanity name is taken. */
export async function insertListing(sql: Sql | Tx, listing: NewListing): Promise<boolean> {
  const made = await sql`insert into listings ${sql(listing)} on conflict (vanity_name) do nothing`
  return made.count === 1
}

/** Every column of a listing `l`. */
export const listingColumns = (sql: Sql | Tx) => sql`
  l.uid, l.asset_id, l.owner_uid,
  ${fieldColumns(sql, fieldNames)},
  l.price_cents, l.anonymous_downloads, l.admin_agents,
  l.parent_uid, l.parent_external_name, l.parent_external_url,
  l.mod_install_path, l.mod_loader, l.mod_instructions,
  l.published_at, l.public_since, l.withheld_visibility,
  l.hidden_at is not null as hidden_by_moderators, l.created_at, l.updated_at, l.version`

/** The condition for the listing `l` with this uid or vanity name. */
export const isListing = (sql: Sql | Tx, uid_or_name: string) =>
  isUuid(uid_or_name) ? sql`l.uid = ${uid_or_name}` : sql`l.vanity_name = ${uid_or_name}`

/** The roles of a user in a listing `l`, and its owner. */
const standingColumns = (sql: Sql | Tx, user_uid: string | null) => sql`
  ${isOwner(sql, user_uid)} as is_owner,
  ${isAcceptedAdmin(sql, user_uid)} as is_accepted_admin,
  (select u.username from users u where u.uid = l.owner_uid) as owner_username,
  (select ${isVerified(sql)} from users u where u.uid = l.owner_uid) as owner_verified`

export async function readListing(
  sql: Sql | Tx,
  uid_or_name: string,
  user_uid: string | null,
): Promise<ListingFor | undefined> {
  const [row] = await sql<ListingFor[]>`
    select ${listingColumns(sql)}, ${standingColumns(sql, user_uid)}
    from listings l
    where ${isListing(sql, uid_or_name)}`
  return row
}

/**
 * Reads a listing and locks it against changes until the transaction ends. Other transactions may
 * still insert rows that refer to it, because those do not change the listing itself.
 */
export async function lockListing(
  tx: Tx,
  uid_or_name: string,
  user_uid: string | null,
): Promise<ListingFor | undefined> {
  const [row] = await tx<ListingFor[]>`
    select ${listingColumns(tx)}, ${standingColumns(tx, user_uid)}
    from listings l
    where ${isListing(tx, uid_or_name)}
    for no key update of l`
  return row
}

export type OwnListingRow = Pick<
  Listing,
  'uid' | 'vanity_name' | 'name' | 'asset_type' | 'status' | 'visibility' | 'updated_at'
> & {
  is_owner: boolean
}

/**
 * The listings that a user owns or administers, last edited first. An access key that is restricted
 * to one project finds only that project, and agents only those whose owner allows them.
 */
export async function listOwnListings(
  sql: Sql,
  { user_uid, game_uid: only, kind }: Pick<Identity, 'user_uid' | 'game_uid' | 'kind'>,
  { limit, offset }: { limit: number; offset: number },
) {
  const listings = sql`
    from listings l
    where ${isAmongOwnListings(sql, user_uid)}
      and (${only}::uuid is null or l.uid = ${only})
      ${kind === 'agent' ? sql`and ${allowsAgents(sql, user_uid)}` : sql``}`
  const [rows, [counted]] = await Promise.all([
    sql<OwnListingRow[]>`
      select l.uid, l.vanity_name, l.name, l.asset_type, l.status, l.visibility, l.updated_at,
        l.owner_uid = ${user_uid} as is_owner
      ${listings}
      order by l.updated_at desc, l.uid
      limit ${limit} offset ${offset}`,
    sql`select count(*)::int as total ${listings}`,
  ])
  return { rows, total: counted!.total as number }
}

export type Change = Partial<
  Omit<Listing, 'uid' | 'asset_id' | 'owner_uid' | 'version' | 'created_at' | 'updated_at'>
>

/**
 * Changes a listing and the time of its last edit. Returns false when the new vanity name is taken.
 * The unique constraint decides between concurrent requests for the same name; only such a change
 * needs a savepoint. The time of the last edit never moves back: an edit that started before
 * another may be saved after it.
 */
export async function updateListing(tx: Tx, uid: string, change: Change): Promise<boolean> {
  if (!Object.keys(change).length) return true
  await checkLockedLabels(tx, uid, change as Labels)
  const update = (attempt: Tx) => attempt`
    update listings
    set ${attempt(storedColumns(attempt, change) as Change)},
      updated_at = greatest(updated_at, now())
    where uid = ${uid}`
  if (change.vanity_name === undefined) {
    await update(tx)
    return true
  }
  try {
    await tx.savepoint(update)
    return true
  } catch (error) {
    if ((error as { constraint_name?: string }).constraint_name === 'listings_vanity_name_key')
      return false
    throw error
  }
}

/** The time of every change in this transaction, so that those of one edit agree. */
export async function transactionTime(tx: Tx): Promise<Date> {
  const [row] = await tx<{ now: Date }[]>`select now() as now`
  return row!.now
}

/**
 * Records an edit by the owner or an admin, unless `updateListing` has recorded it in this
 * transaction: a second update of the row would cost as much as the first. Other updates of the row
 * leave `updated_at` alone, because readers and the sort order take it as the time of the last
 * edit.
 */
export async function markEdited(tx: Tx, uid: string): Promise<void> {
  await tx`update listings set updated_at = now() where uid = ${uid} and updated_at < now()`
}

/**
 * Hides public children whose type requires a parent, then deletes the listing for good, also one
 * that could have been restored.
 */
export async function deleteListing(
  tx: Tx,
  uid: string,
  needs_parent: readonly AssetType[],
): Promise<void> {
  await tx`
    update listings l
    set visibility = 'invisible', public_since = null, parent_uid = null
    where l.parent_uid = ${uid}
      and ${wherePublic(tx)}
      and l.asset_type = any(${[...needs_parent]})`
  await tx`delete from all_listings where uid = ${uid}`
}

export async function countChildren(tx: Tx, uid: string): Promise<number> {
  const [row] = await tx`select count(*)::int as children from listings where parent_uid = ${uid}`
  return row!.children
}

/** Locks the listings that were already public at a moment, and returns their uids. */
export async function lockPublicBefore(tx: Tx, moment: Date): Promise<string[]> {
  const rows = await tx<{ uid: string }[]>`
    select l.uid
    from listings l
    where ${wherePublic(tx)} and l.public_since <= ${moment}
    order by l.uid
    for update`
  return rows.map(({ uid }) => uid)
}

/**
 * The uid of a listing named by uid or vanity name, so that both count as one listing. An unknown
 * name is returned unchanged.
 */
export async function findUid(sql: Sql, uid_or_name: string): Promise<string> {
  if (isUuid(uid_or_name)) return uid_or_name.toLowerCase()
  const [row] = await sql<{ uid: string }[]>`
    select uid from listings where vanity_name = ${uid_or_name}`
  return row?.uid ?? uid_or_name
}

export async function findByDeveloper(
  sql: Sql,
  username: string,
  vanity_name: string,
): Promise<string | undefined> {
  const [row] = await sql<{ uid: string }[]>`
    select l.uid
    from listings l
    join users u on u.uid = l.owner_uid
    where lower(u.username) = lower(${username}) and l.vanity_name = ${vanity_name}`
  return row?.uid
}

export async function hideListing(tx: Tx, uid: string): Promise<void> {
  await tx`
    update listings l
    set visibility = 'invisible', public_since = null
    where l.uid = ${uid} and ${wherePublic(tx)}`
}

/**
 * Shows adult listings to their owners only while the store does not allow them, and as before when
 * it does again. Deleted listings that can be restored follow too.
 */
export async function withholdAdult(sql: Sql, is_allowed: boolean): Promise<void> {
  if (is_allowed)
    await sql`
      update all_listings
      set visibility = withheld_visibility, withheld_visibility = null
      where withheld_visibility is not null`
  else
    await sql`
      update all_listings
      set withheld_visibility = visibility, visibility = 'owner'
      where adult and visibility in ('invisible', 'public')`
}

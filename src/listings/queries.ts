import { isUuid } from '../core/crypto.ts'
import type { Sql } from '../core/db.ts'
import type { AssetType, Status, Visibility } from './taxonomy.ts'

export type ListingRow = {
  uid: string
  owner_uid: string
  owner_username: string
  vanity_name: string
  name: string
  tagline: string
  description: string
  asset_type: AssetType
  status: Status
  visibility: Visibility
  adult: boolean
  indexable: boolean
  updated_at: Date
  is_owner: boolean
  is_accepted_admin: boolean
}

export type NewListing = Pick<ListingRow, 'uid' | 'owner_uid' | 'vanity_name' | 'name' | 'tagline' | 'description' | 'asset_type'>

/** False when the vanity name is taken. */
export async function insertListing(sql: Sql, listing: NewListing): Promise<boolean> {
  const made = await sql`insert into listings ${sql(listing)} on conflict (vanity_name) do nothing`
  return made.count === 1
}

/** One listing by uid or vanity name, with what the viewer is to it. */
export async function readListing(sql: Sql, uid_or_name: string, viewer_uid: string | null): Promise<ListingRow | undefined> {
  const [row] = await sql<ListingRow[]>`
    select l.*, u.username as owner_username, l.owner_uid is not distinct from ${viewer_uid}::uuid as is_owner,
      exists (select from listing_admins a where a.game_uid = l.uid and a.user_uid = ${viewer_uid} and a.accepted_at is not null) as is_accepted_admin
    from listings l join users u on u.uid = l.owner_uid
    where ${isUuid(uid_or_name) ? sql`l.uid = ${uid_or_name}` : sql`l.vanity_name = ${uid_or_name}`}`
  return row
}

import type { Sql, Tx } from '../../core/database/sql.ts'
import { price } from '../../library/queries.ts'
import type { AssetType, Authorship, SessionBucket, Status } from '../../listings/fields/fields.ts'
import type { LaunchBand } from '../../listings/fields/launch-bands.ts'
import { launchBandOf } from '../../listings/listing/launch-band-queries.ts'
import type { ImageType } from '../../listings/media/image-rules.ts'

export type Picture = { sha256: string; type: ImageType }

/** A listing as lists show it. */
export type CardRow = {
  uid: string
  vanity_name: string
  name: string
  tagline: string
  asset_type: AssetType
  status: Status
  session_bucket: SessionBucket | null
  authorship: Authorship | null
  price_cents: number
  owner_uid: string
  username: string
  cover: Picture | null
  thumbnail: Picture | null
  platforms: string[]
  health: LaunchBand
  published_at: Date
  updated_at: Date
}

const picture = (sql: Sql | Tx, slot: 'cover' | 'thumbnail') => sql`
  (select json_build_object('sha256', i.sha256, 'type', i.type) from listing_images i where i.game_uid = l.uid and i.slot = ${slot})`

/** The columns of a card, of a listing `l` and its owner `u`. */
export const cardColumns = (sql: Sql | Tx) => sql`
  l.uid, l.vanity_name, l.name, l.tagline, l.asset_type, l.status, l.session_bucket, l.authorship, ${price(sql)} as price_cents,
  l.owner_uid, u.username, ${picture(sql, 'cover')} as cover, ${picture(sql, 'thumbnail')} as thumbnail,
  array(select distinct s.os from clean_stable_files s where s.game_uid = l.uid order by s.os) as platforms,
  ${launchBandOf(sql)} as health,
  coalesce(l.published_at, l.created_at) as published_at, l.updated_at`

/** Shelves: what everyone sees alike, of people who can be reached. */
export const forEveryone = (sql: Sql | Tx) =>
  sql`l.visibility = 'public' and not l.adult and u.email_verified_at is not null`

/** Sitemaps, feeds and everything else that is made for machines: of the same, what its developer lets them have. */
export const forMachines = (sql: Sql | Tx) => sql`
  l.visibility = 'public' and l.indexable and not l.adult and u.email_verified_at is not null`

/** How many listings were ever made, or a few more: as cheap to know as one of them. */
export async function countMade(sql: Sql): Promise<number> {
  const [row] = await sql<
    { made: number }[]
  >`select coalesce(max(asset_id), 0) as made from listings`
  return row!.made
}

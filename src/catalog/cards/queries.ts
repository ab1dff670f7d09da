import type { Sql, Tx } from '../../core/database/sql.ts'
import { price } from '../../library/copy-queries.ts'
import type { AssetType, Authorship, SessionBucket, Status } from '../../listings/fields/fields.ts'
import type { LaunchBand } from '../../listings/fields/launch-bands.ts'
import { launchBandOf } from '../../listings/listing/launch-band-queries.ts'
import type { ImageType } from '../../listings/media/image-rules.ts'

export type CardImage = { sha256: string; type: ImageType }

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
  cover: CardImage | null
  thumbnail: CardImage | null
  platforms: string[]
  health: LaunchBand
  published_at: Date
  updated_at: Date
}

/** The image of a listing `l`. */
export const imageColumn = (sql: Sql | Tx, slot: 'cover' | 'thumbnail') => sql`
  (select json_build_object('sha256', i.sha256, 'type', i.type)
    from listing_images i
    where i.game_uid = l.uid and i.slot = ${slot})`

/** The community tags of a listing `l` that are shown. */
export const communityTags = (sql: Sql | Tx) => sql`
  array(
    select c.tag from shown_community_tags c where c.game_uid = l.uid order by c.position)`

/** The columns of a card, of a listing `l` and its owner `u`. */
export const cardColumns = (sql: Sql | Tx) => sql`
  l.uid, l.vanity_name, l.name, l.tagline, l.asset_type, l.status,
  l.session_bucket, l.authorship, ${price(sql)} as price_cents,
  l.owner_uid, u.username,
  ${imageColumn(sql, 'cover')} as cover, ${imageColumn(sql, 'thumbnail')} as thumbnail,
  array(
    select distinct s.os from clean_stable_files s where s.game_uid = l.uid order by s.os
  ) as platforms,
  ${launchBandOf(sql)} as health,
  coalesce(l.published_at, l.created_at) as published_at, l.updated_at`

/** Listings that every visitor sees, of owners with a verified email address. */
export const whereShownToEveryone = (sql: Sql | Tx) =>
  sql`l.visibility = 'public' and not l.adult and u.email_verified_at is not null`

/** Of these, the listings that their developer allows to be indexed. */
export const whereIndexable = (sql: Sql | Tx) => sql`${whereShownToEveryone(sql)} and l.indexable`

/** An upper bound of the number of listings ever created, at the cost of one index lookup. */
export async function countEverCreated(sql: Sql): Promise<number> {
  const [row] = await sql<{ highest: number }[]>`
    select coalesce(max(asset_id), 0) as highest from listings`
  return row!.highest
}

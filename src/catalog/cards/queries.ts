import { avatarOf } from '../../accounts/people/queries.ts'
import { isVerified } from '../../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { currentPrice } from '../../listings/editions/queries.ts'
import type { AssetType, Authorship, SessionBucket, Status } from '../../listings/fields/fields.ts'
import type { LaunchBand } from '../../listings/fields/launch-bands.ts'
import { launchBandOf } from '../../listings/listing/launch-band-queries.ts'
import { whereForEveryone, whereIndexable } from '../../listings/listing/visibility-queries.ts'
import type { ImageType } from '../../listings/media/image-rules.ts'
import { imageColumn } from '../../listings/media/queries.ts'
import type { OfferFacts } from '../../listings/prices/offers.ts'
import { runningSaleFacts } from '../../listings/prices/queries.ts'
import { BROWSER } from './platforms.ts'

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
  /** While a sale of the listing runs. */
  sale_facts: OfferFacts | null
  owner_uid: string
  username: string
  /** The hash of the owner's avatar. */
  avatar: string | null
  cover: CardImage | null
  thumbnail: CardImage | null
  /** The systems of its clean stable files; empty for files that name none. See BROWSER. */
  systems: string[]
  health: LaunchBand
  published_at: Date
  updated_at: Date
}

/** The community tags of a listing `l` that are shown. */
export const communityTags = (sql: Sql | Tx) => sql`
  array(
    select c.tag from shown_community_tags c where c.game_uid = l.uid order by c.position)`

/** The columns of a card, of a listing `l` and its owner `u`. */
export const cardColumns = (sql: Sql | Tx) => sql`
  l.uid, l.vanity_name, l.name, l.tagline, l.asset_type, l.status,
  l.session_bucket, l.authorship, ${currentPrice(sql)} as price_cents,
  ${runningSaleFacts(sql)} as sale_facts,
  l.owner_uid, u.username, ${avatarOf(sql)} as avatar,
  ${imageColumn(sql, 'cover')} as cover, ${imageColumn(sql, 'thumbnail')} as thumbnail,
  array(
    select distinct case when s.os = 'web' and s.web_problem is null then ${BROWSER} else s.os end
    from clean_stable_files s
    where s.game_uid = l.uid
    order by 1
  ) as systems,
  ${launchBandOf(sql)} as health,
  coalesce(l.published_at, l.created_at) as published_at, l.updated_at`

/** Listings that every visitor sees, of owners with a verified email address. */
export const whereShownToEveryone = (sql: Sql | Tx) =>
  sql`${whereForEveryone(sql)} and ${isVerified(sql)}`

/** Of these, the listings that their developer allows search engines to index. */
export const whereShownToSearchEngines = (sql: Sql | Tx) =>
  sql`${whereIndexable(sql)} and ${isVerified(sql)}`

/** An upper bound of the number of listings ever created, at the cost of one index lookup. */
export async function countEverCreated(sql: Sql): Promise<number> {
  const [row] = await sql<{ highest: number }[]>`
    select coalesce(max(asset_id), 0) as highest from listings`
  return row!.highest
}

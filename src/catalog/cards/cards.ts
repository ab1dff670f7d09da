import { type Static, Type } from 'typebox'
import { Nullable, nameSchemas, OneOf, Timestamp, Uid } from '../../core/http/route.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import { assetTypes, authorships, sessionBuckets, statuses } from '../../listings/fields/fields.ts'
import { PlatformName, PlayableData } from '../../listings/fields/file-schema.ts'
import { launchBands } from '../../listings/fields/launch-bands.ts'
import { imageUrl } from '../../listings/media/url.ts'
import { pageUrl } from '../../listings/page/url.ts'
import { listingSale } from '../../listings/prices/offers.ts'
import { ListingSaleData } from '../../listings/prices/schema.ts'
import { profileImageUrl } from '../../listings/profiles/images.ts'
import { platformFields } from './platforms.ts'
import type { CardImage, CardRow } from './queries.ts'

const Text = Type.String()

/** A listing as lists show it. Images are URLs, empty if there is none. */
export const CardData = Type.Object({
  uid: Uid,
  vanity_name: Text,
  name: Text,
  tagline: Text,
  asset_type: OneOf(assetTypes),
  status: OneOf(statuses),
  developer: Type.Object({ uid: Uid, username: Text }),
  username: Text,
  creator_avatar: Text,
  price_cents: Type.Integer(),
  currency: Type.Literal('USD'),
  sale: Nullable(ListingSaleData),
  cover: Text,
  thumbnail: Text,
  session_bucket: Nullable(OneOf(sessionBuckets)),
  authorship: Nullable(OneOf(authorships)),
  health: OneOf(launchBands),
  platforms: Type.Array(PlatformName),
  has_browser_build: Type.Boolean(),
  has_downloads: Type.Boolean(),
  playable: PlayableData,
  url: Text,
  published_at: Timestamp,
  updated_at: Timestamp,
})
nameSchemas({ ListingCard: CardData })
export type Card = Static<typeof CardData>

const address = (addresses: Addresses, image: CardImage | null) =>
  image ? imageUrl(addresses, image) : ''

export function showCard(
  addresses: Addresses,
  { owner_uid, systems, avatar, sale_facts, ...row }: CardRow,
): Card {
  return {
    ...row,
    developer: { uid: owner_uid, username: row.username },
    creator_avatar: avatar ? profileImageUrl(addresses, avatar) : '',
    currency: 'USD',
    sale: listingSale(sale_facts),
    cover: address(addresses, row.cover),
    thumbnail: address(addresses, row.thumbnail),
    ...platformFields(addresses, systems),
    url: pageUrl(addresses, { owner_username: row.username, vanity_name: row.vanity_name }),
    published_at: row.published_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

import { type Static, Type } from 'typebox'
import { Nullable, TextOf, Timestamp, Uid } from '../../core/http/route.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import { assetTypes, resultFields, statuses } from '../../listings/fields/fields.ts'
import { PlatformName, PlayableData, ScanState } from '../../listings/fields/file-schema.ts'
import { launchBands } from '../../listings/fields/launch-bands.ts'
import { answerSchemas } from '../../listings/fields/schema.ts'
import { isIndexable } from '../../listings/listing/visibility.ts'
import { imageUrl } from '../../listings/media/url.ts'
import { parentAndChildren, type SeenAdult } from '../../listings/page/parent-and-children.ts'
import { ParentData, ParentGameData } from '../../listings/page/schema.ts'
import { listingSale } from '../../listings/prices/offers.ts'
import { ListingSaleData } from '../../listings/prices/schema.ts'
import { profileImageUrl } from '../../listings/profiles/images.ts'
import type { ResultRow } from '../search/feed/queries.ts'
import { platformFields } from './platforms.ts'

const Text = Type.String()
const Texts = Type.Array(Text)

/** A listing in search results. */
export const ItemData = Type.Object({
  uid: Uid,
  vanity_name: Text,
  name: Text,
  tagline: Text,
  asset_type: TextOf(assetTypes),
  status: TextOf(statuses),
  developer: Type.Object({ uid: Uid, username: Text }),
  creator_avatar: Text,
  price_cents: Type.Integer(),
  currency: Type.Literal('USD'),
  sale: Nullable(ListingSaleData),
  cover: Text,
  thumbnail: Text,
  ...answerSchemas(resultFields),
  community_tags: Texts,
  parent: ParentData,
  parent_game: ParentGameData,
  has_mods: Type.Boolean(),
  has_tools: Type.Boolean(),
  anonymous_downloads: Type.Boolean(),
  adult: Type.Boolean(),
  health: TextOf(launchBands),
  /** The best state of its files: clean, then scanning, then error, then infected. */
  scan: Nullable(ScanState),
  platforms: Type.Array(PlatformName),
  has_browser_build: Type.Boolean(),
  has_downloads: Type.Boolean(),
  playable: PlayableData,
  published_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Item = Static<typeof ItemData>

export function itemOf(addresses: Addresses, row: ResultRow, seen_adult: SeenAdult): Item {
  const {
    freshness,
    changes_at,
    sale_facts,
    owner_uid,
    username,
    avatar,
    cover,
    thumbnail,
    systems,
    parent_external_name,
    parent_external_url,
    mods_audience,
    tools_audience,
    published_at,
    created_at,
    updated_at,
    ...fields
  } = row
  return {
    ...fields,
    developer: { uid: owner_uid, username },
    creator_avatar: avatar ? profileImageUrl(addresses, avatar) : '',
    currency: 'USD',
    sale: listingSale(sale_facts),
    cover: cover ? imageUrl(addresses, cover) : '',
    thumbnail: thumbnail ? imageUrl(addresses, thumbnail) : '',
    indexable: isIndexable(row),
    ...parentAndChildren(row, seen_adult),
    ...platformFields(addresses, systems),
    published_at: published_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}

const names = Object.keys(ItemData.properties) as (keyof Item)[]

/** As JSON, with exactly the fields of the schema. */
export function itemToJson(addresses: Addresses, row: ResultRow, seen_adult: SeenAdult): string {
  const item = itemOf(addresses, row, seen_adult)
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, item[name]])))
}

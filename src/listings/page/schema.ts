import { type TSchema, Type } from 'typebox'
import { Nullable, nameSchemas, OneOf, Timestamp, Uid } from '../../core/http/route.ts'
import { editionKinds } from '../editions/prices.ts'
import { assetTypes, taxonomyFields } from '../fields/fields.ts'
import { ArchName, OsName, PlatformName, PlayableData } from '../fields/file-schema.ts'
import { launchBands } from '../fields/launch-bands.ts'
import { operatingSystems } from '../fields/platforms.ts'
import { answerSchemas } from '../fields/schema.ts'
import { storePlatforms } from '../fields/store-links.ts'
import { GalleryImageData } from '../media/schema.ts'
import { ListingSaleData, OfferData } from '../prices/schema.ts'
import { compatStatuses } from '../relations/engine-compat.ts'
import { dependencyKinds } from '../relations/relations.ts'
import { TrailerData } from '../trailers/schema.ts'

const Text = Type.String()

export const LinkedData = Type.Object({
  uid: Uid,
  vanity_name: Text,
  name: Text,
  asset_type: OneOf(assetTypes),
})
export const ParentData = Nullable(
  Type.Union([
    Type.Object({ game: Uid }),
    Type.Object({ external_name: Text, external_url: Text }),
  ]),
)
export const ParentGameData = Nullable(LinkedData)
const RelationData = Type.Object({ ...LinkedData.properties, kind: OneOf(dependencyKinds) })
export const RelationsData = Type.Object({
  uses: Type.Array(RelationData),
  used_by: Type.Array(RelationData),
})
export const RangeData = Type.Object({
  engine: Text,
  min_version: Nullable(Text),
  max_version: Nullable(Text),
  renderer: Nullable(Text),
  platform: Nullable(OneOf(operatingSystems)),
})
export const StoreLinkData = Type.Object({
  platform: OneOf(storePlatforms),
  label: Text,
  url: Text,
})
export const EditionData = Type.Object({
  uid: Uid,
  slug: Text,
  name: Text,
  description: Text,
  kind: OneOf(editionKinds),
  price_cents: Type.Integer(),
  active: Type.Boolean(),
  sort_order: Type.Integer(),
  bundle_asset_uids: Type.Array(Uid),
})

export const FileData = Type.Object({
  uid: Uid,
  build_id: Uid,
  app: Text,
  version: Text,
  os: OsName,
  arch: ArchName,
  channel: Text,
  filename: Text,
  size: Type.Integer(),
  checksum: Text,
  scan: OneOf(['clean', 'scanning']),
  playable: Type.Optional(
    Type.Boolean({ description: 'Of a build for browsers: whether it can be played in one' }),
  ),
  isolated: Type.Optional(
    Type.Boolean({ description: 'Of a build for browsers: cross-origin isolated, for threads' }),
  ),
  provenance: Type.Object({ method: Text, key_ref: Type.Optional(Text) }),
  uploaded_at: Timestamp,
})
const ChangeData = Type.Object({
  version: Text,
  title: Text,
  description: Text,
  items: Type.Array(Type.Object({ title: Text, description: Text })),
  channel: Text,
  created_at: Timestamp,
})

const platformFields = {
  os: OsName,
  arch: Type.Optional(ArchName),
  build_id: Uid,
  engine_version: Nullable(Text),
  status: OneOf(compatStatuses),
}
const compatOf = <T extends TSchema>(platform: T) =>
  Type.Object({
    game: Type.Object({ uid: Uid, vanity_name: Text, name: Text }),
    status: OneOf(compatStatuses),
    platforms: Type.Array(platform),
  })
const CompatData = compatOf(Type.Object(platformFields))
export const PrivateCompatData = compatOf(Type.Object({ channel: Text, ...platformFields }))

/** A whole page. `cover` and `thumbnail` are URLs, or empty strings if there is no image. */
export const PageData = Type.Object({
  uid: Uid,
  vanity_name: Text,
  name: Text,
  tagline: Text,
  description: Text,
  ...answerSchemas(['translations', 'asset_type', 'status', 'visibility', 'license_kind']),
  developer: Type.Object({ uid: Uid, username: Text }),
  price_cents: Type.Integer(),
  currency: Type.Literal('USD'),
  sale: Nullable(ListingSaleData),
  offers: Type.Array(OfferData),
  editions: Type.Array(EditionData),
  anonymous_downloads: Type.Boolean(),
  adult: Type.Boolean(),
  indexable: Type.Boolean(),
  demo_url: Text,
  cover: Text,
  thumbnail: Text,
  gallery: Type.Array(GalleryImageData),
  trailers: Type.Array(TrailerData),
  ...answerSchemas(taxonomyFields),
  community_tags: Type.Array(Text),
  parent: ParentData,
  parent_game: ParentGameData,
  has_mods: Type.Boolean(),
  has_tools: Type.Boolean(),
  engine_compat: Type.Array(RangeData),
  relations: RelationsData,
  similar: Type.Array(LinkedData),
  store_links: Type.Array(StoreLinkData),
  health: OneOf(launchBands, {
    description: 'How reliably the newest stable build starts on the devices of players',
  }),
  files: Type.Array(FileData),
  platforms: Type.Array(PlatformName),
  playable: PlayableData,
  changelog: Type.Array(ChangeData),
  mod_compat: Type.Optional(Type.Array(CompatData)),
  mod_settings: Type.Optional(
    Type.Object({ install_path: Text, loader: Text, instructions: Text }),
  ),
  published_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
})
nameSchemas({
  Relation: RelationData,
  EngineRange: RangeData,
  Edition: EditionData,
  ListingFile: FileData,
  Listing: PageData,
})

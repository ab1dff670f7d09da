import { type TSchema, Type } from 'typebox'
import { OneOf } from '../../core/http/route.ts'
import { editionKinds, editionLimits } from '../editions/prices.ts'
import { MAX_RANGES } from '../fields/engine-versions.ts'
import { taxonomyFields } from '../fields/fields.ts'
import { operatingSystems } from '../fields/platforms.ts'
import { inputSchemas } from '../fields/schema.ts'
import { storePlatforms, stores } from '../fields/store-links.ts'
import { modLimits } from '../relations/mod-settings.ts'
import { MAX_EXTERNAL_NAME } from '../relations/parent.ts'
import { dependencyKinds, MAX_DEPENDENCIES, MAX_SIMILAR } from '../relations/relations.ts'

/**
 * What the rules of a listing accept, from the tables of those rules. Routes leave the check to the
 * rules, so that a refusal has their error code; clients and agents read these schemas.
 */
const optional = Type.Optional
const text = (maxLength: number, description: string) => Type.String({ maxLength, description })
const listingRef = (description: string) =>
  Type.String({ description: `${description}: its uid or vanity name` })

export const taxonomy = inputSchemas(taxonomyFields)
export const license = inputSchemas(['license_kind'])
export const { translations } = inputSchemas(['translations'])

export const modSettings = {
  install_path: optional(text(modLimits.install_path, 'Folder of the files, in the game folder')),
  loader: optional(Type.String({ description: 'The mod loader it needs, a short name' })),
  instructions: optional(text(modLimits.instructions, 'How to install it, in Markdown')),
}

const parents: TSchema[] = [
  Type.Object({ game: listingRef('A listing of this store') }),
  Type.Object({
    external_name: text(MAX_EXTERNAL_NAME, 'A name, if it is not in this store'),
    external_url: Type.String({ description: 'Its page, https' }),
  }),
  Type.Null(),
]
export const parent = Type.Union(parents, {
  description: 'What a mod, plugin or tool is made for; null removes it',
})

export const price_cents = Type.Integer({ minimum: 0, description: 'US cents; 0 means free' })

export const similar = Type.Array(Type.String(), {
  maxItems: MAX_SIMILAR,
  description: 'Uids or vanity names, most similar first',
})

export const dependency_kind = OneOf(dependencyKinds, {
  description:
    'uses: contains or needs it; supports: works with it; made_with: was made with this tool',
})
export const dependencyTarget = listingRef('The other listing')
export const dependencies = Type.Array(
  Type.Object({ game: dependencyTarget, kind: dependency_kind }),
  { maxItems: MAX_DEPENDENCIES, description: 'All links; an empty list removes them' },
)

const version = (end: string) =>
  optional(Type.String({ description: `The ${end}, such as 4.2; none: no limit` }))
export const ranges = Type.Array(
  Type.Object({
    engine: Type.String({ description: 'A short name such as godot' }),
    min_version: version('oldest'),
    max_version: version('newest'),
    renderer: optional(Type.String({ description: 'Only with it, such as vulkan' })),
    platform: optional(OneOf(operatingSystems, { description: 'Only on it' })),
  }),
  { maxItems: MAX_RANGES, description: 'All ranges; an empty list removes them' },
)

const storeNames = stores.map(({ platform, label }) => `${platform}: ${label}`).join('; ')
export const store_links = Type.Array(
  Type.Object({
    platform: OneOf(storePlatforms, { description: storeNames }),
    url: Type.String({ description: 'The page in that store, https' }),
  }),
  { description: 'One link per store; an empty list removes all' },
)

/** All fields are optional, because an update may change any; the rules check a new edition. */
export const edition = {
  slug: optional(text(editionLimits.slug, 'Lowercase letters, digits and dashes')),
  name: optional(text(editionLimits.name, 'What players read')),
  description: optional(text(editionLimits.description, 'Markdown')),
  kind: optional(
    OneOf(editionKinds, {
      description: 'beta_access also opens the beta; bundle also gives the listings it names',
    }),
  ),
  price_cents: optional(Type.Integer({ minimum: 1, description: 'US cents' })),
  active: optional(Type.Boolean({ description: 'Whether it is on sale' })),
  sort_order: optional(
    Type.Integer({ minimum: 0, maximum: editionLimits.sort_order, description: 'Lowest first' }),
  ),
  bundle_asset_uids: optional(
    Type.Array(Type.String(), {
      maxItems: editionLimits.bundle,
      description: 'For a bundle: other listings of the owner, by uid or vanity name',
    }),
  ),
}
/** A new edition needs these. */
export const newEdition = {
  ...edition,
  slug: text(editionLimits.slug, 'Lowercase letters, digits and dashes'),
  name: text(editionLimits.name, 'What players read'),
  price_cents: Type.Integer({ minimum: 1, description: 'US cents' }),
}

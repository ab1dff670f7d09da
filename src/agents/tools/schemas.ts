import { type TSchema, Type } from 'typebox'
import { archAliases, architectures } from '../../builds/builds/fields.ts'
import { Nullable, OneOf } from '../../core/http/route.ts'
import { editionKinds, editionLimits } from '../../listings/editions/prices.ts'
import { agentFields } from '../../listings/fields/fields.ts'
import { answerSchemas, inputSchemas } from '../../listings/fields/schema.ts'
import { storePlatforms } from '../../listings/fields/store-links.ts'
import { operatingSystems, osAliases } from '../../listings/fields/versions.ts'
import {
  dependencyKinds,
  MAX_DEPENDENCIES,
  MAX_SIMILAR,
} from '../../listings/relations/relations.ts'
import { pressLimits } from '../../press/kit-rules.ts'

const optional = Type.Optional

/** The paging of routes that take their query as text. */
export const pages = (max_page_size: number) => ({
  page: optional(Type.Integer({ minimum: 1 })),
  page_size: optional(Type.Integer({ minimum: 1, maximum: max_page_size })),
})

const withAliases = (
  values: readonly string[],
  aliases: Record<string, string>,
  description?: string,
) => {
  const meanings = values
    .map(
      (value) => [Object.keys(aliases).filter((name) => aliases[name] === value), value] as const,
    )
    .filter(([names]) => names.length > 0)
    .map(([names, value]) => `${names.join(', ')}: ${value}`)
  return OneOf([...values, ...Object.keys(aliases)], {
    description: [description, meanings.join('; ')].filter(Boolean).join('. '),
  })
}

/** Systems and architectures, with the other names that the API takes for them. */
export const os = optional(withAliases(operatingSystems, osAliases))
export const arch = optional(withAliases(architectures, archAliases))
export const compatibleArch = optional(
  withAliases(architectures, archAliases, 'Universal files match too'),
)

/**
 * Schemas of fields that a route leaves to a rule, so that the error code of the rule answers.
 * Agents get them in full, from the tables of those rules.
 */
const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description && { description }) })
const listOf = (items: TSchema, maxItems: number, description: string) =>
  optional(Type.Array(items, { maxItems, description }))

export const taxonomy = inputSchemas(agentFields)
export const newListing = inputSchemas([
  'name',
  'asset_type',
  'vanity_name',
  'tagline',
  'description',
  'visibility',
  'adult',
  'indexable',
])
export const listing = { ...newListing, ...inputSchemas(['demo_url', 'status']) }

export const modSettings = {
  install_path: optional(text(1000, 'Folder of the files, inside the game folder')),
  loader: optional(text(1000, 'The mod loader it needs')),
  instructions: optional(text(20_000, 'How to install it, in Markdown')),
}

export const pressKit = {
  release_date: optional(text(pressLimits.release_date, 'Any text, such as 2027 or March 2027')),
  website_url: optional(text(2000, 'The website of the game, https')),
  press_email: optional(text(pressLimits.press_email, 'The address for journalists')),
  trailer_url: optional(text(2000, 'A trailer, https')),
  history: optional(text(pressLimits.history, 'How the game came about, in Markdown')),
  features: listOf(text(pressLimits.line), pressLimits.features, 'One line each'),
  awards: listOf(text(pressLimits.line), pressLimits.awards, 'One line each'),
  links: listOf(
    Type.Object({ label: text(pressLimits.link_label), url: text(2000) }),
    pressLimits.links,
    'Other pages, https',
  ),
  quotes: listOf(
    Type.Object({
      quote: text(pressLimits.quote),
      source: text(pressLimits.quote_source),
      url: optional(text(2000)),
    }),
    pressLimits.quotes,
    'What others wrote',
  ),
  credits: listOf(
    Type.Object({
      name: text(pressLimits.credit_name),
      role: optional(text(pressLimits.credit_role)),
    }),
    pressLimits.credits,
    'Who made it',
  ),
}

export const parent = optional(
  Type.Union(
    [
      Type.Object({ game: Type.String() }),
      Type.Object({ external_name: Type.String(), external_url: Type.String() }),
      Type.Null(),
    ],
    {
      description:
        'What a mod, plugin or tool is made for: a listing of this store, or a name and https ' +
        'link elsewhere',
    },
  ),
)
export const license = inputSchemas(['license_kind'])
export const required_license = answerSchemas(['license_kind'])
export const price_cents = Type.Integer({ minimum: 0, description: 'US cents; 0 means free' })
export const games = Type.Array(Type.String(), {
  maxItems: MAX_SIMILAR,
  description: 'Uids or vanity names, most similar first',
})
const DEPENDENCY_KINDS =
  'uses: contains or needs it; supports: works with it; made_with: was made with this tool'
export const dependency_kind = OneOf(dependencyKinds, { description: DEPENDENCY_KINDS })
export const dependencies = Type.Array(
  Type.Object({ game: Type.String(), kind: OneOf(dependencyKinds) }),
  {
    maxItems: MAX_DEPENDENCIES,
    description: `game is a uid or vanity name. ${DEPENDENCY_KINDS}`,
  },
)
export const ranges = Type.Array(
  Type.Object({
    engine: Type.String(),
    min_version: optional(Type.String()),
    max_version: optional(Type.String()),
    renderer: optional(Type.String()),
    platform: optional(OneOf(operatingSystems)),
  }),
  {
    description:
      'engine and renderer are short names such as godot; leave a version out for no limit',
  },
)
export const store_links = Type.Array(
  Type.Object({ platform: OneOf(storePlatforms), url: Type.String() }),
  {
    description:
      'An empty list removes all links; get_store_links lists the stores and their hosts',
  },
)

/** All fields are optional, because an update may change any; the route checks a new edition. */
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
  bundle_asset_uids: listOf(
    Type.String(),
    editionLimits.bundle,
    'For a bundle: other listings of the owner, by uid or vanity name',
  ),
}

export const review = {
  enjoyed: optional(
    Type.Boolean({ description: 'Did they enjoy it? Required, unless the review is deleted' }),
  ),
  quality: optional(
    Type.Integer({
      minimum: 1,
      maximum: 5,
      description: 'From 1 (poor) to 5 (great); required, unless the review is deleted',
    }),
  ),
  would_play_with_friends: optional(
    Type.Unsafe({ ...Nullable(Type.Boolean()), description: 'null if it does not apply' }),
  ),
  text: optional(text(4000, 'What they think, in Markdown')),
}

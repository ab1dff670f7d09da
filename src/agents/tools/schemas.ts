import { type TSchema, Type } from 'typebox'
import { Nullable, OneOf } from '../../core/http/route.ts'
import { editionKinds, editionLimits } from '../../listings/editions/prices.ts'
import { agentFields } from '../../listings/fields/fields.ts'
import { answerSchemas, inputSchemas } from '../../listings/fields/schema.ts'
import { storePlatforms } from '../../listings/fields/store-links.ts'
import { operatingSystems } from '../../listings/fields/versions.ts'
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

/**
 * Schemas of fields that a route leaves to a rule, so that the error code of the rule answers.
 * Agents get them in full, from the tables of those rules.
 */
const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description && { description }) })
const listOf = (items: TSchema, maxItems: number) => optional(Type.Array(items, { maxItems }))

export const taxonomy = inputSchemas(agentFields)

export const modSettings = {
  install_path: optional(text(1000, 'Folder of the files, inside the game folder')),
  loader: optional(text(1000, 'The mod loader it needs')),
  instructions: optional(text(20_000, 'Markdown')),
}

export const pressKit = {
  release_date: optional(text(pressLimits.release_date)),
  website_url: optional(text(2000, 'https')),
  press_email: optional(text(pressLimits.press_email)),
  trailer_url: optional(text(2000, 'https')),
  history: optional(text(pressLimits.history, 'Markdown')),
  features: listOf(text(pressLimits.line), pressLimits.features),
  awards: listOf(text(pressLimits.line), pressLimits.awards),
  links: listOf(
    Type.Object({ label: text(pressLimits.link_label), url: text(2000) }),
    pressLimits.links,
  ),
  quotes: listOf(
    Type.Object({
      quote: text(pressLimits.quote),
      source: text(pressLimits.quote_source),
      url: optional(text(2000)),
    }),
    pressLimits.quotes,
  ),
  credits: listOf(
    Type.Object({
      name: text(pressLimits.credit_name),
      role: optional(text(pressLimits.credit_role)),
    }),
    pressLimits.credits,
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
export const price_cents = Type.Integer({ minimum: 0, description: '0 means free' })
export const games = Type.Array(Type.String(), {
  maxItems: MAX_SIMILAR,
  description: 'Uids or vanity names, most similar first',
})
export const dependency_kind = OneOf(dependencyKinds)
export const dependencies = Type.Array(
  Type.Object({ game: Type.String(), kind: OneOf(dependencyKinds) }),
  { maxItems: MAX_DEPENDENCIES },
)
export const ranges = Type.Array(
  Type.Object({
    engine: Type.String(),
    min_version: optional(Type.String()),
    max_version: optional(Type.String()),
    renderer: optional(Type.String()),
    platform: optional(OneOf(operatingSystems)),
  }),
  { description: 'Leave a version out for no limit' },
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
  slug: optional(text(editionLimits.slug)),
  name: optional(text(editionLimits.name)),
  description: optional(text(editionLimits.description, 'Markdown')),
  kind: optional(OneOf(editionKinds)),
  price_cents: optional(Type.Integer({ minimum: 1 })),
  active: optional(Type.Boolean()),
  sort_order: optional(Type.Integer({ minimum: 0, maximum: editionLimits.sort_order })),
  bundle_asset_uids: listOf(Type.String(), editionLimits.bundle),
}

export const review = {
  enjoyed: optional(Type.Boolean({ description: 'Required, unless the review is deleted' })),
  quality: optional(
    Type.Integer({
      minimum: 1,
      maximum: 5,
      description: 'Required, unless the review is deleted',
    }),
  ),
  would_play_with_friends: optional(Nullable(Type.Boolean())),
  text: optional(text(4000, 'Markdown')),
}

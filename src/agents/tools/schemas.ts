import { type TSchema, Type } from 'typebox'
import { Nullable, OneOf } from '../../core/http/route.ts'
import { editionKinds, editionLimits } from '../../listings/editions/prices.ts'
import { agentFields, licenseKinds } from '../../listings/fields/fields.ts'
import { inputSchemas } from '../../listings/fields/schema.ts'
import { storePlatforms } from '../../listings/fields/store-links.ts'
import { operatingSystems } from '../../listings/fields/versions.ts'
import {
  dependencyKinds,
  MAX_DEPENDENCIES,
  MAX_SIMILAR,
} from '../../listings/relations/relations.ts'
import { pressLimits } from '../../press/kit-rules.ts'

const may = Type.Optional

/** Numbers that addresses hold as text. */
export const pages = (most: number) => ({
  page: may(Type.Integer({ minimum: 1 })),
  page_size: may(Type.Integer({ minimum: 1, maximum: most })),
})

/** What routes leave to a rule, so that the rule's own code answers, spelt out for agents from the tables of those rules. */
const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description && { description }) })
const listOf = (items: TSchema, maxItems: number) => may(Type.Array(items, { maxItems }))

export const taxonomy = inputSchemas(agentFields)

export const modSettings = {
  install_path: may(text(1000, 'Where the files go, relative to the game')),
  loader: may(text(1000, 'The mod loader it needs')),
  instructions: may(text(20_000, 'Markdown')),
}

export const pressKit = {
  release_date: may(text(pressLimits.release_date)),
  website_url: may(text(2000, 'https')),
  press_email: may(text(pressLimits.press_email)),
  trailer_url: may(text(2000, 'https')),
  history: may(text(pressLimits.history, 'Markdown')),
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
      url: may(text(2000)),
    }),
    pressLimits.quotes,
  ),
  credits: listOf(
    Type.Object({ name: text(pressLimits.credit_name), role: may(text(pressLimits.credit_role)) }),
    pressLimits.credits,
  ),
}

export const parent = may(
  Type.Union(
    [
      Type.Object({ game: Type.String() }),
      Type.Object({ external_name: Type.String(), external_url: Type.String() }),
      Type.Null(),
    ],
    {
      description:
        'What a mod, plugin or tool is for: a listing here, or something elsewhere with an https link',
    },
  ),
)
export const license_kind = OneOf(licenseKinds)
export const price_cents = Type.Integer({ minimum: 0, description: '0 is free' })
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
    min_version: may(Type.String()),
    max_version: may(Type.String()),
    renderer: may(Type.String()),
    platform: may(OneOf(operatingSystems)),
  }),
  { description: 'Without a version an end is open' },
)
export const store_links = Type.Array(
  Type.Object({ platform: OneOf(storePlatforms), url: Type.String() }),
  {
    description: 'An empty list clears them; get_store_links names the stores and their hosts',
  },
)

/** Nothing is needed of one that is changed; what a new one lacks its route says. */
export const edition = {
  slug: may(text(editionLimits.slug)),
  name: may(text(editionLimits.name)),
  description: may(text(editionLimits.description, 'Markdown')),
  kind: may(OneOf(editionKinds)),
  price_cents: may(Type.Integer({ minimum: 1 })),
  active: may(Type.Boolean()),
  sort_order: may(Type.Integer({ minimum: 0, maximum: editionLimits.sort_order })),
  bundle_asset_uids: listOf(Type.String(), editionLimits.bundle),
}

export const review = {
  enjoyed: may(Type.Boolean({ description: 'Needed, unless the review is taken back' })),
  quality: may(
    Type.Integer({
      minimum: 1,
      maximum: 5,
      description: 'Needed, unless the review is taken back',
    }),
  ),
  would_play_with_friends: may(Nullable(Type.Boolean())),
  text: may(text(4000, 'Markdown')),
}

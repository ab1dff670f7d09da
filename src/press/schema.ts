import { type TSchema, Type } from 'typebox'
import { nameSchemas, OneOf, Timestamp, Uid } from '../core/http/route.ts'
import { assetTypes, statuses } from '../listings/fields/fields.ts'
import { PlatformName } from '../listings/fields/file-schema.ts'
import { GalleryImageData } from '../listings/media/schema.ts'
import { pressLimits } from './kit-rules.ts'

const Text = Type.String()

/** Missing text is an empty string. */
export const KitData = Type.Object({
  release_date: Text,
  website_url: Text,
  press_email: Text,
  trailer_url: Text,
  history: Type.String({ description: 'Markdown source' }),
  features: Type.Array(Text),
  awards: Type.Array(Text),
  links: Type.Array(Type.Object({ label: Text, url: Text })),
  quotes: Type.Array(Type.Object({ quote: Text, source: Text, url: Text })),
  credits: Type.Array(Type.Object({ name: Text, role: Text })),
})

/** `cover` and `thumbnail` are URLs, or empty without an image. */
export const FactsheetData = Type.Object({
  uid: Uid,
  vanity_name: Text,
  name: Text,
  tagline: Text,
  description: Type.String({ description: 'Markdown source' }),
  asset_type: OneOf(assetTypes),
  status: OneOf(statuses),
  developer: Type.Object({ uid: Uid, username: Text }),
  platforms: Type.Array(PlatformName, {
    description: 'Operating systems with a stable build that passed its scan',
  }),
  ...KitData.properties,
  cover: Text,
  thumbnail: Text,
  gallery: Type.Array(GalleryImageData),
  changelog: Type.Array(
    Type.Object({
      version: Text,
      title: Text,
      description: Text,
      items: Type.Array(Type.Object({ title: Text, description: Text })),
      channel: Text,
      created_at: Timestamp,
    }),
  ),
  url: Text,
  updated_at: Timestamp,
})
const text = (maxLength: number, description: string) => Type.String({ maxLength, description })
const https = (description: string) => Type.String({ description: `${description}, https` })
const listOf = (items: TSchema, maxItems: number, description: string) =>
  Type.Optional(Type.Array(items, { maxItems, description }))
const Line = Type.String({ maxLength: pressLimits.line })

/** What the rules of a press kit accept, for clients and agents. Missing fields are cleared. */
export const kitInput = {
  release_date: Type.Optional(text(pressLimits.release_date, 'Any text, such as March 2027')),
  website_url: Type.Optional(https('The website of the game')),
  press_email: Type.Optional(text(pressLimits.press_email, 'The address for journalists')),
  trailer_url: Type.Optional(https('A trailer')),
  history: Type.Optional(text(pressLimits.history, 'How the game came about, in Markdown')),
  features: listOf(Line, pressLimits.features, 'One line each'),
  awards: listOf(Line, pressLimits.awards, 'One line each'),
  links: listOf(
    Type.Object({ label: text(pressLimits.link_label, 'What it says'), url: https('The page') }),
    pressLimits.links,
    'Other pages',
  ),
  quotes: listOf(
    Type.Object({
      quote: text(pressLimits.quote, 'The words'),
      source: text(pressLimits.quote_source, 'Who wrote them'),
      url: Type.Optional(https('Where')),
    }),
    pressLimits.quotes,
    'What others wrote',
  ),
  credits: listOf(
    Type.Object({
      name: text(pressLimits.credit_name, 'A person'),
      role: Type.Optional(text(pressLimits.credit_role, 'What they did')),
    }),
    pressLimits.credits,
    'Who made it',
  ),
}

nameSchemas({ PressKit: KitData, PressFactsheet: FactsheetData })

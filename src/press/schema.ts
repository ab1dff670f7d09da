import { Type } from 'typebox'
import { nameSchemas, OneOf, Timestamp, Uid } from '../core/http/route.ts'
import { assetTypes, statuses } from '../listings/fields/fields.ts'

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
  platforms: Type.Array(Text, {
    description: 'Operating systems with a stable build that passed its scan',
  }),
  ...KitData.properties,
  cover: Text,
  thumbnail: Text,
  gallery: Type.Array(Type.Object({ uid: Uid, url: Text, position: Type.Integer() })),
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
nameSchemas({ PressKit: KitData, PressFactsheet: FactsheetData })

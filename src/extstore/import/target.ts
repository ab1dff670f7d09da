import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { readEditions } from '../../listings/editions/queries.ts'
import type { Listing } from '../../listings/listing/queries.ts'
import { readStoreLinks } from '../../listings/listing/store-link-queries.ts'
import { readImages } from '../../listings/media/queries.ts'
import { imageUrl } from '../../listings/media/url.ts'
import { readKit } from '../../press/queries.ts'
import { type Field, fields } from './fields.ts'
import type { TargetState } from './mapping.ts'
import type { CurrentValues } from './plan.ts'
import { readLastImport } from './queries.ts'

/** The listing that an import writes to. */
export type Target = { state: TargetState; current: CurrentValues }

export const newTarget: Target = {
  state: {
    is_public: false,
    has_editions: false,
    anonymous_downloads: false,
    session_bucket: null,
    players_max: null,
    adult: false,
    credits: [],
    imported_credits: [],
  },
  current: {
    is_new: true,
    values: Object.fromEntries(fields.map((field) => [field, null])) as Record<Field, null>,
    compared: {},
    fingerprints: undefined,
  },
}

/** Earlier imports count only if they were of the same app. */
export async function readTarget(
  { addresses }: Core,
  sql: Sql | Tx,
  listing: Listing,
  app_id: number,
): Promise<Target> {
  const { uid } = listing
  const images = await readImages(sql, uid)
  const kit = await readKit(sql, uid)
  const links = await readStoreLinks(sql, uid)
  const last = await readLastImport(sql, uid, app_id)
  const editions = await readEditions(sql, uid)
  const credits = (kit.credits ?? []).map(({ name, role }) => ({ name, role }))
  const { release_date = '', website_url = '', trailer_url = '' } = kit
  const { session_bucket, players_max, adult, anonymous_downloads, visibility } = listing
  const { values, compared } = imageValues(addresses, images)
  return {
    state: {
      is_public: visibility === 'public',
      has_editions: editions.some(({ active }) => active),
      anonymous_downloads,
      session_bucket,
      players_max,
      adult,
      credits,
      imported_credits: last?.credits ?? [],
    },
    current: {
      is_new: false,
      values: {
        ...listingValues(listing),
        store_link: links.find(({ platform }) => platform === 'store_01')?.url ?? null,
        release_date,
        website_url,
        trailer_url,
        credits,
        ...values,
      },
      compared,
      fingerprints: last?.marks,
    },
  }
}

const listingValues = (listing: Listing) => ({
  name: listing.name,
  tagline: listing.tagline,
  description: listing.description,
  genres: listing.genres,
  tags: listing.tags,
  tone: listing.tone,
  inputs: listing.inputs,
  net: listing.net,
  players_min: listing.players_min,
  players_max: listing.players_max,
  session_bucket: listing.session_bucket,
  status: listing.status,
  content_warnings: listing.content_warnings,
  adult: listing.adult,
  price_cents: listing.price_cents,
})

/** The URLs of the images, and the hashes that are compared instead of them. */
function imageValues(addresses: Addresses, images: Awaited<ReturnType<typeof readImages>>) {
  const inSlot = (slot: string) => images.filter((image) => image.slot === slot)
  const [cover] = inSlot('cover')
  const [thumbnail] = inSlot('thumbnail')
  const gallery = inSlot('gallery')
  const url = (image: (typeof images)[number] | undefined) =>
    image ? imageUrl(addresses, image) : null
  return {
    values: { cover: url(cover), thumbnail: url(thumbnail), gallery: gallery.map(url) },
    compared: {
      cover: cover?.sha256 ?? null,
      thumbnail: thumbnail?.sha256 ?? null,
      gallery: gallery.map(({ sha256 }) => sha256),
    },
  }
}

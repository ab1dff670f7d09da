import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { readEditions } from '../../listings/editions/queries.ts'
import { type Listing, readStoreLinks } from '../../listings/listing/queries.ts'
import { readImages } from '../../listings/media/queries.ts'
import { imageUrl } from '../../listings/media/url.ts'
import { readKit } from '../../press/queries.ts'
import { type Field, fields } from './fields.ts'
import type { Present } from './mapping.ts'
import type { Current } from './plan.ts'
import { readLastImport } from './queries.ts'

/** A listing as an import finds it. */
export type Target = { present: Present; current: Current }

export const newTarget: Target = {
  present: {
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
    shown: Object.fromEntries(fields.map((field) => [field, null])) as Record<Field, null>,
    same: {},
    remembered: undefined,
  },
}

/** Of what an earlier import left only that of the same app counts. */
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
  const inSlot = (slot: string) => images.filter((image) => image.slot === slot)
  const [[cover], [thumbnail], gallery] = [inSlot('cover'), inSlot('thumbnail'), inSlot('gallery')]
  const url = (image: (typeof images)[number] | undefined) =>
    image ? imageUrl(addresses, image) : null
  const credits = (kit.credits ?? []).map(({ name, role }) => ({ name, role }))
  const { release_date = '', website_url = '', trailer_url = '' } = kit
  const {
    name,
    tagline,
    description,
    genres,
    tags,
    tone,
    inputs,
    net,
    players_min,
    players_max,
    session_bucket,
    ...more
  } = listing
  const { status, content_warnings, adult, price_cents, anonymous_downloads, visibility } = more
  const store_link = links.find(({ platform }) => platform === 'store_01')?.url ?? null
  const has_editions = editions.some(({ active }) => active)
  return {
    present: {
      ...{
        is_public: visibility === 'public',
        has_editions,
        anonymous_downloads,
        session_bucket,
        players_max,
        adult,
        credits,
      },
      imported_credits: last?.credits ?? [],
    },
    current: {
      is_new: false,
      shown: {
        ...{
          name,
          tagline,
          description,
          genres,
          tags,
          tone,
          inputs,
          net,
          players_min,
          players_max,
          session_bucket,
        },
        ...{
          status,
          content_warnings,
          adult,
          price_cents,
          store_link,
          release_date,
          website_url,
          trailer_url,
          credits,
        },
        cover: url(cover),
        thumbnail: url(thumbnail),
        gallery: gallery.map(url),
      },
      same: {
        cover: cover?.sha256 ?? null,
        thumbnail: thumbnail?.sha256 ?? null,
        gallery: gallery.map(({ sha256 }) => sha256),
      },
      remembered: last?.marks,
    },
  }
}

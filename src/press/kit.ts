import type { Readable } from 'node:stream'
import type { Static } from 'typebox'
import type { Identity } from '../accounts/sessions/identity.ts'
import type { Addresses } from '../core/runtime/config.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'
import { editListing, findForEditor } from '../listings/listing/edit.ts'
import { type ListingFor, readListing } from '../listings/listing/queries.ts'
import { hasPressPage } from '../listings/listing/visibility.ts'
import { keepCrc } from '../listings/media/queries.ts'
import { imageEndings, imageKey, imageUrl } from '../listings/media/url.ts'
import { openPage } from '../listings/page/page.ts'
import { pageUrl } from '../listings/page/url.ts'
import { checkPressKit, imagesForZip, type PressKit } from './kit-rules.ts'
import {
  type PressFacts,
  type PressImage,
  readKit,
  readPressFacts,
  replaceKit,
  type SavedKit,
} from './queries.ts'
import type { FactsheetData } from './schema.ts'
import type { ZipEntry } from './zip.ts'

export type PressPage = PressFacts & { listing: ListingFor }
export type Factsheet = Static<typeof FactsheetData>

const TRIES = 10

export async function readPressKit(
  core: Core,
  who: Identity,
  uid_or_name: string,
): Promise<PressKit> {
  const { uid } = await findForEditor(core.sql, who, uid_or_name)
  return whole(await readKit(core.sql, uid))
}

/** The whole kit is replaced: what the body leaves out is cleared. */
export async function savePressKit(
  core: Core,
  who: Identity,
  uid_or_name: string,
  body: unknown,
): Promise<PressKit> {
  return editListing(core, who, uid_or_name, async (tx, { uid }) => {
    const kit = checkPressKit(body)
    await replaceKit(tx, uid, kit)
    return kit
  })
}

/** The press page of one moment, if the viewer may see it; otherwise the answer of a page that does not exist. */
export async function openPressPage(
  core: Core,
  viewer: Identity | null,
  uid_or_name: string,
): Promise<PressPage> {
  const sees_adult = viewer?.show_adult ?? false
  for (let tries = 0; tries < TRIES; tries++) {
    // Decided by the small row first, so that a long hidden page takes no longer than none.
    await openPage(core, viewer, uid_or_name)
    const listing = await readListing(core.sql, uid_or_name, viewer?.user_uid ?? null)
    if (!listing || !hasPressPage({ ...listing, sees_adult })) refuse('NOT_FOUND')
    const facts = await readPressFacts(core.sql, listing.uid, listing.version)
    // Changed between the two looks: it may not be this viewer's to see any more.
    if (facts) return { listing, ...facts }
  }
  return refuse('UNAVAILABLE')
}

/** What the press page says; the same as JSON, in the zip and on the website. */
export function factsheet(
  addresses: Addresses,
  { listing, kit, images, platforms, changelog }: PressPage,
): Factsheet {
  const {
    uid,
    vanity_name,
    name,
    tagline,
    description,
    asset_type,
    status,
    owner_uid,
    owner_username,
    updated_at,
  } = listing
  const inSlot = (slot: PressImage['slot']) => images.filter((image) => image.slot === slot)
  const single = (slot: 'cover' | 'thumbnail') =>
    inSlot(slot).map((image) => imageUrl(addresses, image))[0] ?? ''
  return {
    ...{ uid, vanity_name, name, tagline, description, asset_type, status, platforms },
    developer: { uid: owner_uid, username: owner_username },
    ...whole(kit ?? {}),
    cover: single('cover'),
    thumbnail: single('thumbnail'),
    gallery: inSlot('gallery').map((image) => ({
      uid: image.uid,
      url: imageUrl(addresses, image),
      position: image.position,
    })),
    changelog,
    url: pageUrl(addresses, listing),
    updated_at: updated_at.toISOString(),
  }
}

/** The files of the press zip, in order. Images are opened one at a time, when their turn has come. */
export function zipEntries(core: Core, page: PressPage): ZipEntry[] {
  const facts = {
    name: 'factsheet.json',
    bytes: Buffer.from(`${JSON.stringify(factsheet(core.addresses, page), null, 2)}\n`),
  }
  const images = page.images.map((image) => ({
    ...image,
    name: entryName(image, page.images),
    bytes: image.size,
  }))
  const entry = ({ name, size, sha256, crc32 }: (typeof images)[number]): ZipEntry => ({
    ...{ name, size, open: () => openImage(core, sha256) },
    ...(crc32 === null
      ? { learnt: (crc: number) => keepCrc(core.sql, sha256, crc) }
      : { crc: crc32 }),
  })
  return [facts, ...imagesForZip(images).map(entry)]
}

/** Our own words only, so nothing a developer wrote becomes a path on someone's disk. The gallery is numbered as the page shows it. */
function entryName(image: PressImage, images: readonly PressImage[]): string {
  const place = images.filter(({ slot }) => slot === image.slot).indexOf(image) + 1
  const number = image.slot === 'gallery' ? `-${String(place).padStart(2, '0')}` : ''
  return `images/${image.slot}${number}.${imageEndings[image.type]}`
}

async function openImage(core: Core, sha256: string): Promise<Readable> {
  const object = await core.storage.get(imageKey(sha256))
  if (object) return object.stream
  throw new Error(`the image ${sha256} is not in the store`)
}

const whole = (kit: SavedKit): PressKit => ({ ...checkPressKit({}), ...kit })

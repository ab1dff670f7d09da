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
import type { ZipFile } from './zip.ts'

export type PressPage = PressFacts & { listing: ListingFor }
export type Factsheet = Static<typeof FactsheetData>

const MAX_ATTEMPTS = 10

export async function readPressKit(
  core: Core,
  who: Identity,
  uid_or_name: string,
): Promise<PressKit> {
  const { uid } = await findForEditor(core.sql, who, uid_or_name)
  return withDefaults(await readKit(core.sql, uid))
}

/** Replaces the whole kit; fields missing from the body are cleared. */
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

/**
 * A consistent snapshot of the press page. A page that the viewer may not see answers like a page
 * that does not exist.
 */
export async function openPressPage(
  core: Core,
  viewer: Identity | null,
  uid_or_name: string,
): Promise<PressPage> {
  const sees_adult = viewer?.show_adult ?? false
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // Visibility is decided by a small row first, so that the time of the answer does not reveal
    // whether a hidden page exists.
    await openPage(core, viewer, uid_or_name)
    const listing = await readListing(core.sql, uid_or_name, viewer?.user_uid ?? null)
    if (!listing || !hasPressPage({ ...listing, sees_adult })) refuse('NOT_FOUND')
    const facts = await readPressFacts(core.sql, listing.uid, listing.version)
    // Undefined: the listing changed between the two reads, and may no longer be visible.
    if (facts) return { listing, ...facts }
  }
  return refuse('UNAVAILABLE')
}

/** The same facts for the API, the zip and the website. */
export function factsheet(
  addresses: Addresses,
  { listing, kit, images, platforms, changelog }: PressPage,
): Factsheet {
  const inSlot = (slot: PressImage['slot']) => images.filter((image) => image.slot === slot)
  const urlOf = (slot: 'cover' | 'thumbnail') =>
    inSlot(slot).map((image) => imageUrl(addresses, image))[0] ?? ''
  return {
    uid: listing.uid,
    vanity_name: listing.vanity_name,
    name: listing.name,
    tagline: listing.tagline,
    description: listing.description,
    asset_type: listing.asset_type,
    status: listing.status,
    platforms,
    developer: { uid: listing.owner_uid, username: listing.owner_username },
    ...withDefaults(kit ?? {}),
    cover: urlOf('cover'),
    thumbnail: urlOf('thumbnail'),
    gallery: inSlot('gallery').map((image) => ({
      uid: image.uid,
      url: imageUrl(addresses, image),
      position: image.position,
      alt: image.alt,
    })),
    changelog,
    url: pageUrl(addresses, listing),
    updated_at: listing.updated_at.toISOString(),
  }
}

/** The files of the press zip, in order. Images are opened one at a time. */
export function pressZipFiles(core: Core, page: PressPage): ZipFile[] {
  const facts = {
    name: 'factsheet.json',
    bytes: Buffer.from(`${JSON.stringify(factsheet(core.addresses, page), null, 2)}\n`),
  }
  const images = page.images.map((image) => ({
    ...image,
    name: fileName(image, page.images),
    bytes: image.size,
  }))
  const zipFile = ({ name, size, sha256, crc32 }: (typeof images)[number]): ZipFile => ({
    name,
    size,
    open: () => openImage(core, sha256),
    ...(crc32 === null
      ? { onChecksum: (crc: number) => keepCrc(core.sql, sha256, crc) }
      : { crc: crc32 }),
  })
  return [facts, ...imagesForZip(images).map(zipFile)]
}

/**
 * Names contain nothing that a developer wrote, since they become paths on the reader's disk. The
 * gallery is numbered in the order of the page.
 */
function fileName(image: PressImage, images: readonly PressImage[]): string {
  const position = images.filter(({ slot }) => slot === image.slot).indexOf(image) + 1
  const number = image.slot === 'gallery' ? `-${String(position).padStart(2, '0')}` : ''
  return `images/${image.slot}${number}.${imageEndings[image.type]}`
}

async function openImage(core: Core, sha256: string): Promise<Readable> {
  const object = await core.storage.get(imageKey(sha256))
  if (object) return object.stream
  throw new Error(`image ${sha256} is missing from storage`)
}

/** A kit saved before a field existed lacks that field. */
const withDefaults = (kit: SavedKit): PressKit => ({ ...checkPressKit({}), ...kit })

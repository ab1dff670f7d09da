import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import type { Visibility } from '../fields/fields.ts'
import { removeRenditions, sendUploadedImages } from '../renditions/store.ts'
import { recordWithinQuota } from '../storage/quota.ts'
import type { Upload } from './form.ts'
import {
  checkFileCount,
  checkOrder,
  galleryLimits,
  insertAt,
  mediaKinds,
  readAlt,
} from './image-rules.ts'
import {
  deleteImages,
  type ImageRow,
  insertGallery,
  lockContent,
  placeGallery,
  readImages,
  replaceSingle,
  unusedContent,
  updateAlt,
} from './queries.ts'
import type { StoredImage } from './store.ts'
import { imageKey, imageUrl } from './url.ts'

/** A listing that the caller has locked. The caller also runs the listing check. */
type Locked = { uid: string; visibility: Visibility }

/**
 * Counts one change against the rate limit of a listing, whoever makes it. Call it only after
 * checking that the user may edit the listing, so that others cannot use up the limit.
 */
export async function takeChange(core: Core, game_uid: string): Promise<void> {
  await core.limiter.take('media changes', game_uid, {
    points: galleryLimits.changes_per_hour,
    seconds: HOUR,
  })
}

export async function readMedia(core: Core, sql: Sql | Tx, game_uid: string) {
  const images = await readImages(sql, game_uid)
  const url = (image: ImageRow | undefined) => (image ? imageUrl(core.addresses, image) : '')
  const single = (slot: 'cover' | 'thumbnail') => url(images.find((image) => image.slot === slot))
  return {
    game_uid,
    cover: single('cover'),
    thumbnail: single('thumbnail'),
    gallery: gallery(images).map((image) => ({
      uid: image.uid,
      url: url(image),
      position: image.position,
      alt: image.alt,
    })),
    gallery_max: galleryLimits.max,
  }
}

const gallery = (images: ImageRow[]) => images.filter(({ slot }) => slot === 'gallery')

export const addImages = (core: Core, tx: Tx, listing: Locked, upload: Upload): Promise<void> =>
  recordWithinQuota(core, tx, { game_uid: listing.uid, sender: 'developers' }, () =>
    insertImages(core, tx, listing, upload),
  )

async function insertImages(
  core: Core,
  tx: Tx,
  listing: Locked,
  { kind, position, images, alts = [] }: Upload,
): Promise<void> {
  const added = images.map((image, i) => ({ ...image, uid: uuidv7(), alt: alts[i] ?? '' }))
  const current = gallery(await readImages(tx, listing.uid)).map(({ uid }) => uid)
  checkFileCount(kind, added.length, current.length)
  if (kind !== 'gallery') await replaceSingle(tx, listing.uid, kind, added[0]!)
  else {
    await insertGallery(tx, listing.uid, added)
    const order = insertAt(
      current,
      position,
      added.map(({ uid }) => uid),
    )
    await placeGallery(tx, listing.uid, order)
  }
  await keepContent(
    core,
    tx,
    images.map(({ sha256 }) => sha256),
  )
}

/**
 * Adds images that the gallery does not hold yet, so that a build machine can send the same images
 * again. The caller has locked the listing, so of two machines one finds the images of the other.
 */
export async function addNewImages(core: Core, tx: Tx, listing: Locked, upload: Upload) {
  if (upload.kind !== 'gallery') return addImages(core, tx, listing, upload)
  const present = new Set(gallery(await readImages(tx, listing.uid)).map(({ sha256 }) => sha256))
  const is_new = upload.images.map(({ sha256 }) => !present.has(sha256))
  const images = upload.images.filter((_, i) => is_new[i])
  const alts = upload.alts?.filter((_, i) => is_new[i])
  if (images.length) await addImages(core, tx, listing, { ...upload, images, alts })
}

export type SlotImages = { cover?: StoredImage; thumbnail?: StoredImage; gallery?: StoredImage[] }

/**
 * Replaces the images of the given slots and leaves the other slots unchanged. The images must be
 * in the store and fit their slots.
 */
export const replaceImages = (
  core: Core,
  tx: Tx,
  game_uid: string,
  images: SlotImages,
): Promise<void> =>
  recordWithinQuota(core, tx, { game_uid, sender: 'developers' }, () =>
    replaceSlots(core, tx, game_uid, images),
  )

async function replaceSlots(
  core: Core,
  tx: Tx,
  game_uid: string,
  { cover, thumbnail, gallery: pictures }: SlotImages,
): Promise<void> {
  if (cover) await replaceSingle(tx, game_uid, 'cover', { ...cover, uid: uuidv7() })
  if (thumbnail) await replaceSingle(tx, game_uid, 'thumbnail', { ...thumbnail, uid: uuidv7() })
  if (pictures) {
    const before = gallery(await readImages(tx, game_uid))
    await deleteImages(
      tx,
      before.map(({ uid }) => uid),
    )
    const added = pictures.map((image) => ({ ...image, uid: uuidv7(), alt: '' }))
    if (added.length) await insertGallery(tx, game_uid, added)
    await placeGallery(
      tx,
      game_uid,
      added.map(({ uid }) => uid),
    )
  }
  const all = [cover, thumbnail, ...(pictures ?? [])].flatMap((image) => image?.sha256 ?? [])
  await keepContent(core, tx, all)
}

/**
 * Locks the content so that the cleanup job does not delete it. If the job runs later, it finds the
 * content in use. If it has just deleted the content, the client must upload it again; that happens
 * only to content that was unused for a day and is uploaded while it is being deleted.
 */
export async function keepContent(core: Core, tx: Tx, sha256s: string[]): Promise<void> {
  await lockContent(tx, sha256s)
  const stored = await Promise.all(sha256s.map((sha256) => core.storage.stat(imageKey(sha256))))
  if (stored.includes(null))
    refuse(
      'UNAVAILABLE',
      undefined,
      explain('image_send_again', 'The image was being cleaned up just now; send it again'),
    )
  await sendUploadedImages(core, tx, sha256s)
  crashPoint('image-recording')
}

export async function orderImages(tx: Tx, listing: Locked, order: unknown): Promise<void> {
  const current = gallery(await readImages(tx, listing.uid)).map(({ uid }) => uid)
  await placeGallery(tx, listing.uid, checkOrder(current, order))
}

/** Changes what a gallery image shows, for people who cannot see it. */
export async function describeImage(
  tx: Tx,
  listing: Locked,
  { image, alt }: { image: string; alt: unknown },
): Promise<void> {
  const images = gallery(await readImages(tx, listing.uid))
  const { uid } = images.find(({ uid }) => uid === image.toLowerCase()) ?? refuse('NOT_FOUND')
  await updateAlt(tx, uid, readAlt(alt))
}

/** Removes a gallery image by its uid, or the cover or thumbnail by the name of its slot. */
export async function removeImage(tx: Tx, listing: Locked, uid_or_slot: string): Promise<void> {
  const images = await readImages(tx, listing.uid)
  const single = mediaKinds.find((kind) => kind !== 'gallery' && kind === uid_or_slot)
  const image = images.find(({ uid, slot }) =>
    single ? slot === single : slot === 'gallery' && uid === uid_or_slot.toLowerCase(),
  )
  if (!image) refuse('NOT_FOUND')
  if (single && listing.visibility === 'public') refuse('IMAGE_REQUIRED')
  await deleteImages(tx, [image.uid])
  const remaining = gallery(images).filter(({ uid }) => uid !== image.uid)
  await placeGallery(
    tx,
    listing.uid,
    remaining.map(({ uid }) => uid),
  )
}

/** Deletes content and its renditions from the store if nothing uses it. */
export async function removeUnused(core: Core, sha256: string): Promise<void> {
  await core.sql.begin(async (tx) => {
    await lockContent(tx, [sha256])
    if ((await unusedContent(tx, [sha256])).length === 0) return
    // The original is removed last: if this is interrupted, the next sweep finds it again.
    await removeRenditions(core, tx, sha256)
    crashPoint('renditions-removed')
    await core.storage.remove(imageKey(sha256))
    crashPoint('image-removed')
  })
}

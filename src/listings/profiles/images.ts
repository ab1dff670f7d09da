import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { lockUser } from '../../accounts/people/queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { limitConcurrency } from '../../core/runtime/concurrency.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { keepContent } from '../media/edit.ts'
import { openImage, type StoredImage, storeImage } from '../media/store.ts'
import { imageKey, imageUrl } from '../media/url.ts'
import {
  checkProfileImage,
  croppedSize,
  PROFILE_IMAGE_TYPE,
  type ProfileSlot,
  profileImageTypes,
} from './image-rules.ts'
import {
  deleteProfileImages,
  type ProfileImages,
  readProfileImages,
  replaceProfileImage,
} from './queries.ts'

const QUALITY = 88
/** Decoding a large image takes much memory, so further uploads wait. */
const limited = limitConcurrency(1)

/** The address of an avatar or banner, of the hash of its content. */
export const profileImageUrl = (addresses: Addresses, sha256: string): string =>
  imageUrl(addresses, { sha256, type: PROFILE_IMAGE_TYPE })

const urlOrEmpty = (addresses: Addresses, sha256: string | null) =>
  sha256 ? profileImageUrl(addresses, sha256) : ''

export const profileImageUrls = (addresses: Addresses, { avatar, banner }: ProfileImages) => ({
  avatar: urlOrEmpty(addresses, avatar),
  banner: urlOrEmpty(addresses, banner),
})

/**
 * Crops and encodes an uploaded image, in threads of the image library. Nothing of the file is kept
 * but the pixels: places, cameras and names in its metadata are not stored.
 */
export const storeProfileImage = (
  core: Core,
  slot: ProfileSlot,
  bytes: Buffer,
): Promise<StoredImage> =>
  limited(async () => {
    const { image, width, height, broken } = await openImage(slot, bytes, profileImageTypes)
    checkProfileImage(slot, { width, height })
    const encoded = await image
      .autoOrient()
      .resize({ ...croppedSize(slot, { width, height }), fit: 'cover' })
      .toColourspace('srgb')
      .webp({ quality: QUALITY })
      .toBuffer({ resolveWithObject: true })
      .catch(broken)
    const sha256 = createHash('sha256').update(encoded.data).digest('hex')
    await storeImage(core.storage, sha256, encoded.data)
    const { width: stored_width, height: stored_height, size } = encoded.info
    return { sha256, type: PROFILE_IMAGE_TYPE, width: stored_width, height: stored_height, size }
  })

export async function saveProfileImage(
  core: Core,
  user_uid: string,
  slot: ProfileSlot,
  image: StoredImage,
): Promise<void> {
  await transact(core.sql, async (tx) => {
    await lockUser(tx, user_uid)
    const { [slot]: replaced } = await readProfileImages(tx, user_uid)
    await replaceProfileImage(tx, user_uid, slot, { ...image, uid: uuidv7() })
    await keepContent(core, tx, [image.sha256])
    if (replaced && replaced !== image.sha256) await sendRemoval(core, tx, [replaced])
  })
}

/** Removes the images of a person, or those of some slots. Returns whether there were any. */
export async function removeProfileImages(
  core: Core,
  tx: Tx,
  user_uid: string,
  slots?: readonly ProfileSlot[],
): Promise<boolean> {
  const sha256s = await deleteProfileImages(tx, user_uid, slots)
  if (sha256s.length) await sendRemoval(core, tx, sha256s)
  return sha256s.length > 0
}

/** The job checks that nothing else uses the content. */
const sendRemoval = (core: Core, tx: Tx, sha256s: string[]) =>
  core.jobs.send(tx, 'listings.remove-images', { sha256s })

export type ExportedImage = { kind: ProfileSlot; type: string; base64: string }

/** The images themselves, for the person they belong to. */
export async function exportProfileImages(
  core: Core,
  sql: Sql,
  user_uid: string,
): Promise<ExportedImage[]> {
  const images: ExportedImage[] = []
  for (const [kind, sha256] of Object.entries(await readProfileImages(sql, user_uid))) {
    const object = sha256 && (await core.storage.get(imageKey(sha256)))
    if (!object) continue
    const base64 = (await buffer(object.stream)).toString('base64')
    images.push({ kind: kind as ProfileSlot, type: PROFILE_IMAGE_TYPE, base64 })
  }
  return images
}

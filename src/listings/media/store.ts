import { availableParallelism } from 'node:os'
import type { Sharp } from 'sharp'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { once } from '../../core/runtime/once.ts'
import { explain } from '../../core/runtime/reasons.ts'
import type { Storage } from '../../core/storage/storage.ts'
import { invalidField } from '../fields/text.ts'
import { isComplete } from './image-integrity.ts'
import {
  checkImage,
  fitsSlot,
  type ImageSlot,
  type ImageType,
  imageTypes,
  NOT_A_STILL_IMAGE,
  NOT_AN_IMAGE,
  sniffImage,
} from './image-rules.ts'
import { imageKey } from './url.ts'

/**
 * An image whose bytes are in the store. Zip files need `crc32`; older images have none until a zip
 * first needs it.
 */
export type StoredImage = {
  sha256: string
  type: ImageType
  width: number
  height: number
  size: number
  crc32?: number | null
}

export const MAX_PIXELS = 50e6
export const DECODE_SECONDS = 10

/** Loads sharp with the first image, so that an idle service uses less memory. */
export const loadSharp = once(async () => {
  const { default: sharp } = await import('sharp')
  // Untrusted bytes must reach only these decoders, whatever format they claim to have.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((format) => `VipsForeignLoad${format}Buffer`),
  })
  // No image is decoded twice, so a cache would only use memory.
  sharp.cache(false)
  // Requests are served by the other cores while an image is encoded.
  sharp.concurrency(Math.max(1, Math.floor(availableParallelism() / 2)))
  return sharp
})

type OpenedImage = {
  image: Sharp
  type: ImageType
  width: number
  height: number
  /** Refuses an image that turns out to be damaged when it is decoded. */
  broken: () => never
}

/**
 * Detects the type and dimensions of an image without decoding it. The dimensions are those that
 * viewers see: after EXIF rotation, and of the first frame of an animation.
 */
export async function openImage(
  field: string,
  bytes: Buffer,
  types: readonly ImageType[] = imageTypes,
): Promise<OpenedImage> {
  const at = { refusal: 'IMAGE_REJECTED', field } as const
  const type = sniffImage(bytes)
  if (!type || !types.includes(type))
    invalidField(at, types.includes('image/gif') ? NOT_AN_IMAGE : NOT_A_STILL_IMAGE)
  const broken = (): never =>
    invalidField(
      at,
      explain(
        'image_damaged',
        'it is damaged, cut short, or too large to be decoded; export it again',
      ),
    )
  const sharp = await loadSharp()
  const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'warning' }).timeout({
    seconds: DECODE_SECONDS,
  })
  const metadata = await image.metadata().catch(broken)
  if (`image/${metadata.format}` !== type || !isComplete(type, bytes)) broken()
  const { width, height } = metadata.autoOrient
  return { image, type, width, height, broken }
}

/** Validates an image for the first slot that it fits, and decodes it to see that it is complete. */
export async function inspectImage(
  slots: readonly ImageSlot[],
  bytes: Buffer,
): Promise<Omit<StoredImage, 'sha256'>> {
  const { image, type, width, height, broken } = await openImage(slots[0]!, bytes)
  const slot = slots.find((candidate) => fitsSlot(candidate, { width, height })) ?? slots.at(-1)!
  checkImage(slot, { type, width, height, bytes: bytes.length })
  await image.raw().toBuffer().catch(broken)
  return { type, width, height, size: bytes.length }
}

/** Stores the bytes unchanged, once for all that use them. */
export async function storeImage(storage: Storage, sha256: string, bytes: Buffer): Promise<void> {
  const key = imageKey(sha256)
  if (await storage.stat(key)) await storage.settle?.(key)
  else await storage.put(key, bytes)
  crashPoint('image-stored')
}

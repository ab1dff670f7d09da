import { once } from '../../core/runtime/once.ts'
import type { Storage } from '../../core/storage/storage.ts'
import { invalidField } from '../fields/text.ts'
import { isWhole } from './image-integrity.ts'
import { checkImage, fitsSlot, type ImageSlot, type ImageType, sniffImage } from './image-rules.ts'
import { imageKey } from './url.ts'

/** An image whose bytes are in the store. `crc32` is what zips ask for; images from before it was kept have none until it is first needed. */
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

/** Loaded with the first image: an idle service is meant to stay small. */
export const loadSharp = once(async () => {
  const { default: sharp } = await import('sharp')
  // Of all the decoders only these ever see a stranger's bytes, whatever the bytes pretend to be.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((format) => `VipsForeignLoad${format}Buffer`),
  })
  // No image is decoded twice.
  sharp.cache(false)
  return sharp
})

/**
 * What the bytes really are, held to the first of the slots they fit. Dimensions are those of the picture as people see it: turned as its
 * EXIF says, and of an animation the first frame. They are checked before anything is decoded.
 */
export async function inspectImage(
  slots: readonly ImageSlot[],
  bytes: Buffer,
): Promise<Omit<StoredImage, 'sha256'>> {
  const at = { refusal: 'IMAGE_REJECTED', field: slots[0]! } as const
  const type = sniffImage(bytes) ?? invalidField(at, 'it is not a PNG, JPEG, GIF or WebP image')
  const broken = (): never =>
    invalidField(at, 'it is damaged, cut short, or too large to be decoded; export it again')
  const sharp = await loadSharp()
  const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'warning' }).timeout({
    seconds: DECODE_SECONDS,
  })
  const found = await image.metadata().catch(broken)
  if (`image/${found.format}` !== type || !isWhole(type, bytes)) broken()
  const { width, height } = found.autoOrient
  const slot = slots.find((one) => fitsSlot(one, { width, height })) ?? slots.at(-1)!
  checkImage(slot, { type, width, height, bytes: bytes.length })
  await image.raw().toBuffer().catch(broken)
  return { type, width, height, size: bytes.length }
}

/** The bytes as sent, once for all listings that show them. */
export async function storeImage(storage: Storage, sha256: string, bytes: Buffer): Promise<void> {
  const key = imageKey(sha256)
  if (!(await storage.stat(key))) await storage.put(key, bytes)
}

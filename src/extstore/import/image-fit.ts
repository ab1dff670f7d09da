import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Explanation, explain } from '../../core/runtime/reasons.ts'
import { isComplete } from '../../listings/media/image-integrity.ts'
import { fitsSlot, imageSlots, sniffImage } from '../../listings/media/image-rules.ts'
import { DECODE_SECONDS, loadSharp, type StoredImage } from '../../listings/media/store.ts'

/** An image that satisfies the rules of its slot. */
export type FittedImage = { image: StoredImage; bytes: Buffer }
/** The result for a screenshot, with its original size if known. */
export type FitResult = { width?: number; height?: number } & (
  | { fitted: FittedImage }
  | { skip: Explanation }
)

/** Larger images are not decoded, because they could exhaust memory. */
const MAX_PIXELS = 17e6
const MAX_SIZE = [1920, 1080] as const
const THUMBNAIL_SIZE = [960, 540] as const
const JPEG_QUALITY = 90
const MIN_SIZE = imageSlots.gallery.min
const DAMAGED = explain('import_image_damaged', 'The image is damaged, truncated or too large')
const NOT_AN_IMAGE = explain('image_not_image', 'The file is not a PNG, JPEG, GIF or WebP image')

/** Keeps a screenshot that fits the gallery unchanged, or else crops it to 16:9 and resizes it. */
export async function fitScreenshot(bytes: Buffer): Promise<FitResult> {
  const type = sniffImage(bytes)
  if (!type) return { skip: NOT_AN_IMAGE }
  const sharp = await loadSharp()
  const metadata = await sharp(bytes, { limitInputPixels: MAX_PIXELS })
    .metadata()
    .catch(() => undefined)
  if (!metadata || `image/${metadata.format}` !== type) return { skip: DAMAGED }
  const { width, height } = metadata.autoOrient
  if (width < MIN_SIZE[0] || height < MIN_SIZE[1])
    return {
      width,
      height,
      skip: explain(
        'import_image_small',
        `The image is ${width}x${height}; the minimum is ${MIN_SIZE.join('x')}`,
        { width, height, min_width: MIN_SIZE[0], min_height: MIN_SIZE[1] },
      ),
    }
  const original = { type, width, height, size: bytes.length }
  const fitted = (await isUsable(original, bytes))
    ? withHashes(original, bytes)
    : await resize(bytes, croppedSize(width, height))
  return fitted ? { width, height, fitted } : { width, height, skip: DAMAGED }
}

/** Makes a cover from a gallery image. */
export async function coverOf({ image, bytes }: FittedImage): Promise<FittedImage | undefined> {
  const fits = fitsSlot('cover', image) && image.size <= imageSlots.cover.bytes
  return fits ? { image, bytes } : resize(bytes, croppedSize(image.width, image.height))
}

/** Makes a thumbnail from a gallery image. */
export const thumbnailOf = ({ bytes }: FittedImage): Promise<FittedImage | undefined> =>
  resize(bytes, THUMBNAIL_SIZE)

/** The size of the largest 16:9 part, at most MAX_SIZE. */
function croppedSize(width: number, height: number): readonly [number, number] {
  const cropped = Math.min(width, Math.floor((height * 16) / 9), MAX_SIZE[0])
  return cropped >= MAX_SIZE[0] ? MAX_SIZE : [cropped, Math.round((cropped * 9) / 16)]
}

/**
 * Whether an image can be used unchanged: it has the right size and decodes without a warning.
 * Decoding to a small size still reads the whole file.
 */
async function isUsable(image: Omit<StoredImage, 'sha256'>, bytes: Buffer): Promise<boolean> {
  if (
    !fitsSlot('gallery', image) ||
    image.size > imageSlots.gallery.bytes ||
    !isComplete(image.type, bytes)
  )
    return false
  const sharp = await loadSharp()
  return sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'warning' })
    .timeout({ seconds: DECODE_SECONDS })
    .resize({ width: 64 })
    .raw()
    .toBuffer()
    .then(
      () => true,
      () => false,
    )
}

async function resize(
  bytes: Buffer,
  [width, height]: readonly [number, number],
): Promise<FittedImage | undefined> {
  const sharp = await loadSharp()
  const output = await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
    .timeout({ seconds: DECODE_SECONDS })
    .autoOrient()
    .resize({ width, height, fit: 'cover' })
    .flatten({ background: '#000' })
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer()
    .catch(() => undefined)
  return output && withHashes({ type: 'image/jpeg', width, height, size: output.length }, output)
}

const withHashes = (image: Omit<StoredImage, 'sha256'>, bytes: Buffer): FittedImage => ({
  image: {
    ...image,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    crc32: crc32(bytes),
  },
  bytes,
})

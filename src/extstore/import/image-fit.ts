import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { isWhole } from '../../listings/media/image-integrity.ts'
import { fitsSlot, imageSlots, sniffImage } from '../../listings/media/image-rules.ts'
import { DECODE_SECONDS, loadSharp, type StoredImage } from '../../listings/media/store.ts'

/** An image as it will be kept. */
export type Fitted = StoredImage
export type Picture = { fitted: Fitted; bytes: Buffer }
/** A picture, or why it is none for us. */
export type Fit = { width?: number; height?: number } & ({ picture: Picture } | { skip: string })

/** More than any screen has; what claims more is not decoded. */
const MOST_PIXELS = 17e6
const LARGEST = [1920, 1080] as const
const THUMBNAIL = [960, 540] as const
const JPEG_QUALITY = 90
const SMALLEST = imageSlots.gallery.min
const DAMAGED = 'It is damaged, cut short, or too large to be decoded'

/** A screenshot as a gallery image: the bytes themselves where they fit, else cut to 16:9 and made smaller. */
export async function fitScreenshot(bytes: Buffer): Promise<Fit> {
  const type = sniffImage(bytes)
  if (!type) return { skip: 'It is not a PNG, JPEG, GIF or WebP image' }
  const sharp = await loadSharp()
  const found = await sharp(bytes, { limitInputPixels: MOST_PIXELS })
    .metadata()
    .catch(() => undefined)
  if (!found || `image/${found.format}` !== type) return { skip: DAMAGED }
  const { width, height } = found.autoOrient
  if (width < SMALLEST[0] || height < SMALLEST[1])
    return {
      width,
      height,
      skip: `It is ${width}x${height}; screenshots under ${SMALLEST.join('x')} are left out`,
    }
  const as_it_is = { type, width, height, size: bytes.length }
  const picture = (await isSound(as_it_is, bytes))
    ? named(as_it_is, bytes)
    : await resized(bytes, sizeFor(width, height))
  return picture ? { width, height, picture } : { width, height, skip: DAMAGED }
}

/** Both from an image that is in the gallery already, so that it fits what they are checked for. */
export async function coverOf({ fitted, bytes }: Picture): Promise<Picture | undefined> {
  const fits = fitsSlot('cover', fitted) && fitted.size <= imageSlots.cover.bytes
  return fits ? { fitted, bytes } : resized(bytes, sizeFor(fitted.width, fitted.height))
}

export const thumbnailOf = ({ bytes }: Picture): Promise<Picture | undefined> =>
  resized(bytes, THUMBNAIL)

/** The largest 16:9 part, as large as it is or as pages show it. */
function sizeFor(width: number, height: number): readonly [number, number] {
  const part = Math.min(width, Math.floor((height * 16) / 9), LARGEST[0])
  return part >= LARGEST[0] ? LARGEST : [part, Math.round((part * 9) / 16)]
}

/** Whether it can be kept without a change: of the right size, whole, and without a fault to its last pixel. It is decoded small, which reads all of it. */
async function isSound(image: Omit<StoredImage, 'sha256'>, bytes: Buffer): Promise<boolean> {
  if (
    !fitsSlot('gallery', image) ||
    image.size > imageSlots.gallery.bytes ||
    !isWhole(image.type, bytes)
  )
    return false
  const sharp = await loadSharp()
  return sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'warning' })
    .timeout({ seconds: DECODE_SECONDS })
    .resize({ width: 64 })
    .raw()
    .toBuffer()
    .then(
      () => true,
      () => false,
    )
}

async function resized(
  bytes: Buffer,
  [width, height]: readonly [number, number],
): Promise<Picture | undefined> {
  const sharp = await loadSharp()
  const made = await sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error' })
    .timeout({ seconds: DECODE_SECONDS })
    .autoOrient()
    .resize({ width, height, fit: 'cover' })
    .flatten({ background: '#000' })
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer()
    .catch(() => undefined)
  return made && named({ type: 'image/jpeg', width, height, size: made.length }, made)
}

const named = (image: Omit<StoredImage, 'sha256'>, bytes: Buffer): Picture => ({
  fitted: {
    ...image,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    crc32: crc32(bytes),
  },
  bytes,
})

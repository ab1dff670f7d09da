import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { limitConcurrency } from '../../core/runtime/concurrency.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { MIB } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import {
  type BrandImage,
  type BrandImageKind,
  type BrandImageType,
  brandImageEndings,
  iconSizes,
} from '../../core/settings/brand-images.ts'
import { invalidField } from '../../listings/fields/text.ts'
import { type Dimensions, sniffImage, tooSmall, tooWide } from '../../listings/media/image-rules.ts'
import { loadSharp, openImage } from '../../listings/media/store.ts'
import { drawSvg } from './draw-svg.ts'
import { sanitizeSvg } from './sanitize-svg.ts'

export const MAX_BRAND_IMAGE_BYTES = 2 * MIB
/** The smallest and largest image that is accepted, and the largest that is stored, in pixels. */
const rasterLimits = {
  logo: { min: [32, 32], max: [6000, 6000], stored: 1024 },
  favicon: { min: [512, 512], max: [6000, 6000], stored: 512 },
} as const
/** Phones show transparent parts of this icon as black. */
const TOUCH_ICON = 180
const TOUCH_BACKGROUND = '#ffffff'
const TRANSPARENT = '#0000'

type Files = Record<string, Buffer>
type Source = { type: BrandImageType; bytes: Buffer } & Dimensions
export type PreparedImage = { image: BrandImage; files: Files }

/** Decoding a large image takes much memory, so further uploads wait. */
const limited = limitConcurrency(1)

/** Checks an uploaded logo or favicon and makes the files that pages use. */
export const prepareBrandImage = (kind: BrandImageKind, bytes: Buffer): Promise<PreparedImage> =>
  limited(async () => {
    const source = isSvg(bytes) ? sanitized(kind, bytes) : await encodedAgain(kind, bytes)
    const files = kind === 'logo' ? logoFiles(source) : await iconFiles(source)
    const { type, width, height } = source
    const sizes = Object.entries(files).map(([name, file]) => [name, file.length])
    const image = { uid: uuidv7(), sha256: hashOf(files), type, width, height }
    return { image: { ...image, files: Object.fromEntries(sizes) }, files }
  })

const isSvg = (bytes: Buffer) => !sniffImage(bytes) && isUtf8(bytes) && bytes.includes('<svg')

function sanitized(kind: BrandImageKind, bytes: Buffer): Source {
  const result = sanitizeSvg(bytes.toString('utf8'))
  if (!('text' in result)) return refuseImage(kind, result)
  const { text, width, height } = result
  return { type: 'image/svg+xml', bytes: Buffer.from(text), width, height }
}

const refuseImage = (kind: BrandImageKind, problem: ReturnType<typeof explain>): never =>
  invalidField({ refusal: 'IMAGE_REJECTED', field: kind }, problem)

/** Nothing of the file is kept but the pixels. */
async function encodedAgain(kind: BrandImageKind, bytes: Buffer): Promise<Source> {
  const type = sniffImage(bytes)
  if (type !== 'image/png' && type !== 'image/webp')
    return refuseImage(kind, explain('brand_image_type', 'it is not an SVG, PNG or WebP image'))
  const { image, width, height, broken } = await openImage(kind, bytes, [type])
  const { min, max, stored } = rasterLimits[kind]
  if (width < min[0] || height < min[1]) refuseImage(kind, tooSmall({ width, height }, min))
  if (width > max[0] || height > max[1]) refuseImage(kind, tooWide({ width, height }, max))
  const { data, info } = await image
    .autoOrient()
    .resize({ width: stored, height: stored, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .toFormat(type === 'image/png' ? 'png' : 'webp')
    .toBuffer({ resolveWithObject: true })
    .catch(broken)
  return { type, bytes: data, width: info.width, height: info.height }
}

const logoFiles = ({ type, bytes }: Source): Files => ({
  [`logo.${brandImageEndings[type]}`]: bytes,
})

/** Icons of all sizes; those of an image that is not square have transparent margins. */
async function iconFiles({ type, bytes }: Source): Promise<Files> {
  const is_svg = type === 'image/svg+xml'
  const pixels = is_svg ? await drawSvg(bytes.toString('utf8'), 512) : bytes
  if (!pixels)
    return refuseImage('favicon', explain('svg_unreadable', 'it cannot be drawn; export it again'))
  const sharp = await loadSharp()
  const icon = async (side: number) => {
    const background = side === TOUCH_ICON ? TOUCH_BACKGROUND : TRANSPARENT
    const image = sharp(pixels).resize({ width: side, height: side, fit: 'contain', background })
    if (side === TOUCH_ICON) image.flatten({ background })
    return image.png({ compressionLevel: 9 }).toBuffer()
  }
  const files: Files = is_svg ? { 'favicon.svg': bytes } : {}
  for (const side of iconSizes) files[`favicon-${side}.png`] = await icon(side)
  return files
}

function hashOf(files: Files): string {
  const hash = createHash('sha256')
  for (const [name, bytes] of Object.entries(files))
    hash.update(`${name} ${bytes.length}\n`).update(bytes)
  return hash.digest('hex')
}

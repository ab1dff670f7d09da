import { type Explanation, explain, joinExplanations } from '../../core/runtime/reasons.ts'
import { MIB } from '../../core/runtime/units.ts'
import { choice, type Field, invalidField, list, plainText, quoteValue } from '../fields/text.ts'

/** Sizes are width and height in pixels; the ratio is width divided by height. */
export const imageSlots = {
  thumbnail: { min: [960, 540], max: [1920, 1080], ratio: [1.7, 1.85], bytes: 5 * MIB },
  cover: { min: [1024, 576], max: [2048, 1152], ratio: [1.7, 1.85], bytes: 8 * MIB },
  gallery: { min: [1280, 720], max: [2048, 1152], ratio: [1.7, 1.85], bytes: 10 * MIB },
  poster: { min: [1280, 720], max: [2048, 1152], ratio: [1.7, 1.85], bytes: 10 * MIB },
} as const
export const galleryLimits = { min: 4, max: 20, per_request: 10, changes_per_hour: 60 } as const
/** The longest description of what an image shows, in characters. */
export const MAX_ALT = 250
export const mediaKinds = ['cover', 'thumbnail', 'gallery'] as const
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

export type ImageSlot = keyof typeof imageSlots
export type MediaKind = (typeof mediaKinds)[number]
export type ImageType = (typeof imageTypes)[number]
export type Dimensions = { width: number; height: number }

/** The first bytes of each type; null matches any byte. */
const magic: readonly { type: ImageType; bytes: readonly (number | null)[] }[] = [
  { type: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: 'image/jpeg', bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/gif', bytes: [0x47, 0x49, 0x46, 0x38, 0x37, 0x61] },
  { type: 'image/gif', bytes: [0x47, 0x49, 0x46, 0x38, 0x39, 0x61] },
  {
    type: 'image/webp',
    bytes: [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50],
  },
]

/** Detects the type from the content, because file names and headers can be wrong. */
export function sniffImage(bytes: Uint8Array): ImageType | null {
  return (
    magic.find((signature) =>
      signature.bytes.every((byte, i) => i < bytes.length && (byte === null || byte === bytes[i])),
    )?.type ?? null
  )
}

export function fitsSlot(slot: ImageSlot, image: Dimensions): boolean {
  return dimensionProblems(slot, image).length === 0
}

/** Reports all problems of an image at once, so that they can be fixed in one retry. */
export function checkImage(
  slot: ImageSlot,
  image: Dimensions & { bytes: number; type: string | null },
): void {
  const type = imageTypes.find((known) => known === image.type)
  const { bytes } = imageSlots[slot]
  const problems = [
    ...(type ? [] : [NOT_AN_IMAGE]),
    ...dimensionProblems(slot, image),
    ...(image.bytes > bytes
      ? [
          explain(
            'image_too_many_bytes',
            `it has ${image.bytes} bytes; send at most ${bytes} (${bytes / MIB} MB)`,
            { bytes: image.bytes, max_bytes: bytes },
          ),
        ]
      : []),
  ]
  if (problems.length)
    invalidField({ refusal: 'IMAGE_REJECTED', field: slot }, joinExplanations(problems, '; '))
}

export const NOT_AN_IMAGE = explain('image_not_image', 'it is not a PNG, JPEG, GIF or WebP image')
export const NOT_A_STILL_IMAGE = explain(
  'image_not_profile_image',
  'it is not a PNG, JPEG or WebP image',
)

export function checkKind(value: unknown): MediaKind {
  return choice({ refusal: 'INVALID_MEDIA', field: 'kind' }, value, mediaKinds)
}

/** Checks the number of files in a request, and that the gallery does not exceed its maximum. */
export function checkFileCount(kind: MediaKind, files: number, in_gallery: number): void {
  const max_files = kind === 'gallery' ? galleryLimits.per_request : 1
  if (files < 1 || files > max_files) {
    const expected = max_files === 1 ? 'one image' : `1 to ${max_files} images`
    invalidField(
      { refusal: 'INVALID_MEDIA', field: 'file' },
      explain('image_count', `send ${expected} for ${kind}, not ${files}`, { count: max_files }),
    )
  }
  if (kind !== 'gallery' || in_gallery + files <= galleryLimits.max) return
  const free = Math.max(0, galleryLimits.max - in_gallery)
  invalidField(
    { refusal: 'GALLERY_FULL', field: 'file' },
    explain(
      'gallery_free',
      `the gallery holds ${galleryLimits.max} images and has room for ${free}; delete some first`,
      { max: galleryLimits.max, count: free },
    ),
  )
}

/** Validates what a gallery image shows; an empty text removes it. */
export const readAlt = (value: unknown): string =>
  plainText({ refusal: 'INVALID_MEDIA', field: 'alt' }, value, MAX_ALT)

/**
 * Parses the position of new gallery images, counted from 0; null means the end. Form fields arrive
 * as text.
 */
export function readPosition(value: unknown): number | null {
  if (value === undefined || value === null || value === '') return null
  const position = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value
  if (typeof position === 'number' && Number.isInteger(position) && position >= 0) return position
  invalidField(
    { refusal: 'INVALID_MEDIA', field: 'position' },
    `send a whole number from 0, not ${quoteValue(value)}`,
  )
}

/** Inserts items before `position`. Null or a position past the end appends them. */
export function insertAt<T>(
  items: readonly T[],
  position: number | null,
  added: readonly T[],
): T[] {
  return items.toSpliced(position ?? items.length, 0, ...added)
}

/** Checks that a new order contains every image exactly once. */
export function checkOrder(current: readonly string[], order: unknown): string[] {
  const at: Field = { refusal: 'INVALID_ORDER', field: 'order' }
  const uids = list(at, order).map((uid) =>
    typeof uid === 'string' && current.includes(uid)
      ? uid
      : invalidField(at, explain('order_changed', `${quoteValue(uid)} is not in the gallery`)),
  )
  const twice = uids.find((uid, index) => uids.indexOf(uid) !== index)
  if (twice !== undefined) invalidField(at, `${quoteValue(twice)} is named twice`)
  const missing = current.find((uid) => !uids.includes(uid))
  return missing === undefined
    ? uids
    : invalidField(
        at,
        explain(
          'order_changed',
          `${quoteValue(missing)} is missing; name every gallery image once`,
        ),
      )
}

type Size = readonly [width: number, height: number]

export const tooSmall = ({ width, height }: Dimensions, [min_width, min_height]: Size) =>
  explain('image_too_small', `it is ${width}x${height}; send at least ${min_width}x${min_height}`, {
    width,
    height,
    min_width,
    min_height,
  })

export const tooWide = ({ width, height }: Dimensions, [max_width, max_height]: Size) =>
  explain('image_too_wide', `it is ${width}x${height}; send at most ${max_width}x${max_height}`, {
    width,
    height,
    max_width,
    max_height,
  })

function dimensionProblems(slot: ImageSlot, { width, height }: Dimensions): Explanation[] {
  const { min, max, ratio } = imageSlots[slot]
  const size = `it is ${width}x${height}`
  if (width < min[0] || height < min[1]) return [tooSmall({ width, height }, min)]
  if (width > max[0] || height > max[1]) return [tooWide({ width, height }, max)]
  const actual = width / height
  if (actual >= ratio[0] && actual <= ratio[1]) return []
  const allowed = `${ratio[0].toFixed(2)} to ${ratio[1].toFixed(2)}`
  const example = `${min[0]}x${min[1]}`
  return [
    explain(
      'image_wrong_ratio',
      `${size}, a width to height of ${actual.toFixed(3)}; send ${allowed}, such as ${example}`,
      { width, height, example_width: min[0], example_height: min[1] },
    ),
  ]
}

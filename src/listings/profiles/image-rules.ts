import { MIB } from '../../core/runtime/units.ts'
import { invalidField } from '../fields/text.ts'
import { type Dimensions, type ImageType, tooSmall, tooWide } from '../media/image-rules.ts'

/**
 * `min` is the smallest image that is accepted. Of a larger one, the middle part of the right shape
 * is kept, reduced to `max`. Sizes are width and height in pixels.
 */
export const profileImages = {
  avatar: { min: [256, 256], max: [512, 512] },
  banner: { min: [1280, 320], max: [1920, 480] },
} as const
export const profileSlots = ['avatar', 'banner'] as const
export type ProfileSlot = (typeof profileSlots)[number]

export const profileImageTypes: readonly ImageType[] = ['image/png', 'image/jpeg', 'image/webp']
/** What they are stored as. */
export const PROFILE_IMAGE_TYPE: ImageType = 'image/webp'
export const MAX_PROFILE_IMAGE_BYTES = 10 * MIB
/** Decoding an image of this width and height takes 150 MB of memory. */
export const MAX_SIDE = 6000
export const PROFILE_IMAGE_CHANGES_PER_HOUR = 60

export function checkProfileImage(slot: ProfileSlot, size: Dimensions): void {
  const { min } = profileImages[slot]
  const at = { refusal: 'IMAGE_REJECTED', field: slot } as const
  if (size.width < min[0] || size.height < min[1]) invalidField(at, tooSmall(size, min))
  if (size.width > MAX_SIDE || size.height > MAX_SIDE)
    invalidField(at, tooWide(size, [MAX_SIDE, MAX_SIDE]))
}

/** The size of the stored image: the largest part of the right shape, never enlarged. */
export function croppedSize(slot: ProfileSlot, { width, height }: Dimensions): Dimensions {
  const { max } = profileImages[slot]
  const ratio = max[0] / max[1]
  const cropped = Math.min(max[0], width, Math.floor(height * ratio))
  return { width: cropped, height: Math.round(cropped / ratio) }
}

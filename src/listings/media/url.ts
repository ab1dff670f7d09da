import type { Addresses } from '../../core/runtime/config.ts'
import type { ImageType } from './image-rules.ts'

export const imageEndings: Record<ImageType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

/** Where an image is served. Its name is its content, so it may be kept for ever. */
export const imageUrl = (
  { web_url }: Addresses,
  { sha256, type }: { sha256: string; type: ImageType },
) => `${web_url}/media/images/${sha256}.${imageEndings[type]}`

/** Where its bytes are kept. */
export const imageKey = (sha256: string) => `images/${sha256.slice(0, 2)}/${sha256}`

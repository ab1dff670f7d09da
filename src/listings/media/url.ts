import type { Addresses } from '../../core/runtime/config.ts'
import type { ImageType } from './image-rules.ts'

export const imageEndings: Record<ImageType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

/** The URL of an image. Its name is the hash of the content, so it can be cached forever. */
export const imageUrl = (
  { web_url }: Addresses,
  { sha256, type }: { sha256: string; type: ImageType },
) => `${web_url}/media/images/${sha256}.${imageEndings[type]}`

/** The key of an image in the object store. */
export const imageKey = (sha256: string) => `images/${sha256.slice(0, 2)}/${sha256}`

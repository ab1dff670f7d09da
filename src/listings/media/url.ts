import type { Addresses } from '../../core/runtime/config.ts'
import type { ImageType } from './image-rules.ts'

export const imageEndings: Record<ImageType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

type Content = { sha256: string; type: ImageType }

export const imagePath = ({ sha256, type }: Content) =>
  `/media/images/${sha256}.${imageEndings[type]}`

/** The URL of an image. Its name is the hash of the content, so it can be cached forever. */
export const imageUrl = ({ web_url }: Addresses, content: Content) =>
  `${web_url}${imagePath(content)}`

/** The hash of the content, of the URL of an image. */
export const hashInUrl = (url: string) => /\/media\/images\/([0-9a-f]{64})\./.exec(url)?.[1]

/** The key of an image in the object store. */
export const imageKey = (sha256: string) => `images/${sha256.slice(0, 2)}/${sha256}`

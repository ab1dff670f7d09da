import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import {
  galleryLimits,
  imageSlots,
  type MediaKind,
  sniffImage,
} from '../../src/listings/media/image-rules.ts'
import { UsageError } from '../errors.ts'
import { type Api, type Data, isObject } from '../http/api.ts'
import { multipart, type Part } from '../http/multipart.ts'
import { isTransient, MAX_ATTEMPTS, waitBeforeRetry } from '../http/retry.ts'
import { formatSize, t } from '../messages.ts'
import { table as labeled } from './text.ts'

export type Image = { path: string; size: number }
export type Media = Data & {
  cover: string
  thumbnail: string
  gallery: { uid: string; url: string; position: number }[]
}

export const MEDIA = '/tool/media'

/** Checks an image by the rules of the server, as far as that is possible without decoding it. */
export function findImage(path: string, kind: MediaKind): Image {
  const full = resolve(path)
  const stats = statSync(full, { throwIfNoEntry: false })
  if (!stats?.isFile())
    throw new UsageError(stats ? t('file-not-file', { path }) : t('file-missing', { path }))
  const max_bytes = imageSlots[kind].bytes
  if (stats.size > max_bytes)
    throw new UsageError(
      t('image-too-large', {
        path,
        size: formatSize(stats.size),
        kind,
        max: formatSize(max_bytes),
      }),
    )
  const file = openSync(full, 'r')
  try {
    const head = Buffer.alloc(16)
    if (!sniffImage(head.subarray(0, readSync(file, head, 0, 16, 0))))
      throw new UsageError(t('image-not-image', { path }))
  } finally {
    closeSync(file)
  }
  return { path: full, size: stats.size }
}

/**
 * The images that are not among these addresses yet, each content once. The address of an image
 * contains the SHA-256 of its bytes.
 */
export function missingImages(images: readonly Image[], urls: readonly string[]): Image[] {
  const by_content = new Map(images.map((image) => [contentHash(image), image]))
  return [...by_content]
    .filter(([hash]) => !urls.some((url) => url?.includes(hash)))
    .map(([, image]) => image)
}

const contentHash = ({ path }: Image) =>
  createHash('sha256').update(readFileSync(path)).digest('hex')

export async function readMedia(api: Api): Promise<Media> {
  return asMedia(await api.get(MEDIA))
}

export const asMedia = (data: Data): Media =>
  ({ ...data, gallery: Array.isArray(data.gallery) ? data.gallery.filter(isObject) : [] }) as Media

/** Sends images in as many requests as needed. */
export async function sendImages(
  api: Api,
  kind: MediaKind,
  images: readonly Image[],
  position?: number,
): Promise<Media> {
  let media: Media | undefined
  const per_request = kind === 'gallery' ? galleryLimits.per_request : 1
  for (let at = 0; at < images.length; at += per_request) {
    const first_position = position === undefined ? undefined : position + at
    media = await sendOnce(api, kind, images.slice(at, at + per_request), first_position)
  }
  return media ?? readMedia(api)
}

/**
 * A gallery image sent twice would be stored twice. A failure may come from a gateway after the
 * server has stored the images, so the gallery is read before anything is sent again.
 */
async function sendOnce(
  api: Api,
  kind: MediaKind,
  images: readonly Image[],
  position: number | undefined,
): Promise<Media> {
  const parts: Part[] = [
    { name: 'kind', value: kind },
    ...(position === undefined ? [] : [{ name: 'position', value: String(position) }]),
  ]
  for (const { path, size } of images)
    parts.push({ name: 'file', filename: basename(path), path, start: 0, length: size })
  const before = kind === 'gallery' ? (await readMedia(api)).gallery.length : 0
  for (let failed = 1; ; failed++) {
    try {
      return asMedia(await api.sendOnce({ method: 'POST', path: MEDIA, body: multipart(parts) }))
    } catch (error) {
      if (failed >= MAX_ATTEMPTS || !isTransient(error)) throw error
      await waitBeforeRetry(failed, error, api)
      if (kind !== 'gallery') continue
      const now = await readMedia(api)
      if (now.gallery.length >= before + images.length) return now
    }
  }
}

export function mediaLines({ cover, thumbnail, gallery }: Media): string[] {
  return [
    ...labeled([
      [t('images-cover'), cover || t('images-none')],
      [t('images-thumbnail'), thumbnail || t('images-none')],
      [t('images-gallery'), gallery.length ? '' : t('images-empty')],
    ]),
    ...gallery.map(({ uid, url, position }) => `  ${String(position).padStart(2)}  ${uid}  ${url}`),
  ]
}

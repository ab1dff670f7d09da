import { buffer } from 'node:stream/consumers'
import { limitConcurrency } from '../../core/runtime/concurrency.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { singleFlight } from '../../core/runtime/single-flight.ts'
import { isStorageUnavailable } from '../../core/storage/storage.ts'
import { DECODE_SECONDS, loadSharp, MAX_PIXELS } from '../../listings/media/store.ts'
import { imageKey } from '../../listings/media/url.ts'

/** All editors decode PNG and JPEG, and show images small. */
export const renditions = {
  icon: { width: 128, height: 128, fit: 'cover', type: 'png' },
  preview: { width: 320, height: 180, fit: 'inside', type: 'jpeg' },
  screenshot: { width: 1280, height: 720, fit: 'inside', type: 'jpeg' },
} as const
export type Rendition = keyof typeof renditions
const endings = { png: 'png', jpeg: 'jpg' } as const
const JPEG_QUALITY = 85
/** Rendering may take a second of a core, so further requests wait. */
const MAX_CONCURRENT = 2

const nameOf = (sha256: string, kind: Rendition) =>
  `${sha256}-${kind}.${endings[renditions[kind].type]}`

/** The name depends only on content and kind, so it can be cached forever. */
export const renditionUrl = ({ web_url }: Addresses, sha256: string, kind: Rendition) =>
  `${web_url}/media/editor/${nameOf(sha256, kind)}`

export const RENDITIONS = 'renditions/'
export const renditionKey = (sha256: string, kind: Rendition) =>
  `${RENDITIONS}${sha256.slice(0, 2)}/${nameOf(sha256, kind)}`
export const contentOf = (key: string) => /\/([0-9a-f]{64})-[a-z]+\.[a-z]+$/.exec(key)?.[1]

export function readName(name: string): { sha256: string; kind: Rendition } | undefined {
  const [, sha256, kind] = /^([0-9a-f]{64})-([a-z]+)\./.exec(name) ?? []
  if (!sha256 || !kind || !Object.hasOwn(renditions, kind)) return undefined
  return name === nameOf(sha256, kind as Rendition)
    ? { sha256, kind: kind as Rendition }
    : undefined
}

const limited = limitConcurrency(MAX_CONCURRENT)
const share = singleFlight<Buffer | undefined>()

/**
 * Renders and stores an image. Concurrent requests share one rendering. Undefined if the original
 * is gone.
 */
export const makeRendition = (
  core: Core,
  sha256: string,
  kind: Rendition,
): Promise<Buffer | undefined> =>
  share(renditionKey(sha256, kind), () => limited(() => render(core, sha256, kind)))

/** The image can be sent even if storage is unavailable. */
const ignoreUnavailableStorage = (error: unknown) => {
  if (!isStorageUnavailable(error)) throw error
}

async function render(core: Core, sha256: string, kind: Rendition): Promise<Buffer | undefined> {
  const source = await core.storage.get(imageKey(sha256))
  if (!source) return undefined
  const { width, height, fit, type } = renditions[kind]
  const sharp = await loadSharp()
  const image = sharp(await buffer(source.stream), { limitInputPixels: MAX_PIXELS })
    .timeout({ seconds: DECODE_SECONDS })
    .autoOrient()
    .resize({ width, height, fit, withoutEnlargement: true })
  const encoded =
    type === 'png'
      ? image.png()
      : image.flatten({ background: '#fff' }).jpeg({ quality: JPEG_QUALITY })
  const bytes = await encoded.toBuffer().catch((error: Error) => {
    core.log.warn({ error: error.message, sha256 }, 'image rendition failed')
  })
  if (bytes)
    await core.storage.put(renditionKey(sha256, kind), bytes).catch(ignoreUnavailableStorage)
  return bytes ?? undefined
}

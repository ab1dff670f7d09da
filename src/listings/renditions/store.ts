import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sql, Tx } from '../../core/database/sql.ts'
import type { SendOptions } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { MINUTE } from '../../core/runtime/units.ts'
import type { StoredObject } from '../../core/storage/storage.ts'
import { lockContent, unusedContent } from '../media/queries.ts'
import { imageKey } from '../media/url.ts'
import { decode, encode, type Pixels, placeholderOf } from './encode.ts'
import { deletePreview, readContents, savePreview } from './queries.ts'
import {
  ENCODER,
  earlySizes,
  keyPrefix,
  lateSizes,
  nearestRendition,
  parseKey,
  type Rendition,
  renditionKey,
  type Size,
} from './rendition-rules.ts'

export type RenditionWork = { sha256s: string[]; sizes: Size[] }

/** Waiting and looking for another rendition together stay below 300 ms. */
export const MAX_WAIT_MS = 200
const POLL_MS = 40

/** Enqueues the renditions that pages will soon need. */
export async function sendUploadedImages(core: Core, tx: Tx, sha256s: string[]): Promise<void> {
  await sendWork(core, tx, { sha256s, sizes: earlySizes })
  await sendWork(core, tx, { sha256s, sizes: lateSizes }, { after_seconds: MINUTE })
}

const sendWork = (core: Core, sql: Sql | Tx, work: RenditionWork, options: SendOptions = {}) =>
  core.jobs.send(sql, 'listings.make-renditions', work, options)

/** Makes those of the renditions that do not exist yet, from pixels that are decoded once. */
export async function makeRenditions(
  core: Core,
  sha256: string,
  sizes: readonly Size[],
  signal: AbortSignal,
): Promise<void> {
  const [content] = await readContents(core.sql, [sha256])
  if (!content || content.preview?.decodable === false) return
  const missing: Rendition[] = []
  for (const size of sizes) {
    const rendition = { sha256, ...size }
    if (size.width <= content.width && !(await core.storage.stat(renditionKey(rendition))))
      missing.push(rendition)
  }
  if (content.preview && !missing.length) return
  const original = await core.storage.get(imageKey(sha256))
  if (!original) return
  const pixels = await decode(await buffer(original.stream))
  if (!pixels) core.log.warn({ sha256 }, 'an image cannot be decoded; pages show the original')
  if (!content.preview) await storePreview(core, sha256, pixels)
  if (!pixels) return
  for (const rendition of missing) {
    signal.throwIfAborted()
    await storeRendition(core, rendition, await encode(pixels, rendition))
  }
}

async function storePreview(core: Core, sha256: string, pixels: Pixels | undefined) {
  const placeholder = pixels ? await placeholderOf(pixels) : ''
  await whileUsed(core, sha256, (tx) =>
    savePreview(tx, sha256, { decodable: pixels !== undefined, placeholder }),
  )
}

const storeRendition = (core: Core, rendition: Rendition, bytes: Buffer) =>
  whileUsed(core, rendition.sha256, async () => {
    await core.storage.put(renditionKey(rendition), bytes)
    crashPoint('rendition-stored')
  })

/** Does nothing if nothing uses the image any more, so that nothing outlives its original. */
async function whileUsed(core: Core, sha256: string, store: (tx: Tx) => Promise<unknown>) {
  await core.sql.begin(async (tx) => {
    await lockContent(tx, [sha256])
    if ((await unusedContent(tx, [sha256])).length === 0) await store(tx)
  })
}

/** Removes everything made from an image. The caller must lock its content. */
export async function removeRenditions(core: Core, tx: Tx, sha256: string): Promise<void> {
  for await (const { key } of core.storage.list(keyPrefix(sha256))) await core.storage.discard(key)
  await deletePreview(tx, sha256)
}

/** A stored rendition. If it does not exist, it is made by a job that is waited for briefly. */
export async function openRendition(
  core: Core,
  rendition: Rendition,
): Promise<StoredObject | null> {
  const key = renditionKey(rendition)
  const stored = await core.storage.get(key)
  if (stored) return stored
  const deadline = performance.now() + MAX_WAIT_MS
  const { sha256, width, format } = rendition
  const work = { sha256s: [sha256], sizes: [{ width, format }] }
  // At most one job of this key waits, however many requests need the rendition.
  await sendWork(core, core.sql, work, { key: key.slice(key.lastIndexOf('/') + 1) })
  while (performance.now() + POLL_MS < deadline) {
    await pause(POLL_MS)
    const made = await core.storage.get(key)
    if (made) return made
  }
  return null
}

/** The rendition to send until the wanted one is made. */
export async function findNearest(core: Core, wanted: Rendition): Promise<Rendition | undefined> {
  const existing: Rendition[] = []
  for await (const { key } of core.storage.list(keyPrefix(wanted.sha256))) {
    const rendition = parseKey(key)
    if (rendition?.encoder === ENCODER) existing.push(rendition)
  }
  return nearestRendition(wanted, existing)
}

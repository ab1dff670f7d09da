import { limitConcurrency } from '../../core/runtime/concurrency.ts'
import type { Core } from '../../core/runtime/core.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { type Explanation, explain } from '../../core/runtime/reasons.ts'
import { MIB } from '../../core/runtime/units.ts'
import { createOutbound, type Outbound, OutboundError } from '../../core/security/outbound.ts'
import { galleryLimits } from '../../listings/media/image-rules.ts'
import type { StoredImage } from '../../listings/media/store.ts'
import { isImageHost, trustedOrigins } from '../client/image-hosts.ts'
import { imageHosts, StoreFailure } from '../client/steam.ts'
import { type TimeBudget, timeBudget } from '../client/store.ts'
import {
  coverOf,
  type FitResult,
  type FittedImage,
  fitScreenshot,
  thumbnailOf,
} from './image-fit.ts'
import type { ImportedImages } from './mapping.ts'

/** The outcome of a screenshot, for the report. */
export type Screenshot = {
  url: string
  width?: number
  height?: number
  imported: boolean
  reason?: Explanation
  /** A small rendition as a data URL, in a preview. */
  preview?: string
}
/** Stores an image. A preview only makes a small rendition of it. */
export type StoreImage = (image: FittedImage) => Promise<void>

const MAX_SCREENSHOTS = 60
const MAX_IMAGE_BYTES = 20 * MIB
/** The timeout of each attempt, and of all images together, because the developer waits. */
const ATTEMPTS_MS = [20_000, 20_000]
const TOTAL_MS = 60_000
/** Shared by all imports of the process, because each decoded image takes much memory. */
const limited = limitConcurrency(4)

const outboundOf = perCore((core) =>
  createOutbound({
    trusted_origins: trustedOrigins(imageHosts(core.config)),
    keep_alive: true,
  }),
)

/**
 * Fetches, fits and stores the screenshots of a page, in its order: as many as a gallery holds, and
 * more only to replace unusable ones. A bad image is skipped; an unreachable host ends the import.
 */
export async function readScreenshots(
  core: Core,
  page_urls: string[],
  store: StoreImage,
  budget: TimeBudget = timeBudget(TOTAL_MS, ATTEMPTS_MS),
): Promise<{ images: ImportedImages; screenshots: Screenshot[] }> {
  const unique_urls = [...new Set(page_urls)]
  const urls = unique_urls.slice(0, MAX_SCREENSHOTS)
  const outcomes: Outcome[] = []
  let first: { index: number; fitted: FittedImage } | undefined

  async function importOne(index: number, isCanceled: () => boolean): Promise<Outcome> {
    const result = await fetchScreenshot(core, urls[index]!, budget, isCanceled)
    if (!('fitted' in result)) return result
    const { fitted, width, height } = result
    await store(fitted)
    // Only the first image is needed again; the bytes of the others are released.
    if (!first || index < first.index) first = { index, fitted }
    return { width, height, image: fitted.image }
  }

  let used = 0
  while (outcomes.length < urls.length && used < galleryLimits.max) {
    const next = urls
      .slice(outcomes.length, outcomes.length + galleryLimits.max - used)
      .map((_, i) => outcomes.length + i)
    outcomes.push(...(await runAll(next, importOne)))
    skipDuplicates(outcomes)
    used = outcomes.filter(({ image }) => image).length
  }
  const gallery = urls.flatMap((url, i) => {
    const image = outcomes[i]?.image
    return image ? [{ url, image }] : []
  })
  return {
    images: { gallery, ...(await coverAndThumbnail(first?.fitted, store)) },
    screenshots: unique_urls.map((url, i) =>
      toScreenshot(url, i < urls.length ? outcomes[i] : OVER_LIMIT),
    ),
  }
}

type Outcome = {
  width?: number | undefined
  height?: number | undefined
  image?: StoredImage
  skip?: Explanation
}
const OVER_LIMIT: Outcome = {
  skip: explain(
    'import_screenshot_limit',
    `Only the first ${MAX_SCREENSHOTS} screenshots of a page are imported`,
    { max: MAX_SCREENSHOTS },
  ),
}

/** Decides by position, not by arrival, so that the same page always gives the same gallery. */
function skipDuplicates(outcomes: Outcome[]) {
  const seen = new Set<string>()
  for (const outcome of outcomes) {
    if (outcome.image && seen.has(outcome.image.sha256)) {
      delete outcome.image
      outcome.skip = explain('import_same_image', 'The image is identical to an earlier one')
    } else if (outcome.image) seen.add(outcome.image.sha256)
  }
}

async function coverAndThumbnail(
  first: FittedImage | undefined,
  store: StoreImage,
): Promise<Pick<ImportedImages, 'cover' | 'thumbnail'>> {
  if (!first) return {}
  const derive = (make: typeof coverOf) =>
    limited(async () => {
      const derived = await make(first)
      if (derived) await store(derived)
      return derived?.image
    })
  const cover = await derive(coverOf)
  const thumbnail = await derive(thumbnailOf)
  return { ...(cover && { cover }), ...(thumbnail && { thumbnail }) }
}

const GALLERY_FULL = explain(
  'import_gallery_full',
  `The gallery holds ${galleryLimits.max} images`,
  { max: galleryLimits.max },
)

function toScreenshot(url: string, outcome: Outcome | undefined): Screenshot {
  if (!outcome) return { url, imported: false, reason: GALLERY_FULL }
  const { width, height, image, skip = { message: '', reasons: [] } } = outcome
  const size = width && height ? { width, height } : {}
  return image ? { url, ...size, imported: true } : { url, ...size, imported: false, reason: skip }
}

/**
 * Runs a task for each index. After a failure the tasks that have not started are canceled, so that
 * a slow host does not delay other imports. It rejects only when no task is running any more,
 * because the caller then removes what they stored.
 */
async function runAll<T>(
  indexes: number[],
  work: (index: number, isCanceled: () => boolean) => Promise<T>,
): Promise<T[]> {
  let failure: { error: unknown } | undefined
  const isCanceled = () => failure !== undefined
  const run = async (index: number) => {
    try {
      return isCanceled() ? undefined : await work(index, isCanceled)
    } catch (error) {
      failure ??= { error }
      return undefined
    }
  }
  const results = await Promise.all(indexes.map((index) => limited(() => run(index))))
  if (failure) throw failure.error
  return results as T[]
}

async function fetchScreenshot(
  core: Core,
  url: string,
  budget: TimeBudget,
  isCanceled: () => boolean,
): Promise<FitResult> {
  if (!isImageHost(url, imageHosts(core.config)))
    return {
      skip: explain('import_other_image_host', 'The image is not on an image host of the store'),
    }
  let failure = 'The images of the page took too long'
  for (const attempt_ms of budget.attempts_ms) {
    const timeout_ms = Math.min(attempt_ms, budget.remaining())
    if (timeout_ms <= 0 || isCanceled()) break
    const response = await fetchImage(outboundOf(core), url, timeout_ms)
    if (Buffer.isBuffer(response)) return fitScreenshot(response)
    if ('skip' in response) return response
    failure = response.unreachable
  }
  throw new StoreFailure('unreachable', failure)
}

const REDIRECTED = explain(
  'import_image_redirect',
  'The image host redirects to another URL, which is not followed',
)
const TOO_LARGE = explain(
  'import_image_large',
  `The image is larger than ${MAX_IMAGE_BYTES / MIB} MB`,
  { max_bytes: MAX_IMAGE_BYTES },
)
const badStatus = (status: number) =>
  explain('import_image_status', `The image host responded with status ${status}`, { status })

async function fetchImage(
  outbound: Outbound,
  url: string,
  timeout_ms: number,
): Promise<Buffer | { skip: Explanation } | { unreachable: string }> {
  try {
    const { status, body } = await outbound.request({ url, timeout_ms, max_bytes: MAX_IMAGE_BYTES })
    if (status === 200) return body
    if (status >= 300 && status < 400) return { skip: REDIRECTED }
    return status === 429 || status >= 500
      ? { unreachable: `An image host responded with status ${status}` }
      : { skip: badStatus(status) }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.kind === 'too_large') return { skip: TOO_LARGE }
    if (error.kind === 'blocked' || error.kind === 'bad_url')
      return { skip: explain('import_image_url', 'The URL of the image is not allowed') }
    return { unreachable: error.message }
  }
}

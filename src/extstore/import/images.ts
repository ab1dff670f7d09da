import type { Core } from '../../core/runtime/core.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { createOutbound, type Outbound, OutboundError } from '../../core/security/outbound.ts'
import { galleryLimits } from '../../listings/media/image-rules.ts'
import { isImageHost, trustedOrigins } from '../client/image-hosts.ts'
import { imageHosts, StoreFailure } from '../client/steam.ts'
import { type Budget, budget } from '../client/store.ts'
import { coverOf, type Fit, fitScreenshot, type Picture, thumbnailOf } from './image-fit.ts'
import type { Pictures } from './mapping.ts'

/** What became of each screenshot, for the report. */
export type Screenshot = {
  url: string
  width?: number
  height?: number
  imported: boolean
  reason?: string
}
/** Puts an image where it will be needed; a preview puts it nowhere. */
export type Keep = (picture: Picture) => Promise<void>

const MOST_SCREENSHOTS = 60
const MOST_BYTES = 20 * 1024 * 1024
/** What each try may take, and all of them together: people wait for it. */
const TRIES_MS = [20_000, 20_000]
const ALL_MS = 60_000
/** Over all imports of the process: each holds a file and its pixels in memory. */
const AT_ONCE = 4

let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await new Promise<void>((go) => waiting.push(go))
  else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

const outboundOf = perCore((core) =>
  createOutbound({
    trusted_origins: trustedOrigins(imageHosts(core.config)),
    keep_alive: true,
  }),
)

/**
 * The screenshots of a page, in its order: as many as a gallery holds, the others only where some of those cannot be used. Each is fetched,
 * fitted and kept before the next of its row is begun. An image that is bad is left out; a store that is gone ends the import.
 */
export async function readScreenshots(
  core: Core,
  urls: string[],
  keep: Keep,
  patience: Budget = budget(ALL_MS, TRIES_MS),
): Promise<{ pictures: Pictures; screenshots: Screenshot[] }> {
  const named = [...new Set(urls)]
  const all = named.slice(0, MOST_SCREENSHOTS)
  const fits: Result[] = []
  let first: { index: number; picture: Picture } | undefined

  async function take(index: number, isOver: () => boolean): Promise<Result> {
    const fit = await fetchScreenshot(core, all[index]!, patience, isOver)
    if (!('picture' in fit)) return fit
    const { picture, width, height } = fit
    await keep(picture)
    // Of the others only the fingerprint is needed from here on.
    if (!first || index < first.index) first = { index, picture }
    return { width, height, kept: picture.fitted }
  }

  let used = 0
  while (fits.length < all.length && used < galleryLimits.max) {
    const next = all
      .slice(fits.length, fits.length + galleryLimits.max - used)
      .map((_, i) => fits.length + i)
    fits.push(...(await together(next, take)))
    dropRepeats(fits)
    used = fits.filter(({ kept }) => kept).length
  }
  const found = all.flatMap((url, i) => (fits[i]?.kept ? [{ url, gallery: fits[i].kept }] : []))
  return {
    pictures: { used: found, ...(await singles(first?.picture, keep)) },
    screenshots: named.map((url, i) => screenshotOf(url, i < all.length ? fits[i] : UNSEEN)),
  }
}

type Result = {
  width?: number | undefined
  height?: number | undefined
  kept?: Picture['fitted']
  skip?: string
}
const UNSEEN: Result = {
  skip: `Only the first ${MOST_SCREENSHOTS} screenshots of a page are looked at`,
}

/** Told by their place, not by which came first, so that the same page always gives the same gallery. */
function dropRepeats(fits: Result[]) {
  const seen = new Set<string>()
  for (const fit of fits) {
    if (fit.kept && seen.has(fit.kept.sha256)) {
      delete fit.kept
      fit.skip = 'It is the same picture as one before it'
    } else if (fit.kept) seen.add(fit.kept.sha256)
  }
}

async function singles(
  first: Picture | undefined,
  keep: Keep,
): Promise<Pick<Pictures, 'cover' | 'thumbnail'>> {
  if (!first) return {}
  const made = (make: typeof coverOf) =>
    inTurn(async () => {
      const picture = await make(first)
      if (picture) await keep(picture)
      return picture?.fitted
    })
  const [cover, thumbnail] = [await made(coverOf), await made(thumbnailOf)]
  return { ...(cover && { cover }), ...(thumbnail && { thumbnail }) }
}

function screenshotOf(url: string, fit: Result | undefined): Screenshot {
  if (!fit) return { url, imported: false, reason: `The gallery holds ${galleryLimits.max} images` }
  const { width, height, kept, skip = '' } = fit
  const size = width && height ? { width, height } : {}
  return kept ? { url, ...size, imported: true } : { url, ...size, imported: false, reason: skip }
}

/**
 * All of them, each in its turn, or the first failure once none is at work any more: what is still being written could not be taken back.
 * Whose turn comes after a failure gives it up at once, so that a host that stalls does not hold up the imports of others.
 */
async function together<T>(
  indexes: number[],
  work: (index: number, isOver: () => boolean) => Promise<T>,
): Promise<T[]> {
  let failure: { error: unknown } | undefined
  const isOver = () => failure !== undefined
  const one = async (index: number) => {
    try {
      return isOver() ? undefined : await work(index, isOver)
    } catch (error) {
      failure ??= { error }
      return undefined
    }
  }
  const results = await Promise.all(indexes.map((index) => inTurn(() => one(index))))
  if (failure) throw failure.error
  return results as T[]
}

async function fetchScreenshot(
  core: Core,
  url: string,
  patience: Budget,
  isOver: () => boolean,
): Promise<Fit> {
  if (!isImageHost(url, imageHosts(core.config)))
    return { skip: 'Its address is not one of the image hosts of the store' }
  let gone = 'The images of the page took too long'
  for (const try_ms of patience.tries_ms) {
    const timeout_ms = Math.min(try_ms, patience.left())
    if (timeout_ms <= 0 || isOver()) break
    const found = await fetchOnce(outboundOf(core), url, timeout_ms)
    if (Buffer.isBuffer(found)) return fitScreenshot(found)
    if ('skip' in found) return found
    gone = found.gone
  }
  throw new StoreFailure('away', gone)
}

async function fetchOnce(
  outbound: Outbound,
  url: string,
  timeout_ms: number,
): Promise<Buffer | { skip: string } | { gone: string }> {
  try {
    const { status, body } = await outbound.request({ url, timeout_ms, max_bytes: MOST_BYTES })
    if (status === 200) return body
    if (status >= 300 && status < 400)
      return { skip: 'Its address leads somewhere else, which is not followed' }
    return status === 429 || status >= 500
      ? { gone: `An image host answered ${status}` }
      : { skip: `The image host answered ${status}` }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.kind === 'too_large')
      return { skip: `It is larger than ${MOST_BYTES / 1024 / 1024} MB` }
    if (error.kind === 'blocked' || error.kind === 'bad_url')
      return { skip: 'Its address is not one that may be asked' }
    return { gone: error.message }
  }
}

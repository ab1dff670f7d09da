import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter } from 'prom-client'
import { createCache } from '../../../core/runtime/cache.ts'
import type { Core } from '../../../core/runtime/core.ts'
import type { MaybePromise } from '../../../core/runtime/maybe-promise.ts'
import { registry } from '../../../core/runtime/metrics.ts'
import { perCore } from '../../../core/runtime/per-core.ts'
import { MIB, MINUTE_MS } from '../../../core/runtime/units.ts'

/** A page as signed-out visitors see it, valid for one version of its data. */
export type CachedPage = {
  freshness: string
  text: Buffer
  /** Compressed at the first request that accepts it. */
  br?: Promise<Buffer>
  username: string
  headers: Record<string, string>
  rendered_at: number
  web_url: string
  settings_version: number
}
type RenderedPage = Omit<CachedPage, 'text' | 'rendered_at' | 'web_url' | 'settings_version'> & {
  text: string
}

const MAX_BYTES = 64 * MIB
/** Images of other listings on the page can change without a new version of its data. */
const MAX_AGE_MS = 5 * MINUTE_MS
const compress = promisify(brotliCompress)
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } }

const pageCache = perCore(() =>
  createCache<CachedPage>({ max_bytes: MAX_BYTES, bytesOf: ({ text }) => text.length }),
)

export function cachedPage(core: Core, key: string, freshness: string): CachedPage | undefined {
  const page = pageCache(core).get(key)
  if (page?.freshness !== freshness || Date.now() - page.rendered_at >= MAX_AGE_MS) return undefined
  // With port 0 the address is known only after the start.
  const is_current =
    page.web_url === core.addresses.web_url && page.settings_version === core.settings.version
  return is_current ? page : undefined
}

const renders = new Counter({
  name: 'slipway_listing_page_renders_total',
  help: 'Listing pages of signed-out visitors that were rendered, not sent from the cache',
  registers: [registry],
})

export function cachePage(core: Core, key: string, rendered: RenderedPage): CachedPage {
  const page: CachedPage = {
    ...rendered,
    text: Buffer.from(rendered.text),
    rendered_at: Date.now(),
    web_url: core.addresses.web_url,
    settings_version: core.settings.version,
  }
  pageCache(core).set(key, page)
  renders.inc()
  return page
}

export function sendCachedPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: CachedPage,
): MaybePromise<FastifyReply> {
  if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(page.text)
  return sendCompressed(reply, page)
}

async function sendCompressed(reply: FastifyReply, page: CachedPage): Promise<FastifyReply> {
  page.br ??= compress(page.text, QUALITY)
  return reply.header('content-encoding', 'br').send(await page.br)
}

import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createCache } from '../../../core/runtime/cache.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { perCore } from '../../../core/runtime/per-core.ts'
import { MIB, MINUTE_MS } from '../../../core/runtime/units.ts'

/** A page as everyone sees it, true for one version of what it shows; compressed once somebody asks for it so. */
export type KeptPage = {
  freshness: string
  text: Buffer
  br?: Promise<Buffer>
  username: string
  noindex: boolean
  made_at: number
  web_url: string
}
type Made = Omit<KeptPage, 'text' | 'made_at' | 'web_url'> & { text: string }

const MAX_BYTES = 64 * MIB
/** Pictures of other listings on a page may be replaced without its knowing. */
const MAX_AGE_MS = 5 * MINUTE_MS
const compress = promisify(brotliCompress)
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } }

const pageCache = perCore(() =>
  createCache<KeptPage>({ max_bytes: MAX_BYTES, bytesOf: ({ text }) => text.length }),
)

export function keptPage(core: Core, uid: string, freshness: string): KeptPage | undefined {
  const known = pageCache(core).get(uid)
  if (known?.freshness !== freshness || Date.now() - known.made_at >= MAX_AGE_MS) return undefined
  // With port 0 the address is known only after the start.
  return known.web_url === core.addresses.web_url ? known : undefined
}

export function keepPage(core: Core, uid: string, made: Made): KeptPage {
  const kept: KeptPage = {
    ...made,
    text: Buffer.from(made.text),
    made_at: Date.now(),
    web_url: core.addresses.web_url,
  }
  pageCache(core).set(uid, kept)
  return kept
}

export async function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  kept: KeptPage,
): Promise<FastifyReply> {
  if (!/\bbr\b/.test(String(request.headers['accept-encoding']))) return reply.send(kept.text)
  kept.br ??= compress(kept.text, QUALITY)
  return reply.header('content-encoding', 'br').send(await kept.br)
}

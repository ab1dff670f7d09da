import type { Addresses } from '../core/runtime/config.ts'
import type { PlayedBuild } from './access.ts'
import { isDocument, type MediaType } from './media-types.ts'

/** What a page of a game may do; it cannot leave its frame or open plugins. */
const sandbox = [
  'allow-scripts',
  'allow-same-origin',
  'allow-forms',
  'allow-modals',
  'allow-downloads',
  'allow-popups',
  'allow-pointer-lock',
  'allow-orientation-lock',
  'allow-presentation',
].join(' ')

/**
 * A game runs its own scripts as it likes, and talks only to itself, to the API of the store and to
 * the origins that its listing declares.
 */
export function contentPolicy(
  { connect_origins, embeddable }: Pick<PlayedBuild, 'connect_origins' | 'embeddable'>,
  { base_url, web_url }: Pick<Addresses, 'base_url' | 'web_url'>,
): string {
  const own = ["'self'", 'data:', 'blob:', ...connect_origins].join(' ')
  return [
    `default-src ${own}`,
    `script-src ${own} 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval'`,
    `style-src ${own} 'unsafe-inline'`,
    `connect-src ${own} ${base_url}`,
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    // A game may show its own pages in frames inside of its frame.
    `frame-ancestors ${embeddable ? '*' : `'self' ${web_url}`}`,
    `sandbox ${sandbox}`,
  ].join('; ')
}

type Policy = { policy: string; isolated: boolean; is_open: boolean }

const ONE_YEAR = 'max-age=31536000, immutable'

/**
 * The headers of a file. Isolated pages get threads: the frame then has to allow its parent page
 * to embed it, and everything that it loads is its own. A document is checked each time it is
 * opened, so that a game that was taken down does not start from a cache.
 */
export function fileHeaders(media: MediaType, { policy, isolated, is_open }: Policy) {
  const is_document = isDocument(media)
  return {
    'content-type': media.type,
    'x-content-type-options': 'nosniff',
    'content-security-policy': policy,
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-resource-policy': is_document ? 'cross-origin' : 'same-origin',
    'origin-agent-cluster': '?1',
    ...(isolated && {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    }),
    'cache-control': is_document
      ? `${is_open ? 'public' : 'private'}, no-cache`
      : `${is_open ? 'public' : 'private'}, ${ONE_YEAR}`,
    vary: is_open ? 'accept-encoding' : 'accept-encoding, cookie',
  }
}

/** Made once for a build and type: a game asks for thousands of files. */
const headersOfBuilds = new WeakMap<PlayedBuild, Map<string, Record<string, string>>>()

export function headersOf(build: PlayedBuild, media: MediaType, addresses: Addresses) {
  const by_type = headersOfBuilds.get(build) ?? new Map<string, Record<string, string>>()
  headersOfBuilds.set(build, by_type)
  const known = by_type.get(media.type)
  if (known) return known
  const headers = fileHeaders(media, { ...build, policy: contentPolicy(build, addresses) })
  by_type.set(media.type, headers)
  return headers
}

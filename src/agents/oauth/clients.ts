import type { Outbound } from '../../core/security/outbound.ts'

const DOCUMENT_BYTES = 16 * 1024
const DOCUMENT_MS = 4_000
const MOST_REDIRECTS = 20
const MOST_NAME = 100
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const CLOSED_SCHEMES = new Set([
  'javascript:',
  'data:',
  'file:',
  'vbscript:',
  'blob:',
  'about:',
  'ws:',
  'wss:',
  'ftp:',
  'view-source:',
])
const known = [
  'client_id',
  'client_name',
  'client_uri',
  'redirect_uris',
  'token_endpoint_auth_method',
  'application_type',
] as const
const flows = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] }

/** What we keep of what a client says of itself. Everything else it might ask for we have one answer to. */
export function clientMetadata(sent: unknown): Record<string, unknown> {
  const given = Object(sent) as Record<string, unknown>
  const kept = Object.fromEntries(
    known.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  )
  if (typeof kept.client_name === 'string')
    kept.client_name = kept.client_name
      .replace(/[\p{C}\s]+/gu, ' ')
      .trim()
      .slice(0, MOST_NAME)
  // Only with this kind does any port of this machine do, as RFC 8252 wants it; what may be registered is checked below.
  return { token_endpoint_auth_method: 'none', ...kept, ...flows, application_type: 'native' }
}

/** What is wrong with where a client wants its answers, if anything: https, this machine, or the scheme of an app. */
export function redirectProblem(uris: unknown): string | undefined {
  if (!Array.isArray(uris) || !uris.length) return 'redirect_uris must name at least one'
  if (uris.length > MOST_REDIRECTS) return `redirect_uris must be at most ${MOST_REDIRECTS}`
  return uris.map(oneProblem).find(Boolean)
}

function oneProblem(uri: unknown): string | undefined {
  const url = typeof uri === 'string' && uri.length <= 2000 ? URL.parse(uri) : null
  if (!url || url.hash || url.username || url.password)
    return 'redirect_uris must be addresses without fragment and credentials'
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:')
    return LOOPBACK.has(url.hostname)
      ? undefined
      : 'redirect_uris over http must lead to this machine'
  return CLOSED_SCHEMES.has(url.protocol) ? `redirect_uris must not use ${url.protocol}` : undefined
}

/** Documents that clients name as their id are fetched like any address that others chose: guarded, bounded, without redirects. */
export const documentFetch = (outbound: Outbound) => async (input: string | URL | Request) => {
  const url = input instanceof Request ? input.url : String(input)
  const headers = { accept: 'application/json' }
  const answer = await outbound.request({
    url,
    headers,
    timeout_ms: DOCUMENT_MS,
    max_bytes: DOCUMENT_BYTES,
    max_redirects: 0,
  })
  const cache = answer.headers['cache-control']
  if (answer.status !== 200)
    return new Response(null, { status: answer.status === 204 ? 404 : answer.status })
  return Response.json(clientMetadata(JSON.parse(answer.body.toString('utf8'))), {
    headers: cache ? { 'cache-control': cache } : {},
  })
}

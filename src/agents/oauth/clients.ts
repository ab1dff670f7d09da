import type { Outbound } from '../../core/security/outbound.ts'

const MAX_DOCUMENT_BYTES = 16 * 1024
const DOCUMENT_TIMEOUT_MS = 4_000
const MAX_REDIRECT_URIS = 20
const MAX_REDIRECT_URI_LENGTH = 2000
const MAX_NAME_LENGTH = 100
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
/** A scheme that begins with a domain of its owner, such as `com.example.app:` (RFC 8252, 7.1). */
const REVERSE_DNS_SCHEME = /^[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+:$/
/** Cursor registers this address with its others, and would fail if one of them was refused. */
const KNOWN_APP_ADDRESSES = new Set(['cursor://anysphere.cursor-mcp/oauth/callback'])
const metadataFields = [
  'client_id',
  'client_name',
  'client_uri',
  'redirect_uris',
  'token_endpoint_auth_method',
  'application_type',
] as const
const fixedMetadata = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}

/** The fields of a client that are stored; all others are fixed. */
export function clientMetadata(sent: unknown): Record<string, unknown> {
  const fields = Object(sent) as Record<string, unknown>
  const metadata = Object.fromEntries(
    metadataFields.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  )
  if (typeof metadata.client_name === 'string')
    metadata.client_name = metadata.client_name
      .replace(/[\p{C}\s]+/gu, ' ')
      .trim()
      .slice(0, MAX_NAME_LENGTH)
  // Native clients may use any port of the loopback address (RFC 8252). redirectProblem checks
  // which addresses may be registered.
  return {
    token_endpoint_auth_method: 'none',
    ...metadata,
    ...fixedMetadata,
    application_type: 'native',
  }
}

/**
 * Why redirect URIs are refused. Allowed are https, the loopback address and schemes of apps that
 * begin with a domain: any other scheme can belong to a program that does something else with the
 * address.
 */
export function redirectProblem(uris: unknown): string | undefined {
  if (!Array.isArray(uris) || !uris.length) return 'redirect_uris must have at least one entry'
  if (uris.length > MAX_REDIRECT_URIS)
    return `redirect_uris must have at most ${MAX_REDIRECT_URIS} entries`
  return uris.map(uriProblem).find(Boolean)
}

function uriProblem(uri: unknown): string | undefined {
  const url =
    typeof uri === 'string' && uri.length <= MAX_REDIRECT_URI_LENGTH ? URL.parse(uri) : null
  if (!url || url.hash || url.username || url.password)
    return 'redirect_uris must be URLs without fragment and credentials'
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:')
    return LOOPBACK.has(url.hostname)
      ? undefined
      : 'redirect_uris over http must use the loopback address'
  return REVERSE_DNS_SCHEME.test(url.protocol) || KNOWN_APP_ADDRESSES.has(url.href)
    ? undefined
    : `redirect_uris must not use ${url.protocol} Use https, or a scheme like com.example.app:`
}

/**
 * Fetches client metadata documents. The client chooses the address, so the request is guarded,
 * bounded and follows no redirects.
 */
export const documentFetch = (outbound: Outbound) => async (input: string | URL | Request) => {
  const url = input instanceof Request ? input.url : String(input)
  const headers = { accept: 'application/json' }
  const answer = await outbound.request({
    url,
    headers,
    timeout_ms: DOCUMENT_TIMEOUT_MS,
    max_bytes: MAX_DOCUMENT_BYTES,
    max_redirects: 0,
  })
  const cache = answer.headers['cache-control']
  if (answer.status !== 200)
    return new Response(null, { status: answer.status === 204 ? 404 : answer.status })
  return Response.json(clientMetadata(JSON.parse(answer.body.toString('utf8'))), {
    headers: cache ? { 'cache-control': cache } : {},
  })
}

import type { Addresses } from '../runtime/config.ts'

/**
 * The security headers of every response. One that is no page has this policy: a browser that opens
 * it runs, loads and frames nothing. Pages and files set their own.
 */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
}

/** A year without subdomains, which may be other services. Browsers ignore it over plain http. */
const HSTS = { 'strict-transport-security': 'max-age=31536000' }

export const responseHeaders = ({ base_url }: Addresses): Record<string, string> => ({
  ...securityHeaders,
  ...(base_url.startsWith('https:') && HSTS),
})

/**
 * Hosts that screenshots may be fetched from: `host`, `host:port`, or `.suffix` for all hosts below
 * it.
 */

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/

const isLoopback = (host: string) => LOOPBACK.test(host)

/** Hosts that the operator named exactly. Those of a suffix must resolve to public addresses. */
export const trustedOrigins = (hosts: readonly string[]): string[] =>
  hosts
    .filter((host) => !host.startsWith('.'))
    .map((host) => `${isLoopback(host) ? 'http' : 'https'}://${host}`)

/** Plain HTTP is allowed only for the loopback address. */
export function isImageHost(address: string, hosts: readonly string[]): boolean {
  const url = /[\s\\\p{C}]/u.test(address) ? null : URL.parse(address)
  if (!url || url.username || url.password) return false
  if (url.protocol !== (isLoopback(url.host) ? 'http:' : 'https:')) return false
  return hosts.some((host) =>
    host.startsWith('.') ? url.port === '' && url.hostname.endsWith(host) : url.host === host,
  )
}

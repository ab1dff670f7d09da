/** Where screenshots may be fetched from: `host`, `host:port`, or `.suffix` for every host under it. */

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/

export const isLoopback = (host: string) => LOOPBACK.test(host)

/** Hosts that the operator named one by one; those of a suffix are found by asking, and must turn out to be public. */
export const trustedOrigins = (hosts: readonly string[]): string[] =>
  hosts
    .filter((host) => !host.startsWith('.'))
    .map((host) => `${isLoopback(host) ? 'http' : 'https'}://${host}`)

/** Plain http goes nowhere but to this machine. */
export function isImageHost(address: string, hosts: readonly string[]): boolean {
  const url = /[\s\\\p{C}]/u.test(address) ? null : URL.parse(address)
  if (!url || url.username || url.password) return false
  if (url.protocol !== (isLoopback(url.host) ? 'http:' : 'https:')) return false
  return hosts.some((host) =>
    host.startsWith('.') ? url.port === '' && url.hostname.endsWith(host) : url.host === host,
  )
}

import { isIP, isIPv4, isIPv6 } from 'node:net'

/**
 * The address of the client. Only as many entries of `X-Forwarded-For`, from the right, are trusted
 * as there are proxies of ours in front: anything further left was written by the client.
 */
export function clientAddress(
  socket_address: string | undefined,
  forwarded: string | string[] | undefined,
  hops: number,
): string {
  const direct = normalizeSocketAddress(socket_address)
  if (hops === 0 || !forwarded) return direct
  const entries = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded).split(',')
  const trusted = entries.slice(-hops)
  return normalizeAddress(trusted[0]!.trim()) ?? direct
}

/** The address from the kernel is valid; only the IPv4-in-IPv6 form has to be unwrapped. */
function normalizeSocketAddress(address = '0.0.0.0'): string {
  if (!address.includes(':')) return address
  return normalizeAddress(address) ?? '0.0.0.0'
}

/** What limits count by: an IPv4 address, or the /64 from which an IPv6 client picks addresses. */
export function limitKey(address: string): string {
  return address.includes(':') ? `${expand(address).slice(0, 4).join(':')}::/64` : address
}

/** The part of an address that a network shares: the /24 of IPv4, the /48 of IPv6. */
export function networkOf(address: string): string {
  if (address.includes(':')) return `${expand(address).slice(0, 3).join(':')}::/48`
  return `${address.split('.').slice(0, 3).join('.')}.0/24`
}

/**
 * An address without brackets, port and zone, with IPv4-mapped IPv6 addresses as IPv4. Undefined if
 * the text is not an address.
 */
function normalizeAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const bracketed = text.match(/^\[([^\]]+)\](?::\d+)?$/)?.[1]
  const address = (bracketed ?? text.match(/^(\d+\.\d+\.\d+\.\d+):\d+$/)?.[1] ?? text).replace(
    /%.*$/,
    '',
  )
  if (!isIP(address)) return undefined
  if (!isIPv6(address)) return address
  const groups = expand(address)
  const mapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff'
  return mapped ? toDottedQuad(groups[6]!, groups[7]!) : address.toLowerCase()
}

const toDottedQuad = (high: string, low: string) =>
  [high, low]
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.')

/** The eight groups of an IPv6 address, without leading zeros. */
function expand(address: string): string[] {
  const dotted = address.match(/^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/)
  const [a, b, c, d] = (dotted?.slice(2) ?? []).map(Number)
  const text = dotted
    ? `${dotted[1]}${((a! << 8) | b!).toString(16)}:${((c! << 8) | d!).toString(16)}`
    : address
  const [head = '', tail] = text.split('::')
  const left = head ? head.split(':') : []
  const right = tail ? tail.split(':') : []
  const zeros = tail === undefined ? [] : Array(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16).toString(16))
}

import { BlockList, isIP, isIPv4 } from 'node:net'

/**
 * IPv4 and IPv6 have a list each: a BlockList also applies its IPv6 rules to the mapped form of an
 * IPv4 address, and ::ffff:0:0/96 covers all of them.
 */
const reserved4 = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // A public address that one cloud uses for the control agent of its machines.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  reserved4.addSubnet(network, prefix, 'ipv4')

/** IPv6 outside this block is loopback, mapped, local, multicast or unassigned: all refused. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
const reserved6 = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23], // protocol assignments and tunnels, which can carry a private IPv4 address
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4, likewise
  ['3fff::', 20],
] as const)
  reserved6.addSubnet(network, prefix, 'ipv6')

/** Whether an address, written without brackets or zone, is on the public internet. */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !reserved4.check(ip, 'ipv4')
  if (isIP(ip) !== 6 || ip.includes('%')) return false
  return global6.check(ip, 'ipv6') && !reserved6.check(ip, 'ipv6')
}

export type Allow = {
  /** Allows http to public addresses. */
  plain_http?: boolean | undefined
  /** Allows exactly `http://127.0.0.1`, with any port. */
  loopback?: boolean | undefined
  /** Origins that the operator configured: http or https, with any address. */
  trusted_origins?: ReadonlySet<string> | undefined
}

export type CheckedUrl =
  /** `host` has no brackets; `guarded` means that its addresses must be public. */
  | { ok: true; url: URL; host: string; guarded: boolean }
  | { ok: false; kind: 'bad_url' | 'blocked'; message: string }

/**
 * Matched against the text as typed. The URL parser turns 127.1, 0x7f.1 and others into the same
 * host, and those are not allowed.
 */
const LOOPBACK = /^http:\/\/127\.0\.0\.1(:\d{1,5})?([/?#]|$)/

/**
 * Checks a URL as far as that is possible without a name lookup. Messages repeat nothing of the
 * URL, because it may contain secrets.
 */
export function checkUrl(text: string, allow: Allow = {}): CheckedUrl {
  // The parser drops tabs and line breaks and reads \ as /, so the real target would be hidden.
  const url = /[\s\\\x00-\x1f\x7f]/.test(text) ? null : URL.parse(text)
  if (!url) return refused('bad_url', 'This is not a valid URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return refused('bad_url', 'Only http and https URLs can be used')
  if (url.username || url.password)
    return refused('bad_url', 'The URL must not contain a user name or password')

  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (allow.trusted_origins?.has(url.origin)) return { ok: true, url, host, guarded: false }
  if (allow.loopback && LOOPBACK.test(text)) return { ok: true, url, host, guarded: false }
  if (url.protocol === 'http:' && !allow.plain_http)
    return refused('blocked', 'The URL must be https')
  if (isIP(host) && !isPublicAddress(host)) return refused('blocked', 'The address is not public')
  if (isLocalName(host)) return refused('blocked', 'The host is not public')
  return { ok: true, url, host, guarded: true }
}

function refused(kind: 'bad_url' | 'blocked', message: string): CheckedUrl {
  return { ok: false, kind, message }
}

/** Names reserved for this machine. Other names are judged by their addresses. */
function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host)
}

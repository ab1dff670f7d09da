import { BlockList, isIP, isIPv4 } from 'node:net'

/** Two lists, because a list asked about an IPv4 address also applies its IPv6 rules to the mapped form, and ::ffff:0:0/96 is all of them. */
const reserved4 = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // a public number that answers only inside one cloud, as its machines' control agent
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

/** All of IPv6 outside this block is loopback, mapped, translated, local, multicast or not given out: refused without naming each. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
const reserved6 = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23], // protocol assignments and tunnels, which can carry a private IPv4 address
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4: likewise
  ['3fff::', 20],
] as const)
  reserved6.addSubnet(network, prefix, 'ipv6')

/** Whether an address as text, without brackets or zone, belongs to the public internet. */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !reserved4.check(ip, 'ipv4')
  if (isIP(ip) !== 6 || ip.includes('%')) return false
  return global6.check(ip, 'ipv6') && !reserved6.check(ip, 'ipv6')
}

export type Allow = {
  /** Also http to public addresses. */
  plain_http?: boolean | undefined
  /** Also exactly `http://127.0.0.1`, with any port. */
  loopback?: boolean | undefined
  /** Origins the operator configured: any scheme of the two, any address. */
  trusted_origins?: ReadonlySet<string> | undefined
}

export type CheckedUrl =
  /** `host` has no brackets; `guarded` says that its addresses must be public. */
  | { ok: true; url: URL; host: string; guarded: boolean }
  | { ok: false; kind: 'bad_url' | 'blocked'; message: string }

/** Read from the text as typed: the parser turns 127.1, 0x7f.1 and others into the same host, and none of those is the exception. */
const LOOPBACK = /^http:\/\/127\.0\.0\.1(:\d{1,5})?([/?#]|$)/

/** What can be said of a URL without asking a name server. Messages repeat nothing of the URL, which may hold secrets. */
export function checkUrl(text: string, allow: Allow = {}): CheckedUrl {
  // The parser drops tabs and line breaks and reads \ as /: what a person sees would not be what is asked.
  const url = /[\s\\\x00-\x1f\x7f]/.test(text) ? null : URL.parse(text)
  if (!url) return refused('bad_url', 'Not a URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return refused('bad_url', 'Only http and https URLs can be used')
  if (url.username || url.password)
    return refused('bad_url', 'A URL must not hold a user name or password')

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

/** Names that no public name server may answer; the rest is decided by their addresses. */
function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host)
}

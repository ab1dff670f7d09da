import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Explanation } from '../runtime/reasons.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether browsers reach the site by https. */
    is_https: boolean
  }
}

export const isHttps = ({ web_url }: { web_url: string }) => web_url.startsWith('https:')

type Cookie = { name: string; value: string; seconds: number }

/** Browsers accept a cookie with this prefix only over https, and from this very host. */
export const HOST_PREFIX = '__Host-'

/** A cookie of this host; on https with the name that no other host can set. */
export function cookieText({ name, value, seconds }: Cookie, is_https: boolean): string {
  const text = `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax`
  return is_https ? `${HOST_PREFIX}${text}; Secure` : text
}

export const setCookie = (reply: FastifyReply, cookie: Cookie): FastifyReply =>
  reply.header('set-cookie', cookieText(cookie, reply.server.is_https))

/** What a cookie is read from. */
type CookieRequest = Pick<FastifyRequest, 'headers' | 'server'>

/**
 * Reads a cookie whose value matches the pattern. On https only the name with the prefix counts:
 * one without it can be set by every subdomain, and by whoever answers a request over plain http.
 */
export function cookieReader(name: string, value: RegExp) {
  const pattern = (prefix: string) =>
    new RegExp(`(?:^|;\\s*)${prefix}${name}=(${value.source})\\s*(?:;|$)`)
  const https = pattern(HOST_PREFIX)
  const plain = pattern('')
  return ({ headers: { cookie }, server }: CookieRequest): string | undefined =>
    cookie && (server.is_https ? https : plain).exec(cookie)?.[1]
}

/** A one-time message about the last action, which the next page shows (web/flash-message.ts). */
const NOTICE_COOKIE = 'svc_notice'
const NOTICE_SECONDS = 30

export const noticeText = cookieReader(NOTICE_COOKIE, /[\w%.~!*'()-]{1,2000}/)

/** Text in the language of the reader, or an explanation that the next page translates. */
export function setNotice(reply: FastifyReply, notice: string | Explanation): FastifyReply {
  const value = encodeURIComponent(typeof notice === 'string' ? notice : encode(notice))
  return setCookie(reply, { name: NOTICE_COOKIE, value, seconds: NOTICE_SECONDS })
}

export const clearNotice = (reply: FastifyReply): FastifyReply =>
  setCookie(reply, { name: NOTICE_COOKIE, value: '', seconds: 0 })

const encode = ({ message, reasons }: Explanation) => JSON.stringify({ message, reasons })

/** The explanation of a notice; one that is plain text has no reasons. */
export function readNotice(notice: string): Explanation {
  try {
    const { message, reasons } = JSON.parse(notice)
    if (typeof message === 'string' && Array.isArray(reasons)) return { message, reasons }
  } catch {
    // Plain text.
  }
  return { message: notice, reasons: [] }
}

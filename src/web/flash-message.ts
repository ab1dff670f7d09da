import type { FastifyReply, FastifyRequest } from 'fastify'
import { clearNoticeCookie, NOTICE_COOKIE, noticeCookie } from '../core/http/notice-cookie.ts'
import { type Html, html } from './components/html.ts'

const SENT = /(?:^|;\s*)svc_notice=([\w%.~!*'()-]{1,2000})/

/** After a form worked: to another page, with a word of what was done. */
export function redirectTo(reply: FastifyReply, url: string, message = ''): FastifyReply {
  if (message) reply.header('set-cookie', noticeCookie(message))
  return reply.redirect(url, 303)
}

export const hasNotice = ({ headers }: FastifyRequest) =>
  headers.cookie?.includes(`${NOTICE_COOKIE}=`) ?? false

/** What the page before left to say; it is said once. */
export function takeNotice({
  request,
  reply,
}: {
  request: FastifyRequest
  reply: FastifyReply
}): Html | undefined {
  const sent = request.headers.cookie?.match(SENT)?.[1]
  if (!sent) return undefined
  reply.header('set-cookie', clearNoticeCookie()).header('cache-control', 'private, no-store')
  try {
    return html`<p class="toast" role="status">${decodeURIComponent(sent)}</p>`
  } catch {
    return undefined
  }
}

/** Where to go after logging in: a page of ours, whatever a link says. */
export function localPath(next: string | undefined): string | undefined {
  if (!next?.startsWith('/') || !URL.canParse(next, 'http://here')) return undefined
  const { origin, pathname, search } = new URL(next, 'http://here')
  // Dots may have been folded away: two slashes at the start name another host.
  return origin === 'http://here' &&
    !pathname.startsWith('//') &&
    pathname !== '/login' &&
    pathname !== '/signup'
    ? pathname + search
    : undefined
}

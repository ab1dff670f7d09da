import type { FastifyReply, FastifyRequest } from 'fastify'
import { clearNoticeCookie, noticeCookie, readNotice } from '../core/http/notice-cookie.ts'
import { type Text, t, writeText } from '../core/text/text.ts'
import { type Html, html } from './components/html.ts'
import { icon } from './components/icons.ts'
import { languageOf } from './language.ts'
import { knownText } from './refusal-text.ts'

const COOKIE = /(?:^|;\s*)svc_notice=([\w%.~!*'()-]{1,2000})/

/** Redirects after a form, with a message that the next page shows once. */
export function redirectTo(reply: FastifyReply, url: string, message: Text = ''): FastifyReply {
  if (message) {
    const text = writeText(message, languageOf(reply.request))
    reply.header('set-cookie', noticeCookie(text))
  }
  return reply.redirect(url, 303)
}

type Exchange = { request: FastifyRequest; reply: FastifyReply }

/** A script shows it, since only a script can close the message. */
const closeButton = html`<button
  type="button" hidden aria-label="${t('close-message')}">${icon('bad')}</button>`

/** Routes of the API that a browser opens leave a message in English, with its reasons. */
function noticeText(notice: string): Text {
  const explanation = readNotice(notice)
  return knownText(explanation) ?? explanation.message
}

/** The message that the page before left, removed so that it is shown once. */
export function takeNotice({ request, reply }: Exchange): Html | undefined {
  const message = request.headers.cookie?.match(COOKIE)?.[1]
  if (!message) return undefined
  reply.header('set-cookie', clearNoticeCookie()).header('cache-control', 'private, no-store')
  try {
    const text = noticeText(decodeURIComponent(message))
    return html`<p class="toast" role="status">${text}${closeButton}</p>`
  } catch {
    return undefined
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { clearNotice, noticeText, readNotice, setNotice } from '../core/http/cookies.ts'
import { type Text, t, writeText } from '../core/text/text.ts'
import { type Html, html } from './components/html.ts'
import { icon } from './components/icons.ts'
import { languageOf } from './language.ts'
import { knownText } from './refusal-text.ts'

/** Redirects after a form, with a message that the next page shows once. */
export function redirectTo(reply: FastifyReply, url: string, message: Text = ''): FastifyReply {
  if (message) {
    const text = writeText(message, languageOf(reply.request))
    setNotice(reply, text)
  }
  return reply.redirect(url, 303)
}

type Exchange = { request: FastifyRequest; reply: FastifyReply }

/** A script shows it, since only a script can close the message. */
const closeButton = html`<button
  type="button" hidden aria-label="${t('close-message')}">${icon('bad')}</button>`

/** Routes of the API that a browser opens leave a message in English, with its reasons. */
function translatedNotice(notice: string): Text {
  const explanation = readNotice(notice)
  return knownText(explanation) ?? explanation.message
}

/** The message that the page before left, removed so that it is shown once. */
export function takeNotice({ request, reply }: Exchange): Html | undefined {
  const message = noticeText(request)
  if (!message) return undefined
  clearNotice(reply).header('cache-control', 'private, no-store')
  try {
    const text = translatedNotice(decodeURIComponent(message))
    return html`<p class="toast" role="status">${text}${closeButton}</p>`
  } catch {
    return undefined
  }
}

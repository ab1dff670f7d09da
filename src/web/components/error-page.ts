import type { FastifyReply, FastifyRequest } from 'fastify'
import { sessionToken } from '../../accounts/sessions/cookies.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Core } from '../../core/runtime/core.ts'
import type { Refusal } from '../../core/runtime/errors.ts'
import type { MaybePromise } from '../../core/runtime/maybe-promise.ts'
import { type Text, t } from '../../core/text/text.ts'
import { findMovedPage } from '../../listings/listing/former-name-queries.ts'
import { confirmUrl } from '../account/security/confirm-form.ts'
import { SECURITY_PAGE } from '../account/security/paths.ts'
import { termsUrl } from '../policies/terms-gate.ts'
import { textForPeople } from '../refusal-text.ts'
import { readerOf } from '../visitor.ts'
import { html } from './html.ts'
import { page } from './layout.ts'

type Message = { title: Text; text?: Text }

const messages: Record<number, Message> = {
  403: { title: t('error-forbidden') },
  404: {
    title: t('error-not-found'),
    text: t('error-not-found-text'),
  },
  413: { title: t('error-too-large') },
  429: { title: t('error-too-many') },
  500: {
    title: t('error-internal'),
    text: t('error-internal-text'),
  },
  503: {
    title: t('error-unavailable'),
    text: t('error-unavailable-text'),
  },
}

const messageFor = (status: number): Message =>
  messages[status] ?? { title: status < 500 ? t('error-refused') : messages[500]!.title }

/** A refusal as a page. Where signing in is required, it leads to the sign-in page and back. */
export function errorPage(
  core: Core,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
): MaybePromise<FastifyReply> {
  if (refusal.status === 401) return reply.redirect(loginUrl(request), 303)
  if (refusal.refusal === 'STORE_TERMS_REQUIRED') return reply.redirect(termsUrl(request), 303)
  if (refusal.refusal === 'SECOND_FACTOR_REQUIRED') return reply.redirect(SECURITY_PAGE, 303)
  if (refusal.refusal === 'STEP_UP_REQUIRED') return reply.redirect(confirmUrl(request), 303)
  if (refusal.status === 404)
    return movedUrl(core, request).then((url) =>
      url
        ? reply.header('cache-control', MOVED_CACHE).redirect(url, 301)
        : showError({ core, request, reply }, refusal),
    )
  return showError({ core, request, reply }, refusal)
}

/** A name is free again after its retention time, so no browser may remember this forever. */
const MOVED_CACHE = 'public, max-age=86400'

/** The present address of a listing's page, or of a page below it, from one with a former name. */
async function movedUrl(core: Core, { method, url }: FastifyRequest): Promise<string | undefined> {
  const match = method === 'GET' ? url.match(/^\/([\w-]+)\/([\w-]+)(?=[/?]|$)/) : null
  if (!match) return undefined
  const path = await findMovedPage(core.sql, match[1]!, match[2]!).catch(() => undefined)
  return path && `${path}${url.slice(match[0].length)}`
}

type Exchange = { core: Core; request: FastifyRequest; reply: FastifyReply }

/** A request that no route took has not been identified, but the header names its reader. */
function showError(exchange: Exchange, refusal: Refusal): MaybePromise<FastifyReply> {
  const { core, request } = exchange
  const identity = (request.who ?? null) as Identity | null
  // An overloaded or broken service answers without asking the database.
  if (identity || !sessionToken(request) || refusal.status === 429 || refusal.status >= 500)
    return renderError(exchange, refusal, identity)
  return Promise.resolve(readerOf(core, request))
    .catch(() => null)
    .then((reader) => renderError(exchange, refusal, reader))
}

function renderError(
  { core, request, reply }: Exchange,
  refusal: Refusal,
  who: Identity | null,
): MaybePromise<FastifyReply> {
  const { title, text } = messageFor(refusal.status)
  reply.code(refusal.status)
  return page(
    { core, request, reply, who },
    {
      title,
      noindex: true,
      body: html`
        <section class="error-page">
          <p class="eyebrow">${refusal.status}</p>
          <h1>${title}</h1>
          <p class="lede">${text ?? textForPeople(refusal)}</p>
          ${refusal.status >= 500 && html`<p class="mono">${request.id}</p>`}
          <p>
            <a class="button button-primary" href="/search">${t('browse-the-store')}</a>
            <a class="button button-quiet" href="/">${t('nav-home')}</a>
          </p>
        </section>
      `,
    },
  )
}

/** Only a page can be returned to after signing in; a form has to be submitted again. */
const loginUrl = ({ method, url }: FastifyRequest) =>
  `/login${method === 'GET' ? `?next=${encodeURIComponent(url)}` : ''}`

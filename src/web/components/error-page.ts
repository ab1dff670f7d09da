import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Core } from '../../core/runtime/core.ts'
import type { Refusal } from '../../core/runtime/errors.ts'
import type { MaybePromise } from '../../core/runtime/maybe-promise.ts'
import { html } from './html.ts'
import { page } from './layout.ts'

const said: Record<number, { title: string; text?: string }> = {
  403: { title: 'This is not yours to open' },
  404: {
    title: 'Nothing is moored here',
    text: 'The page may have moved, may never have been, or may not be yours to see. We say the same to everyone.',
  },
  413: { title: 'That is too large' },
  429: { title: 'Slow down a little' },
  500: {
    title: 'Something broke on our side',
    text: 'It was written down. The number below helps us find it.',
  },
  503: {
    title: 'Back in a moment',
    text: 'A part of the service is not available right now. Please try again shortly.',
  },
}

/** A refusal as a page. Whoever is not signed in where that is needed is asked to, and comes back after. */
export function errorPage(
  core: Core,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
): MaybePromise<FastifyReply> {
  if (refusal.status === 401) return reply.redirect(loginUrl(request), 303)
  const { title, text } = said[refusal.status] ?? {
    title: refusal.status < 500 ? 'That did not work' : said[500]!.title,
  }
  reply.code(refusal.status)
  return page(
    { core, request, reply, who: (request.who ?? null) as Identity | null },
    {
      title,
      noindex: true,
      body: html`<section class="error-page">
      <p class="eyebrow">${refusal.status}</p>
      <h1>${title}</h1>
      <p class="lede">${text ?? refusal.message}</p>
      ${refusal.status >= 500 && html`<p class="mono">${request.id}</p>`}
      <p><a class="button button-primary" href="/search">Browse the store</a> <a class="button button-quiet" href="/">Home</a></p>
    </section>`,
    },
  )
}

/** Only a page that was read can be gone back to; a form is sent anew. */
const loginUrl = ({ method, url }: FastifyRequest) =>
  `/login${method === 'GET' ? `?next=${encodeURIComponent(url)}` : ''}`

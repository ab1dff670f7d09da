import type { FastifyReply } from 'fastify'
import type { Identity } from '../../../accounts/sessions/identity.ts'
import { canEdit, standingOf } from '../../../listings/listing/visibility.ts'
import type { PageState } from '../../../listings/page/queries.ts'
import { call } from '../../call.ts'
import {
  button,
  checkField,
  emptyForm,
  type FormState,
  fieldValue,
  formMessage,
  isChecked,
} from '../../components/form.ts'
import { html } from '../../components/html.ts'
import { type Context, page } from '../../components/layout.ts'
import { localPath, redirectTo } from '../../flash-message.ts'
import { postForm } from '../../page-routes.ts'
import { member } from '../../visitor.ts'

/** Who meets the gate, at every page of a listing: all who have not asked for such pages, but for those who run this one. */
export const isGated = (who: Identity | null, state: PageState): boolean =>
  state.adult && !who?.show_adult && !canEdit(standingOf(who, state))

/** Before a page for adults, for whoever has not asked to see such pages. It says nothing of what is behind it. */
export function gatePage(
  context: Context,
  next: string,
  state: FormState = emptyForm,
): Promise<FastifyReply> {
  const { reply, who } = context
  reply.code(403)
  const ask = who
    ? html`${formMessage(state)}<form class="form" method="post" action="/settings/adult"><input type="hidden" name="next" value="${next}"><input type="hidden" name="show" value="yes">
${checkField(state, { name: 'confirm_18', label: 'I am 18 or older' })}${button('Show adult pages')}</form>`
    : html`<p><a class="button button-primary" href="/login?next=${encodeURIComponent(next)}">Log in</a> <a class="button button-quiet" href="/signup?next=${encodeURIComponent(next)}">Make an account</a></p>`
  return page(context, {
    title: 'For adults · Slipway',
    noindex: true,
    body: html`<section class="narrow"><p class="eyebrow">18+</p><h1>This page is for adults</h1>
<p>It holds sexual content or nudity. Such pages are shown only to people who are 18 or older and said so in their settings.</p>${ask}
<p class="aside"><a href="/search">Back to the store</a></p></section>`,
  })
}

/** Also from the settings: showing needs the word that one is old enough, hiding needs nothing. */
export const sendAdult = postForm('/settings/adult', 'Show or hide adult pages', {
  auth: member,
  async handle(input) {
    const { request, reply, body } = input
    const next = localPath(fieldValue(body, 'next')) ?? '/settings'
    const show = isChecked(body, 'show')
    const answer = await call(request, 'PUT', '/api/v1/private/settings/adult', {
      show,
      confirm_18: isChecked(body, 'confirm_18'),
    })
    if (!answer.ok)
      return gatePage(input, next, {
        values: {},
        refused: { ...answer, field: 'confirm_18', message: 'Say that you are 18 or older first' },
      })
    return redirectTo(reply, next, show ? 'Adult pages are shown' : 'Adult pages are hidden')
  },
})

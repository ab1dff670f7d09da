import { t } from '../../core/text/text.ts'
import { redeemRoute } from '../../library/keys/routes.ts'
import { callApi } from '../call.ts'
import {
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
  textField,
} from '../components/form.ts'
import { html } from '../components/html.ts'
import { type Context, page, withStoreName } from '../components/layout.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'

const URL = '/redeem'

function renderRedeem(context: Context, state: FormState) {
  const key = textField(state, {
    name: 'key',
    label: t('redeem-key'),
    required: true,
    maxlength: 100,
    placeholder: 'XXXXX-XXXXX-XXXXX-XXXXX',
    autocomplete: 'off',
    hint: t('redeem-key-hint'),
  })
  const form = { action: URL, names: ['key'], submit: t('redeem-submit') }
  return page(context, {
    title: withStoreName(context.core, t('redeem-title')),
    noindex: true,
    layout: 'narrow',
    body: html`
      <h1>${t('redeem-title')}</h1>
      <p class="lede">${t('redeem-text')}</p>
      ${fieldForm(state, form, [key])}`,
  })
}

/** A link may have the key in it, `/redeem?key=…`; it is redeemed only when the form is sent. */
export const redeemPage = getPage(URL, 'Redeem a key', {
  auth: member,
  handle(input) {
    const { key } = input.request.query as { key?: unknown }
    const values = typeof key === 'string' ? { key: key.slice(0, 100) } : {}
    return renderRedeem(input, { ...emptyForm, values })
  },
})

export const submitRedeem = postForm(URL, 'Redeem a key', {
  auth: member,
  async handle(input) {
    const { request, reply, body: sent } = input
    const body = { key: fieldValue(sent, 'key').slice(0, 100) }
    const answer = await callApi(request, redeemRoute, { body })
    if (!answer.ok) {
      reply.code(answer.status)
      return renderRedeem(input, rejectedForm(sent, answer))
    }
    const { developer, vanity_name, name } = answer.data
    return redirectTo(reply, `/${developer.username}/${vanity_name}`, t('redeem-done', { name }))
  },
})

import { Type } from 'typebox'
import { call } from '../call.ts'
import {
  button,
  type FormState,
  fieldValue,
  formMessage,
  rejectedForm,
  textField,
} from '../components/form.ts'
import { html } from '../components/html.ts'
import { type Context, page } from '../components/layout.ts'
import { localPath, redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'

const query = Type.Object({
  next: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
  sent: Type.Optional(Type.String()),
})
type Asked = { next: string | undefined; sent: boolean }

const verifyPage = (context: Context, { next, sent }: Asked, state: FormState) => {
  const more = next ? `?next=${encodeURIComponent(next)}` : ''
  return page(context, {
    title: 'Prove your email address · Slipway',
    noindex: true,
    body: html`<section class="narrow"><h1>Prove your email address</h1>
      <p>${sent ? 'We have sent you a mail with six digits. They are good for ten minutes.' : 'We send you a mail with six digits, and you type them in here.'}</p>${formMessage(state, ['code'])}
      <form class="form" method="post" action="/settings/verify${more}">${textField(state, { name: 'code', label: 'The six digits', required: true, inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 6 })}${button('Prove it', { kind: sent ? 'primary' : 'quiet' })}</form>
      <form class="aside" method="post" action="/settings/verify/mail${more}">${button(sent ? 'Send another code' : 'Send me the code', { kind: sent ? 'quiet' : 'primary' })}</form>
      <p class="aside"><a href="${next ?? '/library'}">Later</a></p></section>`,
  })
}

/** The mail links here with the code filled in; proving it is still a press of the button. */
export const showVerify = getPage('/settings/verify', 'Prove the email address', {
  auth: member,
  query,
  handle: (input) => {
    const { query, who, reply } = input
    const next = localPath(query.next)
    if (who.email_verified)
      return redirectTo(reply, next ?? '/settings', 'Your email address is proven')
    return verifyPage(
      input,
      { next, sent: Boolean(query.sent || query.code) },
      { values: { code: query.code ?? '' } },
    )
  },
})

export const sendVerify = postForm('/settings/verify', 'Prove the email address', {
  auth: member,
  query,
  async handle(input) {
    const { request, reply, body, query } = input
    const next = localPath(query.next)
    const answer = await call(request, 'POST', '/api/v1/private/account/verify-email', {
      code: fieldValue(body, 'code'),
    })
    if (answer.ok) return redirectTo(reply, next ?? '/settings', 'Your email address is proven')
    return verifyPage(
      { ...input, reply: reply.code(answer.status) },
      { next, sent: true },
      rejectedForm(body, { ...answer, field: 'code' }),
    )
  },
})

export const sendCodeMail = postForm('/settings/verify/mail', 'Send a code to the email address', {
  auth: member,
  query,
  async handle({ request, reply, query }) {
    const next = localPath(query.next)
    const answer = await call(request, 'POST', '/api/v1/private/account/email-code', {})
    return redirectTo(
      reply,
      `/settings/verify?sent=yes${next ? `&next=${encodeURIComponent(next)}` : ''}`,
      answer.ok ? 'The mail is on its way' : answer.message,
    )
  },
})

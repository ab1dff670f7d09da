import { Type } from 'typebox'
import { readAccount, sendEmailCode, verifyEmailRoute } from '../../accounts/people/routes.ts'
import { t } from '../../core/text/text.ts'
import { callApi, readApi } from '../call.ts'
import { button, type FormState, fieldForm } from '../components/form.ts'
import { type Html, html, richText, strongText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { localPath, withNext } from '../next-path.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { refusedForm, sendFields } from './account-form.ts'
import { codeField } from './credential-fields.ts'

const query = Type.Object({
  next: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
  sent: Type.Optional(Type.String()),
})
const VERIFIED = t('email-verified')

type Step = { next: string | undefined; is_sent: boolean }

async function renderVerify(context: Context, { next, is_sent }: Step, state: FormState) {
  const { email } = await readApi(context.request, readAccount)
  return narrowPage(context, {
    title: t('verify-title'),
    body: html`
      <p>${richText(is_sent ? 'code-sent-text' : 'code-text', { email, strong: strongText })}</p>
      <p>${richText('code-wrong-address', { link: linkTo('/settings/email') })}</p>
      ${codeForm({ next, is_sent }, state)}
      <form class="aside" method="post" action="${withNext('/settings/verify/mail', next)}">
        ${
          is_sent
            ? button(t('send-another-code'), { kind: 'quiet' })
            : button(t('send-code'), { kind: 'primary' })
        }
      </form>
      <p class="aside"><a href="${next ?? '/library'}">${t('later')}</a></p>
    `,
  })
}

function codeForm({ next, is_sent }: Step, state: FormState): Html {
  const form = {
    action: withNext('/settings/verify', next),
    names: ['code'],
    submit: button(t('verify'), { kind: is_sent ? 'primary' : 'quiet' }),
  }
  return fieldForm(state, form, codeField(state))
}

/** The mail links here with the code filled in; the button still has to be pressed. */
export const verifyPage = getPage('/settings/verify', 'Email verification page', {
  auth: member,
  query,
  handle: (input) => {
    const { query, who, reply } = input
    const next = localPath(query.next)
    if (who.email_verified) return redirectTo(reply, next ?? '/settings', VERIFIED)
    const is_sent = Boolean(query.sent || query.code)
    return renderVerify(input, { next, is_sent }, { values: { code: query.code ?? '' } })
  },
})

export const submitEmailCode = postForm('/settings/verify', 'Verify the email address', {
  auth: member,
  query,
  async handle(input) {
    const next = localPath(input.query.next)
    const answer = await sendFields(input, verifyEmailRoute, ['code'])
    if (answer.ok) return redirectTo(input.reply, next ?? '/settings', VERIFIED)
    const state = refusedForm(input, { ...answer, field: 'code' })
    // Where another code is needed, its button is the first choice.
    return renderVerify(input, { next, is_sent: answer.details.reason === 'wrong' }, state)
  },
})

export const requestEmailCode = postForm('/settings/verify/mail', 'Send a verification code', {
  auth: member,
  query,
  async handle({ request, reply, query }) {
    const next = localPath(query.next)
    const answer = await callApi(request, sendEmailCode)
    return redirectTo(
      reply,
      `/settings/verify?sent=yes${next ? `&next=${encodeURIComponent(next)}` : ''}`,
      answer.ok ? t('code-sent') : answer.message,
    )
  },
})

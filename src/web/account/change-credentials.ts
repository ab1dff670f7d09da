import { Type } from 'typebox'
import {
  changePasswordRoute,
  confirmEmailChangeRoute,
  startEmailChangeRoute,
} from '../../accounts/credentials/change-routes.ts'
import { t } from '../../core/text/text.ts'
import { button, emptyForm, type FormState, fieldForm, textField } from '../components/form.ts'
import { html } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { backToSettings, refusedForm, sendFields } from './account-form.ts'
import { codeField, emailField, newPasswordField, passwordField } from './credential-fields.ts'

function renderEmail(context: Context, state: FormState) {
  const form = { action: '/settings/email', names: ['email', 'password'] }
  return narrowPage(context, {
    title: t('change-email'),
    body: html`
      <p class="soft">${t('change-email-text')}</p>
      ${fieldForm(state, { ...form, submit: button(t('send-code')) }, [
        emailField(state, t('new-email')),
        passwordField(state),
      ])}
      ${backToSettings}
    `,
  })
}

export const changeEmailPage = getPage('/settings/email', 'Change of the email address', {
  auth: member,
  handle: (input) => renderEmail(input, emptyForm),
})

export const submitEmail = postForm('/settings/email', 'Send a code to a new email address', {
  auth: member,
  async handle(input) {
    const answer = await sendFields(input, startEmailChangeRoute, ['email', 'password'])
    if (answer.ok) return redirectTo(input.reply, '/settings/email/confirm')
    return renderEmail(input, refusedForm(input, answer))
  },
})

function renderConfirm(context: Context, state: FormState) {
  const form = { action: '/settings/email/confirm', names: ['code'] }
  return narrowPage(context, {
    title: t('confirm-email'),
    body: html`
      <p>${t('confirm-email-text')}</p>
      ${fieldForm(state, { ...form, submit: button(t('change-email')) }, codeField(state))}
      <p class="aside"><a href="/settings/email">${t('send-another-code')}</a></p>
    `,
  })
}

/** The mail links here with the code filled in; the button still has to be pressed. */
export const confirmEmailPage = getPage('/settings/email/confirm', 'Code of a new address', {
  auth: member,
  query: Type.Object({ code: Type.Optional(Type.String()) }),
  handle: (input) => renderConfirm(input, { values: { code: input.query.code ?? '' } }),
})

export const submitConfirmEmail = postForm('/settings/email/confirm', 'Change the email address', {
  auth: member,
  async handle(input) {
    const answer = await sendFields(input, confirmEmailChangeRoute, ['code'])
    if (!answer.ok) return renderConfirm(input, refusedForm(input, { ...answer, field: 'code' }))
    const { email } = answer.data
    return redirectTo(input.reply, '/settings#account', t('email-changed', { email }))
  },
})

function renderPassword(context: Context, state: FormState) {
  const current = textField(state, {
    name: 'current_password',
    label: t('current-password'),
    type: 'password',
    required: true,
    autocomplete: 'current-password',
    maxlength: 512,
  })
  const form = { action: '/settings/password', names: ['current_password', 'password'] }
  return narrowPage(context, {
    title: t('change-password'),
    body: html`
      <p class="soft">${t('change-password-text')}</p>
      ${fieldForm(state, { ...form, submit: button(t('change-password')) }, [
        current,
        newPasswordField(state, t('new-password')),
      ])}
      <p class="aside"><a href="/password/forgot">${t('forgot-password')}</a></p>
      ${backToSettings}
    `,
  })
}

export const changePasswordPage = getPage('/settings/password', 'Change of the password', {
  auth: member,
  handle: (input) => renderPassword(input, emptyForm),
})

export const submitPassword = postForm('/settings/password', 'Change the password', {
  auth: member,
  async handle(input) {
    const answer = await sendFields(input, changePasswordRoute, ['current_password', 'password'])
    if (answer.ok) return redirectTo(input.reply, '/settings#account', t('password-is-changed'))
    return renderPassword(input, refusedForm({ ...input, body: null }, answer))
  },
})

import { Type } from 'typebox'
import { forgotPassword, resetPassword } from '../../accounts/credentials/reset-routes.ts'
import { t } from '../../core/text/text.ts'
import { callApi } from '../call.ts'
import {
  button,
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
} from '../components/form.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'
import { loginField, newPasswordField } from './credential-fields.ts'

const renderForgot = (context: Context, state: FormState) =>
  narrowPage(context, {
    title: t('reset-password'),
    body: html`
      <p class="soft">${t('reset-password-text')}</p>
      ${fieldForm(
        state,
        { action: '/password/forgot', names: ['login'], submit: button(t('send-link')) },
        loginField(state),
      )}
      <p class="aside"><a href="/login">${t('back-to-sign-in')}</a></p>
    `,
  })

/** The same for every address, so that it does not reveal who has an account. */
const renderSent = (context: Context) =>
  narrowPage(context, {
    title: t('check-email'),
    body: html`
      <p>${t('check-email-text')}</p>
      <p class="soft">${t('check-email-spam')}</p>
      <p class="aside">
        <a href="/password/forgot">${t('request-another-link')}</a> ·
        <a href="/login">${t('sign-in')}</a>
      </p>
    `,
  })

/** The token is in the address, so the page is not cached and sends no referrer to other sites. */
const renderNewPassword = (context: Context, token: string, state: FormState) =>
  narrowPage(context, {
    title: t('new-password-title'),
    secret: true,
    body: html`
      <p class="soft">${t('new-password-text')}</p>
      ${newPasswordForm(token, state)}
      <p class="aside">
        ${richText('link-expired', { link: linkTo('/password/forgot') })}
      </p>
    `,
  })

const newPasswordForm = (token: string, state: FormState): Html =>
  fieldForm(
    state,
    { action: '/password/new', names: ['password'], submit: button(t('save-password')) },
    [
      html`<input type="hidden" name="token" value="${token}">`,
      newPasswordField(state, t('new-password')),
    ],
  )

export const forgotPasswordPage = getPage('/password/forgot', 'Password reset page', {
  auth: visitor,
  handle: (input) => renderForgot(input, { values: { login: input.who?.username ?? '' } }),
})

export const submitForgotPassword = postForm('/password/forgot', 'Send a password reset link', {
  auth: visitor,
  async handle(input) {
    const { request, reply, body } = input
    const answer = await callApi(request, forgotPassword, {
      body: { login: fieldValue(body, 'login') },
    })
    if (answer.ok) return renderSent(input)
    reply.code(answer.status)
    return renderForgot(input, rejectedForm(body, answer))
  },
})

export const newPasswordPage = getPage('/password/new', 'New password page', {
  auth: visitor,
  query: Type.Object({ token: Type.Optional(Type.String()) }),
  handle: (input) =>
    input.query.token
      ? renderNewPassword(input, input.query.token, emptyForm)
      : redirectTo(input.reply, '/password/forgot'),
})

export const submitNewPassword = postForm('/password/new', 'Set a new password', {
  auth: visitor,
  async handle(input) {
    const { request, reply, body } = input
    const token = fieldValue(body, 'token')
    const answer = await callApi(request, resetPassword, {
      body: { token, password: fieldValue(body, 'password') },
    })
    if (!answer.ok) {
      reply.code(answer.status)
      return renderNewPassword(input, token, rejectedForm(null, answer))
    }
    return redirectTo(reply, '/login', t('password-changed'))
  },
})

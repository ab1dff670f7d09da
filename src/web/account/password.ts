import { Type } from 'typebox'
import { forgotPassword, resetPassword } from '../../accounts/credentials/reset-routes.ts'
import { callApi } from '../call.ts'
import {
  button,
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
} from '../components/form.ts'
import { type Html, html } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'
import { loginField, newPasswordField } from './credential-fields.ts'

const renderForgot = (context: Context, state: FormState) =>
  narrowPage(context, {
    title: 'Reset your password',
    body: html`
      <p class="soft">
        We email you a link to set a new password. It works once and expires after one hour.
      </p>
      ${fieldForm(
        state,
        { action: '/password/forgot', names: ['login'], submit: button('Send link') },
        loginField(state),
      )}
      <p class="aside"><a href="/login">Back to sign-in</a></p>
    `,
  })

/** The same for every address, so that it does not reveal who has an account. */
const renderSent = (context: Context) =>
  narrowPage(context, {
    title: 'Check your email',
    body: html`
      <p>If an account matches, we have sent a link to its email address.</p>
      <p class="soft">
        Nothing in your inbox? Check your spam folder. You can request another link after five
        minutes.
      </p>
      <p class="aside">
        <a href="/password/forgot">Request another link</a> · <a href="/login">Sign in</a>
      </p>
    `,
  })

/** The token is in the address, so the page is not cached and sends no referrer to other sites. */
const renderNewPassword = (context: Context, token: string, state: FormState) =>
  narrowPage(context, {
    title: 'Set a new password',
    secret: true,
    body: html`
      <p class="soft">This logs you out on all devices.</p>
      ${newPasswordForm(token, state)}
      <p class="aside">
        Link expired? <a href="/password/forgot">Request another link</a>.
      </p>
    `,
  })

const newPasswordForm = (token: string, state: FormState): Html =>
  fieldForm(
    state,
    { action: '/password/new', names: ['password'], submit: button('Save password') },
    [
      html`<input type="hidden" name="token" value="${token}">`,
      newPasswordField(state, 'New password'),
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
    return redirectTo(reply, '/login', 'Your password is changed. Sign in with your new password.')
  },
})

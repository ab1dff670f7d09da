import { Type } from 'typebox'
import { forgotPassword, resetPassword } from '../../accounts/credentials/reset-routes.ts'
import { callApi } from '../call.ts'
import {
  button,
  emptyForm,
  type FormState,
  fieldValue,
  formMessage,
  rejectedForm,
  textField,
} from '../components/form.ts'
import { html } from '../components/html.ts'
import { type Context, page } from '../components/layout.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'

const renderForgot = (context: Context, state: FormState) =>
  page(context, {
    title: 'Reset your password · Slipway',
    noindex: true,
    body: html`
      <section class="narrow">
        <h1>Reset your password</h1>
        <p class="soft">
          We email you a link to set a new password. It works once and expires after one hour.
        </p>
        ${formMessage(state, ['login'])}
        <form class="form" method="post" action="/password/forgot">
          ${textField(state, {
            name: 'login',
            label: 'Username or email',
            required: true,
            autocomplete: 'username',
            maxlength: 320,
          })}
          ${button('Send link')}
        </form>
        <p class="aside"><a href="/login">Back to login</a></p>
      </section>
    `,
  })

/** The same for every address, so that it does not reveal who has an account. */
const renderSent = (context: Context) =>
  page(context, {
    title: 'Check your email · Slipway',
    noindex: true,
    body: html`
      <section class="narrow">
        <h1>Check your email</h1>
        <p>If an account matches, we have sent a link to its email address.</p>
        <p class="soft">
          Nothing in your inbox? Check your spam folder. You can request another link after five
          minutes.
        </p>
        <p class="aside">
          <a href="/password/forgot">Request another link</a> · <a href="/login">Log in</a>
        </p>
      </section>
    `,
  })

/** The token is in the address, so the page is not cached and sends no referrer to other sites. */
const renderNewPassword = (context: Context, token: string, state: FormState) =>
  page(context, {
    title: 'Set a new password · Slipway',
    noindex: true,
    secret: true,
    body: html`
      <section class="narrow">
        <h1>Set a new password</h1>
        <p class="soft">This logs you out on all devices.</p>
        ${formMessage(state, ['password'])}
        <form class="form" method="post" action="/password/new">
          <input type="hidden" name="token" value="${token}">
          ${textField(state, {
            name: 'password',
            label: 'New password',
            type: 'password',
            required: true,
            autocomplete: 'new-password',
            maxlength: 512,
            hint: 'At least 10 characters. A short sentence works well.',
          })}
          ${button('Save password')}
        </form>
        <p class="aside">
          Link expired? <a href="/password/forgot">Request another link</a>.
        </p>
      </section>
    `,
  })

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
    return redirectTo(reply, '/login', 'Your password is changed. Log in with your new password.')
  },
})

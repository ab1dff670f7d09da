import { Type } from 'typebox'
import { call } from '../call.ts'
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

const forgotPage = (context: Context, state: FormState) =>
  page(context, {
    title: 'Forgot your password? · Slipway',
    noindex: true,
    body: html`<section class="narrow"><h1>Forgot your password?</h1>
      <p class="soft">We send a link to the address of your account. It works once, within an hour.</p>${formMessage(state, ['login'])}
      <form class="form" method="post" action="/password/forgot">${textField(state, { name: 'login', label: 'Username or email', required: true, autocomplete: 'username', maxlength: 320 })}${button('Send me a link')}</form>
      <p class="aside">It came back to you? <a href="/login">Log in</a>.</p></section>`,
  })

const sentPage = (context: Context) =>
  page(context, {
    title: 'Look at your mail · Slipway',
    noindex: true,
    body: html`<section class="narrow"><h1>Look at your mail</h1>
      <p>If there is such an account, a mail with a link is on its way to its address. We say the same to everyone, so that nobody learns here who has an account.</p>
      <p class="soft">Nothing there? Look among the junk. Another link can be sent five minutes after the last one.</p>
      <p class="aside"><a href="/password/forgot">Request a new link</a> · <a href="/login">Log in</a></p></section>`,
  })

/** The link stands in the address: nothing of this page is kept, and no other site is told where a visitor came from. */
const newPage = (context: Context, token: string, state: FormState) =>
  page(context, {
    title: 'A new password · Slipway',
    noindex: true,
    secret: true,
    body: html`<section class="narrow"><h1>A new password</h1>
      <p class="soft">Every place where you are logged in is logged out.</p>${formMessage(state, ['password'])}
      <form class="form" method="post" action="/password/new"><input type="hidden" name="token" value="${token}">${textField(state, { name: 'password', label: 'New password', type: 'password', required: true, autocomplete: 'new-password', maxlength: 512, hint: 'At least 10 characters. A short sentence is good.' })}${button('Set the password')}</form>
      <p class="aside">The link no longer works? <a href="/password/forgot">Ask for another</a>.</p></section>`,
  })

export const showForgot = getPage('/password/forgot', 'Ask for a new password', {
  auth: visitor,
  handle: (input) => forgotPage(input, { values: { login: input.who?.username ?? '' } }),
})

export const sendForgot = postForm('/password/forgot', 'Ask for a new password', {
  auth: visitor,
  async handle(input) {
    const { request, reply, body } = input
    const answer = await call(request, 'POST', '/api/v1/private/account/forgot-password', {
      login: fieldValue(body, 'login'),
    })
    return answer.ok
      ? sentPage(input)
      : forgotPage({ ...input, reply: reply.code(answer.status) }, rejectedForm(body, answer))
  },
})

export const showNewPassword = getPage('/password/new', 'Choose a new password', {
  auth: visitor,
  query: Type.Object({ token: Type.Optional(Type.String()) }),
  handle: (input) =>
    input.query.token
      ? newPage(input, input.query.token, emptyForm)
      : redirectTo(input.reply, '/password/forgot'),
})

export const sendNewPassword = postForm('/password/new', 'Choose a new password', {
  auth: visitor,
  async handle(input) {
    const { request, reply, body } = input
    const [token, password] = [fieldValue(body, 'token'), fieldValue(body, 'password')]
    const answer = await call(request, 'POST', '/api/v1/private/account/reset-password', {
      token,
      password,
    })
    if (!answer.ok)
      return newPage(
        { ...input, reply: reply.code(answer.status) },
        token,
        rejectedForm(null, answer),
      )
    return redirectTo(reply, '/login', 'Your password is changed. Log in with it.')
  },
})

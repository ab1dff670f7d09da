import { Type } from 'typebox'
import { call, passCookies } from '../call.ts'
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
import { localPath, redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'

const query = Type.Object({ next: Type.Optional(Type.String()) })

const loginPage = (context: Context, next: string | undefined, state: FormState) =>
  page(context, {
    title: 'Log in · Slipway',
    noindex: true,
    body: html`<section class="narrow">
      <h1>Log in</h1>
      ${formMessage(state, ['login', 'password'])}
      <form class="form" method="post" action="/login${next && `?next=${encodeURIComponent(next)}`}">
        ${textField(state, { name: 'login', label: 'Username or email', required: true, autocomplete: 'username', maxlength: 320 })}
        ${textField(state, { name: 'password', label: 'Password', type: 'password', required: true, autocomplete: 'current-password', maxlength: 512 })}
        ${button('Log in')}
      </form>
      <p class="aside"><a href="/password/forgot">Forgot your password?</a></p>
      <p class="aside">New here? <a href="/signup${next && `?next=${encodeURIComponent(next)}`}">Make an account</a>. Most free games can be downloaded without one.</p>
    </section>`,
  })

export const showLogin = getPage('/login', 'Log in', {
  auth: visitor,
  query,
  handle: (input) => {
    const next = localPath(input.query.next)
    return input.who
      ? redirectTo(input.reply, next ?? '/library')
      : loginPage(input, next, emptyForm)
  },
})

export const sendLogin = postForm('/login', 'Log in', {
  auth: visitor,
  query,
  async handle(input) {
    const { request, reply, body } = input
    const next = localPath(input.query.next)
    const answer = await call(request, 'POST', '/api/v1/private/account/login', {
      login: fieldValue(body, 'login'),
      password: fieldValue(body, 'password'),
    })
    if (!answer.ok)
      return loginPage(
        { ...input, reply: reply.code(answer.status) },
        next,
        rejectedForm(body, answer),
      )
    passCookies(reply, answer)
    return redirectTo(reply, next ?? '/library', `Welcome back, ${answer.data.user.username}`)
  },
})

export const sendLogout = postForm('/logout', 'Log out', {
  auth: visitor,
  async handle({ request, reply, who }) {
    if (who) passCookies(reply, await call(request, 'POST', '/api/v1/private/account/logout', {}))
    return redirectTo(reply, '/', 'You are logged out')
  },
})

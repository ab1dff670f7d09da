import { Type } from 'typebox'
import { loginRoute, logoutRoute } from '../../accounts/people/routes.ts'
import { callApi, passCookies } from '../call.ts'
import {
  button,
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
  textField,
} from '../components/form.ts'
import { type Html, html } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { localPath, withNext } from '../next-path.ts'
import { getPage, postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'
import { loginField } from './credential-fields.ts'

const query = Type.Object({ next: Type.Optional(Type.String()) })

const renderLogin = (context: Context, next: string | undefined, state: FormState) =>
  narrowPage(context, {
    title: 'Sign in',
    body: html`
      ${loginForm(withNext('/login', next), state)}
      <p class="aside"><a href="/password/forgot">Forgot your password?</a></p>
      <p class="aside">
        New here? <a href="${withNext('/signup', next)}">Create an account</a>.
        You can download most free games without one.
      </p>
    `,
  })

function loginForm(action: string, state: FormState): Html {
  const password = textField(state, {
    name: 'password',
    label: 'Password',
    type: 'password',
    required: true,
    autocomplete: 'current-password',
    maxlength: 512,
  })
  const form = { action, names: ['login', 'password'], submit: button('Sign in') }
  return fieldForm(state, form, [loginField(state), password])
}

export const loginPage = getPage('/login', 'Sign-in page', {
  auth: visitor,
  query,
  handle: (input) => {
    const next = localPath(input.query.next)
    return input.who
      ? redirectTo(input.reply, next ?? '/library')
      : renderLogin(input, next, emptyForm)
  },
})

export const submitLogin = postForm('/login', 'Sign in', {
  auth: visitor,
  query,
  async handle(input) {
    const { request, reply, body } = input
    const next = localPath(input.query.next)
    const answer = await callApi(request, loginRoute, {
      body: { login: fieldValue(body, 'login'), password: fieldValue(body, 'password') },
    })
    if (!answer.ok) {
      reply.code(answer.status)
      return renderLogin(input, next, rejectedForm(body, answer))
    }
    passCookies(reply, answer)
    return redirectTo(reply, next ?? '/library', `Welcome back, ${answer.data.user.username}`)
  },
})

export const submitLogout = postForm('/logout', 'Sign out', {
  auth: visitor,
  async handle({ request, reply, who }) {
    if (who) passCookies(reply, await callApi(request, logoutRoute))
    return redirectTo(reply, '/', 'You are signed out')
  },
})

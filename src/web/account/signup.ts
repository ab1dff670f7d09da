import { Type } from 'typebox'
import { registerRoute, sendEmailCode } from '../../accounts/people/routes.ts'
import { MAX_EMAIL, usernameLengths } from '../../accounts/people/usernames.ts'
import { callRoute } from '../../core/http/call.ts'
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
import { newPasswordField } from './credential-fields.ts'

const query = Type.Object({ next: Type.Optional(Type.String()) })

const renderSignup = (context: Context, next: string | undefined, state: FormState) =>
  narrowPage(context, {
    title: 'Sign up',
    heading: 'Create an account',
    body: html`
      <p class="soft">Play, review and publish with one account.</p>
      ${signupForm(withNext('/signup', next), state)}
      <p class="aside">
        Already have an account? <a href="${withNext('/login', next)}">Sign in</a>.
      </p>
    `,
  })

function signupForm(action: string, state: FormState): Html {
  const username = textField(state, {
    name: 'username',
    label: 'Username',
    required: true,
    autocomplete: 'username',
    maxlength: usernameLengths.max,
    hint:
      `${usernameLengths.min} to ${usernameLengths.max} letters, digits and hyphens. ` +
      'It is part of your public address.',
  })
  const email = textField(state, {
    name: 'email',
    label: 'Email',
    type: 'email',
    required: true,
    autocomplete: 'email',
    maxlength: MAX_EMAIL,
    hint: 'For codes and news about your projects. Nobody else sees it.',
  })
  const form = {
    action,
    names: ['username', 'email', 'password'],
    submit: button('Create account'),
  }
  return fieldForm(state, form, [username, email, newPasswordField(state, 'Password')])
}

export const signupPage = getPage('/signup', 'Sign-up page', {
  auth: visitor,
  query,
  handle: (input) =>
    input.who
      ? redirectTo(input.reply, '/settings')
      : renderSignup(input, localPath(input.query.next), emptyForm),
})

export const submitSignup = postForm('/signup', 'Create an account', {
  auth: visitor,
  query,
  async handle(input) {
    const { request, reply, body } = input
    const next = localPath(input.query.next)
    const answer = await callApi(request, registerRoute, {
      body: {
        username: fieldValue(body, 'username'),
        email: fieldValue(body, 'email'),
        password: fieldValue(body, 'password'),
      },
    })
    if (!answer.ok) {
      reply.code(answer.status)
      return renderSignup(input, next, rejectedForm(body, answer))
    }
    passCookies(reply, answer)
    const { user, session } = answer.data
    // A code that could not be sent can be requested on the next page.
    const code = await callRoute(request, sendEmailCode, { token: session.token })
    const address = withNext('/settings/verify', next)
    const sent = code.ok ? `${next ? '&' : '?'}sent=yes` : ''
    return redirectTo(reply, address + sent, `Welcome aboard, ${user.username}`)
  },
})

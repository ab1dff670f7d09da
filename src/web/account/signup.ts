import { Type } from 'typebox'
import { registerRoute, sendEmailCode } from '../../accounts/people/routes.ts'
import { usernameLengths } from '../../accounts/people/usernames.ts'
import { callRoute } from '../../core/http/call.ts'
import { t } from '../../core/text/text.ts'
import { passCookies } from '../call.ts'
import { button, emptyForm, type FormState, fieldForm, textField } from '../components/form.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { localPath, withNext } from '../next-path.ts'
import { getPage, postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'
import { refusedForm, sendFields } from './account-form.ts'
import { emailField, newPasswordField } from './credential-fields.ts'

const query = Type.Object({ next: Type.Optional(Type.String()) })

const renderSignup = (context: Context, next: string | undefined, state: FormState) =>
  narrowPage(context, {
    title: t('sign-up'),
    heading: t('create-account'),
    body: html`
      <p class="soft">${t('signup-text')}</p>
      ${signupForm(withNext('/signup', next), state)}
      <p class="aside">
        ${richText('signup-have-account', { link: linkTo(withNext('/login', next)) })}
      </p>
    `,
  })

function signupForm(action: string, state: FormState): Html {
  const username = textField(state, {
    name: 'username',
    label: t('username'),
    required: true,
    autocomplete: 'username',
    maxlength: usernameLengths.max,
    hint: t('username-hint', usernameLengths),
  })
  const email = emailField(state, t('email'), t('email-hint'))
  const form = {
    action,
    names: ['username', 'email', 'password'],
    submit: button(t('create-account-button')),
  }
  return fieldForm(state, form, [username, email, newPasswordField(state, t('password'))])
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
    const { request, reply } = input
    const next = localPath(input.query.next)
    const answer = await sendFields(input, registerRoute, ['username', 'email', 'password'])
    if (!answer.ok) return renderSignup(input, next, refusedForm(input, answer))
    passCookies(reply, answer)
    const { user, session } = answer.data
    // A code that could not be sent can be requested on the next page.
    const code = await callRoute(request, sendEmailCode, { token: session.token })
    const address = withNext('/settings/verify', next)
    const sent = code.ok ? `${next ? '&' : '?'}sent=yes` : ''
    const { username } = user
    return redirectTo(reply, address + sent, t('welcome', { username }))
  },
})

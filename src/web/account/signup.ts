import { type Static, Type } from 'typebox'
import { checkInvitation } from '../../accounts/invitations/invitations.ts'
import { registerRoute, sendEmailCode } from '../../accounts/people/routes.ts'
import { usernameLengths } from '../../accounts/people/usernames.ts'
import { newestPolicy } from '../../accounts/policies/policies.ts'
import { callRoute } from '../../core/http/call.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type Text, t } from '../../core/text/text.ts'
import { callApi, passCookies } from '../call.ts'
import {
  button,
  checkField,
  emptyForm,
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  textField,
} from '../components/form.ts'
import { contactUrl } from '../components/header-footer.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { localPath, withNext } from '../next-path.ts'
import { getPage, postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'
import { refusedForm } from './account-form.ts'
import { emailField, newPasswordField } from './credential-fields.ts'

const TERMS = 'store_terms_version'

const query = Type.Object({
  next: Type.Optional(Type.String()),
  invitation: Type.Optional(Type.String()),
})
type Query = Static<typeof query>

/** Where the form is sent: to the page with the invitation and the place to return to. */
function signupUrl({ next, invitation }: Query): string {
  const url = withNext('/signup', localPath(next))
  return invitation
    ? `${url}${url.includes('?') ? '&' : '?'}invitation=${encodeURIComponent(invitation)}`
    : url
}

/** Why nobody can sign up on this page; null if visitors can. */
async function signupProblem({ core }: Context, { invitation }: Query): Promise<Text | null> {
  const { registration } = core.settings.current
  if (registration === 'closed') return t('signup-closed')
  if (!invitation) return registration === 'invitation' ? t('signup-by-invitation') : null
  const problem = await checkInvitation(core.sql, invitation)
  return problem && t(`rule-invitation-${problem}`)
}

async function renderSignup(context: Context, sent: Query, state: FormState) {
  const problem = await signupProblem(context, sent)
  return narrowPage(context, {
    title: t('sign-up'),
    heading: t('create-account'),
    body: html`
      ${problem ? closedNotice(context, problem) : openSignup(context.core, sent, state)}
      <p class="aside">
        ${richText('signup-have-account', {
          link: linkTo(withNext('/login', localPath(sent.next))),
        })}
      </p>
    `,
  })
}

function closedNotice({ core }: Context, problem: Text): Html {
  const { contact } = core.settings.current
  const link = html`
    <p>${richText('signup-contact', { link: linkTo(contactUrl(contact)) })}</p>`
  return html`
    <p class="notice notice-warn"><span>${problem}</span></p>
    ${contact && link}`
}

const openSignup = (core: Core, sent: Query, state: FormState): Html => html`
  ${sent.invitation && html`<p class="notice"><span>${t('signup-invited')}</span></p>`}
  <p class="soft">${t('signup-text')}</p>
  ${signupForm(core, signupUrl(sent), state)}`

/** The newest terms, which the person accepts. One that was checked for older terms is not. */
function termsField({ settings }: Core, state: FormState): Html | undefined {
  const terms = newestPolicy(settings.policies, 'terms')
  if (!terms) return undefined
  const { version } = terms
  const checked = Number(state.values[TERMS]) === version
  const values = { ...state.values, [TERMS]: checked ? version : '' }
  const hint = newestPolicy(settings.policies, 'privacy') && {
    hint: richText('signup-privacy', { link: linkTo('/privacy') }),
  }
  return checkField(
    { ...state, values },
    {
      name: TERMS,
      value: version,
      required: true,
      label: richText('signup-terms', { link: linkTo(`/terms?version=${version}`) }),
      ...hint,
    },
  )
}

/** The fields of a new account. */
export function registrationFields(core: Core, state: FormState): Html {
  const username = textField(state, {
    name: 'username',
    label: t('username'),
    required: true,
    autocomplete: 'username',
    maxlength: usernameLengths.max,
    hint: t('username-hint', usernameLengths),
  })
  const email = emailField(state, t('email'), t('email-hint'))
  const password = newPasswordField(state, t('password'))
  return html`${username}${email}${password}${termsField(core, state)}`
}

function signupForm(core: Core, action: string, state: FormState): Html {
  const form = {
    action,
    names: ['username', 'email', 'password', TERMS],
    submit: button(t('create-account-button')),
  }
  return fieldForm(state, form, registrationFields(core, state))
}

export const signupPage = getPage('/signup', 'Sign-up page', {
  auth: visitor,
  query,
  handle: (input) =>
    input.who ? redirectTo(input.reply, '/settings') : renderSignup(input, input.query, emptyForm),
})

export function readRegistration(body: FormBody) {
  const text = fieldValue(body, TERMS)
  return {
    username: fieldValue(body, 'username'),
    email: fieldValue(body, 'email'),
    password: fieldValue(body, 'password'),
    ...(/^\d{1,7}$/.test(text) && { [TERMS]: Number(text) }),
  }
}

export const submitSignup = postForm('/signup', 'Create an account', {
  auth: visitor,
  query,
  async handle(input) {
    const { request, reply } = input
    const next = localPath(input.query.next)
    const { invitation } = input.query
    const body = { ...readRegistration(input.body), ...(invitation && { invitation }) }
    const answer = await callApi(request, registerRoute, { body })
    if (!answer.ok) return renderSignup(input, input.query, refusedForm(input, answer))
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

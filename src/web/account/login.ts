import { Type } from 'typebox'
import { passkeysAvailable } from '../../accounts/passkeys/passkeys.ts'
import { passkeyLoginRoute } from '../../accounts/passkeys/routes.ts'
import { loginRoute, logoutRoute } from '../../accounts/people/routes.ts'
import { secondStepRoute } from '../../accounts/second-factor/routes.ts'
import { identify } from '../../accounts/sessions/identity.ts'
import type { RouteData } from '../../core/http/route.ts'
import { t } from '../../core/text/text.ts'
import { type ApiAnswer, type ApiRefusal, callApi, passCookies } from '../call.ts'
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
import { localPath, withNext } from '../next-path.ts'
import { getPage, postForm } from '../page-routes.ts'
import { readPendingForm, renderResume, renderSignInAgain } from '../resume-form.ts'
import { visitor } from '../visitor.ts'
import { loginField, passwordField } from './credential-fields.ts'
import { readResponse } from './security/passkey-form.ts'
import { RESET_PAGE } from './security/paths.ts'
import {
  type Destination,
  PASSKEY_LOGIN,
  passkeyLogin,
  renderSecondStep,
  SECOND_STEP_PAGE,
  secondStepOf,
} from './security/second-step.ts'
import { signInReason } from './sign-in-reason.ts'

const query = Type.Object({ next: Type.Optional(Type.String()) })

async function renderLogin(context: Context, next: string | undefined, state: FormState) {
  const reason = await signInReason(context.core, next)
  const has_passkeys = passkeysAvailable(context.core)
  return narrowPage(context, {
    title: t('sign-in'),
    scripts: has_passkeys ? ['passkeys.mjs'] : [],
    body: html`
      ${reason && html`<p class="notice">${reason}</p>`}
      ${loginForm(withNext('/login', next), state)}
      ${has_passkeys && passkeyLogin(context.core, { next, pending: undefined })}
      <p class="aside"><a href="/password/forgot">${t('forgot-password')}</a></p>
      ${
        context.core.settings.current.registration !== 'closed' &&
        html`<p class="aside">
          ${richText('login-new-here', { link: linkTo(withNext('/signup', next)) })}
        </p>`
      }
    `,
  })
}

/** Where to go after signing in if no page asked for it. */
const startPage = ({ developer }: { developer: boolean }) => (developer ? '/dashboard' : '/library')

function loginForm(action: string, state: FormState): Html {
  const form = { action, names: ['login', 'password'], submit: button(t('sign-in')) }
  return fieldForm(state, form, [loginField(state), passwordField(state)])
}

export const loginPage = getPage('/login', 'Sign-in page', {
  auth: visitor,
  query,
  handle: (input) => {
    const next = localPath(input.query.next)
    return input.who
      ? redirectTo(input.reply, next ?? startPage(input.who))
      : renderLogin(input, next, emptyForm)
  },
})

export const submitLogin = postForm('/login', 'Sign in', {
  auth: visitor,
  query,
  async handle(input) {
    const { request, reply, body } = input
    const next = localPath(input.query.next)
    const pending = readPendingForm(body)
    const answer = await callApi(request, loginRoute, {
      body: { login: fieldValue(body, 'login'), password: fieldValue(body, 'password') },
    })
    const second_step = secondStepOf(answer)
    if (second_step) return renderSecondStep(input, { ...second_step, next, pending })
    if (!answer.ok) {
      reply.code(answer.status)
      const state = rejectedForm(body, answer)
      return pending ? renderSignInAgain(input, pending, state) : renderLogin(input, next, state)
    }
    return welcomeBack(input, answer, { next, pending })
  },
})

type SignedIn = Extract<ApiAnswer<RouteData<typeof loginRoute>>, { ok: true }>

/** After signing in: the page that was asked for, or the form that the session ended before. */
async function welcomeBack(context: Context, answer: SignedIn, { next, pending }: Destination) {
  const { core, reply } = context
  passCookies(reply, answer)
  const who = pending && (await identify(core, answer.data.session.token))
  if (pending && who) return renderResume({ ...context, who }, pending)
  const { user, second_factor_reset } = answer.data
  const start = next ?? startPage(user)
  const url = second_factor_reset ? withNext(RESET_PAGE, start) : start
  return redirectTo(reply, url, t('welcome-back', { username: user.username }))
}

export const submitSecondStep = postForm(SECOND_STEP_PAGE, 'Finish a sign-in with a code', {
  auth: visitor,
  query,
  async handle(input) {
    const { request, reply, body } = input
    const next = localPath(input.query.next)
    const pending = readPendingForm(body)
    const ticket = fieldValue(body, 'ticket')
    const answer = await callApi(request, secondStepRoute, {
      body: { ticket, code: fieldValue(body, 'code') },
    })
    if (answer.ok) return welcomeBack(input, answer, { next, pending })
    reply.code(answer.status)
    const methods = fieldValue(body, 'methods').split(' ')
    if (!answer.details.ticket_expired)
      return renderSecondStep(input, { ticket, methods, next, pending }, rejectedForm(body, answer))
    return renderRefused(input, answer, { next, pending })
  },
})

/** A sign-in that has to begin again. */
function renderRefused(context: Context, refused: ApiRefusal, { next, pending }: Destination) {
  const state = { values: {}, refused }
  return pending ? renderSignInAgain(context, pending, state) : renderLogin(context, next, state)
}

export const submitPasskeyLogin = postForm(PASSKEY_LOGIN, 'Sign in with a passkey', {
  auth: visitor,
  query,
  async handle(input) {
    const { request, reply, body } = input
    const destination = { next: localPath(input.query.next), pending: readPendingForm(body) }
    const answer = await callApi(request, passkeyLoginRoute, {
      body: { response: readResponse(body) },
    })
    if (answer.ok) return welcomeBack(input, answer, destination)
    reply.code(answer.status)
    return renderRefused(input, answer, destination)
  },
})

export const submitLogout = postForm('/logout', 'Sign out', {
  auth: visitor,
  async handle({ request, reply, who }) {
    if (who) passCookies(reply, await callApi(request, logoutRoute))
    // Whoever uses this browser next finds no pages and no unfinished uploads of this person.
    reply.header('clear-site-data', '"cache", "storage"')
    return redirectTo(reply, '/', t('signed-out'))
  },
})

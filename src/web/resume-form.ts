import type { FastifyReply } from 'fastify'
import type { Identity } from '../accounts/sessions/identity.ts'
import { type Text, t } from '../core/text/text.ts'
import { loginField, passwordField } from './account/credential-fields.ts'
import {
  button,
  emptyForm,
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
} from './components/form.ts'
import { type Html, html } from './components/html.ts'
import type { Context } from './components/layout.ts'
import { narrowPage } from './components/narrow-page.ts'
import { localPath } from './next-path.ts'

/**
 * A form that was sent after the session ended. It travels in hidden fields of the sign-in form, so
 * that nothing typed is lost, nothing is stored, and nobody else can read it. The person sends it
 * again after signing in, because another person may have signed in.
 */
export type PendingForm = { action: string; fields: NonNullable<FormBody> }

const PENDING = 'pending_form'

/** Secrets are typed again. */
const isSecret = (name: string) => /password|secret|_key$/.test(name)

export function pendingForm(action: string, body: FormBody): PendingForm {
  const fields = Object.entries(body ?? {}).filter(([name]) => !isSecret(name))
  return { action, fields: Object.fromEntries(fields) }
}

/** The form that a sign-in form carries, if it does. */
export function readPendingForm(body: FormBody): PendingForm | undefined {
  const text = fieldValue(body, PENDING)
  if (!text) return undefined
  try {
    const { action, fields } = JSON.parse(text) as Record<string, unknown>
    const path = localPath(String(action))
    return path && fields && typeof fields === 'object'
      ? pendingForm(path, fields as FormBody)
      : undefined
  } catch {
    return undefined
  }
}

/** Carries the form in another one. */
export const pendingField = (pending: PendingForm): Html => hidden(PENDING, JSON.stringify(pending))

/** The answer to a form that was sent after the session ended: sign in, and nothing is lost. */
export function renderSignInAgain(
  context: Context,
  pending: PendingForm,
  state: FormState = emptyForm,
): Promise<FastifyReply> {
  const form = { action: '/login', names: ['login', 'password'], submit: button(t('sign-in')) }
  const fields = html`
    ${pendingField(pending)}
    ${loginField(state)}
    ${passwordField(state)}`
  return narrowPage(context, {
    title: t('resume-sign-in'),
    secret: true,
    body: html`
      <p class="notice">${t('resume-session-ended')}</p>
      ${fieldForm(state, form, fields)}
      <p class="aside">
        <a href="/password/forgot" target="_blank">${t('forgot-password')}</a>
      </p>
    `,
  })
}

/** After signing in: the form as it was typed, to be sent by a button. */
export const renderResume = (context: Context & { who: Identity }, pending: PendingForm) =>
  renderPending(context, pending, {
    heading: t('resume-signed-in', { username: context.who.username }),
    submit: t('resume-send'),
  })

/** After a fresh proof of the same person. */
export const renderContinue = (context: Context, pending: PendingForm) =>
  renderPending(context, pending, { heading: t('confirm-done'), submit: t('resume-continue') })

function renderPending(
  context: Context,
  { action, fields }: PendingForm,
  { heading, submit }: { heading: Text; submit: Text },
): Promise<FastifyReply> {
  const inputs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((item) => hidden(name, item)),
  )
  return narrowPage(context, {
    title: t('resume-continue'),
    heading,
    secret: true,
    body: html`
      <p>${t('resume-not-saved')}</p>
      <form class="form" method="post" action="${action}">
        ${inputs}
        ${button(submit)}
      </form>
      <p class="aside"><a href="/library">${t('resume-discard')}</a></p>
    `,
  })
}

const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`

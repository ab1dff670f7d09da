import type { FastifyReply } from 'fastify'
import { requestOptions } from '../../../accounts/passkeys/passkeys.ts'
import { MAX_CODE } from '../../../accounts/second-factor/routes.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { errors } from '../../../core/runtime/errors.ts'
import { t } from '../../../core/text/text.ts'
import type { ApiAnswer } from '../../call.ts'
import { button, emptyForm, type FormState, fieldForm, textField } from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { narrowPage } from '../../components/narrow-page.ts'
import { withNext } from '../../next-path.ts'
import { type PendingForm, pendingField } from '../../resume-form.ts'
import { passkeyForm } from './passkey-form.ts'

export const SECOND_STEP_PAGE = '/login/second-step'
export const PASSKEY_LOGIN = '/login/passkey'

const [CODE, STATUS] = errors.SECOND_STEP_REQUIRED

export type SecondStep = {
  ticket: string
  methods: readonly string[]
}

/** The ticket of a sign-in that needs its second step, and the ways to take it. */
export function secondStepOf(answer: ApiAnswer): SecondStep | undefined {
  if (answer.ok || answer.code !== CODE || answer.status !== STATUS) return undefined
  const { ticket, methods } = answer.details as SecondStep
  return { ticket, methods }
}

/** A code of the authenticator app, or a recovery code. */
export const secondStepField = (state: FormState): Html =>
  textField(state, {
    name: 'code',
    label: t('second-step-code'),
    hint: t('second-step-hint'),
    required: true,
    autocomplete: 'one-time-code',
    maxlength: MAX_CODE,
  })

/** Where a sign-in leads. */
export type Destination = { next: string | undefined; pending: PendingForm | undefined }

/** Signs in with a passkey, alone or as the second step. */
export const passkeyLogin = (
  core: Core,
  { next, pending }: Destination,
  state: FormState = emptyForm,
): Html =>
  passkeyForm(state, {
    kind: 'get',
    action: withNext(PASSKEY_LOGIN, next),
    options: requestOptions(core),
    fields: pending && pendingField(pending),
    submit: t('passkey-sign-in'),
  })

export function renderSecondStep(
  context: Context,
  { ticket, methods, next, pending }: SecondStep & Destination,
  state: FormState = emptyForm,
): Promise<FastifyReply> {
  const form = {
    action: withNext(SECOND_STEP_PAGE, next),
    names: ['code'],
    submit: button(t('sign-in')),
  }
  const fields = html`
    <input type="hidden" name="ticket" value="${ticket}">
    <input type="hidden" name="methods" value="${methods.join(' ')}">
    ${pending && pendingField(pending)}
    ${secondStepField({ ...state, values: {} })}`
  return narrowPage(context, {
    title: t('second-step-title'),
    secret: true,
    scripts: methods.includes('passkey') ? ['passkeys.mjs'] : [],
    body: html`
      <p>${t(methods.includes('code') ? 'second-step-text' : 'second-step-passkey-text')}</p>
      ${methods.includes('passkey') && passkeyLogin(context.core, { next, pending })}
      ${fieldForm(state, form, fields)}
      <p class="aside"><a href="${withNext('/login', next)}">${t('back-to-sign-in')}</a></p>
    `,
  })
}

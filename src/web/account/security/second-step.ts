import type { FastifyReply } from 'fastify'
import { MAX_CODE } from '../../../accounts/second-factor/routes.ts'
import { errors } from '../../../core/runtime/errors.ts'
import { t } from '../../../core/text/text.ts'
import type { ApiAnswer } from '../../call.ts'
import { button, emptyForm, type FormState, fieldForm, textField } from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { narrowPage } from '../../components/narrow-page.ts'
import { withNext } from '../../next-path.ts'
import { type PendingForm, pendingField } from '../../resume-form.ts'

export const SECOND_STEP_PAGE = '/login/second-step'

const [CODE, STATUS] = errors.SECOND_STEP_REQUIRED

/** The ticket of a sign-in that needs its second step. */
export function ticketOf(answer: ApiAnswer): string | undefined {
  if (answer.ok || answer.code !== CODE || answer.status !== STATUS) return undefined
  return String(answer.details.ticket)
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

type SecondStep = {
  ticket: string
  next: string | undefined
  pending: PendingForm | undefined
}

export function renderSecondStep(
  context: Context,
  { ticket, next, pending }: SecondStep,
  state: FormState = emptyForm,
): Promise<FastifyReply> {
  const form = {
    action: withNext(SECOND_STEP_PAGE, next),
    names: ['code'],
    submit: button(t('sign-in')),
  }
  const fields = html`
    <input type="hidden" name="ticket" value="${ticket}">
    ${pending && pendingField(pending)}
    ${secondStepField({ ...state, values: {} })}`
  return narrowPage(context, {
    title: t('second-step-title'),
    secret: true,
    body: html`
      <p>${t('second-step-text')}</p>
      ${fieldForm(state, form, fields)}
      <p class="aside"><a href="${withNext('/login', next)}">${t('back-to-sign-in')}</a></p>
    `,
  })
}

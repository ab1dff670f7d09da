import type { FastifyReply, FastifyRequest } from 'fastify'
import { requestOptions } from '../../../accounts/passkeys/passkeys.ts'
import { readSecondFactors } from '../../../accounts/second-factor/queries.ts'
import { t } from '../../../core/text/text.ts'
import { button, emptyForm, type FormState, fieldForm } from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { narrowPage } from '../../components/narrow-page.ts'
import { previousPage, withNext } from '../../next-path.ts'
import { type PendingForm, pendingField } from '../../resume-form.ts'
import { passwordField } from '../credential-fields.ts'
import { passkeyForm } from './passkey-form.ts'
import { CONFIRM_PAGE, PASSKEY_CONFIRM } from './paths.ts'
import { secondStepField } from './second-step.ts'

/**
 * Leads back to the page. A form travels with the confirmation, except for one with files, which is
 * sent again from its page.
 */
export const confirmUrl = ({ method, url, headers }: FastifyRequest): string =>
  withNext(CONFIRM_PAGE, method === 'GET' ? url : previousPage(headers.referer))

export type Confirmation = {
  /** The form that needs the proof. */
  pending?: PendingForm | undefined
  next?: string | undefined
  state?: FormState
}

/** Asks for a fresh proof: the password, or a code where the account has a second factor. */
export async function renderConfirm(
  context: Context,
  { pending, next, state = emptyForm }: Confirmation,
): Promise<FastifyReply> {
  const { core, who } = context
  const { totp_since, passkeys } = await readSecondFactors(core.sql, who!.user_uid)
  const form = (name: string, field: Html) =>
    fieldForm(
      state.refused && state.refused.field !== name ? emptyForm : state,
      { action: withNext(CONFIRM_PAGE, next), names: [name], submit: button(t('confirm')) },
      html`${pending && pendingField(pending)}${field}`,
    )
  const password = form('password', passwordField(state))
  return narrowPage(context, {
    title: t('confirm-title'),
    secret: true,
    scripts: passkeys ? ['passkeys.mjs'] : [],
    body: html`
      <p>${t('confirm-text')}</p>
      ${
        passkeys > 0 &&
        passkeyForm(state.refused && !state.refused.field ? state : emptyForm, {
          kind: 'get',
          action: withNext(PASSKEY_CONFIRM, next),
          options: requestOptions(core),
          fields: pending && pendingField(pending),
          submit: t('passkey-confirm'),
        })
      }
      ${totp_since ? [form('code', secondStepField({ ...state, values: {} })), orElse, password] : password}
    `,
  })
}

const orElse = html`<p class="soft">${t('confirm-or-password')}</p>`

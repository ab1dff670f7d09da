import { type Text, t } from '../../../core/text/text.ts'
import {
  button,
  type FormBody,
  type FormState,
  fieldValue,
  formMessage,
} from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'

type PasskeyForm = {
  kind: 'create' | 'get'
  action: string
  /** For the browser, as JSON of WebAuthn. */
  options: object
  fields?: Html | undefined
  submit: Text
}

/**
 * A form whose answer an authenticator gives. It needs passkeys.mjs, which shows it where the
 * browser has passkeys; elsewhere a sentence says what it needs.
 */
export const passkeyForm = (
  state: FormState,
  { kind, action, options, fields, submit }: PasskeyForm,
): Html => html`
  ${formMessage(state, ['name'], fields)}
  <form class="form" method="post" action="${action}" hidden data-passkey="${kind}"
    data-options="${JSON.stringify(options)}">
    ${fields}
    <input type="hidden" name="response" value="">
    <p class="notice notice-bad" role="alert" hidden>${t('passkey-failed')}</p>
    ${button(submit, { kind: kind === 'create' ? 'primary' : 'quiet' })}
  </form>
  <noscript><p class="soft">${t('passkey-needs-script')}</p></noscript>
`

/** What the authenticator answered; an empty object if it is not JSON. */
export function readResponse(body: FormBody): Record<string, unknown> {
  try {
    const response = JSON.parse(fieldValue(body, 'response'))
    return response && typeof response === 'object' && !Array.isArray(response) ? response : {}
  } catch {
    return {}
  }
}

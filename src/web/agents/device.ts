import { Type } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { answerDevice, type DeviceRequest, readDeviceRequest } from '../../agents/oauth/device.ts'
import { DEVICE_GRANT_SECONDS, showUserCode } from '../../agents/oauth/device-client.ts'
import { Refusal } from '../../core/runtime/errors.ts'
import { DAY } from '../../core/runtime/units.ts'
import { t } from '../../core/text/text.ts'
import { withField } from '../call.ts'
import { button, type FormState, fieldForm, fieldValue, textField } from '../components/form.ts'
import { type Html, html, richText, strongText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'

const MAX_TYPED = 20

type DeviceContext = Context & { who: Identity }

/** The form for the code; `state` is that of a code that no device shows. */
const renderCodeForm = (context: DeviceContext, state: FormState) =>
  narrowPage(context, {
    title: t('device-title'),
    body: html`
      <p>${richText('device-text', { code: codeText })}</p>
      ${fieldForm(
        state,
        { action: '/device', names: ['user_code'], submit: t('device-continue') },
        textField(state, {
          name: 'user_code',
          label: t('device-code'),
          hint: t('device-code-hint'),
          required: true,
          autocomplete: 'off',
          maxlength: MAX_TYPED,
        }),
      )}
    `,
  })

const codeText = (text: Html) => html`<code>${text}</code>`

/** What the device would get, and the two answers. */
function renderRequest(context: DeviceContext, device: DeviceRequest) {
  const { device_name, is_same_network } = device
  const code = showUserCode(device.user_code)
  const other_network = html`
    <p class="notice notice-bad" role="note">${t('device-other-network')}</p>
  `
  return narrowPage(context, {
    title: t('device-title'),
    heading: device_name
      ? t('device-heading', { device: device_name })
      : t('device-heading-unnamed'),
    body: html`
      <p>
        ${richText('device-compare', {
          username: context.who.username,
          code,
          strong: strongText,
        })}
      </p>
      <p>${t('device-can')}</p>
      ${!is_same_network && other_network}
      <p>${t('device-warning')}</p>
      <form class="form" method="post" action="/device">
        <input type="hidden" name="user_code" value="${code}">
        <p class="hint">
          ${richText('device-duration', {
            days: DEVICE_GRANT_SECONDS / DAY,
            link: linkTo('/account/keys#apps'),
          })}
        </p>
        ${button(t('device-allow'), { name: 'decision', value: 'allow' })}
        ${button(t('deny'), { kind: 'quiet', name: 'decision', value: 'deny' })}
      </form>
    `,
  })
}

/** The device of a code, or the form again with what is wrong with the code. */
async function showDevice(input: DeviceContext, user_code: string) {
  try {
    return renderRequest(input, await readDeviceRequest(input, user_code))
  } catch (error) {
    return showUnknownCode(input, user_code, error)
  }
}

function showUnknownCode(input: DeviceContext, user_code: string, error: unknown) {
  // Whoever tries too many codes gets the page of that refusal.
  if (!(error instanceof Refusal) || error.data?.['field'] !== 'user_code') throw error
  const { status, code, message, reasons, data } = error
  const refused = withField({ ok: false, status, code, message, reasons, details: data })
  input.reply.code(status)
  return renderCodeForm(input, { values: { user_code }, refused })
}

/** A device links here with its code; the person still has to allow it. */
export const devicePage = getPage('/device', 'Sign in a device', {
  auth: member,
  query: Type.Object({ user_code: Type.Optional(Type.String()) }),
  handle: (input) =>
    input.query.user_code
      ? showDevice(input, input.query.user_code)
      : renderCodeForm(input, { values: {} }),
})

export const submitDevice = postForm('/device', 'Allow or deny a device', {
  auth: member,
  async handle(input) {
    const { reply, body } = input
    const user_code = fieldValue(body, 'user_code')
    const decision = fieldValue(body, 'decision')
    if (decision !== 'allow' && decision !== 'deny') return showDevice(input, user_code)
    try {
      await answerDevice(input, user_code, decision === 'allow')
    } catch (error) {
      return showUnknownCode(input, user_code, error)
    }
    return decision === 'allow'
      ? redirectTo(reply, '/account/keys#apps', t('device-allowed'))
      : redirectTo(reply, '/device', t('device-denied'))
  },
})

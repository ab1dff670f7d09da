import { Type } from 'typebox'
import { passkeysAvailable } from '../../../accounts/passkeys/passkeys.ts'
import { listPasskeysRoute } from '../../../accounts/passkeys/routes.ts'
import { confirmPassword } from '../../../accounts/people/routes.ts'
import { RECOVERY_CODES } from '../../../accounts/second-factor/recovery-codes.ts'
import {
  confirmCodeRoute,
  confirmTotpRoute,
  deleteTotpRoute,
  readSecondFactorRoute,
  recoveryCodesRoute,
  startTotpRoute,
} from '../../../accounts/second-factor/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import { callApi, readApi } from '../../call.ts'
import {
  button,
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  isChecked,
  rejectedForm,
} from '../../components/form.ts'
import { dateTag } from '../../components/format.ts'
import { Html, html, richText } from '../../components/html.ts'
import { type Context, page, withStoreName } from '../../components/layout.ts'
import { narrowPage } from '../../components/narrow-page.ts'
import { confirmButton, copyText, postButton } from '../../components/secret-field.ts'
import { redirectTo } from '../../flash-message.ts'
import { localPath } from '../../next-path.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { readPendingForm, renderContinue } from '../../resume-form.ts'
import { member } from '../../visitor.ts'
import { codeField } from '../credential-fields.ts'
import { accountTabs } from '../tabs.ts'
import { renderConfirm } from './confirm-form.ts'
import { eventsPage, eventsPanel } from './events.ts'
import { passkeyPages, passkeysPanel } from './passkeys.ts'
import { CONFIRM_PAGE, SECURITY_PAGE } from './paths.ts'
import { renderCodes } from './recovery-codes.ts'
import { resetNotice, resetPages } from './reset.ts'
import { sessionPages, sessionsPanel } from './sessions.ts'
import { undoEmailPages } from './undo-email.ts'

const TOTP_PAGE = `${SECURITY_PAGE}/totp`

type SecondFactor = RouteData<typeof readSecondFactorRoute>

const securityPage = getPage(SECURITY_PAGE, 'Security of the account', {
  auth: member,
  async handle(input) {
    const [second_factor, { passkeys }] = await Promise.all([
      readApi(input.request, readSecondFactorRoute),
      readApi(input.request, listPasskeysRoute),
    ])
    const is_secured = second_factor.totp.enabled || passkeys.length > 0
    return page(input, {
      title: withStoreName(input.core, t('nav-security')),
      noindex: true,
      body: html`
        <h1>${t('nav-security')}</h1>
        ${accountTabs(SECURITY_PAGE)}
        ${second_factor.required && !is_secured && requiredNotice}
        ${second_factor.reset && resetNotice(second_factor.reset)}
        <div class="settings">
          ${passkeysAvailable(input.core) && passkeysPanel(passkeys)}
          ${totpPanel(second_factor)}
          ${is_secured && recoveryPanel(second_factor)}
          ${eventsPanel}
          ${sessionsPanel}
        </div>
      `,
    })
  },
})

const requiredNotice = html`<p class="notice">${t('second-factor-required')}</p>`

const totpPanel = ({ totp }: SecondFactor): Html => html`
  <section class="panel" id="totp" aria-labelledby="totp-title">
    <h2 id="totp-title">${t('totp')}</h2>
    ${totp.since ? totpOn(totp.since) : totpOff}
  </section>
`

const totpOff = html`
  <p>${t('totp-off-text')}</p>
  <p><a class="button button-primary" href="${TOTP_PAGE}">${t('totp-set-up')}</a></p>
`

const totpOn = (since: string): Html => html`
  <p>${richText('totp-on-text', { date: dateTag(since) })}</p>
  ${confirmButton({
    label: t('totp-remove'),
    sentence: t('totp-remove-text'),
    action: `${TOTP_PAGE}/remove`,
  })}
`

const recoveryPanel = ({ recovery_codes_left }: SecondFactor): Html => html`
  <section class="panel" id="recovery" aria-labelledby="recovery-title">
    <h2 id="recovery-title">${t('recovery-codes')}</h2>
    <p>${t('recovery-codes-left', { count: recovery_codes_left, all: RECOVERY_CODES })}</p>
    ${postButton(t('recovery-codes-new'), `${SECURITY_PAGE}/recovery-codes`)}
  </section>
`

async function renderSetup(context: Context, state: FormState) {
  const { secret, uri, qr_svg } = await readApi(context.request, startTotpRoute)
  const form = { action: TOTP_PAGE, names: ['code'], submit: button(t('totp-turn-on')) }
  return narrowPage(context, {
    title: t('totp-set-up'),
    secret: true,
    scripts: ['copy.mjs'],
    body: html`
      <p>${t('totp-scan')}</p>
      <div class="qr" role="img" aria-label="${t('totp-qr')}">${new Html(qr_svg)}</div>
      <p><a href="${uri}">${t('totp-open')}</a></p>
      <p>${t('totp-type')}</p>
      ${copyText(html`<code>${spaced(secret)}</code>`, 'key')}
      ${fieldForm(state, form, codeField({ ...state, values: {} }))}
      <p class="aside"><a href="${SECURITY_PAGE}">${t('nav-security')}</a></p>
    `,
  })
}

/** In groups of four, as apps show it; they ignore the spaces. */
const spaced = (secret: string) => secret.replace(/.{4}(?!$)/g, '$& ')

const setupPage = getPage(TOTP_PAGE, 'Set up an authenticator app', {
  auth: member,
  handle: (input) => renderSetup(input, emptyForm),
})

const submitTotp = postForm(TOTP_PAGE, 'Turn an authenticator app on', {
  auth: member,
  async handle(input) {
    const { request, reply, body } = input
    const answer = await callApi(request, confirmTotpRoute, {
      body: { code: fieldValue(body, 'code') },
    })
    if (answer.ok) return renderCodes(input, answer.data.recovery_codes)
    reply.code(answer.status)
    return renderSetup(input, rejectedForm(body, answer))
  },
})

const removeTotp = postForm(`${TOTP_PAGE}/remove`, 'Remove the authenticator app', {
  auth: member,
  async handle({ request, reply }) {
    await readApi(request, deleteTotpRoute)
    return redirectTo(reply, SECURITY_PAGE, t('totp-removed'))
  },
})

const newCodes = postForm(`${SECURITY_PAGE}/recovery-codes`, 'Make new recovery codes', {
  auth: member,
  async handle(input) {
    const { recovery_codes } = await readApi(input.request, recoveryCodesRoute)
    return renderCodes(input, recovery_codes)
  },
})

const query = Type.Object({ next: Type.Optional(Type.String()) })

const confirmPage = getPage(CONFIRM_PAGE, 'Confirm that it is you', {
  auth: member,
  query,
  handle: (input) => renderConfirm(input, { next: localPath(input.query.next) }),
})

const submitConfirm = postForm(CONFIRM_PAGE, 'Confirm that it is you', {
  auth: member,
  query,
  async handle(input) {
    const { request, reply, body } = input
    const next = localPath(input.query.next)
    const pending = readPendingForm(body)
    const answer = isChecked(body, 'code')
      ? await callApi(request, confirmCodeRoute, { body: { code: fieldValue(body, 'code') } })
      : await callApi(request, confirmPassword, {
          body: { password: fieldValue(body, 'password') },
        })
    if (!answer.ok) {
      reply.code(answer.status)
      return renderConfirm(input, { pending, next, state: rejectedForm(body, answer) })
    }
    return pending ? renderContinue(input, pending) : redirectTo(reply, next ?? SECURITY_PAGE)
  },
})

export const securityPages = [
  securityPage,
  setupPage,
  submitTotp,
  removeTotp,
  newCodes,
  eventsPage,
  ...passkeyPages,
  ...sessionPages,
  ...undoEmailPages,
  ...resetPages,
  confirmPage,
  submitConfirm,
]

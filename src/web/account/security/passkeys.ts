import { Type } from 'typebox'
import {
  addPasskeyRoute,
  confirmPasskeyRoute,
  deletePasskeyRoute,
  listPasskeysRoute,
  MAX_PASSKEY_NAME,
  passkeyOptionsRoute,
  renamePasskeyRoute,
} from '../../../accounts/passkeys/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { t } from '../../../core/text/text.ts'
import { type ApiAnswer, callApi, readApi } from '../../call.ts'
import {
  button,
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
  textField,
} from '../../components/form.ts'
import { dateTag } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { narrowPage } from '../../components/narrow-page.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { redirectTo } from '../../flash-message.ts'
import { localPath } from '../../next-path.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { readPendingForm, renderContinue } from '../../resume-form.ts'
import { member } from '../../visitor.ts'
import { renderConfirm } from './confirm-form.ts'
import { passkeyForm, readResponse } from './passkey-form.ts'
import { PASSKEY_CONFIRM, SECURITY_PAGE } from './paths.ts'
import { renderCodes } from './recovery-codes.ts'

const PASSKEYS_PAGE = `${SECURITY_PAGE}/passkeys`

type Passkey = RouteData<typeof listPasskeysRoute>['passkeys'][number]

export const passkeysPanel = (passkeys: readonly Passkey[]): Html => html`
  <section class="panel" id="passkeys" aria-labelledby="passkeys-title">
    <h2 id="passkeys-title">${t('passkeys')}</h2>
    <p>${t('passkeys-text')}</p>
    ${passkeys.length > 0 && html`<ul class="plain">${passkeys.map(passkeyRow)}</ul>`}
    <p><a class="button button-primary" href="${PASSKEYS_PAGE}/new">${t('passkey-add')}</a></p>
  </section>
`

const passkeyRow = ({ uid, name, created_at, last_used_at }: Passkey): Html => html`
  <li class="key-row">
    <div>
      <strong>${name}</strong>
      <p class="soft">
        ${richText(last_used_at ? 'passkey-used' : 'passkey-unused', {
          added: dateTag(created_at),
          used: dateTag(last_used_at ?? created_at),
        })}
      </p>
    </div>
    <div class="row">
      <a class="button button-quiet button-small" href="${PASSKEYS_PAGE}/${uid}">
        ${t('passkey-rename')}<span class="sr"> ${name}</span></a>
      ${confirmButton({
        label: html`${t('passkey-remove')}<span class="sr"> ${name}</span>`,
        sentence: t('passkey-remove-text'),
        action: `${PASSKEYS_PAGE}/${uid}/remove`,
        confirm: t('passkey-remove'),
      })}
    </div>
  </li>
`

const nameField = (state: FormState): Html =>
  textField(state, {
    name: 'name',
    label: t('passkey-name'),
    hint: t('passkey-name-hint'),
    required: true,
    autocomplete: 'off',
    maxlength: MAX_PASSKEY_NAME,
  })

async function renderNew(context: Context, state: FormState) {
  const { options } = await readApi(context.request, passkeyOptionsRoute)
  return narrowPage(context, {
    title: t('passkey-add'),
    secret: true,
    scripts: ['passkeys.mjs'],
    body: html`
      <p>${t('passkey-add-text')}</p>
      ${passkeyForm(state, {
        kind: 'create',
        action: PASSKEYS_PAGE,
        options,
        fields: nameField(state),
        submit: t('passkey-create'),
      })}
      <p class="aside"><a href="${SECURITY_PAGE}">${t('nav-security')}</a></p>
    `,
  })
}

const newPasskeyPage = getPage(`${PASSKEYS_PAGE}/new`, 'Add a passkey', {
  auth: member,
  handle: (input) => renderNew(input, emptyForm),
})

const submitPasskey = postForm(PASSKEYS_PAGE, 'Add a passkey', {
  auth: member,
  async handle(input) {
    const { request, reply, body } = input
    const response = readResponse(body)
    const answer = await callApi(request, addPasskeyRoute, {
      body: { name: fieldValue(body, 'name'), response },
    })
    if (!answer.ok) {
      reply.code(answer.status)
      return renderNew(input, rejectedForm(body, answer))
    }
    const { recovery_codes } = answer.data
    return recovery_codes.length
      ? renderCodes(input, recovery_codes)
      : redirectTo(reply, SECURITY_PAGE, t('passkey-added'))
  },
})

const params = Type.Object({ uid: Type.String() })

const renderRename = (context: Context, uid: string, state: FormState) =>
  narrowPage(context, {
    title: t('passkey-rename'),
    body: html`
      ${fieldForm(
        state,
        { action: `${PASSKEYS_PAGE}/${uid}`, names: ['name'], submit: button(t('passkey-rename')) },
        nameField(state),
      )}
      <p class="aside"><a href="${SECURITY_PAGE}">${t('nav-security')}</a></p>
    `,
  })

const renamePage = getPage(`${PASSKEYS_PAGE}/:uid`, 'Rename a passkey', {
  auth: member,
  params,
  async handle(input) {
    const { passkeys } = await readApi(input.request, listPasskeysRoute)
    const { uid } = input.params
    const { name } = passkeys.find((passkey) => passkey.uid === uid) ?? refuse('NOT_FOUND')
    return renderRename(input, uid, { values: { name } })
  },
})

const submitRename = postForm(`${PASSKEYS_PAGE}/:uid`, 'Rename a passkey', {
  auth: member,
  params,
  async handle(input) {
    const { request, reply, body, params } = input
    const answer = await callApi(request, renamePasskeyRoute, {
      params,
      body: { name: fieldValue(body, 'name') },
    })
    if (answer.ok) return redirectTo(reply, SECURITY_PAGE, t('passkey-renamed'))
    reply.code(answer.status)
    return renderRename(input, params.uid, rejectedForm(body, answer))
  },
})

const removePasskey = postForm(`${PASSKEYS_PAGE}/:uid/remove`, 'Remove a passkey', {
  auth: member,
  params,
  async handle({ request, reply, params }) {
    await readApi(request, deletePasskeyRoute, { params })
    return redirectTo(reply, SECURITY_PAGE, t('passkey-removed'))
  },
})

const confirmByPasskey = postForm(PASSKEY_CONFIRM, 'Confirm with a passkey', {
  auth: member,
  query: Type.Object({ next: Type.Optional(Type.String()) }),
  async handle(input) {
    const { request, reply, body } = input
    const next = localPath(input.query.next)
    const pending = readPendingForm(body)
    const answer: ApiAnswer = await callApi(request, confirmPasskeyRoute, {
      body: { response: readResponse(body) },
    })
    if (!answer.ok) {
      reply.code(answer.status)
      return renderConfirm(input, { pending, next, state: rejectedForm(body, answer) })
    }
    return pending ? renderContinue(input, pending) : redirectTo(reply, next ?? SECURITY_PAGE)
  },
})

export const passkeyPages = [
  newPasskeyPage,
  submitPasskey,
  renamePage,
  submitRename,
  removePasskey,
  confirmByPasskey,
]

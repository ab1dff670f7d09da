import type { RouteData } from '../../../core/http/route.ts'
import { errors } from '../../../core/runtime/errors.ts'
import { t } from '../../../core/text/text.ts'
import {
  createAuthKey,
  createTicketKey,
  readAuthKey,
  readSettings,
  saveWebApiKey,
  turnSignInOff,
  turnSignInOn,
  unlinkListing,
} from '../../../extstore/sign-in/settings-routes.ts'
import { callApi, toRefusal } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import {
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  formMessage,
  textField,
} from '../../components/form.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { confirmButton, copyable, secretField } from '../../components/secret-field.ts'
import { facts } from '../../components/table.ts'
import { formSender, formState, projectForm } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { importForm, importRoutes } from './import.ts'
import { importReport } from './import-report.ts'

type Settings = RouteData<typeof readSettings>
const [NOT_LINKED] = errors.EXTSTORE_NOT_LINKED

const webApiKeyField = (state: FormState): Html =>
  textField(state, {
    name: 'web_api_key',
    label: t('web-api-key-publisher'),
    required: true,
    autocomplete: 'off',
    hint: t('web-api-key-hint'),
  })

/** A refused key is not sent back to the browser. */
const withoutKey = (state: FormState): FormState => ({
  ...state,
  values: { ...state.values, web_api_key: '' },
})

function turnOnForm(base: string, result: FormResult): Html {
  const state = withoutKey(formState(result, 'sign-in', {}))
  const form = {
    action: `${base}/external-store/sign-in`,
    names: ['web_api_key'],
    submit: t('sign-in-turn-on'),
  }
  return html`
    <p>${badge(t('sign-in-off'))}</p>
    ${fieldForm(state, form, webApiKeyField(state))}`
}

const urlNames = {
  auth: { label: t('address-auth'), name: t('address-auth-name') },
  refresh: { label: t('address-refresh'), name: t('address-refresh-name') },
  verify: { label: t('address-verify'), name: t('address-verify-name') },
  revoke: { label: t('address-revoke'), name: t('address-revoke-name') },
  ownership: { label: t('address-ownership'), name: t('address-ownership-name') },
}

function signInSettings(base: string, { urls }: Settings['auth']): Html {
  const names = Object.keys(urlNames) as (keyof typeof urlNames)[]
  return html`
    <p>${badge(t('sign-in-on'), 'ok', 'ok')}</p>
    ${facts(names.map((name) => [urlNames[name].label, copyable(urls[name], urlNames[name].name)]))}
    <div class="row">
      ${confirmButton({
        label: t('turn-off'),
        sentence: t('sign-in-turn-off-text'),
        action: `${base}/external-store/sign-in/off`,
        confirm: t('sign-in-turn-off'),
      })}
    </div>`
}

function signInSubsections(base: string, result: FormResult, { auth }: Settings): Html {
  const title = t('player-sign-in')
  if (!auth.enabled)
    return subsection('sign-in', title, turnOnForm(base, result), t('player-sign-in-text'))
  return html`
    ${subsection('sign-in', title, signInSettings(base, auth))}
    ${subsection('keys', t('sign-in-keys'), keyFields(base, result, auth))}`
}

function keyFields(base: string, { secrets, ...result }: FormResult, auth: Settings['auth']): Html {
  const state = formState(result, 'keys', {})
  return html`
    ${formMessage(state, ['web_api_key'])}
    ${authKeyField(base, auth, secrets?.auth_key)}
    ${ticketKeyField(base, secrets?.ticket_key ?? auth.ticket_key)}
    ${savedWebApiKeyField(base, state)}`
}

const authKeyField = (base: string, auth: Settings['auth'], value: string | undefined): Html =>
  secretField({
    id: 'auth-key',
    name: t('auth-key'),
    about: t('auth-key-text'),
    value,
    hint: auth.auth_key_last4,
    reveal: `${base}/external-store/auth-key/reveal`,
    replace: {
      action: `${base}/external-store/auth-key`,
      sentence: t('auth-key-replace'),
    },
  })

const ticketKeyField = (base: string, value: string | undefined): Html =>
  secretField({
    id: 'ticket-key',
    name: t('ticket-key'),
    about: t('ticket-key-text'),
    value,
    replace: {
      action: `${base}/external-store/ticket-key`,
      sentence: t('ticket-key-replace'),
    },
  })

const savedWebApiKeyField = (base: string, state: FormState): Html =>
  secretField({
    id: 'web-api-key',
    name: t('web-api-key'),
    about: t('web-api-key-text'),
    replace: {
      action: `${base}/external-store/web-api-key`,
      sentence: t('web-api-key-replace'),
      fields: webApiKeyField(withoutKey(state)),
    },
  })

function linkedApp(base: string, { app_id, app_name, linked_at, last_synced_at }: Settings): Html {
  return html`
    ${facts([
      [t('linked-app'), html`<span class="mono">${app_id}</span>`],
      [t('linked-at'), dateTimeTag(linked_at)],
      [t('last-synced'), last_synced_at ? dateTimeTag(last_synced_at) : t('never-synced')],
    ])}
    <div class="row">
      ${confirmButton({
        label: t('unlink'),
        sentence: t('unlink-text'),
        action: `${base}/external-store/unlink`,
        confirm: t('unlink-confirm', { app: app_name }),
      })}
    </div>`
}

const projectImportForm = (base: string, result: FormResult, settings?: Settings): Html =>
  importForm(formState(result, 'import', {}), {
    action: `${base}/external-store/import`,
    has_listing: true,
    is_linked: settings !== undefined,
    has_saved_key: settings?.auth.web_api_key_set ?? false,
  })

function linkedSubsections(base: string, result: FormResult, settings: Settings): Html {
  return html`
    ${signInSubsections(base, result, settings)}
    ${subsection('app', settings.app_name, linkedApp(base, settings))}
    ${subsection(
      'resync',
      t('sync-again'),
      projectImportForm(base, result, settings),
      t('sync-again-text'),
    )}`
}

const importSubsection = (base: string, result: FormResult): Html =>
  subsection('import', t('import-page'), projectImportForm(base, result), t('import-page-text'))

export async function showExternalStore(project: ProjectContext, result: FormResult) {
  const { request, uid, base } = project
  const settings = await callApi(request, readSettings, { params: { game_id: uid } })
  if (!settings.ok && settings.code !== NOT_LINKED) throw toRefusal(settings)
  return renderSection(project, 'external-store', {
    title: t('section-external-store'),
    body: html`
      ${formMessage(formState(result, 'app', {}))}
      ${result.report && importReport(result.report)}
      ${
        settings.ok
          ? linkedSubsections(base, result, settings.data)
          : importSubsection(base, result)
      }`,
  })
}

const sendToStore = formSender(({ uid }) => ({ game_id: uid }))
const readKey = (sent: FormBody) => ({ web_api_key: fieldValue(sent, 'web_api_key').trim() })

export const externalStoreRoutes = [
  projectPage('external-store', 'External store settings of a project', showExternalStore),
  projectForm(
    'external-store/sign-in',
    'Turn on player sign-in',
    sendToStore(turnSignInOn, readKey),
    {
      form: 'sign-in',
      show: showExternalStore,
      done: t('sign-in-is-on'),
      back: 'external-store',
    },
  ),
  projectForm('external-store/sign-in/off', 'Turn off player sign-in', sendToStore(turnSignInOff), {
    form: 'app',
    show: showExternalStore,
    done: t('sign-in-is-off'),
    back: 'external-store',
  }),
  projectForm('external-store/auth-key/reveal', 'Show the auth key', sendToStore(readAuthKey), {
    form: 'keys',
    show: showExternalStore,
    reveal: ({ auth_key }) => ({ auth_key }),
  }),
  projectForm('external-store/auth-key', 'Replace the auth key', sendToStore(createAuthKey), {
    form: 'keys',
    show: showExternalStore,
    reveal: ({ auth_key }) => ({ auth_key }),
  }),
  projectForm('external-store/ticket-key', 'Replace the ticket key', sendToStore(createTicketKey), {
    form: 'keys',
    show: showExternalStore,
    reveal: ({ ticket_key }) => ({ ticket_key }),
  }),
  projectForm(
    'external-store/web-api-key',
    'Replace the Web API key',
    sendToStore(saveWebApiKey, readKey),
    {
      form: 'keys',
      show: showExternalStore,
      done: t('web-api-key-replaced'),
      back: 'external-store',
    },
  ),
  projectForm(
    'external-store/unlink',
    'Unlink a project from the external store',
    sendToStore(unlinkListing),
    {
      form: 'app',
      show: showExternalStore,
      done: t('unlinked'),
      back: 'external-store',
    },
  ),
  ...importRoutes(showExternalStore),
]

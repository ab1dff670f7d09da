import type { RouteData } from '../../../core/http/route.ts'
import { errors } from '../../../core/runtime/errors.ts'
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
    label: 'Publisher Web API key',
    required: true,
    autocomplete: 'off',
    hint:
      '32 characters, 0-9 and A-F, from the external store. It is stored encrypted and never ' +
      'shown again.',
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
    submit: 'Turn on sign-in',
  }
  return html`
    <p>${badge('off')}</p>
    ${fieldForm(state, form, webApiKeyField(state))}`
}

const urlNames = {
  auth: 'Sign in',
  refresh: 'Refresh',
  verify: 'Verify',
  revoke: 'Revoke',
  ownership: 'Ownership',
}

function signInSettings(base: string, { urls }: Settings['auth']): Html {
  const names = Object.keys(urlNames) as (keyof typeof urlNames)[]
  return html`
    <p>${badge('on', 'ok', 'ok')}</p>
    ${facts(names.map((name) => [urlNames[name], copyable(urls[name], `the ${name} address`)]))}
    <div class="row">
      ${confirmButton({
        label: 'Turn off…',
        sentence:
          'All player tokens are revoked at once, all three keys are deleted, and builds that ' +
          'sign in here stop working.',
        action: `${base}/external-store/sign-in/off`,
        confirm: 'Turn off sign-in',
      })}
    </div>`
}

function signInSubsections(base: string, result: FormResult, { auth }: Settings): Html {
  const title = 'Player sign-in'
  if (!auth.enabled)
    return subsection(
      'sign-in',
      title,
      turnOnForm(base, result),
      'Players of your build on the external store sign in with their session ticket, and your ' +
        'servers verify the token they get. Players need no account here.',
    )
  return html`
    ${subsection('sign-in', title, signInSettings(base, auth))}
    ${subsection('keys', 'Keys', keyFields(base, result, auth))}`
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
    name: 'Auth key',
    about: 'For your servers only. It signs tokens and lets your servers look up players.',
    value,
    hint: auth.auth_key_last4,
    reveal: `${base}/external-store/auth-key/reveal`,
    replace: {
      action: `${base}/external-store/auth-key`,
      sentence:
        'The old key stops working and every session token is revoked. Players have to sign in ' +
        'again, and your servers need the new key to verify anyone.',
    },
  })

const ticketKeyField = (base: string, value: string | undefined): Html =>
  secretField({
    id: 'ticket-key',
    name: 'Ticket key',
    about:
      'The identity your game passes when it requests a ticket. It is part of your builds, so ' +
      'it is not secret.',
    value,
    replace: {
      action: `${base}/external-store/ticket-key`,
      sentence:
        'Builds with the old ticket key can no longer sign in. Players who are signed in stay ' +
        'signed in for up to an hour.',
    },
  })

const savedWebApiKeyField = (base: string, state: FormState): Html =>
  secretField({
    id: 'web-api-key',
    name: 'Web API key',
    about: 'Used by this store to query the external store. It is never shown again.',
    replace: {
      action: `${base}/external-store/web-api-key`,
      sentence:
        'The external store is queried with the new key from now on. The other keys and all ' +
        'tokens keep working.',
      fields: webApiKeyField(withoutKey(state)),
    },
  })

function linkedApp(base: string, { app_id, app_name, linked_at, last_synced_at }: Settings): Html {
  return html`
    ${facts([
      ['App', html`<span class="mono">${app_id}</span>`],
      ['Linked', dateTimeTag(linked_at)],
      ['Last synced', last_synced_at ? dateTimeTag(last_synced_at) : 'never'],
    ])}
    <div class="row">
      ${confirmButton({
        label: 'Unlink…',
        sentence:
          'Sign-in is turned off and its keys are deleted. Imported content stays. The app can ' +
          'then be linked to another listing.',
        action: `${base}/external-store/unlink`,
        confirm: `Unlink ${app_name}`,
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
      'Sync again',
      projectImportForm(base, result, settings),
      'Fields you edited here since the last import are kept, unless you choose to overwrite them.',
    )}`
}

const importSubsection = (base: string, result: FormResult): Html =>
  subsection(
    'import',
    'Import your page',
    projectImportForm(base, result),
    'Copies text, tags, images, press facts and price from your page on the external store. ' +
      'Preview first; nothing changes until you import.',
  )

export async function showExternalStore(project: ProjectContext, result: FormResult) {
  const { request, uid, base } = project
  const settings = await callApi(request, readSettings, { params: { game_id: uid } })
  if (!settings.ok && settings.code !== NOT_LINKED) throw toRefusal(settings)
  return renderSection(project, 'external-store', {
    title: 'External store',
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
      done: 'Sign-in is on',
      back: 'external-store',
    },
  ),
  projectForm('external-store/sign-in/off', 'Turn off player sign-in', sendToStore(turnSignInOff), {
    form: 'app',
    show: showExternalStore,
    done: 'Sign-in is off',
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
      done: 'Web API key replaced',
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
      done: 'App unlinked',
      back: 'external-store',
    },
  ),
  ...importRoutes(showExternalStore),
]

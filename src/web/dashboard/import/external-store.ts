import { call, toRefusal } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import {
  button,
  type FormState,
  fieldValue,
  formMessage,
  textField,
} from '../../components/form.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { confirmButton, copyable, secretField } from '../../components/secret-field.ts'
import { facts } from '../../components/table.ts'
import {
  type Desk,
  deskForm,
  deskPage,
  type Filled,
  formOf,
  roomPage,
  section,
} from '../project-page.ts'
import { importForm, importRoutes } from './import.ts'
import { reportParts } from './import-report.ts'

type Settings = {
  app_id: number
  app_name: string
  linked_at: string
  last_synced_at: string | null
  auth: {
    enabled: boolean
    ticket_key?: string
    auth_key_last4?: string
    web_api_key_set: boolean
    urls: Record<string, string>
  }
}
const NOT_LINKED = 4244

const keyInput = (state: FormState): Html =>
  textField(state, {
    name: 'web_api_key',
    label: 'Publisher Web API key',
    required: true,
    autocomplete: 'off',
    hint: '32 characters of 0-9 and A-F, from the external store. It is kept encrypted and never shown again.',
  })

/** The key is typed anew each time: what was refused is not sent back. */
const withoutKey = (state: FormState): FormState => ({
  ...state,
  values: { ...state.values, web_api_key: '' },
})

const signIn = (desk: Desk, filled: Filled, { auth }: Settings): Html => {
  const { base } = desk
  const state = withoutKey(formOf(filled, 'sign-in', {}))
  if (!auth.enabled)
    return section(
      'sign-in',
      'Sign-in of players',
      html`<p>${badge('off')}</p>${formMessage(state, ['web_api_key'])}<form class="form" method="post" action="${base}/external-store/sign-in">${keyInput(state)}${button('Turn sign-in on', { kind: 'ink' })}</form>`,
      'Players of the build on the external store sign in with their session ticket; your servers verify the token they get. No account here is needed.',
    )
  return html`${section(
    'sign-in',
    'Sign-in of players',
    html`<p>${badge('on', 'ok', 'ok')}</p>${facts(Object.entries(auth.urls).map(([name, url]) => [name, copyable(url, `the ${name} address`)] as const))}
<div class="row">${confirmButton({ label: 'Turn off…', sentence: 'All tokens of players are revoked at once, all three keys are deleted, and builds that sign in here cannot any more.', action: `${base}/external-store/sign-in/off`, confirm: 'Turn sign-in off' })}</div>`,
  )}
<section class="part" id="keys"><header><h2>Keys</h2></header>${formMessage(formOf(filled, 'keys', {}), ['web_api_key'])}
${secretField({
  name: 'Auth key',
  about: 'For your servers only: it signs tokens and lets them ask about players.',
  value: filled.shown?.auth_key,
  hint: auth.auth_key_last4,
  reveal: `${base}/external-store/auth-key/reveal`,
  replace: {
    action: `${base}/external-store/auth-key`,
    sentence:
      'The old key stops at once and every session token is revoked: players sign in anew, and your servers need the new key before they can verify anyone.',
  },
})}
${secretField({
  name: 'Ticket key',
  about:
    'The identity your game names when it asks for a ticket. It is in your builds, so it is no secret.',
  value: filled.shown?.ticket_key ?? auth.ticket_key,
  replace: {
    action: `${base}/external-store/ticket-key`,
    sentence:
      'Builds with the old ticket key cannot sign in any more. Players who are signed in stay so for an hour.',
  },
})}
${secretField({
  name: 'Web API key',
  about: 'Ours to ask the external store with. Never shown again.',
  replace: {
    action: `${base}/external-store/web-api-key`,
    sentence:
      'From now on the external store is asked with the new key. The other keys and all tokens keep working.',
    fields: keyInput(withoutKey(formOf(filled, 'keys', {}))),
  },
})}</section>`
}

const linked = ({ base }: Desk, filled: Filled, settings: Settings): Html => html`${section(
  'app',
  settings.app_name,
  html`${facts([
    ['App', html`<span class="mono">${settings.app_id}</span>`],
    ['Linked', dateTimeTag(settings.linked_at)],
    ['Last synced', settings.last_synced_at ? dateTimeTag(settings.last_synced_at) : 'never'],
  ])}
<div class="row">${confirmButton({ label: 'Unlink…', sentence: 'Sign-in goes off and its keys are deleted. What was imported stays. The app can then be linked to another listing.', action: `${base}/external-store/unlink`, confirm: `Unlink ${settings.app_name}` })}</div>`,
)}
${section(
  'resync',
  'Sync again',
  importForm(base, formOf(filled, 'import', {}), {
    linked: true,
    key_saved: settings.auth.web_api_key_set,
  }),
  'What you edited here since the last import stays as it is, unless you say otherwise.',
)}`

export async function showExternalStore(desk: Desk, filled: Filled) {
  const answer = await call<Settings>(desk.request, 'GET', `${desk.api}/steam`)
  if (!answer.ok && answer.code !== NOT_LINKED) throw toRefusal(answer)
  const { report } = filled
  return roomPage(desk, 'external-store', {
    title: 'External store',
    body: html`<h1>External store</h1>${formMessage(formOf(filled, 'app', {}))}${report && reportParts(report)}${
      answer.ok
        ? html`${signIn(desk, filled, answer.data)}${linked(desk, filled, answer.data)}`
        : section(
            'import',
            'Bring your page over',
            importForm(desk.base, formOf(filled, 'import', {}), {
              linked: false,
              key_saved: false,
            }),
            'Texts, tags, pictures, press facts and price from the page you have there. Look at it first; nothing is changed before you say so.',
          )
    }`,
  })
}

const setting = (
  path: string,
  summary: string,
  form: string,
  asked: (
    desk: Desk,
    key: string,
  ) => { method: 'POST' | 'PUT' | 'DELETE' | 'GET'; url: string; body?: unknown },
  done: string,
  reveal?: string,
) =>
  deskForm(`external-store/${path}`, summary, {
    form,
    show: showExternalStore,
    send: (desk, sent) => asked(desk, fieldValue(sent, 'web_api_key').trim()),
    done,
    back: 'external-store',
    ...(reveal ? { reveal: ({ data }) => ({ [reveal]: data[reveal] }) } : {}),
  })

export const externalStoreRoutes = [
  deskPage('external-store', 'The external store and a project', showExternalStore),
  setting(
    'sign-in',
    'Turn sign-in on',
    'sign-in',
    ({ api }, web_api_key) => ({ method: 'POST', url: `${api}/steam/auth`, body: { web_api_key } }),
    'Sign-in is on',
  ),
  setting(
    'sign-in/off',
    'Turn sign-in off',
    'app',
    ({ api }) => ({ method: 'DELETE', url: `${api}/steam/auth` }),
    'Sign-in is off',
  ),
  setting(
    'auth-key/reveal',
    'Show the auth key',
    'keys',
    ({ api }) => ({ method: 'GET', url: `${api}/steam/auth-key` }),
    '',
    'auth_key',
  ),
  setting(
    'auth-key',
    'Replace the auth key',
    'keys',
    ({ api }) => ({ method: 'POST', url: `${api}/steam/auth-key` }),
    '',
    'auth_key',
  ),
  setting(
    'ticket-key',
    'Replace the ticket key',
    'keys',
    ({ api }) => ({ method: 'POST', url: `${api}/steam/ticket-key` }),
    '',
    'ticket_key',
  ),
  setting(
    'web-api-key',
    'Replace the Web API key',
    'keys',
    ({ api }, web_api_key) => ({
      method: 'PUT',
      url: `${api}/steam/web-api-key`,
      body: { web_api_key },
    }),
    'Replaced',
  ),
  setting(
    'unlink',
    'Unlink a project',
    'app',
    ({ api }) => ({ method: 'DELETE', url: `${api}/steam` }),
    'Unlinked',
  ),
  ...importRoutes(showExternalStore),
]

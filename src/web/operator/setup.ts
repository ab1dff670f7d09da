import { hasOperators } from '../../accounts/people/operator-queries.ts'
import { readUser } from '../../accounts/people/queries.ts'
import { needsSecondFactor } from '../../accounts/second-factor/requirement.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { setupRoute } from '../../accounts/setup/routes.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type SettingName, settingsTable } from '../../core/settings/table.ts'
import { t } from '../../core/text/text.ts'
import { changeSettingsRoute, readSettingsRoute } from '../../operator/settings/routes.ts'
import { SECURITY_PAGE } from '../account/security/paths.ts'
import { readRegistration, registrationFields } from '../account/signup.ts'
import { callApi, passCookies, readApi } from '../call.ts'
import {
  button,
  emptyForm,
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
  textField,
} from '../components/form.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { facts } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { consoleOperator, visitor } from '../visitor.ts'
import { mailServerForms, mailServerSection } from './mail-server.ts'
import { readSetting, settingField } from './setting-fields.ts'

const SETUP = '/setup'
const STORE = '/setup/store'
const MAIL = '/setup/mail'
const SECOND_FACTOR = '/setup/second-factor'
const CONSOLE = '/operator'

const renderDone = (context: Context) =>
  narrowPage(context, {
    title: t('setup'),
    body: html`
      <p>${t('setup-done')}</p>
      <p>${richText('setup-done-next', { link: linkTo(CONSOLE) })}</p>
    `,
  })

function setupForm(context: Context, state: FormState): Html {
  const { who, core } = context
  const token = textField(state, {
    name: 'token',
    label: t('setup-token'),
    required: true,
    maxlength: 100,
    autocomplete: 'off',
    hint: t('setup-token-hint'),
  })
  const account = who
    ? html`<p>${t('setup-own-account', { username: who.username })}</p>`
    : registrationFields(core, state)
  const form = {
    action: SETUP,
    names: ['token', 'username', 'email', 'password', 'store_terms_version'],
    submit: button(t('setup-become-operator')),
  }
  return fieldForm(state, form, html`${token}${account}`)
}

const renderSetup = (context: Context, state: FormState) =>
  narrowPage(context, {
    title: t('setup'),
    secret: true,
    scripts: ['copy.mjs'],
    body: html`
      <p>${t('setup-text')}</p>
      ${setupForm(context, state)}
      ${
        !context.who &&
        html`<p class="aside">
          ${richText('setup-have-account', { link: linkTo('/login?next=%2Fsetup') })}
        </p>`
      }
    `,
  })

export const setupPage = getPage(SETUP, 'Make the first operator of the store', {
  auth: visitor,
  handle: async (input) =>
    (await hasOperators(input.core.sql)) ? renderDone(input) : renderSetup(input, emptyForm),
})

export const submitSetup = postForm(SETUP, 'Make the first operator of the store', {
  auth: visitor,
  async handle(input) {
    const { core, request, reply, who, body } = input
    const token = fieldValue(body, 'token').trim().replace(/^.*#/s, '').slice(0, 100)
    const account = who ? {} : readRegistration(body)
    const answer = await callApi(request, setupRoute, { body: { token, ...account } })
    if (answer.ok) {
      passCookies(reply, answer)
      return redirectTo(reply, STORE, t('setup-is-operator', { username: answer.data.username }))
    }
    if (await hasOperators(core.sql)) return renderDone(input)
    reply.code(answer.status)
    return renderSetup(input, rejectedForm(body, answer))
  },
})

/** What a new store asks for, of the settings that exist and that the environment leaves open. */
const wanted = ['store_name', 'tagline', 'contact', 'mail_from', 'registration', 'publishing']
const asked_settings = wanted.filter((name): name is SettingName => name in settingsTable)

/** Where people reach the store. It is read at the start, so no page can change it. */
const storeAddress = ({ core: { addresses, config } }: Context): Html => html`
  ${facts([[t('setup-address'), html`<code>${addresses.web_url}</code>`]])}
  <p class="field hint">
    ${
      config.base_url
        ? richText('setup-address-fixed', { variable: html`<code>BASE_URL</code>` })
        : richText('setup-address-open', {
            variable: html`<code>BASE_URL</code>`,
            example: html`<code>BASE_URL=https://games.example</code>`,
          })
    }
  </p>`

async function renderStore(context: Context, refused?: FormState, refused_mail?: FormState) {
  const { settings, fixed } = await readApi(context.request, readSettingsRoute)
  const state = refused ?? { values: settings }
  const names = asked_settings.filter((name) => !fixed.includes(name))
  const fields = names.map((name) => settingField(state, name, settingsTable[name].schema))
  return narrowPage(context, {
    title: t('setup-store'),
    body: html`
      <p>${t('setup-store-text')}</p>
      <h2>${t('setup-mail')}</h2>
      ${await mailServerSection(context, MAIL, refused_mail)}
      <h2 class="spaced-heading">${t('setup-store-settings')}</h2>
      ${storeAddress(context)}
      ${fieldForm(state, { action: STORE, names, submit: button(t('setup-finish')) }, fields)}
    `,
  })
}

export const setupStorePage = getPage(STORE, 'Name the store and test its mail', {
  auth: consoleOperator,
  handle: (input) => renderStore(input),
})

const readSettings = (body: FormBody) =>
  Object.fromEntries(
    asked_settings
      .filter((name) => body && name in body)
      .map((name) => [name, readSetting(body, name, settingsTable[name].schema)]),
  )

/** The second factor is offered once, before the console. */
async function nextStep({ core, who }: { core: Core; who: Identity }): Promise<string> {
  const { second_factor } = await readUser(core.sql, who.user_uid)
  return second_factor ? CONSOLE : SECOND_FACTOR
}

export const setupSecondFactorPage = getPage(SECOND_FACTOR, 'Protect the account of the operator', {
  auth: consoleOperator,
  async handle(input) {
    if ((await nextStep(input)) === CONSOLE) return input.reply.redirect(CONSOLE, 303)
    const is_required = await needsSecondFactor(input.core, input.who)
    return narrowPage(input, {
      title: t('setup-second-factor'),
      body: html`
        <p>${t('setup-second-factor-text')}</p>
        ${is_required && html`<p>${t('setup-second-factor-required')}</p>`}
        <p><a class="button button-primary" href="${SECURITY_PAGE}">
          ${t('setup-second-factor-add')}
        </a></p>
        ${
          !is_required &&
          html`<p class="aside">
          ${richText('setup-second-factor-later', { link: linkTo(CONSOLE) })}
        </p>`
        }
      `,
    })
  },
})

export const submitSetupStore = postForm(STORE, 'Name the store', {
  auth: consoleOperator,
  async handle(input) {
    const { request, reply, body } = input
    const answer = await callApi(request, changeSettingsRoute, {
      body: readSettings(body) as never,
    })
    if (answer.ok) return redirectTo(reply, await nextStep(input), t('setup-finished'))
    reply.code(answer.status)
    return renderStore(input, rejectedForm(body, answer))
  },
})

const mailForms = mailServerForms(MAIL, {
  page: STORE,
  render: (context, state) => renderStore(context, undefined, state),
})

export const setupRoutes = [
  setupPage,
  submitSetup,
  setupStorePage,
  submitSetupStore,
  setupSecondFactorPage,
  ...mailForms,
]

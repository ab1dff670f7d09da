import { isDeepStrictEqual } from 'node:util'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { type RouteData, route } from '../../core/http/route.ts'
import { brandImageKinds } from '../../core/settings/brand-images.ts'
import { MAIL_SERVER } from '../../core/settings/mail-server.ts'
import {
  type SettingName,
  settingGroups,
  settingNames,
  settingsTable,
  variableOf,
} from '../../core/settings/table.ts'
import { type Text, t } from '../../core/text/text.ts'
import {
  readBrandingRoute,
  removeBrandImageRoute,
  uploadBrandImageRoute,
} from '../../operator/branding/routes.ts'
import { changeSettingsRoute, readSettingsRoute } from '../../operator/settings/routes.ts'
import { brandMark } from '../brand/logo.ts'
import { callApi, readApi, toRefusal } from '../call.ts'
import {
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
} from '../components/form.ts'
import { dateTimeTag, formatNumber } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm, uploadRouteParts } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import {
  BRAND_IMAGES,
  brandImageSection,
  kindParams,
  type RefusedImage,
  readImageFile,
} from './brand-images.ts'
import { consoleSubsection, renderConsole } from './console-page.ts'
import { mailServerForms, mailServerSection } from './mail-server.ts'
import {
  choiceText,
  readSetting,
  sentSettings,
  settingField,
  settingLabel,
} from './setting-fields.ts'

const URL = '/operator/settings'
const MAIL = `${URL}/mail-server`
type Settings = RouteData<typeof readSettingsRoute>
type GroupName = keyof typeof settingGroups

/** The field that carries the values that the form was opened with. */
const OPENED = 'opened'

/** What the API refused: the settings, or an image. */
type Refused = { form?: FormState; image?: RefusedImage; mail?: FormState }

async function renderSettings(context: Context, refused: Refused = {}) {
  const [data, branding] = await Promise.all([
    readApi(context.request, readSettingsRoute),
    readApi(context.request, readBrandingRoute),
  ])
  const state = refused.form ?? { values: sentSettings(data.settings) }
  const opened = refused.form
    ? fieldValue(refused.form.values as FormBody, OPENED)
    : openedValues(data)
  const preview = brandPreview(context)
  return renderConsole(context, URL, {
    scripts: ['unsaved.mjs', 'preview.mjs'],
    body: html`
      <p class="soft">${t('console-settings-text')}</p>
      ${contents}
      ${fieldForm(
        state,
        { action: URL, names: fieldNames, submit: t('console-save'), guarded: true },
        html`
          <input type="hidden" name="${OPENED}" value="${opened}">
          ${groupNames.map((group) => groupFields(state, data, { group, preview }))}`,
      )}
      ${brandImageSection(branding, refused.image)}
      ${consoleSubsection(
        'mail-server',
        t('setup-mail-server'),
        await mailServerSection(context, MAIL, refused.mail),
      )}
      ${changeList(data)}`,
  })
}

/** The parts of the page, which is long. */
const sections: [id: string, title: Text][] = [
  ...(Object.keys(settingGroups) as GroupName[]).map((group): [string, Text] => [
    group,
    t(`setting-group-${group}`),
  ]),
  ['images', t('brand-images')],
  ['mail-server', t('setup-mail-server')],
  ['changes', t('setting-changes')],
]
const contents: Html = html`
  <nav class="page-contents" aria-label="${t('page-contents')}">
    <ul>${sections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
  </nav>`

/** Objects have a field for each part, whose refusals name the part. */
const fieldNames = settingNames.flatMap((name) => {
  const { fallback } = settingsTable[name] as { fallback: unknown }
  const is_object = fallback !== null && typeof fallback === 'object' && !Array.isArray(fallback)
  return is_object ? Object.keys(fallback).map((key) => `${name}.${key}`) : [name]
})
const groupNames = Object.keys(settingGroups) as GroupName[]
const openedValues = ({ settings, fixed }: Settings): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(settings).filter(([name]) => !fixed.includes(name as never))),
  )

type GroupParts = { group: GroupName; preview: Html }

function groupFields(state: FormState, data: Settings, { group, preview }: GroupParts): Html {
  const names = Object.keys(settingGroups[group]) as SettingName[]
  return html`
    <section class="subsection" id="${group}" aria-labelledby="${group}-title">
      <header><h2 id="${group}-title">${t(`setting-group-${group}`)}</h2></header>
      ${group === 'branding' && preview}
      ${group === 'reports' && webhookLink}
      <div class="setting-fields">
        ${names.map((name) =>
          data.fixed.includes(name)
            ? fixedField(name, data.settings[name])
            : settingField(state, name, settingsTable[name].schema),
        )}
      </div>
    </section>`
}

const webhookLink = html`
  <p><a href="/operator/settings/reports-webhook">${t('reports-webhook-link')}</a></p>`

/** The logo, the name and the colors as they are; with script, as they are typed. */
const brandPreview = ({ core: { settings } }: Context): Html => html`
  <figure class="brand-preview">
    <figcaption class="hint">${t('brand-preview')}</figcaption>
    <div>
      <span class="brand">${brandMark(settings.images, settings.current)}</span>
      <span class="button button-primary">${t('brand-preview-button')}</span>
    </div>
  </figure>`

/** A setting of the environment, which cannot be changed here. */
const fixedField = (name: SettingName, value: unknown): Html => html`
  <div class="field" id="f-${name}">
    <span class="field-name">${settingLabel(name)}</span>
    <p class="fixed-value">${choiceText(name, value) ?? valueText(value)}</p>
    <p class="hint">
      ${richText('setting-is-fixed', { variable: html`<code>${variableOf(name)}</code>` })}
    </p>
  </div>`

function valueText(value: unknown): Html | Text {
  if (value === null) return t('setting-is-default')
  if (typeof value === 'boolean') return t(value ? 'setting-is-on' : 'setting-is-off')
  if (typeof value === 'number') return formatNumber(value)
  if (typeof value === 'string') return value || t('setting-is-empty')
  if (isImage(value)) return t('setting-is-image', { hash: value.sha256.slice(0, 12) })
  return html`<code>${JSON.stringify(value)}</code>`
}

const isImage = (value: unknown): value is { sha256: string } =>
  typeof (value as { sha256?: unknown }).sha256 === 'string'

const nameText = (name: string): Text | Html => {
  if (name === MAIL_SERVER) return t('setup-mail-server')
  if (brandImageKinds.some((kind) => kind === name)) return t(`brand-${name}`)
  return name in settingsTable ? settingLabel(name) : html`<code>${name}</code>`
}

function changeValue(name: string, json: string | null): Html | Text {
  if (json !== null && name === MAIL_SERVER) return t('setting-is-set')
  const value = json === null ? null : JSON.parse(json)
  return (name in settingsTable && choiceText(name as SettingName, value)) || valueText(value)
}

function changeList({ changes }: Settings): Html {
  const rows = changes.map(({ name, old_value, new_value, username, changed_at }) => [
    nameText(name),
    changeValue(name, old_value),
    changeValue(name, new_value),
    username ? html`<a href="/${username}">${username}</a>` : t('console-nobody'),
    dateTimeTag(changed_at),
  ])
  const head = ['setting', 'before', 'after', 'person', 'time'].map((column) =>
    t(`setting-change-${column}`),
  )
  return html`
    <section class="subsection" id="changes">
      <header>
        <h2>${t('setting-changes')}</h2>
        ${!rows.length && html`<p class="soft">${t('setting-changes-none')}</p>`}
      </header>
      ${rows.length > 0 && table(t('setting-changes'), head, rows)}
    </section>`
}

export const settingsPage = getPage(URL, 'The settings of the store', {
  auth: consoleOperator,
  handle: (input) => renderSettings(input),
})

/**
 * The settings that a form changes. Those that it leaves as they were when it was opened are left
 * out, so that saving does not undo what another operator saved meanwhile.
 */
function changesOf(body: FormBody): Partial<Record<SettingName, unknown>> {
  const opened = readOpened(fieldValue(body, OPENED))
  return Object.fromEntries(
    settingNames.flatMap((name) => {
      if (!Object.hasOwn(opened, name)) return []
      const { schema, fallback } = settingsTable[name]
      const value = readSetting(body, name, schema)
      return isDeepStrictEqual(value ?? fallback, opened[name]) ? [] : [[name, value]]
    }),
  )
}

function readOpened(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

export const submitSettings = postForm(URL, 'Change the settings of the store', {
  auth: consoleOperator,
  async handle(input) {
    const { request, reply, body } = input
    const answer = await callApi(request, changeSettingsRoute, { body: changesOf(body) as never })
    if (answer.ok) return redirectTo(reply, URL, t('console-saved'))
    reply.code(answer.status)
    return renderSettings(input, { form: rejectedForm(body, answer) })
  },
})

type ImageInput = Context & { who: Identity; params: { kind: string } }

export const submitBrandImage = route({
  ...uploadRouteParts,
  auth: consoleOperator,
  url: `${BRAND_IMAGES}/:kind`,
  summary: 'Upload the logo or the favicon of the store',
  params: kindParams,
  async handle(input: ImageInput) {
    const { request, reply, params } = input
    const payload = await readImageFile(request.raw)
    const answer = await callApi(request, uploadBrandImageRoute, { params, payload })
    if (answer.ok) return redirectTo(reply, `${URL}#images`, t('brand-image-saved'))
    if (answer.status === 404) throw toRefusal(answer)
    reply.code(answer.status)
    const state = rejectedForm(null, answer)
    return renderSettings(input, { image: { kind: params.kind, state } })
  },
} as never)

export const removeBrandImage = postForm(`${BRAND_IMAGES}/:kind/remove`, 'Remove a brand image', {
  auth: consoleOperator,
  params: kindParams,
  async handle({ request, reply, params }) {
    await readApi(request, removeBrandImageRoute, { params })
    return redirectTo(reply, `${URL}#images`, t('brand-image-removed'))
  },
})

const mailForms = mailServerForms(MAIL, {
  page: `${URL}#mail-server`,
  render: (context, mail) => renderSettings(context, { mail }),
})

export const settingPages = [
  settingsPage,
  submitSettings,
  submitBrandImage,
  removeBrandImage,
  ...mailForms,
]

import { isDeepStrictEqual } from 'node:util'
import type { RouteData } from '../../core/http/route.ts'
import {
  type SettingName,
  settingGroups,
  settingNames,
  settingsTable,
  variableOf,
} from '../../core/settings/table.ts'
import { type Text, t } from '../../core/text/text.ts'
import { changeSettingsRoute, readSettingsRoute } from '../../operator/settings/routes.ts'
import { callApi, readApi } from '../call.ts'
import {
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
} from '../components/form.ts'
import { dateTimeTag, formatNumber } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import { icon } from '../components/icons.ts'
import type { Context } from '../components/layout.ts'
import { table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import { renderConsole } from './console-page.ts'
import { readSetting, sentSettings, settingField, settingLabel } from './setting-fields.ts'

const URL = '/operator/settings'
type Settings = RouteData<typeof readSettingsRoute>
type GroupName = keyof typeof settingGroups

/** The field that carries the values that the form was opened with. */
const OPENED = 'opened'

async function renderSettings(context: Context, refused?: FormState) {
  const data = await readApi(context.request, readSettingsRoute)
  const state = refused ?? { values: sentSettings(data.settings) }
  const opened = refused ? fieldValue(refused.values as FormBody, OPENED) : openedValues(data)
  return renderConsole(context, URL, {
    scripts: ['unsaved.mjs', 'preview.mjs'],
    body: html`
      <p class="soft">${t('console-settings-text')}</p>
      ${fieldForm(
        state,
        { action: URL, names: fieldNames, submit: t('console-save'), guarded: true },
        html`
          <input type="hidden" name="${OPENED}" value="${opened}">
          ${groupNames.map((group) => groupFields(state, group, data))}`,
      )}
      ${changeList(data)}`,
  })
}

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

function groupFields(state: FormState, group: GroupName, data: Settings): Html {
  const names = Object.keys(settingGroups[group]) as SettingName[]
  return html`
    <section class="subsection" id="${group}" aria-labelledby="${group}-title">
      <header><h2 id="${group}-title">${t(`setting-group-${group}`)}</h2></header>
      ${group === 'branding' && brandPreview(data)}
      <div class="setting-fields">
        ${names.map((name) =>
          data.fixed.includes(name)
            ? fixedField(name, data.settings[name])
            : settingField(state, name, settingsTable[name].schema),
        )}
      </div>
    </section>`
}

/** The name and the colors as they are; with script, as they are typed. */
const brandPreview = ({ settings }: Settings): Html => html`
  <figure class="brand-preview">
    <figcaption class="hint">${t('brand-preview')}</figcaption>
    <div>
      <span class="brand">${icon('mark')}<span>${settings.store_name}</span></span>
      <span class="button button-primary">${t('brand-preview-button')}</span>
    </div>
  </figure>`

/** A setting of the environment, which cannot be changed here. */
const fixedField = (name: SettingName, value: unknown): Html => html`
  <div class="field" id="f-${name}">
    <span class="field-name">${settingLabel(name)}</span>
    <p class="fixed-value">${valueText(value)}</p>
    <p class="hint">
      ${richText('setting-is-fixed', { variable: html`<code>${variableOf(name)}</code>` })}
    </p>
  </div>`

function valueText(value: unknown): Html | Text {
  if (value === null) return t('setting-is-default')
  if (typeof value === 'boolean') return t(value ? 'setting-is-on' : 'setting-is-off')
  if (typeof value === 'number') return formatNumber(value)
  if (typeof value === 'string') return value || t('setting-is-empty')
  return html`<code>${JSON.stringify(value)}</code>`
}

const changeValue = (json: string | null) => valueText(json === null ? null : JSON.parse(json))

function changeList({ changes }: Settings): Html {
  const rows = changes.map(({ name, old_value, new_value, username, changed_at }) => [
    name in settingsTable ? settingLabel(name) : html`<code>${name}</code>`,
    changeValue(old_value),
    changeValue(new_value),
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
    return renderSettings(input, rejectedForm(body, answer))
  },
})

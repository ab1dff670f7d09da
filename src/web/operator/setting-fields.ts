import type { TSchema } from 'typebox'
import { type SettingName, settingsTable } from '../../core/settings/table.ts'
import { DEFAULT_LANGUAGE } from '../../core/text/languages.ts'
import { hasMessage } from '../../core/text/messages.ts'
import { type Text, t } from '../../core/text/text.ts'
import {
  checkField,
  choiceField,
  type FormBody,
  type FormState,
  fieldValue,
  fieldValues,
  groupField,
  isChecked,
  type Option,
  optionTags,
  selectField,
  textField,
} from '../components/form.ts'
import { type Html, html } from '../components/html.ts'

/**
 * The fields of settings, made from their schemas. The messages `setting-` with the name of a
 * setting are its label, with `-hint` its hint, and with a value the label of that value.
 */
type Schema = TSchema & {
  type?: string
  enum?: readonly string[]
  items?: Schema
  properties?: Record<string, Schema>
  maxItems?: number
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}

type Kind = {
  field: (state: FormState, name: string, schema: Schema) => Html
  /** The value that a form sends; null for the default. */
  read: (body: FormBody, name: string, schema: Schema) => unknown
}

const idOf = (...names: string[]) => ['setting', ...names].join('-').replaceAll(/[_.]/g, '-')
export const settingLabel = (name: string): Text => t(idOf(name))
const hintOf = (name: string): Text | undefined => {
  const id = idOf(name, 'hint')
  return hasMessage(DEFAULT_LANGUAGE, id) ? t(id) : undefined
}
/** The label, the hint and that a browser need not insist on a value. */
const partsOf = (name: string) => ({
  name,
  label: settingLabel(name),
  hint: hintOf(name) ?? '',
  required: true,
  enforced: false,
})
/** The fields of an object have the name of the setting before theirs. */
const pathOf = (...names: (string | number)[]) => names.join('.')
const optionsOf = (name: string, values: readonly string[] = []): Option[] =>
  values.map((value) => ({ value, label: t(idOf(name, value)) }))

/** The label of a value, for a setting that is chosen from a list. */
export function choiceText(name: SettingName, value: unknown): Text | undefined {
  const { enum: values } = settingsTable[name].schema as Schema
  return optionsOf(name, values).find((option) => option.value === value)?.label
}

const textKind: Kind = {
  field: (state, name, { maxLength }) =>
    textField(state, {
      ...partsOf(name),
      ...(maxLength && { maxlength: maxLength }),
      ...(name.endsWith('_on') && { type: 'date' }),
    }),
  read: (body, name) => fieldValue(body, name).trim() || null,
}

const numberKind: Kind = {
  field: (state, name, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }) =>
    textField(state, { ...partsOf(name), type: 'number', min: minimum, max: maximum }),
  read(body, name) {
    const text = fieldValue(body, name).trim()
    if (!text) return null
    return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  },
}

const switchKind: Kind = {
  field(state, name) {
    // Required, a browser would not send the form while the switch is off.
    const { label, hint } = partsOf(name)
    return checkField(state, { name, label, hint })
  },
  read: isChecked,
}

const choiceKind: Kind = {
  field: (state, name, schema) =>
    selectField(state, { ...partsOf(name), options: optionsOf(name, schema.enum) }),
  read: (body, name) => fieldValue(body, name) || null,
}

const listKind: Kind = {
  field: (state, name, { items }) =>
    choiceField(state, {
      ...partsOf(name),
      type: 'checkbox',
      options: optionsOf(name, items?.enum),
    }),
  read: fieldValues,
}

/** Values in an order: a list to choose from for each place. */
const orderedKind: Kind = {
  field(state, name, { items }) {
    const chosen = [state.values[name] ?? []].flat().map(String)
    const options = [{ value: '', label: t('setting-no-value') }, ...optionsOf(name, items?.enum)]
    const select = (_: unknown, i: number) => html`
      <select
        name="${name}"
        aria-label="${t('setting-row', { field: settingLabel(name), row: i + 1 })}"
      >
        ${optionTags(options, chosen[i] ?? '')}
      </select>`
    const selects = html`<div class="setting-row">${(items?.enum ?? []).map(select)}</div>`
    return groupField(state, { ...partsOf(name), needed_to_publish: false }, selects)
  },
  read: fieldValues,
}

const textsOf = (body: FormBody, path: string, { properties = {} }: Schema) =>
  Object.fromEntries(
    Object.keys(properties).map((key) => [key, fieldValue(body, pathOf(path, key)).trim()]),
  )
const isEmpty = (texts: Record<string, string>) => Object.values(texts).every((text) => !text)

/** An object of texts: a field for each. */
const objectKind: Kind = {
  field(state, name, { properties = {} }) {
    const fields = Object.entries(properties).map(([key, schema]) =>
      textKind.field(state, pathOf(name, key), schema),
    )
    return html`
      <fieldset class="setting-group">
        <legend>${settingLabel(name)}</legend>
        <p class="hint">${hintOf(name)}</p>
        ${fields}
      </fieldset>`
  },
  read(body, name, schema) {
    const texts = textsOf(body, name, schema)
    return isEmpty(texts) ? null : texts
  },
}

/** How many empty rows follow those that are filled in. */
const EMPTY_ROWS = 2

/** A list of objects of texts: a row for each, and some empty ones. */
const rowsKind: Kind = {
  field(state, name, { items = {}, maxItems = 0 }) {
    const filled = Object.keys(state.values).filter((path) => path.startsWith(`${name}.`))
    const used = Math.max(-1, ...filled.map((path) => Number(path.split('.')[1])))
    const count = Math.min(maxItems, used + 1 + EMPTY_ROWS)
    const row = (_: unknown, i: number) => html`
      <div class="setting-row">
        ${Object.entries(items.properties ?? {}).map(([key, { maxLength }]) => {
          const path = pathOf(name, i, key)
          const label = t('setting-row', { field: settingLabel(pathOf(name, key)), row: i + 1 })
          return html`<input name="${path}" value="${String(state.values[path] ?? '')}"
            maxlength="${maxLength}" aria-label="${label}"
            placeholder="${settingLabel(pathOf(name, key))}">`
        })}
      </div>`
    const rows = html`${Array.from({ length: count }, row)}`
    return groupField(state, { ...partsOf(name), needed_to_publish: false }, rows)
  },
  read(body, name, { items = {}, maxItems = 0 }) {
    const rows = Array.from({ length: maxItems }, (_, i) => textsOf(body, pathOf(name, i), items))
    return rows.filter((texts) => !isEmpty(texts))
  },
}

/** Lists whose order matters. */
const orderedSettings = ['shelves']

function kindOf(name: string, schema: Schema): Kind {
  if (orderedSettings.includes(name)) return orderedKind
  if (schema.enum) return choiceKind
  if (schema.type === 'boolean') return switchKind
  if (schema.type === 'integer') return numberKind
  if (schema.type === 'array' && schema.items?.enum) return listKind
  if (schema.type === 'array') return rowsKind
  if (schema.type === 'object') return objectKind
  return textKind
}

/** Settings as a form sends them: the parts of lists and objects are fields of their own. */
export function sentSettings(settings: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const add = (path: string, value: unknown) => {
    const is_list_of_values = Array.isArray(value) && typeof value[0] !== 'object'
    if (value === null || typeof value !== 'object' || is_list_of_values) values[path] = value
    else for (const [key, part] of Object.entries(value)) add(pathOf(path, key), part)
  }
  for (const [name, value] of Object.entries(settings)) add(name, value)
  return values
}

export const settingField = (state: FormState, name: string, schema: TSchema): Html =>
  kindOf(name, schema as Schema).field(state, name, schema as Schema)

export const readSetting = (body: FormBody, name: string, schema: TSchema): unknown =>
  kindOf(name, schema as Schema).read(body, name, schema as Schema)

import type { TSchema } from 'typebox'
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
  isChecked,
  type Option,
  selectField,
  textField,
} from '../components/form.ts'
import type { Html } from '../components/html.ts'

/**
 * The fields of settings, made from their schemas. The messages `setting-` with the name of a
 * setting are its label, with `-hint` its hint, and with a value the label of that value.
 */
type Schema = TSchema & {
  type?: string
  enum?: readonly string[]
  items?: Schema
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

const idOf = (...names: string[]) => ['setting', ...names].join('-').replaceAll('_', '-')
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
const optionsOf = (name: string, values: readonly string[] = []): Option[] =>
  values.map((value) => ({ value, label: t(idOf(name, value)) }))

const textKind: Kind = {
  field: (state, name, { maxLength }) =>
    textField(state, { ...partsOf(name), ...(maxLength && { maxlength: maxLength }) }),
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
  field: (state, name) => checkField(state, partsOf(name)),
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

function kindOf(schema: Schema): Kind {
  if (schema.enum) return choiceKind
  if (schema.type === 'boolean') return switchKind
  if (schema.type === 'integer') return numberKind
  if (schema.type === 'array' && schema.items?.enum) return listKind
  return textKind
}

export const settingField = (state: FormState, name: string, schema: TSchema): Html =>
  kindOf(schema as Schema).field(state, name, schema as Schema)

export const readSetting = (body: FormBody, name: string, schema: TSchema): unknown =>
  kindOf(schema as Schema).read(body, name, schema as Schema)

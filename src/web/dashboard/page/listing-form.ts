import { tableText } from '../../../core/text/table-text.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { type FieldName, type FieldValues, fieldOf } from '../../../listings/fields/fields.ts'
import type { FieldDefinition } from '../../../listings/fields/kinds.ts'
import type { SystemRequirements } from '../../../listings/fields/requirements.ts'
import type { Translations } from '../../../listings/fields/translations.ts'
import {
  checkField,
  choiceField,
  type FormBody,
  type FormState,
  fieldForm,
  fieldLines,
  fieldValue,
  fieldValues,
  groupField,
  isChecked,
  type Option,
  selectField,
  textArea,
  textField,
} from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import { asSentRows, codeRows, readCodeRows } from './code-rows.ts'
import { asSentRequirements, readRequirementRows, requirementRows } from './requirement-rows.ts'
import { asSentTranslations, readTranslationRows, translationRows } from './translation-rows.ts'

/** What a form changes of the control that a field has by its definition. */
type ControlParts = {
  hint?: Text
  /** Shown below the control. */
  note?: Html
  required?: boolean
  needed_to_publish?: boolean
  /** The values that can be chosen; by default all of the field. */
  values?: readonly string[]
}

type ListingFormParts = {
  action: string
  fields: readonly FieldName[]
  submit: Html | Text
  controls?: Partial<Record<FieldName, ControlParts>>
}

/** A form with a control for each of these fields of a listing. */
export function listingForm(state: FormState, parts: ListingFormParts): Html {
  const { action, fields, submit, controls } = parts
  return fieldForm(
    state,
    { action, names: fields, submit },
    listingControls(state, fields, controls),
  )
}

/** A control for each of these fields of a listing. */
export const listingControls = (
  state: FormState,
  fields: readonly FieldName[],
  controls: ListingFormParts['controls'] = {},
): Html[] =>
  rowsOf(fields).map((names) => {
    const inputs = names.map(
      (name) => html`${controlOf(state, name, controls[name])}${controls[name]?.note}`,
    )
    return names.length > 1 ? html`<div class="pair">${inputs}</div>` : html`${inputs}`
  })

/** Fields of half width share a row, two by two. */
function rowsOf(names: readonly FieldName[]): FieldName[][] {
  const rows: FieldName[][] = []
  for (const name of names) {
    const last = rows.at(-1)
    if (last?.length === 1 && fieldOf(last[0]!).half_width && fieldOf(name).half_width)
      last.push(name)
    else rows.push([name])
  }
  return rows
}

const NOT_SPECIFIED: Option = { value: '', label: t('not-specified') }

/** The values of a field with a fixed list, as the options of a control. */
export function fieldOptions(name: FieldName): Option[] {
  const field = fieldOf(name)
  if (!('values' in field)) return []
  const help: Readonly<Record<string, string>> = ('value_help' in field && field.value_help) || {}
  return Object.entries(field.values).map(([value, label]) => ({
    value,
    label: tableText('value', value, label),
    ...(help[value] && { hint: tableText('hint', value, help[value]) }),
  }))
}

/** The label of a control names the bounds of lists. */
function controlLabel(name: FieldName, field: FieldDefinition): Text {
  const label = tableText('field', name, field.label)
  switch (field.kind) {
    case 'choices':
      return field.max ? t('label-up-to', { label, max: field.max }) : label
    case 'tags':
      return t('label-range', { label, min: field.min, max: field.max })
    case 'slugs':
    case 'flagged_codes':
    case 'translations':
      return t('label-up-to', { label, max: field.max })
    default:
      return label
  }
}

function controlOf(state: FormState, name: FieldName, parts: ControlParts = {}): Html {
  const field = fieldOf(name)
  const help = field.help && tableText('hint', name, field.help)
  const { hint = help, required = isRequired(field), needed_to_publish = false } = parts
  const control = { name, label: controlLabel(name, field), hint, required, needed_to_publish }
  switch (field.kind) {
    case 'choice': {
      const options = fieldOptions(name).filter(
        ({ value }) => parts.values?.includes(value) ?? true,
      )
      return selectField(state, {
        ...control,
        options: field.required ? options : [NOT_SPECIFIED, ...options],
      })
    }
    case 'choices':
      return choiceField(state, { ...control, options: fieldOptions(name), type: 'checkbox' })
    case 'tags':
      return textArea(state, { ...control, rows: 6 })
    case 'slugs':
      return textArea(state, { ...control, rows: 2 })
    case 'flagged_codes':
      return groupField(state, control, codeRows(state, name, field))
    case 'requirements':
      return groupField(state, control, requirementRows(state, name, field.max_length))
    case 'number':
      return textField(state, { ...control, type: 'number', min: field.min, max: field.max })
    case 'text':
    case 'slug':
      return textField(state, { ...control, maxlength: field.max_length })
    case 'url':
      return textField(state, { ...control, type: 'url', maxlength: field.max_length })
    case 'markdown':
      // No maximum length: a browser would cut off a longer text when it is pasted.
      return textArea(state, { ...control, rows: 12 })
    case 'flag':
      return checkField(state, control)
    case 'translations':
      return groupField(state, control, translationRows(state, name, field.max))
  }
}

const isRequired = (field: FieldDefinition) =>
  field.kind === 'slug' || ('required' in field && field.required === true)

/** The values of these fields in a sent form, for the API to check. */
export const readListingForm = <Name extends FieldName>(sent: FormBody, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, readControl(sent, name)])) as Pick<
    FieldValues,
    Name
  >

function readControl(sent: FormBody, name: FieldName): unknown {
  const field = fieldOf(name)
  switch (field.kind) {
    case 'choice':
      return field.required ? fieldValue(sent, name) : fieldValue(sent, name) || null
    case 'choices':
      return fieldValues(sent, name)
    case 'tags':
      return fieldLines(sent, name)
        .flatMap((line) => line.split(','))
        .map((tag) => tag.trim())
        .filter(Boolean)
    case 'slugs':
      return fieldLines(sent, name)
    case 'flagged_codes':
      return readCodeRows(sent, name, field)
    case 'requirements':
      return readRequirementRows(sent, name)
    case 'number': {
      const text = fieldValue(sent, name).trim()
      // The API refuses text that is not a number; null would clear the field.
      return text === '' ? null : Number.isNaN(Number(text)) ? text : Number(text)
    }
    case 'slug':
      return fieldValue(sent, name).trim()
    case 'text':
    case 'url':
    case 'markdown':
      return fieldValue(sent, name)
    case 'flag':
      return isChecked(sent, name)
    case 'translations':
      return readTranslationRows(sent, name)
  }
}

/** What a browser sends for the saved values of these fields. */
export const asSentValues = (
  saved: Partial<Record<FieldName, unknown>>,
  names: readonly FieldName[],
): NonNullable<FormBody> =>
  Object.assign({}, ...names.map((name) => asSentValue(name, saved[name])))

function asSentValue(name: FieldName, value: unknown): NonNullable<FormBody> {
  const field = fieldOf(name)
  switch (field.kind) {
    case 'choices':
      return { [name]: value as string[] }
    case 'tags':
    case 'slugs':
      return { [name]: (value as string[]).join('\n') }
    case 'flagged_codes':
      return asSentRows(value as Record<string, unknown>[], name, field)
    case 'requirements':
      return asSentRequirements(value as SystemRequirements[], name)
    case 'flag':
      return value ? { [name]: 'yes' } : {}
    case 'translations':
      return asSentTranslations(value as Translations, name)
    default:
      return { [name]: String(value ?? '').replaceAll(/\r\n?/g, '\n') }
  }
}

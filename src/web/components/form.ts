import type { Language } from '../../core/text/languages.ts'
import { type Text, t } from '../../core/text/text.ts'
import type { ApiRefusal, Problem } from '../call.ts'
import { Html, html } from './html.ts'

/** The fields of a submitted form: a list where a name repeats, null where it has no fields. */
export type FormBody = Record<string, string | string[]> | null

/** The values of a form, and why it was rejected the last time it was submitted. */
export type FormState = { values: Record<string, unknown>; refused?: ApiRefusal }

export const emptyForm: FormState = { values: {} }
export const rejectedForm = (body: FormBody, refused: ApiRefusal): FormState => ({
  values: body ?? {},
  refused,
})

export const fieldValue = (body: FormBody, name: string) => [body?.[name] ?? ''].flat()[0] ?? ''
export const fieldValues = (body: FormBody, name: string) =>
  [body?.[name] ?? []].flat().filter((value) => value !== '')
/** A value of a fixed list. The API rejects one that is not on it. */
export const fieldChoice = <T extends string>(body: FormBody, name: string) =>
  fieldValue(body, name) as T
export const isChecked = (body: FormBody, name: string) => fieldValue(body, name) !== ''
/** The entries of a list that is typed one per line. */
export const fieldLines = (body: FormBody, name: string) =>
  fieldValue(body, name)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

type Field = {
  name: string
  label: Text
  hint?: Html | Text
  required?: boolean
  /** Can be left empty, but not in a listing that is to be published. */
  needed_to_publish?: boolean
  maxlength?: number
  placeholder?: Text
  autocomplete?: string
}

const textValue = ({ values }: FormState, name: string) => {
  const value = values[name] ?? ''
  return Array.isArray(value) ? value.join('\n') : String(value)
}
const textValues = ({ values }: FormState, name: string) => [values[name] ?? []].flat().map(String)

const problemsOf = (refused: ApiRefusal | undefined): Problem[] =>
  refused ? [refused, ...(refused.more ?? [])] : []

/** Refusals of `tags[2]` and `press.links[0].url` belong to the fields `tags` and `press`. */
const isAbout = ({ field }: Problem, name: string) =>
  field === name || field?.startsWith(`${name}[`) || field?.startsWith(`${name}.`)

/** What is wrong with a field. */
const problemAt = ({ refused }: FormState, name: string): Problem | undefined =>
  problemsOf(refused).find((problem) => isAbout(problem, name))

const fieldId = (name: string) => `f-${name.replace(/[^\w-]/g, '-')}`

/** `enforced` is whether the browser insists on a value, where that differs from `required`. */
type WrappedField = Field & { enforced?: boolean | undefined }

/** Beside the label of a field that can be left empty. */
const necessity = ({ needed_to_publish }: Pick<Field, 'needed_to_publish'>): Html =>
  html` <span class="optional">${t(needed_to_publish ? 'needed-to-publish' : 'optional')}</span>`

/** Label, control, hint and error of a field, linked so that screen readers announce them all. */
function fieldWrapper(
  state: FormState,
  field: WrappedField,
  control: (attributes: Html) => Html,
): Html {
  const { name, label, hint, required, enforced = required } = field
  const id = fieldId(name)
  const refused = problemAt(state, name)
  const described_by = [hint ? `${id}-hint` : '', refused ? `${id}-error` : '']
    .filter(Boolean)
    .join(' ')
  const attributes = [
    html` id="${id}" name="${name}"`,
    described_by && html` aria-describedby="${described_by}"`,
    refused && html` aria-invalid="true"`,
    enforced && html` required`,
  ]
  return html`
    <div class="field${refused && ' field-invalid'}">
      <label for="${id}">${label}${required ? '' : necessity(field)}</label>
      ${control(html`${attributes}`)}
      ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
      ${refused && html`<p class="error-text" id="${id}-error">${refused.message}</p>`}
    </div>
  `
}

type TextField = Field & { type?: string; inputmode?: string; min?: number; max?: number }

export function textField(state: FormState, field: TextField): Html {
  const { type = 'text', maxlength, placeholder, autocomplete, inputmode, min, max } = field
  // A password is typed again, never sent back.
  const value = type === 'password' ? '' : textValue(state, field.name)
  const more = [
    maxlength && html` maxlength="${maxlength}"`,
    placeholder && html` placeholder="${placeholder}"`,
    autocomplete && html` autocomplete="${autocomplete}"`,
    inputmode && html` inputmode="${inputmode}"`,
    min !== undefined && html` min="${min}"`,
    max !== undefined && html` max="${max}"`,
  ]
  return fieldWrapper(
    state,
    field,
    (attributes) => html`<input type="${type}"${attributes} value="${value}"${more}>`,
  )
}

export function textArea(state: FormState, field: WrappedField & { rows?: number }): Html {
  const { maxlength, placeholder, rows = 6 } = field
  const more = [
    maxlength && html` maxlength="${maxlength}"`,
    placeholder && html` placeholder="${placeholder}"`,
  ]
  // Browsers drop the first line break after the tag; without it they would drop one of the text.
  return fieldWrapper(
    state,
    field,
    (attributes) => html`<textarea${attributes} rows="${rows}"${more}>
${textValue(state, field.name)}</textarea>`,
  )
}

export type Option = { value: string; label: Text; hint?: Text }

/** The options of a select element. */
export const optionTags = (options: readonly Option[], chosen: unknown): Html[] =>
  options.map(
    ({ value, label }) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`,
  )

export function selectField(state: FormState, field: Field & { options: readonly Option[] }): Html {
  const chosen = textValue(state, field.name)
  // A browser does not submit a required select whose empty value is chosen. Where the empty value
  // is one of the options, the browser must not insist on another.
  const enforced = field.required && !field.options.some(({ value }) => value === '')
  return fieldWrapper(
    state,
    { ...field, enforced },
    (attributes) => html`<select${attributes}>${optionTags(field.options, chosen)}</select>`,
  )
}

type ChoiceField = Omit<Field, 'required'> & {
  options: readonly Option[]
  type: 'checkbox' | 'radio'
}

/** Several values of a list as checkboxes, or one of them as radio buttons. */
export function choiceField(state: FormState, field: ChoiceField): Html {
  const { name, label, hint, options, type, needed_to_publish = false } = field
  const id = fieldId(name)
  const chosen = textValues(state, name)
  const option = ({ value, label, hint }: Option, i: number) => {
    const checked = chosen.includes(value) && html` checked`
    return html`
      <label class="choice">
        <input type="${type}" id="${id}-${i}" name="${name}" value="${value}"${checked}>
        <span>${label}${hint && html` <small>${hint}</small>`}</span>
      </label>
    `
  }
  const choices = html`<div class="choices">${options.map(option)}</div>`
  return groupField(state, { name, label, hint: hint ?? '', needed_to_publish }, choices)
}

type GroupField = Pick<Field, 'name' | 'label' | 'hint' | 'needed_to_publish'>

/** Several controls under one legend, with the hint and the error of the group. */
export function groupField(state: FormState, field: GroupField, controls: Html): Html {
  const { name, label, hint } = field
  const id = fieldId(name)
  const refused = problemAt(state, name)
  const described_by = (hint || refused) && html` aria-describedby="${id}-help"`
  return html`
    <fieldset class="field${refused && ' field-invalid'}" id="${id}"${described_by}>
      <legend>${label}${field.needed_to_publish && necessity(field)}</legend>
      <div id="${id}-help">
        ${hint && html`<p class="hint">${hint}</p>`}
        ${refused && html`<p class="error-text">${refused.message}</p>`}
      </div>
      ${controls}
    </fieldset>
  `
}

type CheckField = Pick<Field, 'name' | 'hint'> & {
  label: Html | Text
  /** What the form sends for it. */
  value?: string | number
  required?: boolean
}

/** A single checkbox. */
export function checkField(
  state: FormState,
  { name, label, hint, value = 'yes', required = false }: CheckField,
): Html {
  const id = fieldId(name)
  const refused = problemAt(state, name)
  const checked = !['', 'false'].includes(textValue(state, name)) && html` checked`
  return html`
    <div class="field${refused && ' field-invalid'}">
      <label class="choice">
        <input type="checkbox" id="${id}" name="${name}" value="${value}"${checked}
          ${required && html`required`}>
        <span>${label}</span>
      </label>
      ${hint && html`<p class="hint">${hint}</p>`}
      ${refused && html`<p class="error-text">${refused.message}</p>`}
    </div>
  `
}

/**
 * The errors above a form, each linked to its field if that is one of `names`, with the label that
 * the field has in `fields`.
 */
export function formMessage(
  { refused }: FormState,
  names: readonly string[] = [],
  fields?: Html,
): Html | string {
  const messages = problemsOf(refused).map((problem) => {
    const name = names.find((name) => isAbout(problem, name))
    if (!name) return problem.message
    const label = new Html([(language) => labelIn(fields, fieldId(name), language)])
    return html`<a href="#${fieldId(name)}">${label}${problem.message}</a>`
  })
  if (!messages.length) return ''
  if (messages.length === 1) return html`<p class="notice notice-bad" role="alert">${messages}</p>`
  return html`
    <div class="notice notice-bad" role="alert">
      <div>
        <p>${t('form-problems')}</p>
        <ul>${messages.map((message) => html`<li>${message}</li>`)}</ul>
      </div>
    </div>
  `
}

/** The label of a field in the markup of a form. */
function labelIn(fields: Html | undefined, id: string, language: Language): string {
  const markup = fields?.write(language)
  const label =
    markup?.match(new RegExp(`<label for="${id}">([^<]+)`)) ??
    markup?.match(new RegExp(`id="${id}"[^>]*>\\s*<legend>([^<]+)`))
  return label?.[1] ? `${label[1].trim()}: ` : ''
}

export const button = (label: Text, { kind = 'primary', name = '', value = '' } = {}): Html => {
  const attributes = name && html` name="${name}" value="${value}"`
  return html`<button class="button button-${kind}"${attributes}>${label}</button>`
}

type FormParts = {
  action: string
  /** The names of its fields, so that its error links to the one it is about. */
  names?: readonly string[]
  /** The label of its button, or the buttons themselves. */
  submit: Html | Text
  layout?: 'line-form' | 'rows'
  /** Marks unsaved fields and warns before they are lost; the page needs unsaved.mjs. */
  guarded?: boolean
}

/** A form with its error above the fields and its button below them. */
export function fieldForm(
  state: FormState,
  { action, names = [], submit, layout, guarded = false }: FormParts,
  fields: Html | Html[],
): Html {
  const layout_class = layout && ` ${layout}`
  const guard = guarded && html` data-guard="${state.refused ? 'refused' : 'saved'}"`
  const controls = html`${fields}`
  const buttons = submit instanceof Html ? submit : button(submit, { kind: 'ink' })
  return html`
    ${formMessage(state, names, controls)}
    <form class="form${layout_class}" method="post" action="${action}"${guard}>
      ${controls}
      ${guarded ? saveBar(buttons) : buttons}
    </form>`
}

/**
 * The buttons of a long form, which stay in view, and how much of it is not saved; unsaved.mjs
 * writes the number for the sign.
 */
const saveBar = (buttons: Html): Html => html`
  <div class="save-bar">
    ${buttons}
    <p
      class="save-state"
      role="status"
      data-mark="${t('unsaved-mark')}"
      data-one="${t('unsaved-changes', { count: 1 })}"
      data-other="${t('unsaved-changes', { count: '#' })}"
    ></p>
  </div>
`

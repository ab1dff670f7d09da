import type { ApiRefusal } from '../call.ts'
import { type Html, html } from './html.ts'

/** A form as it was sent: names to values, a list where a name repeats; nothing where it had no fields. */
export type FormBody = Record<string, string | string[]> | null

/** What a form shows: what is in it, and what was wrong with it the last time. */
export type FormState = { values: Record<string, unknown>; refused?: ApiRefusal }

export const emptyForm: FormState = { values: {} }
export const rejectedForm = (sent: FormBody, refused: ApiRefusal): FormState => ({
  values: sent ?? {},
  refused,
})

export const fieldValue = (sent: FormBody, name: string) => [sent?.[name] ?? ''].flat()[0] ?? ''
export const fieldValues = (sent: FormBody, name: string) =>
  [sent?.[name] ?? []].flat().filter((value) => value !== '')
/** One of a fixed list, as it was sent: the API refuses a value that is not on its list. */
export const fieldChoice = <T extends string>(sent: FormBody, name: string) =>
  fieldValue(sent, name) as T
export const isChecked = (sent: FormBody, name: string) => fieldValue(sent, name) !== ''
/** One entry a line, as lists are typed. */
export const fieldLines = (sent: FormBody, name: string) =>
  fieldValue(sent, name)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

type Field = {
  name: string
  label: string
  hint?: Html | string
  required?: boolean
  maxlength?: number
  placeholder?: string
  autocomplete?: string
}

const textIn = ({ values }: FormState, name: string) => {
  const value = values[name]
  return value === null || value === undefined
    ? ''
    : Array.isArray(value)
      ? value.join('\n')
      : String(value)
}
const textsIn = ({ values }: FormState, name: string) => [values[name] ?? []].flat().map(String)

/** `tags[2]` and `press.links[0].url` are said at the field they belong to. */
const isAt = (refused: ApiRefusal | undefined, name: string) => {
  const field = refused?.field
  return (
    field === name ||
    (field?.startsWith(`${name}[`) ?? false) ||
    (field?.startsWith(`${name}.`) ?? false)
  )
}

const idOf = (name: string) => `f-${name.replace(/[^\w-]/g, '-')}`

/** A field that always has a value is not optional, and yet nothing for the browser to insist on. */
type Wrapped = Field & { enforced?: boolean | undefined }

/** Label, control, hint, and what is wrong: a screen reader hears all of it at the control. */
function wrap(
  state: FormState,
  { name, label, hint, required, enforced = required }: Wrapped,
  control: (attributes: Html) => Html,
): Html {
  const id = idOf(name)
  const wrong = isAt(state.refused, name)
  const told = [hint ? `${id}-hint` : '', wrong ? `${id}-error` : ''].filter(Boolean).join(' ')
  const attributes = html` id="${id}" name="${name}"${told && html` aria-describedby="${told}"`}${wrong && html` aria-invalid="true"`}${enforced && html` required`}`
  return html`<div class="field${wrong && ' field-wrong'}">
  <label for="${id}">${label}${!required && html` <span class="optional">optional</span>`}</label>
  ${control(attributes)}
  ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  ${wrong && html`<p class="wrong" id="${id}-error">${state.refused!.message}</p>`}
</div>`
}

export function textField(
  state: FormState,
  field: Field & { type?: string; inputmode?: string; min?: number; max?: number },
): Html {
  const { type = 'text', maxlength, placeholder, autocomplete, inputmode, min, max } = field
  // A password is typed again, never sent back.
  const value = type === 'password' ? '' : textIn(state, field.name)
  return wrap(
    state,
    field,
    (attributes) =>
      html`<input type="${type}"${attributes} value="${value}"${maxlength && html` maxlength="${maxlength}"`}${placeholder && html` placeholder="${placeholder}"`}${autocomplete && html` autocomplete="${autocomplete}"`}${inputmode && html` inputmode="${inputmode}"`}${min !== undefined && html` min="${min}"`}${max !== undefined && html` max="${max}"`}>`,
  )
}

export function textArea(state: FormState, field: Field & { rows?: number }): Html {
  const { maxlength, placeholder, rows = 6 } = field
  return wrap(
    state,
    field,
    (attributes) =>
      // The first line break after the tag is not part of the text.
      html`<textarea${attributes} rows="${rows}"${maxlength && html` maxlength="${maxlength}"`}${placeholder && html` placeholder="${placeholder}"`}>
${textIn(state, field.name)}</textarea>`,
  )
}

export type Option = { value: string; label: string; hint?: string }

export function selectField(state: FormState, field: Field & { options: readonly Option[] }): Html {
  const chosen = textIn(state, field.name)
  const option = ({ value, label }: Option) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`
  // To a browser a required select is empty while its empty value is chosen: where that is an answer, the form would never go out.
  const enforced = field.required && !field.options.some(({ value }) => value === '')
  return wrap(
    state,
    { ...field, enforced },
    (attributes) => html`<select${attributes}>${field.options.map(option)}</select>`,
  )
}

/** Several of a list (checkboxes), or one of it (radio buttons). */
export function choiceField(
  state: FormState,
  {
    name,
    label,
    hint,
    options,
    type,
  }: Omit<Field, 'required'> & { options: readonly Option[]; type: 'checkbox' | 'radio' },
): Html {
  const id = idOf(name)
  const wrong = isAt(state.refused, name)
  const chosen = textsIn(state, name)
  const option = ({ value, label, hint: more }: Option, i: number) =>
    html`<label class="choice"><input type="${type}" id="${id}-${i}" name="${name}" value="${value}"${chosen.includes(value) && html` checked`}><span>${label}${more && html` <small>${more}</small>`}</span></label>`
  return html`<fieldset class="field${wrong && ' field-wrong'}" id="${id}"${(hint || wrong) && html` aria-describedby="${id}-told"`}>
  <legend>${label}</legend>
  <div id="${id}-told">${hint && html`<p class="hint">${hint}</p>`}${wrong && html`<p class="wrong">${state.refused!.message}</p>`}</div>
  <div class="choices">${options.map(option)}</div>
</fieldset>`
}

/** One yes or no. */
export function checkField(
  state: FormState,
  { name, label, hint }: Pick<Field, 'name' | 'label' | 'hint'>,
): Html {
  const id = idOf(name)
  const wrong = isAt(state.refused, name)
  const on = !['', 'false'].includes(textIn(state, name))
  return html`<div class="field${wrong && ' field-wrong'}"><label class="choice"><input type="checkbox" id="${id}" name="${name}" value="yes"${on && html` checked`}><span>${label}</span></label>
  ${hint && html`<p class="hint">${hint}</p>`}${wrong && html`<p class="wrong">${state.refused!.message}</p>`}</div>`
}

/** What was refused, above the form; `names` are the fields that say it themselves. */
export function formMessage({ refused }: FormState, names: readonly string[] = []): Html | string {
  if (!refused) return ''
  const at = names.find((name) => isAt(refused, name))
  return html`<p class="notice notice-bad" role="alert">${at ? html`<a href="#${idOf(at)}">${refused.message}</a>` : refused.message}</p>`
}

export const button = (label: string, { kind = 'primary', name = '', value = '' } = {}): Html =>
  html`<button class="button button-${kind}"${name && html` name="${name}" value="${value}"`}>${label}</button>`

import {
  type FieldDefinition,
  fieldOf,
  type TaxonomyField,
  taxonomyFields,
} from '../../../listings/fields/fields.ts'
import {
  button,
  choiceField,
  type FormBody,
  type FormState,
  fieldLines,
  fieldValue,
  fieldValues,
  formMessage,
  groupField,
  type Option,
  selectField,
  textArea,
  textField,
} from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'

const NOT_SPECIFIED: Option = { value: '', label: 'Not specified' }

const optionsOf = (values: Readonly<Record<string, string>>): Option[] =>
  Object.entries(values).map(([value, label]) => ({ value, label }))

/** One control for every taxonomy field, in the order of the field table. */
export const taxonomyForm = (base: string, state: FormState): Html => html`
  ${formMessage(state, taxonomyFields)}
  <form class="form" method="post" action="${base}/page/taxonomy">
    ${rows.map((names) => rowOf(state, names))}
    ${button('Save discovery fields', { kind: 'ink' })}
  </form>`

/** Fields of half width share a row, two by two. */
const rows: TaxonomyField[][] = []
for (const name of taxonomyFields) {
  const last = rows.at(-1)
  if (last?.length === 1 && fieldOf(last[0]!).half_width && fieldOf(name).half_width)
    last.push(name)
  else rows.push([name])
}

function rowOf(state: FormState, names: readonly TaxonomyField[]): Html {
  const controls = names.map((name) => controlOf(state, name, fieldOf(name)))
  return names.length > 1 ? html`<div class="pair">${controls}</div>` : html`${controls}`
}

function controlOf(state: FormState, name: TaxonomyField, field: FieldDefinition): Html {
  const { label } = field
  const hint = field.help ? { hint: field.help } : {}
  switch (field.kind) {
    case 'choice':
      return selectField(state, {
        name,
        label,
        options: [NOT_SPECIFIED, ...optionsOf(field.values)],
        ...hint,
      })
    case 'choices':
      return choiceField(state, {
        name,
        label: field.max ? `${label}, up to ${field.max}` : label,
        options: optionsOf(field.values),
        type: 'checkbox',
        ...hint,
      })
    case 'tags':
      return textArea(state, {
        name,
        label: `${label}, ${field.min} to ${field.max}`,
        rows: 6,
        ...hint,
      })
    case 'slugs':
      return textArea(state, { name, label: `${label}, up to ${field.max}`, rows: 2, ...hint })
    case 'flagged_codes':
      return groupField(
        state,
        { name, label: `${label}, up to ${field.max}`, ...hint },
        codeRows(state, name, field),
      )
    case 'number':
      return textField(state, {
        name,
        label,
        type: 'number',
        min: field.min,
        max: field.max,
        ...hint,
      })
    case 'text':
      return textField(state, { name, label, maxlength: field.max_length, ...hint })
  }
}

type FlaggedCodes = Extract<FieldDefinition, { kind: 'flagged_codes' }>
type CodeRow = { code: string; flags: string[] }

const EMPTY_ROWS = 3
const codeName = (name: TaxonomyField) => `${name}.code`
const flagName = (name: TaxonomyField, flag: string) => `${name}.${flag}`

/** A row for each code, and empty ones to add more. */
function codeRows(state: FormState, name: TaxonomyField, field: FlaggedCodes): Html {
  const stored = state.values[name]
  const filled = Array.isArray(stored)
    ? (stored as Record<string, unknown>[]).map((entry) => storedRow(field, entry))
    : sentRows(state.values as NonNullable<FormBody>, name, field)
  const empty = Array.from({ length: EMPTY_ROWS }, () => ({ code: '', flags: [] }))
  const rows = [...filled, ...empty].slice(0, field.max)
  return html`<div class="rows">${rows.map((row, i) => codeRow(name, field, row, i))}</div>`
}

const storedRow = ({ flags }: FlaggedCodes, entry: Record<string, unknown>): CodeRow => ({
  code: String(entry.code),
  flags: Object.keys(flags).filter((flag) => entry[flag] === true),
})

function codeRow(name: TaxonomyField, field: FlaggedCodes, row: CodeRow, i: number): Html {
  const label = `${field.label} ${i + 1}`
  const flag = ([value, text]: [string, string]) => html`
    <label class="choice">
      <input
        type="checkbox"
        name="${flagName(name, value)}"
        value="${i}"
        ${row.flags.includes(value) && html`checked`}
      >
      <span>${text}<span class="sr">, ${label}</span></span>
    </label>`
  return html`
    <div class="line">
      <input
        name="${codeName(name)}"
        aria-label="${label}"
        value="${row.code}"
        placeholder="${field.codes.example}"
      >
      ${Object.entries(field.flags).map(flag)}
    </div>`
}

/** Checkboxes that are off are not sent, so each flag carries the number of its row. */
function sentRows(
  sent: NonNullable<FormBody>,
  name: TaxonomyField,
  { flags }: FlaggedCodes,
): CodeRow[] {
  const codes = [sent[codeName(name)] ?? []].flat()
  const rows = codes.map((code, i) => ({
    code: code.trim(),
    flags: Object.keys(flags).filter((flag) =>
      fieldValues(sent, flagName(name, flag)).includes(String(i)),
    ),
  }))
  return rows.filter(({ code }) => code !== '')
}

/** The body of the taxonomy request that a sent form stands for. */
export const readTaxonomyForm = (sent: FormBody): Record<string, unknown> =>
  Object.fromEntries(taxonomyFields.map((name) => [name, readControl(sent, name, fieldOf(name))]))

function readControl(sent: FormBody, name: TaxonomyField, field: FieldDefinition): unknown {
  switch (field.kind) {
    case 'choice':
      return fieldValue(sent, name) || null
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
      return sentRows(sent ?? {}, name, field).map(({ code, flags }) => ({
        code,
        ...Object.fromEntries(Object.keys(field.flags).map((flag) => [flag, flags.includes(flag)])),
      }))
    case 'number': {
      const text = fieldValue(sent, name).trim()
      return text === '' ? null : Number(text)
    }
    case 'text':
      return fieldValue(sent, name)
  }
}

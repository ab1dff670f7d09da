import { tableText } from '../../../core/text/table-text.ts'
import { t } from '../../../core/text/text.ts'
import type { FieldName } from '../../../listings/fields/fields.ts'
import type { FieldDefinition } from '../../../listings/fields/kinds.ts'
import { type FormBody, type FormState, fieldValues } from '../../components/form.ts'
import { type Html, hiddenText, html, richText } from '../../components/html.ts'

type FlaggedCodes = Extract<FieldDefinition, { kind: 'flagged_codes' }>
type CodeRow = { code: string; flags: string[] }

const EMPTY_ROWS = 3
const codeName = (name: FieldName) => `${name}.code`
const flagName = (name: FieldName, flag: string) => `${name}.${flag}`

/** A row of inputs for each code of a field, and empty ones to add more. */
export function codeRows(state: FormState, name: FieldName, field: FlaggedCodes): Html {
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

function codeRow(name: FieldName, field: FlaggedCodes, row: CodeRow, i: number): Html {
  const label = t('label-numbered', {
    label: tableText('field', name, field.label),
    number: i + 1,
  })
  const flag = ([value, text]: [string, string]) => html`
    <label class="choice">
      <input
        type="checkbox"
        name="${flagName(name, value)}"
        value="${i}"
        ${row.flags.includes(value) && html`checked`}
      >
      <span>
        ${richText('flag-of-row', {
          flag: tableText('value', `flag_${value}`, text),
          label,
          hidden: hiddenText,
        })}
      </span>
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
  name: FieldName,
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

/** The value of the field that the rows of a sent form stand for. */
export const readCodeRows = (sent: FormBody, name: FieldName, field: FlaggedCodes) =>
  sentRows(sent ?? {}, name, field).map(({ code, flags }) => ({
    code,
    ...Object.fromEntries(Object.keys(field.flags).map((flag) => [flag, flags.includes(flag)])),
  }))

/** What a browser sends for the rows of a stored value. */
export const asSentRows = (
  entries: Record<string, unknown>[],
  name: FieldName,
  field: FlaggedCodes,
): NonNullable<FormBody> => ({
  [codeName(name)]: entries.map(({ code }) => String(code)),
  ...Object.fromEntries(
    Object.keys(field.flags).map((flag) => [
      flagName(name, flag),
      entries.flatMap((entry, i) => (entry[flag] === true ? [String(i)] : [])),
    ]),
  ),
})

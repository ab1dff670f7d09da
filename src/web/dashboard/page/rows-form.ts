import type { Text } from '../../../core/text/text.ts'
import {
  type FormBody,
  type FormState,
  groupField,
  type Option,
  optionTags,
} from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'

type Values = Record<string, unknown>

const EMPTY_ROWS = 2

type RowsField = {
  /** The name by which the API refuses a row. */
  name: string
  label: Text
  columns: readonly string[]
  row: (values: string[], i: number) => Html
  hint: Text
}

/** Rows with the same inputs, and empty rows to add more. */
export function rowsField(state: FormState, { name, label, columns, row, hint }: RowsField): Html {
  const rows = withEmptyRows(rowsOf(state.values, columns), columns.length)
  return groupField(state, { name, label, hint }, html`<div class="rows">${rows.map(row)}</div>`)
}

/** The rows of inputs that repeat: the nth value of each name belongs to the nth row. */
function rowsOf(values: Values, names: readonly string[]): string[][] {
  const columns = names.map((name) => [values[name] ?? []].flat().map(String))
  const length = Math.max(0, ...columns.map((column) => column.length))
  const rows = Array.from({ length }, (_, i) => columns.map((column) => column[i] ?? ''))
  return rows.filter((row) => row.some((value, i) => !isPreset(names[i]!) && value.trim() !== ''))
}

/** A list whose first option is chosen in an empty row too. */
const isPreset = (name: string) => name === 'kind'

/** The rows that have a value. */
export const filledRows = (sent: FormBody, names: readonly string[]) => rowsOf(sent ?? {}, names)
const withEmptyRows = (rows: string[][], width: number) => [
  ...rows,
  ...Array.from({ length: EMPTY_ROWS }, () => Array<string>(width).fill('')),
]

/** What a browser sends for records as the values of repeated inputs. */
export const asColumns = (records: readonly Values[], names: readonly string[]) =>
  Object.fromEntries(
    names.map((name) => [name, records.map((record) => String(record[name] ?? ''))]),
  )

export const rowSelect = (
  name: string,
  label: Text,
  options: readonly Option[],
  chosen: string,
): Html =>
  html`<select name="${name}" aria-label="${label}">${optionTags(options, chosen)}</select>`
export const rowInput = (name: string, label: Text, value: string, placeholder: Text): Html =>
  html`<input name="${name}" aria-label="${label}" value="${value}" placeholder="${placeholder}">`

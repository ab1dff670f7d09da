import {
  type FormBody,
  type FormState,
  fieldForm,
  type Option,
  optionTags,
} from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'

type Values = Record<string, unknown>

const EMPTY_ROWS = 2

type RowsForm = {
  action: string
  columns: readonly string[]
  row: (values: string[], i: number) => Html
  hint: string
  submit: string
}

/** A form of rows with the same inputs, and empty rows to add more. */
export function rowsForm(state: FormState, { action, columns, row, hint, submit }: RowsForm): Html {
  const rows = withEmptyRows(rowsOf(state.values, columns), columns.length)
  return fieldForm(state, { action, submit, layout: 'rows' }, [
    ...rows.map(row),
    html`<p class="hint">${hint}</p>`,
  ])
}

/** The rows of inputs that repeat: the nth value of each name belongs to the nth row. */
function rowsOf(values: Values, names: readonly string[]): string[][] {
  const columns = names.map((name) => [values[name] ?? []].flat().map(String))
  const length = Math.max(0, ...columns.map((column) => column.length))
  return Array.from({ length }, (_, i) => columns.map((column) => column[i] ?? ''))
}

/** The rows whose first value is filled in. */
export const filledRows = (sent: FormBody, names: readonly string[]) =>
  rowsOf(sent ?? {}, names).filter(([first]) => first!.trim() !== '')
const withEmptyRows = (rows: string[][], width: number) => [
  ...rows,
  ...Array.from({ length: EMPTY_ROWS }, () => Array<string>(width).fill('')),
]

/** Records as the values of repeated inputs. */
export const asColumns = (records: readonly Values[], names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, records.map((record) => record[name] ?? '')]))

export const rowSelect = (
  name: string,
  label: string,
  options: readonly Option[],
  chosen: string,
): Html =>
  html`<select name="${name}" aria-label="${label}">${optionTags(options, chosen)}</select>`
export const rowInput = (name: string, label: string, value: string, placeholder: string): Html =>
  html`<input name="${name}" aria-label="${label}" value="${value}" placeholder="${placeholder}">`

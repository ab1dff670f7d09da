import type { Sql, Tx } from '../../core/database/sql.ts'
import { type FieldName, fieldOf } from './fields.ts'

/** The columns of these fields, for a query that reads listings as `l`. */
export const fieldColumns = (sql: Sql | Tx, names: readonly FieldName[]) =>
  sql`${sql(names.map((name) => `l.${name}`))}`

/** Columns to write, with the fields that are stored as JSON marked as such. */
export const storedColumns = (sql: Sql | Tx, columns: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [
      name,
      isJson(name) ? sql.json(value as never) : value,
    ]),
  )

const jsonKinds: readonly string[] = ['flagged_codes', 'requirements', 'translations']
const isJson = (name: string) => jsonKinds.includes(fieldOf(name as FieldName)?.kind)

import type { Sql, Tx } from '../../core/database/sql.ts'
import type { FieldName } from './fields.ts'

/** The columns of these fields, for a query that reads listings as `l`. */
export const fieldColumns = (sql: Sql | Tx, names: readonly FieldName[]) =>
  sql`${sql(names.map((name) => `l.${name}`))}`

import type { Sql } from '../core/database/sql.ts'
import { refuse } from '../core/runtime/errors.ts'
import { type HoldingRow, readHolding } from './queries.ts'

/** What a person holds of a page that was there a moment ago. */
export async function holdingOf(
  sql: Sql,
  { user_uid }: { user_uid: string },
  { uid }: { uid: string },
): Promise<HoldingRow> {
  return (await readHolding(sql, user_uid, uid)) ?? refuse('NOT_FOUND')
}

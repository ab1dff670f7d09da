import type { Sql } from '../core/db.ts'
import type { Reporter } from './rules.ts'

/** Both names of a player whose accounts are linked, found by either; nobody when an account is gone. */
export async function findReporter(sql: Sql, { user_uid, extstore_id }: Reporter): Promise<Reporter | undefined> {
  const [row] = await sql<Reporter[]>`
    select uid as user_uid, extstore_id from users where ${user_uid ? sql`uid = ${user_uid}` : sql`extstore_id = ${extstore_id}`}`
  return row ?? (user_uid ? undefined : { user_uid, extstore_id })
}

import type { Sql, Tx } from '../../core/database/sql.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { acceptedAdmins } from '../people/role-queries.ts'
import type { Identity } from '../sessions/identity.ts'

export type Call = {
  tool: string | null
  game_uid: string | null
  method: string
  path: string
  status: number
  code: number | null
}

export async function insertCall(sql: Sql, who: Identity, call: Call): Promise<void> {
  const { user_uid, kind, credential_uid, credential_name } = who
  const row = { uid: uuidv7(), user_uid, kind, credential_uid, credential_name, ...call }
  await sql`insert into credential_calls ${sql(row)}`
}

export type CallRow = Call & {
  uid: string
  at: Date
  kind: 'player' | 'agent'
  username: string
  credential_uid: string
  credential_name: string
}

/** Calls by players, and by people who do not manage the listing, are private; see `listCalls`. */
const callsToListing = (sql: Sql, game_uid: string) => sql`
  c.game_uid = ${game_uid} and c.kind = 'agent' and c.code is distinct from 4040 and (
    c.user_uid = (select owner_uid from listings where uid = ${game_uid})
    or c.user_uid in (${acceptedAdmins(sql, game_uid)}))`

/**
 * Newest first: all calls made for a person, or the calls to a listing that agents made for the
 * people who manage it.
 */
export async function listCalls(
  sql: Sql,
  by: { user_uid: string } | { game_uid: string },
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: CallRow[]; total: number }> {
  const condition =
    'user_uid' in by ? sql`c.user_uid = ${by.user_uid}` : callsToListing(sql, by.game_uid)
  const [rows, [counted]] = await Promise.all([
    sql<CallRow[]>`
      select c.uid, c.at, c.kind, u.username, c.credential_uid, c.credential_name,
        c.tool, c.game_uid, c.method, c.path, c.status, c.code
      from credential_calls c
      join users u on u.uid = c.user_uid
      where ${condition}
      order by c.at desc, c.uid desc
      limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`
      select count(*)::int as total
      from credential_calls c
      where ${condition}`,
  ])
  return { rows: [...rows], total: counted!.total }
}

export async function sweepCalls(tx: Tx, keep_days: number): Promise<void> {
  await tx`delete from credential_calls where at < now() - ${keep_days} * interval '1 day'`
}

import type { Sql, Tx } from '../../core/database/sql.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
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
  await sql`insert into credential_calls ${sql({ uid: uuidv7(), user_uid, kind, credential_uid, credential_name, ...call })}`
}

export type CallRow = Call & {
  uid: string
  at: Date
  kind: 'player' | 'agent'
  username: string
  credential_uid: string
  credential_name: string
}
type Slice = { limit: number; offset: number }

/** Newest first: all calls made for a person, or all to a listing that were made for those who run it. */
export async function listCalls(
  sql: Sql,
  by: { user_uid: string } | { game_uid: string },
  { limit, offset }: Slice,
) {
  // What strangers' agents tried there, under names they chose, and what players do is nobody's business.
  const mine =
    'user_uid' in by
      ? sql`c.user_uid = ${by.user_uid}`
      : sql`c.game_uid = ${by.game_uid} and c.kind = 'agent' and c.code is distinct from 4040 and (
          c.user_uid = (select owner_uid from listings where uid = ${by.game_uid})
          or c.user_uid in (select user_uid from listing_admins where game_uid = ${by.game_uid} and accepted_at is not null))`
  const [rows, [counted]] = await Promise.all([
    sql<CallRow[]>`
      select c.uid, c.at, c.kind, u.username, c.credential_uid, c.credential_name, c.tool, c.game_uid, c.method, c.path, c.status, c.code
      from credential_calls c join users u on u.uid = c.user_uid where ${mine} order by c.at desc, c.uid desc limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`select count(*)::int as total from credential_calls c where ${mine}`,
  ])
  return { rows: [...rows], total: counted!.total }
}

export async function sweepCalls(tx: Tx, keep_days: number): Promise<void> {
  await tx`delete from credential_calls where at < now() - ${keep_days} * interval '1 day'`
}

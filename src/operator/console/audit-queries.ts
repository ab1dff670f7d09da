import type { Sql } from '../../core/database/sql.ts'

export type AuditRow = {
  uid: string
  at: Date
  username: string | null
  game_uid: string | null
  action: string
  detail: Record<string, unknown>
}

type AuditFilter = { action: string; user_uid: string | undefined }

/** Newest first; uids are in the order of time. */
export async function findAuditEntries(
  sql: Sql,
  { action, user_uid }: AuditFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: AuditRow[]; total: number }> {
  const matches = sql`
    where starts_with(e.action, ${action})
    ${user_uid ? sql`and e.user_uid = ${user_uid}` : sql``}`
  const [rows, [counted]] = await Promise.all([
    sql<AuditRow[]>`
      select e.uid, e.at, u.username, e.game_uid, e.action, e.detail
      from audit_entries e
      left join users u on u.uid = e.user_uid
      ${matches}
      order by e.uid desc
      limit ${limit}
      offset ${offset}`,
    sql<{ total: number }[]>`select count(*)::int as total from audit_entries e ${matches}`,
  ])
  return { rows: [...rows], total: counted!.total }
}

import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Reporter } from '../reports/report-fields.ts'

/** Tickets of the reporter's account, or of the external store account linked to it. */
const isFiledBy = (sql: Sql | Tx, { user_uid, extstore_id }: Reporter) => sql`
  (b.user_uid = ${user_uid}
    or b.extstore_id = coalesce(
      ${extstore_id}, (select u.extstore_id from users u where u.uid = ${user_uid})))`

const isUnread = (sql: Sql | Tx) => sql`b.notice_uid is not null and b.acknowledged_at is null`

export type NoticeRow = {
  uid: string
  bug_uid: string
  message: string
  fixed_at: Date
  build_id: string | null
  version: string | null
}

/** The newest notices that the reporter has not read, newest first. */
export async function readNotices(
  sql: Sql,
  game_uid: string,
  reporter: Reporter,
  limit: number,
): Promise<NoticeRow[]> {
  return sql<NoticeRow[]>`
    select b.notice_uid as uid, b.uid as bug_uid, b.message, b.fixed_at,
      b.fixed_build_uid as build_id, b.fixed_version as version
    from bugs b
    where b.game_uid = ${game_uid} and ${isFiledBy(sql, reporter)} and ${isUnread(sql)}
    order by b.fixed_at desc, b.uid desc
    limit ${limit}`
}

/**
 * Marks notices as read and returns how many. Notices of others, of other games and of reopened
 * tickets are ignored. Without uids, it marks all notices of the reporter.
 */
export async function acknowledgeNotices(
  sql: Sql,
  game_uid: string,
  reporter: Reporter,
  uids: string[] | undefined,
): Promise<number> {
  const { count } = await sql`
    update bugs b set acknowledged_at = now()
    where b.game_uid = ${game_uid} and ${isFiledBy(sql, reporter)} and ${isUnread(sql)}
      ${uids ? sql`and b.notice_uid = any(${uids}::uuid[])` : sql``}`
  return count
}

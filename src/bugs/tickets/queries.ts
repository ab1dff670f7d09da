import type { Sql, Tx } from '../../core/database/sql.ts'
import type { ScreenshotType } from '../reports/image-header.ts'
import type { ReportSource } from '../reports/report-fields.ts'
import { type TicketStatus, ticketStatuses } from './ticket-status.ts'

export type TicketRow = {
  uid: string
  source: ReportSource
  status: TicketStatus
  message: string
  client_version: string | null
  os: string | null
  arch: string | null
  build_id: string | null
  build: { build_id: string; version: string; os: string; arch: string; channel: string } | null
  crash_group: { uid: string; title: string; status: string } | null
  crash_id: string | null
  has_log: boolean
  screenshot_type: ScreenshotType | null
  screenshot_size: number | null
  user: { uid: string; username: string } | null
  extstore_id: string | null
  fixed_at: Date | null
  fixed_build_uid: string | null
  fixed_version: string | null
  acknowledged_at: Date | null
  created_at: Date
  updated_at: Date
}
export type TicketWithLog = TicketRow & { log: string | null }

/** The build is only joined if it belongs to the game, whatever the report says. */
const ticketColumns = (sql: Sql | Tx) => sql`
  b.uid, b.source, b.status, b.message, b.client_version, b.os, b.arch, b.build_id,
  b.has_log, b.screenshot_type, b.screenshot_size, b.crash_uid as crash_id, b.extstore_id,
  b.fixed_at, b.fixed_build_uid, b.fixed_version, b.acknowledged_at, b.created_at, b.updated_at,
  (select json_build_object(
      'build_id', o.uid, 'version', o.version, 'os', o.os, 'arch', o.arch, 'channel', o.channel)
    from builds o
    where o.uid = b.build_id and o.game_uid = b.game_uid) as build,
  (select json_build_object('uid', g.uid, 'title', g.title, 'status', g.status)
    from crash_groups g
    where g.uid = b.crash_group_uid) as crash_group,
  (select json_build_object('uid', u.uid, 'username', u.username)
    from users u
    where u.uid = b.user_uid) as "user"`

/** Newest first, with the number of tickets of each status. */
export async function listTickets(
  sql: Sql,
  game_uid: string,
  status: TicketStatus | null,
  { limit, offset }: { limit: number; offset: number },
) {
  const [rows, counted] = await Promise.all([
    sql<TicketRow[]>`
      select ${ticketColumns(sql)}
      from bugs b
      where b.game_uid = ${game_uid} and (${status}::text is null or b.status = ${status})
      order by b.created_at desc, b.uid desc
      limit ${limit} offset ${offset}`,
    sql<{ status: TicketStatus; count: number }[]>`
      select status, count(*)::int as count
      from bugs
      where game_uid = ${game_uid}
      group by status`,
  ])
  const countOf = (status: TicketStatus) => counted.find((row) => row.status === status)?.count ?? 0
  const counts = Object.fromEntries(ticketStatuses.map((status) => [status, countOf(status)]))
  return { rows, counts: counts as Record<TicketStatus, number> }
}

export async function readTicket(
  sql: Sql | Tx,
  game_uid: string,
  uid: string,
): Promise<TicketWithLog | undefined> {
  const [ticket] = await sql<TicketWithLog[]>`
    select ${ticketColumns(sql)},
      (select l.text from bug_logs l where l.bug_uid = b.uid) as log
    from bugs b
    where b.game_uid = ${game_uid} and b.uid = ${uid}`
  return ticket
}

export async function lockTicket(
  tx: Tx,
  game_uid: string,
  uid: string,
): Promise<{ status: TicketStatus } | undefined> {
  const [ticket] = await tx<{ status: TicketStatus }[]>`
    select status
    from bugs
    where game_uid = ${game_uid} and uid = ${uid}
    for no key update`
  return ticket
}

export type TicketUpdate = {
  status?: TicketStatus
  fixed_at?: Date | null
  fixed_build_uid?: string | null
  fixed_version?: string | null
  notice_uid?: string | null
  acknowledged_at?: Date | null
  crash_group_uid?: string | null
}

export async function updateTicket(tx: Tx, uid: string, update: TicketUpdate): Promise<void> {
  await tx`update bugs set ${tx({ ...update, updated_at: new Date() })} where uid = ${uid}`
}

export async function hasCrashGroup(
  sql: Sql | Tx,
  game_uid: string,
  uid: string,
): Promise<boolean> {
  const rows = await sql`select from crash_groups where game_uid = ${game_uid} and uid = ${uid}`
  return rows.length === 1
}

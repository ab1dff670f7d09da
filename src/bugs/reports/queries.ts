import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Filed } from '../deliveries/payload.ts'
import type { ScreenshotType } from './image-header.ts'
import {
  DEFAULT_DAILY_CAP,
  defaultSettings,
  earlierKey,
  type Reporter,
  reporterKey,
  type Settings,
  type Source,
  type Status,
} from './report-fields.ts'

const today = (sql: Sql | Tx) => sql`(now() at time zone 'utc')::date`

export async function readSettings(sql: Sql | Tx, game_uid: string): Promise<Settings> {
  const [row] = await sql<
    Settings[]
  >`select enabled, daily_cap, webhook_urls from bug_reporters where game_uid = ${game_uid}`
  return row ?? defaultSettings
}

/** As readSettings, and nobody else changes them until the transaction ends. */
export async function lockSettings(tx: Tx, game_uid: string): Promise<Settings> {
  await tx`insert into bug_reporters (game_uid) values (${game_uid}) on conflict do nothing`
  const [row] = await tx<
    Settings[]
  >`select enabled, daily_cap, webhook_urls from bug_reporters where game_uid = ${game_uid} for no key update`
  return row!
}

export async function saveSettings(
  tx: Tx,
  game_uid: string,
  { enabled, daily_cap, webhook_urls }: Settings,
): Promise<void> {
  await tx`
    update bug_reporters set enabled = ${enabled}, daily_cap = ${daily_cap}, webhook_urls = ${webhook_urls}, updated_at = now()
    where game_uid = ${game_uid}`
}

export type Desk = {
  uid: string
  name: string
  extstore_id: string | null
  webhook_urls: string[]
  enabled: boolean
  cap_reached: boolean
}

/** Whether a report may be filed, before any of it is read. The count is only looked at: filing decides. */
export async function readReportingContext(
  sql: Sql,
  game_uid: string,
  reporter: Reporter,
): Promise<Desk | undefined> {
  const [row] = await sql<Desk[]>`
    select l.uid, l.name, coalesce(${reporter.extstore_id}, u.extstore_id) as extstore_id, coalesce(r.webhook_urls, '{}') as webhook_urls,
      coalesce(r.enabled, false) as enabled,
      coalesce(c.count, 0) + coalesce(e.count, 0) >= coalesce(r.daily_cap, ${DEFAULT_DAILY_CAP}::int) as cap_reached
    from listings l left join bug_reporters r on r.game_uid = l.uid left join users u on u.uid = ${reporter.user_uid}
      left join bug_counts c on c.game_uid = l.uid and c.reporter = ${reporterKey(reporter)} and c.day = ${today(sql)}
      left join bug_counts e on e.game_uid = l.uid and e.reporter = 'extstore:' || coalesce(${reporter.extstore_id}, u.extstore_id) and e.day = ${today(sql)}
        and u.uid is not null
    where l.uid = ${game_uid}`
  return row
}

export type NewBug = Filed & Reporter & { source: Source; screenshot_size: number | null }

/**
 * Counts one report of someone for today and files it, unless the cap is reached or the reporter is off: the one statement decides, and of two
 * at once the second waits for the first. A quiet one is filed only while no webhook is to hear of it. Answers whether it did.
 */
export async function insertBug(
  sql: Sql | Tx,
  bug: NewBug,
  log: string | null,
  quiet: boolean,
): Promise<boolean> {
  const {
    uid,
    game_uid,
    source,
    user_uid,
    extstore_id,
    message,
    client_version,
    os,
    arch,
    build_id,
  } = bug
  const { has_log, screenshot_type, screenshot_size, created_at } = bug
  const [made] = await sql`
    with settings as (
      select coalesce(r.enabled, false) as enabled, coalesce(r.daily_cap, ${DEFAULT_DAILY_CAP}::int) as daily_cap,
        coalesce(r.webhook_urls, '{}') = '{}' as unheard,
        coalesce((select e.count from bug_counts e where e.game_uid = l.uid and e.reporter = ${earlierKey(bug)} and e.day = ${today(sql)}), 0) as earlier
      from listings l left join bug_reporters r on r.game_uid = l.uid where l.uid = ${game_uid}
    ), counted as (
      insert into bug_counts as c (game_uid, reporter, day, count)
      select ${game_uid}, ${reporterKey(bug)}, ${today(sql)}, 1 from settings
      where (enabled or ${source === 'store'}) and (unheard or ${!quiet}) and earlier < daily_cap
      on conflict (game_uid, reporter, day) do update set count = c.count + 1 where c.count < (select daily_cap - earlier from settings)
      returning count
    ), filed as (
      insert into bugs (uid, game_uid, source, user_uid, extstore_id, message, client_version, os, arch, build_id, has_log, screenshot_type,
        screenshot_size, created_at, updated_at)
      select ${uid}, ${game_uid}, ${source}, ${user_uid}, ${extstore_id}, ${message}, ${client_version}, ${os}, ${arch}, ${build_id}, ${has_log},
        ${screenshot_type}, ${screenshot_size}, ${created_at}::timestamptz, ${created_at}::timestamptz from counted
      returning uid
    ), logged as (
      insert into bug_logs (bug_uid, text) select uid, ${log}::text from filed where ${log}::text is not null
    )
    select uid from filed`
  return made !== undefined
}

export async function nameCrash(tx: Tx, uid: string, crash_uid: string): Promise<void> {
  await tx`update bugs set crash_uid = ${crash_uid} where uid = ${uid}`
}

export type TicketRow = {
  uid: string
  source: Source
  status: Status
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

/** A build shows only if it is one of this game's, whatever the report said. */
const ticket = (sql: Sql | Tx) => sql`
  b.uid, b.source, b.status, b.message, b.client_version, b.os, b.arch, b.build_id, b.has_log, b.screenshot_type, b.screenshot_size,
  b.crash_uid as crash_id, b.extstore_id, b.fixed_at, b.fixed_build_uid, b.fixed_version, b.acknowledged_at, b.created_at, b.updated_at,
  (select json_build_object('build_id', o.uid, 'version', o.version, 'os', o.os, 'arch', o.arch, 'channel', o.channel)
    from builds o where o.uid = b.build_id and o.game_uid = b.game_uid) as build,
  (select json_build_object('uid', g.uid, 'title', g.title, 'status', g.status) from crash_groups g where g.uid = b.crash_group_uid) as crash_group,
  (select json_build_object('uid', u.uid, 'username', u.username) from users u where u.uid = b.user_uid) as "user"`

export type Counts = Record<Status, number>

/** Newest first, with how many there are of each status. */
export async function listTickets(
  sql: Sql,
  game_uid: string,
  status: Status | null,
  { limit, offset }: { limit: number; offset: number },
) {
  const [rows, counted] = await Promise.all([
    sql<TicketRow[]>`
      select ${ticket(sql)} from bugs b where b.game_uid = ${game_uid} and (${status}::text is null or b.status = ${status})
      order by b.created_at desc, b.uid desc limit ${limit} offset ${offset}`,
    sql<
      { status: Status; count: number }[]
    >`select status, count(*)::int as count from bugs where game_uid = ${game_uid} group by status`,
  ])
  const count = (one: Status) => counted.find((row) => row.status === one)?.count ?? 0
  return {
    rows,
    counts: { open: count('open'), fixed: count('fixed'), closed: count('closed') } as Counts,
  }
}

export async function readTicket(
  sql: Sql | Tx,
  game_uid: string,
  uid: string,
): Promise<(TicketRow & { log: string | null }) | undefined> {
  const [row] = await sql<(TicketRow & { log: string | null })[]>`
    select ${ticket(sql)}, (select g.text from bug_logs g where g.bug_uid = b.uid) as log
    from bugs b where b.game_uid = ${game_uid} and b.uid = ${uid}`
  return row
}

export async function lockTicket(
  tx: Tx,
  game_uid: string,
  uid: string,
): Promise<{ status: Status } | undefined> {
  const [row] = await tx<
    { status: Status }[]
  >`select status from bugs where game_uid = ${game_uid} and uid = ${uid} for no key update`
  return row
}

export type TicketChange = {
  status?: Status
  fixed_at?: Date | null
  fixed_build_uid?: string | null
  fixed_version?: string | null
  notice_uid?: string | null
  acknowledged_at?: Date | null
  crash_group_uid?: string | null
}

export async function changeTicket(tx: Tx, uid: string, change: TicketChange): Promise<void> {
  await tx`update bugs set ${tx({ ...change, updated_at: new Date() })} where uid = ${uid}`
}

export async function findOwnBuild(
  sql: Sql | Tx,
  game_uid: string,
  uid: string,
): Promise<{ uid: string; version: string } | undefined> {
  const [row] = await sql<
    { uid: string; version: string }[]
  >`select uid, version from builds where game_uid = ${game_uid} and uid = ${uid}`
  return row
}

export async function hasCrashGroup(
  sql: Sql | Tx,
  game_uid: string,
  uid: string,
): Promise<boolean> {
  const found = await sql`select from crash_groups where game_uid = ${game_uid} and uid = ${uid}`
  return found.length === 1
}

/** Tickets of this filer: under their account, or under the account of the external store that they linked to it. */
const filedBy = (sql: Sql | Tx, { user_uid, extstore_id }: Reporter) =>
  sql`(b.user_uid = ${user_uid} or b.extstore_id = coalesce(${extstore_id}, (select u.extstore_id from users u where u.uid = ${user_uid})))`
const untold = (sql: Sql | Tx) => sql`b.notice_uid is not null and b.acknowledged_at is null`

export type NoticeRow = {
  uid: string
  bug_uid: string
  message: string
  fixed_at: Date
  build_id: string | null
  version: string | null
}

/** What the filer is to be told, newest first. */
const waiting = (sql: Sql, game_uid: string, reporter: Reporter) => sql`
  from bugs b where b.game_uid = ${game_uid} and ${filedBy(sql, reporter)} and ${untold(sql)} order by b.fixed_at desc, b.uid desc`

export async function readNotices(
  sql: Sql,
  game_uid: string,
  reporter: Reporter,
  limit: number,
): Promise<NoticeRow[]> {
  return sql<NoticeRow[]>`
    select b.notice_uid as uid, b.uid as bug_uid, b.message, b.fixed_at, b.fixed_build_uid as build_id, b.fixed_version as version
    ${waiting(sql, game_uid, reporter)} limit ${limit}`
}

/**
 * Answers how many were told; those of others, of other games and of tickets that were reopened are left as they are. Without uids it is those
 * that readNotices answers with this limit: nobody saw the others.
 */
export async function acknowledge(
  sql: Sql,
  game_uid: string,
  reporter: Reporter,
  uids: string[] | null,
  limit: number,
): Promise<number> {
  const chosen = uids
    ? sql`b.notice_uid = any(${uids}::uuid[])`
    : sql`b.uid in (select b.uid ${waiting(sql, game_uid, reporter)} limit ${limit})`
  const { count } = await sql`
    update bugs b set acknowledged_at = now()
    where b.game_uid = ${game_uid} and ${filedBy(sql, reporter)} and ${untold(sql)} and ${chosen}`
  return count
}

export async function findScreenshot(
  sql: Sql,
  game_uid: string,
  uid: string,
): Promise<{ type: ScreenshotType; size: number } | undefined> {
  const [row] = await sql<{ type: ScreenshotType; size: number }[]>`
    select screenshot_type as type, screenshot_size as size from bugs
    where game_uid = ${game_uid} and uid = ${uid} and screenshot_type is not null`
  return row
}

/** Of these, the tickets that have a screenshot. */
export async function knownScreenshots(sql: Sql, uids: string[]): Promise<Set<string>> {
  const rows = await sql<
    { uid: string }[]
  >`select uid from bugs where uid = any(${uids}::uuid[]) and screenshot_type is not null`
  return new Set(rows.map(({ uid }) => uid))
}

export async function sweepCounts(tx: Tx): Promise<void> {
  await tx`delete from bug_counts where day < ${today(tx)} - 1`
}

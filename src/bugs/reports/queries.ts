import type { Sql, Tx } from '../../core/database/sql.ts'
import type { FiledReport } from '../deliveries/payload.ts'
import { DEFAULT_DAILY_CAP } from '../settings/settings.ts'
import type { ScreenshotType } from './image-header.ts'
import {
  type Reporter,
  type ReportSource,
  reporterKey,
  unlinkedReporterKey,
} from './report-fields.ts'

const today = (sql: Sql | Tx) => sql`(now() at time zone 'utc')::date`

/** What is known about a report before it is read: the game, the settings and the reporter. */
export type ReportContext = {
  uid: string
  name: string
  extstore_id: string | null
  webhook_urls: string[]
  enabled: boolean
  cap_reached: boolean
}

/** Reads whether a report may be filed. The cap is only checked here; insertReport enforces it. */
export async function readReportContext(
  sql: Sql,
  game_uid: string,
  reporter: Reporter,
): Promise<ReportContext | undefined> {
  const { user_uid, extstore_id } = reporter
  const linked_id = sql`coalesce(${extstore_id}, u.extstore_id)`
  const [context] = await sql<ReportContext[]>`
    select l.uid, l.name, ${linked_id} as extstore_id,
      coalesce(r.webhook_urls, '{}') as webhook_urls,
      coalesce(r.enabled, false) as enabled,
      coalesce(c.count, 0) + coalesce(e.count, 0)
        >= coalesce(r.daily_cap, ${DEFAULT_DAILY_CAP}::int) as cap_reached
    from listings l
    left join bug_reporters r on r.game_uid = l.uid
    left join users u on u.uid = ${user_uid}
    left join bug_counts c on c.game_uid = l.uid and c.day = ${today(sql)}
      and c.reporter = ${reporterKey(reporter)}
    left join bug_counts e on e.game_uid = l.uid and e.day = ${today(sql)}
      and e.reporter = 'extstore:' || ${linked_id} and u.uid is not null
    where l.uid = ${game_uid}`
  return context
}

export type NewReport = FiledReport &
  Reporter & {
    source: ReportSource
    screenshot_size: number | null
    log_size: number | null
  }

/** The settings of the game, and how many reports the reporter filed before linking accounts. */
const selectSettings = (sql: Sql | Tx, report: NewReport) => sql`
  select coalesce(r.enabled, false) as enabled,
    coalesce(r.daily_cap, ${DEFAULT_DAILY_CAP}::int) as daily_cap,
    coalesce(r.webhook_urls, '{}') = '{}' as has_no_webhooks,
    coalesce((
      select e.count
      from bug_counts e
      where e.game_uid = l.uid and e.day = ${today(sql)}
        and e.reporter = ${unlinkedReporterKey(report)}), 0) as unlinked_count
  from listings l
  left join bug_reporters r on r.game_uid = l.uid
  where l.uid = ${report.game_uid}`

/** Counts one report; inserts nothing if the reporter is off or the cap is reached. */
const insertCount = (sql: Sql | Tx, report: NewReport, without_webhooks: boolean) => sql`
  insert into bug_counts as c (game_uid, reporter, day, count)
  select ${report.game_uid}, ${reporterKey(report)}, ${today(sql)}, 1
  from settings
  where (enabled or ${report.source === 'store'})
    and (has_no_webhooks or ${!without_webhooks})
    and unlinked_count < daily_cap
  on conflict (game_uid, reporter, day) do update set count = c.count + 1
    where c.count < (select daily_cap - unlinked_count from settings)
  returning count`

const insertTicket = (sql: Sql | Tx, report: NewReport) => sql`
  insert into bugs (
    uid, game_uid, source, user_uid, extstore_id,
    message, client_version, os, arch, build_id,
    has_log, log_size, screenshot_type, screenshot_size, created_at, updated_at)
  select ${report.uid}, ${report.game_uid}, ${report.source},
    ${report.user_uid}, ${report.extstore_id},
    ${report.message}, ${report.client_version}, ${report.os}, ${report.arch}, ${report.build_id},
    ${report.has_log}, ${report.log_size}, ${report.screenshot_type}, ${report.screenshot_size},
    ${report.created_at}::timestamptz, ${report.created_at}::timestamptz
  from counted
  returning uid`

/**
 * Counts a report for today and files it, in one statement, unless the reporter is off or the cap
 * is reached; of two at once the second waits for the first. `without_webhooks` files it only if
 * the game has no webhooks. Returns whether it was filed.
 */
export async function insertReport(
  sql: Sql | Tx,
  report: NewReport,
  log: string | null,
  { without_webhooks }: { without_webhooks: boolean },
): Promise<boolean> {
  const [ticket] = await sql`
    with settings as (${selectSettings(sql, report)}),
    counted as (${insertCount(sql, report, without_webhooks)}),
    filed as (${insertTicket(sql, report)}),
    logged as (
      insert into bug_logs (bug_uid, text)
      select uid, ${log}::text from filed where ${log}::text is not null)
    select uid from filed`
  return ticket !== undefined
}

export async function setCrash(tx: Tx, uid: string, crash_uid: string): Promise<void> {
  await tx`update bugs set crash_uid = ${crash_uid} where uid = ${uid}`
}

export async function findScreenshot(
  sql: Sql,
  game_uid: string,
  uid: string,
): Promise<{ type: ScreenshotType; size: number } | undefined> {
  const [screenshot] = await sql<{ type: ScreenshotType; size: number }[]>`
    select screenshot_type as type, screenshot_size as size
    from bugs
    where game_uid = ${game_uid} and uid = ${uid} and screenshot_type is not null`
  return screenshot
}

/** Which of these tickets have a screenshot. */
export async function findRecordedScreenshots(sql: Sql, uids: string[]): Promise<Set<string>> {
  const rows = await sql<{ uid: string }[]>`
    select uid from bugs where uid = any(${uids}::uuid[]) and screenshot_type is not null`
  return new Set(rows.map(({ uid }) => uid))
}

export async function deleteOldCounts(tx: Tx): Promise<void> {
  await tx`delete from bug_counts where day < ${today(tx)} - 1`
}

import {
  asAttempted,
  asDelivered,
  asFailed,
  asNew,
  isOld,
} from '../../bugs/deliveries/attempt-queries.ts'
import type { DeliveryStatus } from '../../bugs/deliveries/queries.ts'
import type { FailedAttempt } from '../../bugs/deliveries/retry-schedule.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import type { TargetType } from '../decisions.ts'
import type { ReportKind } from '../reports/report-input.ts'

export async function insertReportDelivery(
  tx: Tx,
  delivery: { uid: string; report_uid: string },
): Promise<void> {
  await tx`insert into report_deliveries ${tx(delivery)}`
}

/** What receivers learn of a report: neither the reporter nor the text, which may name them. */
export type ReportFacts = {
  report_uid: string
  target_type: TargetType
  target_id: string
  target_name: string
  kind: ReportKind
  decided_at: Date | null
  created_at: Date
}
export type DueDelivery = ReportFacts & {
  uid: string
  attempts: number
  first_attempt_at: Date | null
}

/**
 * Takes the delivery that is due first, and makes it due again after the lease, in case that this
 * process dies while it sends.
 */
export async function claimDelivery(
  sql: Sql,
  lease_seconds: number,
): Promise<DueDelivery | undefined> {
  const [delivery] = await sql<DueDelivery[]>`
    update report_deliveries d
    set next_attempt_at = now() + ${lease_seconds} * interval '1 second'
    from reports r
    where r.uid = d.report_uid and d.uid = (
      select due.uid
      from report_deliveries due
      where due.status = 'pending' and due.next_attempt_at <= now()
      order by due.uid
      limit 1
      for update skip locked)
    returning d.uid, d.attempts, d.first_attempt_at, d.report_uid, r.target_type, r.target_id,
      r.target_name, r.kind, r.decided_at, r.created_at`
  return delivery
}

export async function markReportDelivered(
  sql: Sql,
  uid: string,
  response_status: number,
): Promise<void> {
  await sql`
    update report_deliveries set ${asDelivered(sql, response_status)}
    where uid = ${uid} and status = 'pending'`
}

/** Records an attempt that failed; without a time for the next, the delivery has failed. */
export async function recordFailure(
  sql: Sql,
  uid: string,
  result: FailedAttempt,
  next_attempt_at: Date | null,
): Promise<void> {
  const next = next_attempt_at ? sql`next_attempt_at = ${next_attempt_at}` : asFailed(sql)
  await sql`
    update report_deliveries set ${asAttempted(sql, result)}, ${next}
    where uid = ${uid} and status = 'pending'`
}

/** Fails everything that waits, because there is no address any more. */
export async function failPending(sql: Sql, error: string): Promise<void> {
  await sql`
    update report_deliveries set ${asFailed(sql)}, error = coalesce(error, ${error})
    where status = 'pending'`
}

export async function hasDueDelivery(sql: Sql | Tx): Promise<boolean> {
  const [row] = await sql`
    select
    from report_deliveries
    where status = 'pending' and next_attempt_at <= now()
    limit 1`
  return row !== undefined
}

/** Makes a delivery pending again, as if new. False if there is none. */
export async function resetReportDelivery(tx: Tx, uid: string): Promise<boolean> {
  const { count } = await tx`
    update report_deliveries set ${asNew(tx)}, next_attempt_at = now()
    where uid = ${uid}`
  return count === 1
}

export type ReportDeliveryRow = {
  uid: string
  report_id: string
  target_type: TargetType
  target_id: string
  target_name: string
  status: DeliveryStatus
  attempts: number
  response_status: number | null
  error: string | null
  created_at: Date
  last_attempt_at: Date | null
  next_attempt_at: Date | null
  finished_at: Date | null
}

export async function listReportDeliveries(
  sql: Sql,
  status: DeliveryStatus | null,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: ReportDeliveryRow[]; total: number }> {
  const matching = sql`(${status}::text is null or d.status = ${status})`
  const [rows, [counted]] = await Promise.all([
    sql<ReportDeliveryRow[]>`
      select d.uid, d.report_uid as report_id, r.target_type, r.target_id, r.target_name,
        d.status, d.attempts, d.response_status, d.error, d.created_at, d.last_attempt_at,
        d.next_attempt_at, d.finished_at
      from report_deliveries d
      join reports r on r.uid = d.report_uid
      where ${matching}
      order by d.uid desc
      limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`
      select count(*)::int as total from report_deliveries d where ${matching}`,
  ])
  return { rows, total: counted!.total }
}

/** Deliveries of reports that used up their attempts. */
export async function countFailedDeliveries(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from report_deliveries where status = 'failed'`
  return row!.count
}

export async function deleteOldReportDeliveries(tx: Tx): Promise<void> {
  await tx`delete from report_deliveries where ${isOld(tx)}`
}

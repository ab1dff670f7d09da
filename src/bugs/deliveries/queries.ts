import { listingExists } from '../../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { asAttempted, asDelivered, asFailed, asNew, isOld } from './attempt-queries.ts'
import { lockReceiver } from './receiver-queries.ts'
import type { FailedAttempt } from './retry-schedule.ts'

export type DeliveryKind = 'json' | 'chat'
export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The error of a delivery that was never attempted. */
export const URL_DISABLED = 'The URL was disabled'

export type NewDelivery = {
  uid: string
  receiver_uid: string
  bug_uid: string
  kind: DeliveryKind
  body: string
  created_at: Date
  status: DeliveryStatus
  error: string | null
  finished_at: Date | null
}

export async function insertDeliveries(tx: Tx, deliveries: NewDelivery[]): Promise<void> {
  await tx`insert into bug_deliveries ${tx(deliveries)}`
}

/**
 * A delivery that is due. A parked one failed while others succeeded; it is retried on its own
 * schedule and does not hold up the queue. (The column is called aside.)
 */
export type DueDelivery = {
  uid: string
  kind: DeliveryKind
  body: string
  attempts: number
  parked: boolean
  first_attempt_at: Date | null
}
export type DueBatch = {
  game_uid: string
  url: string
  failures: number
  disabled: boolean
  deliveries: DueDelivery[]
}
type DueRow = Omit<DueBatch, 'deliveries'> & Omit<DueDelivery, 'uid'> & { uid: string | null }

/**
 * The next deliveries of a receiver, in order; undefined if another job works on its queue, or if
 * its listing was deleted.
 */
export async function readDueBatch(
  sql: Sql,
  receiver_uid: string,
  job: string,
  limit: number,
): Promise<DueBatch | undefined> {
  const rows = await sql<DueRow[]>`
    select r.game_uid, r.url, r.failures, r.disabled_at is not null as disabled,
      d.uid, d.kind, d.body, d.attempts, d.aside as parked, d.first_attempt_at
    from bug_receivers r
    left join lateral (
      select seq, uid, kind, body, attempts, aside, first_attempt_at
      from bug_deliveries
      where receiver_uid = r.uid and status = 'pending'
        and case
          when aside then next_attempt_at <= now()
          else r.resume_at is null or r.resume_at <= now()
        end
      order by seq
      limit ${limit}) d on true
    where r.uid = ${receiver_uid} and r.job = ${job} and ${listingExists(sql, 'r')}
    order by d.seq`
  const [first] = rows
  if (!first) return undefined
  const { game_uid, url, failures, disabled } = first
  const deliveries = rows.filter((row) => row.uid !== null) as DueDelivery[]
  return { game_uid, url, failures, disabled, deliveries }
}

/**
 * Written after each delivery, so that a worker that dies repeats at most one. Returns false if
 * another job works on the queue now.
 */
export async function markDelivered(
  sql: Sql,
  { receiver_uid, job }: { receiver_uid: string; job: string },
  uid: string,
  response_status: number,
): Promise<boolean> {
  const { count } = await sql`
    update bug_deliveries d set ${asDelivered(sql, response_status)}, aside = false
    from bug_receivers r
    where d.uid = ${uid} and r.uid = d.receiver_uid
      and r.uid = ${receiver_uid} and r.job = ${job}`
  return count === 1
}

export async function recordFailedAttempt(
  tx: Tx,
  uid: string,
  result: FailedAttempt,
): Promise<void> {
  await tx`update bug_deliveries set ${asAttempted(tx, result)} where uid = ${uid}`
}

export async function parkDelivery(tx: Tx, uid: string, next_attempt_at: Date): Promise<void> {
  await tx`
    update bug_deliveries set aside = true, next_attempt_at = ${next_attempt_at}
    where uid = ${uid}`
}

export async function failDelivery(tx: Tx, uid: string): Promise<void> {
  await tx`update bug_deliveries set ${asFailed(tx)} where uid = ${uid}`
}

/** Fails everything that waits for a receiver; it is kept, so that it can be replayed. */
export async function failPendingDeliveries(tx: Tx, receiver_uid: string): Promise<void> {
  await tx`
    update bug_deliveries set ${asFailed(tx)}, error = coalesce(error, ${URL_DISABLED})
    where receiver_uid = ${receiver_uid} and status = 'pending'`
}

/** Whether deliveries wait in order, and when the first parked one is due. */
export async function readQueueState(
  tx: Tx,
  receiver_uid: string,
): Promise<{ has_queued: boolean; parked_at: Date | null }> {
  const pending = tx`
    from bug_deliveries where receiver_uid = ${receiver_uid} and status = 'pending'`
  const [row] = await tx<{ has_queued: boolean; parked_at: Date | null }[]>`
    select exists (select ${pending} and not aside) as has_queued,
      (select min(next_attempt_at) ${pending} and aside) as parked_at`
  return row!
}

export type DeliveryRow = {
  uid: string
  bug_uid: string
  url: string
  kind: DeliveryKind
  status: DeliveryStatus
  attempts: number
  response_status: number | null
  error: string | null
  created_at: Date
  last_attempt_at: Date | null
  next_attempt_at: Date | null
  finished_at: Date | null
}

export async function listDeliveries(
  sql: Sql,
  game_uid: string,
  status: DeliveryStatus | null,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: DeliveryRow[]; total: number }> {
  const matching = sql`
    from bug_deliveries d
    join bug_receivers r on r.uid = d.receiver_uid
    where r.game_uid = ${game_uid} and (${status}::text is null or d.status = ${status})`
  const [rows, [count]] = await Promise.all([
    sql<DeliveryRow[]>`
      select d.uid, d.bug_uid, r.url, d.kind, d.status, d.attempts, d.response_status, d.error,
        d.created_at, d.last_attempt_at, d.finished_at,
        case when d.status = 'pending' then coalesce(d.next_attempt_at, r.resume_at, now()) end
          as next_attempt_at
      ${matching}
      order by d.seq desc
      limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`select count(*)::int as total ${matching}`,
  ])
  return { rows, total: count!.total }
}

/** Makes a delivery of this game pending again, as if new; returns its receiver, locked. */
export async function resetDelivery(tx: Tx, game_uid: string, uid: string) {
  const [delivery] = await tx<{ receiver_uid: string }[]>`
    select d.receiver_uid
    from bug_deliveries d
    join bug_receivers r on r.uid = d.receiver_uid
    where d.uid = ${uid} and r.game_uid = ${game_uid}`
  if (!delivery) return undefined
  // The receiver is locked before its deliveries, as everywhere, to prevent deadlocks.
  const receiver = await lockReceiver(tx, delivery.receiver_uid)
  await tx`
    update bug_deliveries set ${asNew(tx)}, next_attempt_at = null, aside = false
    where uid = ${uid}`
  return receiver
}

export async function deleteOldDeliveries(tx: Tx): Promise<void> {
  await tx`delete from bug_deliveries where ${isOld(tx)}`
}

/** How many webhook messages are not delivered yet, those of moderation included, for metrics. */
export async function countPendingDeliveries(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select (
      select count(*) from bug_deliveries where status = 'pending'
    )::int + (
      select count(*) from report_deliveries where status = 'pending'
    )::int as count`
  return row!.count
}

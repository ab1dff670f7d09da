import type { Sql, Tx } from '../../core/database/sql.ts'
import { retention } from '../../core/runtime/retention.ts'
import type { Outcome } from './retry-schedule.ts'

export type DeliveryKind = 'json' | 'chat'
export type DeliveryStatus = 'pending' | 'delivered' | 'failed'

/** Why a delivery was never tried. */
export const URL_DISABLED = 'The URL was disabled'

/** A row for each address the settings name; one that was given up gets another chance when it is saved again. */
export async function keepReceivers(
  tx: Tx,
  game_uid: string,
  receivers: { uid: string; url: string }[],
): Promise<void> {
  if (!receivers.length) return
  await tx`
    insert into bug_receivers ${tx(receivers.map((one) => ({ ...one, game_uid })))}
    on conflict (game_uid, url) do update set disabled_at = null`
}

export type Lane = {
  uid: string
  game_uid: string
  url: string
  job: string | null
  wake_at: Date | null
  failures: number
  failing_since: Date | null
  resume_at: Date | null
  disabled_at: Date | null
}

const lane = (tx: Tx) =>
  tx`uid, game_uid, url, job, wake_at, failures, failing_since, resume_at, disabled_at`

/**
 * The addresses that a report goes to, locked. That keeps reports in the order of their deliveries, and a worker that is about to put its work
 * down sees them or comes before them. Always in the same order, so that no two wait for each other.
 */
export async function lockReceivers(tx: Tx, game_uid: string): Promise<Lane[]> {
  return tx<Lane[]>`
    select ${lane(tx)} from bug_receivers r
    where game_uid = ${game_uid} and exists (select from bug_reporters s where s.game_uid = r.game_uid and r.url = any(s.webhook_urls))
    order by uid for no key update`
}

export async function lockReceiver(tx: Tx, uid: string): Promise<Lane | undefined> {
  const [row] = await tx<
    Lane[]
  >`select ${lane(tx)} from bug_receivers where uid = ${uid} for no key update`
  return row
}

export async function setJob(
  tx: Tx,
  uid: string,
  job: string,
  wake_at: Date | null,
): Promise<void> {
  await tx`update bug_receivers set job = ${job}, wake_at = ${wake_at} where uid = ${uid}`
}

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

export type Due = {
  uid: string
  kind: DeliveryKind
  body: string
  attempts: number
  aside: boolean
  first_attempt_at: Date | null
}
export type Walk = { url: string; failures: number; disabled: boolean; due: Due[] }

/** What this job has to deliver next, in order; nothing at all when the receiver is no longer this job's. */
export async function readDue(
  sql: Sql,
  receiver_uid: string,
  job: string,
  limit: number,
): Promise<Walk | undefined> {
  const rows = await sql<
    ({ url: string; failures: number; disabled: boolean; uid: string | null } & Omit<Due, 'uid'>)[]
  >`
    select r.url, r.failures, r.disabled_at is not null as disabled, d.uid, d.kind, d.body, d.attempts, d.aside, d.first_attempt_at
    from bug_receivers r left join lateral (
      select * from bug_deliveries d
      where d.receiver_uid = r.uid and d.status = 'pending' and
        case when d.aside then d.next_attempt_at <= now() else r.resume_at is null or r.resume_at <= now() end
      order by d.seq limit ${limit}
    ) d on true
    where r.uid = ${receiver_uid} and r.job = ${job} order by d.seq`
  const [first] = rows
  if (!first) return undefined
  const { url, failures, disabled } = first
  return { url, failures, disabled, due: rows.filter((row) => row.uid !== null) as Due[] }
}

/** Written after each one, so that a worker that dies repeats one delivery at most. False when the receiver is no longer this job's. */
export async function markDelivered(
  sql: Sql,
  receiver_uid: string,
  job: string,
  uid: string,
  status: number,
): Promise<boolean> {
  const { count } = await sql`
    update bug_deliveries d set status = 'delivered', aside = false, attempts = attempts + 1, next_attempt_at = null, response_status = ${status}, error = null,
      first_attempt_at = coalesce(first_attempt_at, now()), last_attempt_at = now(), finished_at = now()
    from bug_receivers r where d.uid = ${uid} and r.uid = d.receiver_uid and r.uid = ${receiver_uid} and r.job = ${job}`
  return count === 1
}

/** Someone asked to try at once. */
export async function forgetTrouble(tx: Tx, uid: string): Promise<void> {
  await tx`update bug_receivers set failures = 0, failing_since = null, resume_at = null where uid = ${uid}`
}

/** Something arrived: whatever was wrong is over, and an address that was given up is in use again. */
export async function clearTrouble(sql: Sql | Tx, uid: string): Promise<void> {
  await sql`
    update bug_receivers set failures = 0, failing_since = null, resume_at = null, disabled_at = null, last_error = null where uid = ${uid}`
}

export async function markFailedAttempt(
  tx: Tx,
  uid: string,
  { status, error }: Outcome & { arrived: false },
): Promise<void> {
  await tx`
    update bug_deliveries set attempts = attempts + 1, response_status = ${status}, error = ${error},
      first_attempt_at = coalesce(first_attempt_at, now()), last_attempt_at = now()
    where uid = ${uid}`
}

export async function setAside(tx: Tx, uid: string, next_attempt_at: Date): Promise<void> {
  await tx`update bug_deliveries set aside = true, next_attempt_at = ${next_attempt_at} where uid = ${uid}`
}

export async function giveUpDelivery(tx: Tx, uid: string): Promise<void> {
  await tx`update bug_deliveries set status = 'failed', next_attempt_at = null, finished_at = now() where uid = ${uid}`
}

export async function noteTrouble(
  tx: Tx,
  uid: string,
  {
    failures,
    since,
    resume_at,
    error,
  }: { failures: number; since: Date; resume_at: Date; error: string },
): Promise<void> {
  await tx`
    update bug_receivers set failures = ${failures}, failing_since = ${since}, resume_at = ${resume_at}, last_error = ${error} where uid = ${uid}`
}

/** Everything that waits for it is kept as failed, to be sent again when someone asks. */
export async function giveUpReceiver(tx: Tx, uid: string, error: string): Promise<void> {
  await tx`
    update bug_deliveries set status = 'failed', next_attempt_at = null, finished_at = now(), error = coalesce(error, ${URL_DISABLED})
    where receiver_uid = ${uid} and status = 'pending'`
  await tx`update bug_receivers set disabled_at = coalesce(disabled_at, now()), last_error = ${error} where uid = ${uid}`
}

/** When there is next something to deliver: now for those in order, at their own time for those set aside. */
export async function nextDue(
  tx: Tx,
  receiver_uid: string,
): Promise<{ in_order: boolean; aside_at: Date | null }> {
  const [row] = await tx<{ in_order: boolean; aside_at: Date | null }[]>`
    select exists (select from bug_deliveries where receiver_uid = ${receiver_uid} and status = 'pending' and not aside) as in_order,
      (select min(next_attempt_at) from bug_deliveries where receiver_uid = ${receiver_uid} and status = 'pending' and aside) as aside_at`
  return row!
}

/** Nothing waits: what went wrong before is no longer held against it. */
export async function rest(tx: Tx, uid: string): Promise<void> {
  await tx`update bug_receivers set job = null, wake_at = null, failures = 0, failing_since = null, resume_at = null where uid = ${uid}`
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
  const chosen = sql`
    from bug_deliveries d join bug_receivers r on r.uid = d.receiver_uid
    where r.game_uid = ${game_uid} and (${status}::text is null or d.status = ${status})`
  const [rows, [counted]] = await Promise.all([
    sql<DeliveryRow[]>`
      select d.uid, d.bug_uid, r.url, d.kind, d.status, d.attempts, d.response_status, d.error, d.created_at, d.last_attempt_at, d.finished_at,
        case when d.status = 'pending' then coalesce(d.next_attempt_at, r.resume_at, now()) end as next_attempt_at ${chosen}
      order by d.seq desc limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`select count(*)::int as total ${chosen}`,
  ])
  return { rows, total: counted!.total }
}

export type ReceiverRow = {
  url: string
  pending: number
  failing_since: Date | null
  next_attempt_at: Date | null
  disabled_at: Date | null
  last_error: string | null
}

/** In the order of the settings. */
export async function readReceivers(sql: Sql, game_uid: string): Promise<ReceiverRow[]> {
  return sql<ReceiverRow[]>`
    select r.url, r.failing_since, r.resume_at as next_attempt_at, r.disabled_at, r.last_error,
      (select count(*)::int from bug_deliveries d where d.receiver_uid = r.uid and d.status = 'pending') as pending
    from bug_reporters s, unnest(s.webhook_urls) with ordinality as w (url, position)
    join bug_receivers r on r.game_uid = ${game_uid} and r.url = w.url where s.game_uid = ${game_uid} order by w.position`
}

/** A delivery of this game, to be made once more from the start; whose receiver it is, so that it can be woken. */
export async function replayDelivery(
  tx: Tx,
  game_uid: string,
  uid: string,
): Promise<string | undefined> {
  const [found] = await tx<{ receiver_uid: string }[]>`
    select d.receiver_uid from bug_deliveries d join bug_receivers r on r.uid = d.receiver_uid where d.uid = ${uid} and r.game_uid = ${game_uid}`
  if (!found) return undefined
  // The receiver first, as everywhere, so that no two wait for each other.
  await lockReceiver(tx, found.receiver_uid)
  await tx`
    update bug_deliveries set status = 'pending', aside = false, attempts = 0, next_attempt_at = null, first_attempt_at = null, finished_at = null,
      error = null, response_status = null
    where uid = ${uid}`
  return found.receiver_uid
}

export type DeadReceiver = {
  game_uid: string
  game_name: string
  url: string
  email: string
  last_error: string | null
  disabled_at: Date
}

export async function readDeadReceiver(sql: Sql, uid: string): Promise<DeadReceiver | undefined> {
  const [row] = await sql<DeadReceiver[]>`
    select r.game_uid, l.name as game_name, r.url, u.email, r.last_error, r.disabled_at
    from bug_receivers r join listings l on l.uid = r.game_uid join users u on u.uid = l.owner_uid
    where r.uid = ${uid} and r.disabled_at is not null and exists (select from bug_reporters s where s.game_uid = r.game_uid and r.url = any(s.webhook_urls))`
  return row
}

/** Receivers with something to deliver whose job is gone, as after a queue was emptied by hand. */
export async function findStranded(
  sql: Sql | Tx,
  limit: number,
  only: string | null = null,
): Promise<string[]> {
  const rows = await sql<{ uid: string }[]>`
    select r.uid from bug_receivers r
    where (${only}::uuid is null or r.uid = ${only}) and exists (select from bug_deliveries d where d.receiver_uid = r.uid and d.status = 'pending')
      and not exists (select from pgboss.job j where j.id = r.job and j.name in ('bugs.deliver', 'bugs.retry') and j.state in ('created', 'retry', 'active'))
    limit ${limit}`
  return rows.map(({ uid }) => uid)
}

/** Deliveries that are over, and addresses that nobody names any more: locked first, then looked at again, since one may be named anew just now. */
export async function sweepDeliveries(tx: Tx): Promise<void> {
  await tx`
    delete from bug_deliveries
    where status = 'delivered'
      and finished_at < now() - ${retention.delivered_bug_days} * interval '1 day'`
  await tx`
    delete from bug_deliveries
    where status = 'failed'
      and finished_at < now() - ${retention.failed_bug_delivery_days} * interval '1 day'`
  const unused = tx`
    not exists (select from bug_deliveries d where d.receiver_uid = r.uid)
      and not exists (select from bug_reporters s where s.game_uid = r.game_uid and r.url = any(s.webhook_urls))`
  const locked = await tx<
    { uid: string }[]
  >`select r.uid from bug_receivers r where ${unused} for update skip locked`
  await tx`delete from bug_receivers r where r.uid = any(${locked.map(({ uid }) => uid)}::uuid[]) and ${unused}`
}

import { listingExists } from '../../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'

/** A webhook URL of a game, with the job that delivers to it and its failures. */
export type Receiver = {
  uid: string
  game_uid: string
  url: string
  /** The job that works on its queue, or null if nothing waits. */
  job: string | null
  /** When a delayed job will start. */
  wake_at: Date | null
  /** Consecutive failures, and the time of the first. */
  failures: number
  failing_since: Date | null
  /** When a failing receiver is tried again. */
  resume_at: Date | null
  disabled_at: Date | null
}

const receiverColumns = (tx: Tx) => tx`
  uid, game_uid, url, job, wake_at, failures, failing_since, resume_at, disabled_at`

/** Whether the settings of the game name the URL of the receiver r. */
const isConfigured = (sql: Sql | Tx) => sql`
  exists (
    select from bug_reporters s
    where s.game_uid = r.game_uid and r.url = any(s.webhook_urls))`

/** Whether the receiver r has deliveries to make. */
const hasPending = (sql: Sql | Tx) => sql`
  exists (select from bug_deliveries d where d.receiver_uid = r.uid and d.status = 'pending')`

/** Saves a receiver for each URL of the settings. Saving a disabled one enables it again. */
export async function upsertReceivers(
  tx: Tx,
  game_uid: string,
  receivers: { uid: string; url: string }[],
): Promise<void> {
  if (!receivers.length) return
  await tx`
    insert into bug_receivers ${tx(receivers.map((receiver) => ({ ...receiver, game_uid })))}
    on conflict (game_uid, url) do update set disabled_at = null`
}

/**
 * Locks the receivers of a game's reports, always in the same order to prevent deadlocks. The lock
 * gives reports and their deliveries one order, and a worker that is about to go idle either sees
 * the new deliveries or has finished before them.
 */
export async function lockReceivers(tx: Tx, game_uid: string): Promise<Receiver[]> {
  return tx<Receiver[]>`
    select ${receiverColumns(tx)}
    from bug_receivers r
    where game_uid = ${game_uid} and ${isConfigured(tx)}
    order by uid
    for no key update`
}

export async function lockReceiver(tx: Tx, uid: string): Promise<Receiver | undefined> {
  const [receiver] = await tx<Receiver[]>`
    select ${receiverColumns(tx)}
    from bug_receivers
    where uid = ${uid}
    for no key update`
  return receiver
}

export async function setJob(
  tx: Tx,
  uid: string,
  job: string,
  wake_at: Date | null,
): Promise<void> {
  await tx`update bug_receivers set job = ${job}, wake_at = ${wake_at} where uid = ${uid}`
}

/** The queue is empty: no job, and earlier failures no longer count. */
export async function markIdle(tx: Tx, uid: string): Promise<void> {
  await tx`
    update bug_receivers set
      job = null, wake_at = null,
      failures = 0, failing_since = null, resume_at = null
    where uid = ${uid}`
}

/** Lets the receiver be tried at once, because a person asked for it. */
export async function resetBackoff(tx: Tx, uid: string): Promise<void> {
  await tx`
    update bug_receivers set failures = 0, failing_since = null, resume_at = null
    where uid = ${uid}`
}

/** A delivery has succeeded: ends the failures, and enables a disabled receiver. */
export async function recordSuccess(sql: Sql | Tx, uid: string): Promise<void> {
  await sql`
    update bug_receivers set
      failures = 0, failing_since = null, resume_at = null,
      disabled_at = null, last_error = null
    where uid = ${uid}`
}

export type ReceiverFailure = { failures: number; since: Date; resume_at: Date; error: string }

export async function recordFailure(tx: Tx, uid: string, failure: ReceiverFailure): Promise<void> {
  const { failures, since, resume_at, error } = failure
  await tx`
    update bug_receivers set
      failures = ${failures}, failing_since = ${since}, resume_at = ${resume_at},
      last_error = ${error}
    where uid = ${uid}`
}

export async function disableReceiver(tx: Tx, uid: string, error: string): Promise<void> {
  await tx`
    update bug_receivers set
      disabled_at = coalesce(disabled_at, now()), last_error = ${error}
    where uid = ${uid}`
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
      (select count(*)::int
        from bug_deliveries d
        where d.receiver_uid = r.uid and d.status = 'pending') as pending
    from bug_reporters s, unnest(s.webhook_urls) with ordinality as w (url, position)
    join bug_receivers r on r.game_uid = ${game_uid} and r.url = w.url
    where s.game_uid = ${game_uid}
    order by w.position`
}

export type DisabledReceiver = {
  game_name: string
  url: string
  email: string
  language: string | null
  last_error: string | null
  disabled_at: Date
}

/** A disabled receiver that the settings still name, with the address and language of the owner. */
export async function readDisabledReceiver(
  sql: Sql,
  uid: string,
): Promise<DisabledReceiver | undefined> {
  const [receiver] = await sql<DisabledReceiver[]>`
    select l.name as game_name, r.url, u.email, u.language, r.last_error, r.disabled_at
    from bug_receivers r
    join listings l on l.uid = r.game_uid
    join users u on u.uid = l.owner_uid
    where r.uid = ${uid} and r.disabled_at is not null and ${isConfigured(sql)}`
  return receiver
}

/** Receivers with pending deliveries whose job is gone, for example after a restored backup. */
export async function findReceiversWithoutJob(
  sql: Sql | Tx,
  limit: number,
  only: string | null = null,
): Promise<string[]> {
  const rows = await sql<{ uid: string }[]>`
    select r.uid
    from bug_receivers r
    where (${only}::uuid is null or r.uid = ${only}) and ${hasPending(sql)}
      and ${listingExists(sql, 'r')}
      and not exists (
        select from pgboss.job j
        where j.id = r.job and j.name in ('bugs.deliver', 'bugs.retry')
          and j.state in ('created', 'retry', 'active'))
    limit ${limit}`
  return rows.map(({ uid }) => uid)
}

/**
 * Deletes receivers that no settings name and that have no deliveries. They are locked first and
 * then checked again, because the settings may name one again at the same time.
 */
export async function deleteUnusedReceivers(tx: Tx): Promise<void> {
  const unused = tx`
    not exists (select from bug_deliveries d where d.receiver_uid = r.uid)
      and not ${isConfigured(tx)}`
  const locked = await tx<{ uid: string }[]>`
    select r.uid from bug_receivers r where ${unused} for update skip locked`
  const uids = locked.map(({ uid }) => uid)
  await tx`delete from bug_receivers r where r.uid = any(${uids}::uuid[]) and ${unused}`
}

import { type Db, PgBoss, type Queue } from 'pg-boss'
import { postgres } from '../database/driver.ts'
import { readQueueVersion } from '../database/dump/catalog.ts'
import { LOCK_TIMEOUT_MS, MigrationError, retryLocked } from '../database/migrate.ts'
import type { Sql, Tx } from '../database/sql.ts'
import { limitQueries } from '../database/timeouts.ts'
import type { Log } from '../runtime/log.ts'
import { retention } from '../runtime/retention.ts'
import { DAY, HOUR } from '../runtime/units.ts'
import type { Job } from './index.ts'

/** The queue of all jobs that have used up their attempts. */
export const DEAD = 'dead'

/** A tick missed while no worker ran is caught up within this time; later it is skipped. */
export const CATCH_UP_SECONDS = DAY
/**
 * The shortest that pg-boss allows. It only has to detect a worker that is cut off or frozen; one
 * that died is detected by its locks.
 */
const HEARTBEAT_SECONDS = 10
/**
 * The worker ends a run that takes too long and logs it. The queue's own limit is later, for a
 * worker that cannot.
 */
const EXPIRE_MARGIN_SECONDS = 15
/**
 * A worker locks a job shortly after claiming it, so younger claims are never treated as orphans.
 */
const CLAIM_GRACE = '2 seconds'

/** Lets pg-boss run its statements in our transaction, through our driver. */
export function transactionAdapter(tx: Sql | Tx): Db {
  return { executeSql: async (text, values = []) => ({ rows: await execute(tx, text, values) }) }
}

const UNLISTEN_MS = 1_000

export type Listener = { notified: (name: string) => void; connected: () => void }

/**
 * Lets pg-boss use our pool. `listener` gets its notifications: a job was sent to a queue, or the
 * connection that listens was (re)opened and may have missed some.
 */
export function poolAdapter(sql: Sql, listener?: Listener): Db {
  return {
    ...transactionAdapter(sql),
    async listen(channel, onNotification, onReconnect) {
      const notified = (name: string) => {
        onNotification(name)
        listener?.notified(name)
      }
      const connected = () => {
        onReconnect()
        listener?.connected()
      }
      const { unlisten } = await sql.listen(channel, notified, connected)
      // Its connection may be lost, and ends with the pool anyway.
      return { close: () => limitQueries(unlisten, UNLISTEN_MS).catch(() => {}) }
    },
  }
}

async function execute(sql: Sql | Tx, text: string, values: unknown[]): Promise<object[]> {
  if (values.length) return sql.unsafe(text, values as string[], { prepare: true })
  // Several statements in one message are one transaction anyway, and the driver refuses a BEGIN.
  const results: object[] = await sql.unsafe(text.replace(/^\s*BEGIN;([\s\S]*)COMMIT;\s*$/, '$1'))
  return Array.isArray(results[0]) ? (results as object[][]).flat() : results
}

/**
 * Brings the tables of pg-boss and our queues up to date. Safe to call from many processes at once.
 * Like migrations, it waits only shortly for a lock and tries again.
 */
export async function installJobs(
  sql: Sql,
  jobs: Job[],
  log: Pick<Log, 'warn'> = { warn: () => {} },
): Promise<void> {
  const { connection } = sql.options
  const session = postgres({
    ...(sql.options as object),
    max: 1,
    connection: { ...connection, lock_timeout: LOCK_TIMEOUT_MS },
  }) as Sql
  try {
    await retryLocked('The job queue', () => install(session, jobs), log)
  } finally {
    await session.end({ timeout: 1 })
  }
}

/** Of the pinned version of pg-boss. */
export const QUEUE_VERSION = 43

export const NEWER_QUEUE =
  'The job queue in this database belongs to a newer version of Slipway. Start that version, or ' +
  'restore a backup from before the upgrade.'

async function install(sql: Sql, jobs: Job[]): Promise<void> {
  // Before anything reads or writes tables that may have changed.
  if (((await readQueueVersion(sql)) ?? 0) > QUEUE_VERSION) throw new MigrationError(NEWER_QUEUE)
  const boss = new PgBoss({ db: poolAdapter(sql), supervise: false, schedule: false })
  // It may start index builds in the background, which the workers finish.
  boss.on('error', () => {})
  await boss.start()
  try {
    const known = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
    if (!known.has(DEAD))
      await boss.createQueue(DEAD, {
        retentionSeconds: retention.dead_job_days * DAY,
        deleteAfterSeconds: retention.dead_job_days * DAY,
      })
    for (const job of jobs) {
      const { policy, ...settings } = queueOf(job)
      const existing = known.get(job.name)
      if (!existing) await boss.createQueue(job.name, { policy, ...settings } as Queue)
      else if (
        Object.entries(settings).some(([name, value]) => existing[name as keyof Queue] !== value)
      )
        await boss.updateQueue(job.name, settings)
    }
    await indexActive(sql)
  } finally {
    await boss.stop({ graceful: false, close: false })
  }
}

function queueOf({ retries, backoff_seconds: [first, ceiling], expire_seconds, schedule }: Job) {
  return {
    // One waiting job per key; a job without a key gets a unique one.
    policy: 'short',
    retryLimit: retries,
    retryDelay: first,
    retryBackoff: ceiling > 0,
    retryDelayMax: ceiling > 0 ? ceiling : null,
    expireInSeconds: expire_seconds + EXPIRE_MARGIN_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    // Practically unlimited: a job waits for a worker as long as it takes.
    retentionSeconds: retention.waiting_job_days * DAY,
    // The row of a finished tick prevents a second one, so it outlives the catch-up time.
    deleteAfterSeconds: schedule ? 2 * CATCH_UP_SECONDS : retention.finished_job_hours * HOUR,
    deadLetter: DEAD,
    notify: true,
  }
}

/**
 * Workers look for running jobs every other second, and pg-boss has no index for that. The index is
 * looked up first, because creating one waits for writers.
 */
async function indexActive(sql: Sql) {
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('pgboss.job_active', 0))`
    const [index] = await tx`select to_regclass('pgboss.job_active') as name`
    if (!index!.name)
      await tx`create index job_active on pgboss.job_common (name) where state = 'active'`
  })
}

/** Identifies one run of a job: pg-boss increments `retryCount` with every claim. */
export type Claim = { id: string; retryCount: number }

const lockName = ({ id, retryCount }: Claim) => `${id}:${retryCount}`

export type JobLocks = {
  acquire: (claim: Claim) => Promise<void>
  release: (claim: Claim) => void
  close: () => Promise<void>
}

/**
 * A database session that holds one advisory lock per running job. PostgreSQL releases them as soon
 * as this process is gone, however it ended.
 */
export function openJobLocks(sql: Sql, max_wait_ms: number): JobLocks {
  const lock_names = new Set<string>()
  let closing = false
  const { connection } = sql.options
  const session = postgres({
    ...(sql.options as object),
    max: 1,
    idle_timeout: null as never,
    max_lifetime: null,
    connection: { ...connection, application_name: `${connection.application_name} jobs` },
    onclose: () => void (closing || lock([...lock_names]).catch(() => {})),
  })
  const lock = async (names: string[]) => {
    if (names.length)
      await limitQueries(
        async () => session`
          select pg_advisory_lock(hashtextextended(name, 0))
          from unnest(${names}::text[]) as name`,
        max_wait_ms,
      )
  }
  return {
    async acquire(claim) {
      lock_names.add(lockName(claim))
      await lock([lockName(claim)])
    },
    release(claim) {
      lock_names.delete(lockName(claim))
      // If this fails, the connection is lost, and the lock with it.
      session`select pg_advisory_unlock(hashtextextended(${lockName(claim)}, 0))`.catch(() => {})
    },
    async close() {
      closing = true
      await session.end({ timeout: 1 })
    },
  }
}

/** The runs of a job in a row whose worker died, which its last failure has recorded. */
const lostRuns = (sql: Sql) => sql`coalesce((output ->> 'lost_runs')::int, 0)`

/** One query for all kinds: the kinds with a due job, and the running jobs whose worker is gone. */
export function findWork(sql: Sql, names: string[]) {
  return sql<{ name: string; id: string | null; retry_count: number; lost_runs: number }[]>`
    with running as materialized (
      select name, id, retry_count, ${lostRuns(sql)} as lost_runs
      from pgboss.job
      where state = 'active'
        and name = any(${names})
        and started_on < now() - ${CLAIM_GRACE}::interval
    )
    select kind.name, null::uuid as id, 0 as retry_count, 0 as lost_runs
    from unnest(${names}::text[]) as kind(name)
    where exists (
      select
      from pgboss.job
      where job.name = kind.name
        and state < 'active'
        and not blocked
        and start_after <= now()
    )
    union all
    select name, id, retry_count, lost_runs
    from running
    where pg_try_advisory_xact_lock(hashtextextended(id || ':' || retry_count, 0))`
}

/** Returns a running job to the front of its queue without counting the attempt. */
export async function returnToQueue(sql: Sql, name: string, { id, retryCount }: Claim) {
  await sql`
    update pgboss.job
    set state = 'retry', start_after = now(), heartbeat_on = null, retry_limit = retry_limit + 1
    where name = ${name} and id = ${id} and retry_count = ${retryCount} and state = 'active'`
}

/**
 * Locks the waiting job of a key until the caller's transaction ends. A worker that took it earlier
 * would not see what the caller is about to commit, and the change would be missed.
 */
export async function lockWaitingJob(
  tx: Sql | Tx,
  name: string,
  key: string,
): Promise<string | undefined> {
  const [job] = await tx<{ id: string }[]>`
    select id
    from pgboss.job
    where name = ${name}
      and coalesce(singleton_key, '') = ${key}
      and state = 'created'
      and policy = 'short'
    for share`
  return job?.id
}

export type DeadJob = {
  id: string
  name: string
  data: unknown
  error: string
  failed_at: Date
  attempts: number
}

export async function deadJobs(sql: Sql, limit: number): Promise<DeadJob[]> {
  const jobs = await sql<DeadJob[]>`
    select
      id,
      source_name as name,
      data,
      created_on as failed_at,
      source_retry_count + 1 as attempts,
      coalesce(
        source_output ->> 'message',
        source_output -> 'value' ->> 'message',
        ''
      ) as error
    from pgboss.job
    where name = ${DEAD} and state = 'created'
    order by created_on desc, id
    limit ${limit}`
  return [...jobs]
}

export type JobCounts = {
  waiting: number
  later: number
  running: number
  dead: number
  oldest_seconds: number
}

/** The jobs of all processes, for metrics. */
export async function countJobs(sql: Sql): Promise<JobCounts> {
  const [counts] = await sql<JobCounts[]>`
    select
      count(*) filter (where due)::int as waiting,
      count(*) filter (where state < 'active' and name <> ${DEAD} and not due)::int as later,
      count(*) filter (where state = 'active')::int as running,
      count(*) filter (where name = ${DEAD} and state = 'created')::int as dead,
      coalesce(
        extract(epoch from now() - min(start_after) filter (where due)),
        0
      )::float8 as oldest_seconds
    from (
      select
        name,
        state,
        start_after,
        state < 'active' and name <> ${DEAD} and start_after <= now() as due
      from pgboss.job
      where state <= 'active'
    ) jobs`
  return counts!
}

/** The due jobs of one kind, and how long the oldest of them has waited. */
export type JobKindCount = { job: string; waiting: number; oldest_seconds: number }

/** The due jobs of all processes by kind, for metrics. Kinds without any are left out. */
export async function countJobKinds(sql: Sql): Promise<JobKindCount[]> {
  return sql<JobKindCount[]>`
    select name as job, count(*)::int as waiting,
      extract(epoch from now() - min(start_after))::float8 as oldest_seconds
    from pgboss.job
    where state < 'active' and name <> ${DEAD} and start_after <= now()
    group by name`
}

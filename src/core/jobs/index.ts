import { PgBoss } from 'pg-boss'
import { MigrationError } from '../database/migrate.ts'
import type { Sql, Tx } from '../database/sql.ts'
import type { Core } from '../runtime/core.ts'
import type { Log } from '../runtime/log.ts'
import { DAY, HOUR, MINUTE } from '../runtime/units.ts'
import { uuidv7 } from '../security/crypto.ts'
import {
  countJobKinds,
  countJobs,
  DEAD,
  type DeadJob,
  deadJobs,
  type JobCounts,
  type JobKindCount,
  lockWaitingJob,
  NEWER_QUEUE,
  poolAdapter,
  transactionAdapter,
} from './store.ts'
import { startWorker, type Worker } from './worker.ts'

export { type DeadJob, installJobs, QUEUE_VERSION } from './store.ts'

/** The input of a handler for one run of a job. */
export type Run<Data = unknown> = {
  core: Core
  data: Data
  /** The same in every attempt and after a replay: the idempotency key of external effects. */
  id: string
  attempt: number
  /** How many runs directly before this one ended because their worker died. */
  lost_runs: number
  /** Aborted when the run takes too long, loses its job to another worker, or the worker stops. */
  signal: AbortSignal
  /**
   * Runs the effect and completes the job in one transaction, so both happen or neither does.
   * Throws, with the effect rolled back, when the job no longer belongs to this run.
   */
  finish: <T>(effect: (tx: Tx) => Promise<T>) => Promise<T>
}

export type Job<Data = unknown> = {
  name: string
  retries: number
  backoff_seconds: readonly [first: number, ceiling: number]
  expire_seconds: number
  schedule?: string
  concurrency: number
  handle(run: Run<Data>): Promise<unknown>
}

type Definition<Data> = {
  /** module.verb */
  name: string
  /**
   * Attempts after the first; then the job is dead until an operator replays it. An attempt whose
   * worker dies counts.
   */
  retries?: number
  /**
   * The delay of a retry: doubles from the first up to the ceiling, with jitter. [0, 0] is none.
   */
  backoff_seconds?: readonly [first: number, ceiling: number]
  /** How long one run may take. */
  expire_seconds?: number
  /**
   * Five cron fields, UTC. Each tick runs once, whatever the number of workers; missed ticks merge.
   */
  schedule?: string
  /** The number of parallel runs in one worker process. */
  concurrency?: number
  /**
   * Effects in the database go through `finish`. The job of a handler that returns without it is
   * completed afterwards, and may therefore run again after a crash.
   */
  handle(run: Run<Data>): Promise<unknown>
}

const NAME = /^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/

export function job<Data = unknown>(definition: Definition<Data>): Job<Data> {
  if (!NAME.test(definition.name))
    throw new Error(`A job is named module.verb, not ${definition.name}`)
  return {
    retries: 12,
    backoff_seconds: [2, HOUR],
    expire_seconds: MINUTE,
    concurrency: 1,
    ...definition,
  }
}

export type SendOptions = {
  after_seconds?: number
  /**
   * At most one job of a key waits for its first run. A second one is not created; the first runs
   * only after this transaction has committed.
   */
  key?: string
}

export type Jobs = {
  /** Enqueues a job that commits or rolls back with `tx`; returns its id. */
  send: (tx: Sql | Tx, name: string, data?: object, options?: SendOptions) => Promise<string>
  /** Starts running jobs, in processes with the worker role: all of them unless some are given. */
  start: (core: Core, running?: Job[]) => Promise<void>
  /** Lets running jobs finish until the deadline, then returns them to the queue. */
  stop: (deadline_ms?: number) => Promise<void>
  /** Jobs without attempts left, newest first. */
  dead: (limit?: number) => Promise<DeadJob[]>
  /** Enqueues dead jobs again with all their attempts; returns how many. */
  replay: (ids: string[] | 'all') => Promise<number>
  counts: () => Promise<JobCounts>
  /** The due jobs of every kind, also of kinds without any. */
  kinds: () => Promise<JobKindCount[]>
  /** Throws when the queue cannot be reached. */
  probe: () => Promise<void>
}

/** Fits into the shutdown time of the service, after that of its connections. */
const STOP_MS = 8_000

/** `installJobs` must have run. Every process may send; those that call `start` also work. */
export async function createJobs(sql: Sql, log: Log, jobs: Job[]): Promise<Jobs> {
  const names = new Set(jobs.map(({ name }) => name))
  if (names.size < jobs.length) throw new Error('Two jobs have the same name')
  const boss = await openSender(sql, log)
  let worker: Worker | undefined

  async function send(
    tx: Sql | Tx,
    name: string,
    data: object = {},
    { after_seconds, key }: SendOptions = {},
  ): Promise<string> {
    if (!names.has(name)) throw new Error(`There is no job named ${name}`)
    const id = uuidv7()
    // Repeats because a worker may take the waiting job of the key between the two statements.
    for (;;) {
      const waiting = key === undefined ? undefined : await lockWaitingJob(tx, name, key)
      const sent =
        waiting ??
        (await boss.send(name, data, {
          db: transactionAdapter(tx),
          id,
          singletonKey: key ?? id,
          startAfter: after_seconds,
        }))
      if (sent) return sent
    }
  }

  return {
    send,
    async start(core, running = jobs) {
      worker = await startWorker(sql, log, running, core)
    },
    async stop(deadline_ms = STOP_MS) {
      await worker?.stop(deadline_ms)
      await boss.stop({ graceful: false, close: false })
    },
    dead: (limit = 100) => deadJobs(sql, limit),
    async replay(ids) {
      if (ids === 'all') return boss.redrive(DEAD, { limit: 1_000_000 })
      return ids.length ? boss.redrive(DEAD, { ids, limit: ids.length }) : 0
    },
    counts: () => countJobs(sql),
    async kinds() {
      const due = new Map((await countJobKinds(sql)).map((kind) => [kind.job, kind]))
      return [...new Set([...names, ...due.keys()])].map(
        (job) => due.get(job) ?? { job, waiting: 0, oldest_seconds: 0 },
      )
    },
    async probe() {
      const queues = await sql`select from pgboss.queue where name = ${DEAD}`
      if (!queues.length) throw new Error('The job queue is not installed')
    },
  }
}

/**
 * Started only for its cache of queues, so that a send in a transaction needs no second connection.
 */
async function openSender(sql: Sql, log: Log): Promise<PgBoss> {
  const boss = new PgBoss({
    db: poolAdapter(sql),
    migrate: false,
    supervise: false,
    schedule: false,
    queueCacheIntervalSeconds: DAY,
  })
  boss.on('error', ({ message }) => log.warn({ error: message }, 'job queue error'))
  await boss.start().catch((error: Error) => {
    // `installJobs` has brought older tables up to date.
    throw error.message.includes('requires migrations') ? new MigrationError(NEWER_QUEUE) : error
  })
  return boss
}

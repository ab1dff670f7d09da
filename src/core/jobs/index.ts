import { PgBoss } from 'pg-boss'
import type { Sql, Tx } from '../database/sql.ts'
import type { Core } from '../runtime/core.ts'
import type { Log } from '../runtime/log.ts'
import { uuidv7 } from '../security/crypto.ts'
import {
  countJobs,
  DEAD,
  type DeadJob,
  deadJobs,
  type JobCounts,
  lockWaitingJob,
  poolAdapter,
  transactionAdapter,
} from './store.ts'
import { startWorker, type Worker } from './worker.ts'

export { type DeadJob, installJobs } from './store.ts'

/** What a handler is given for one run of a job. */
export type Run<Data = unknown> = {
  core: Core
  data: Data
  /** The same in every attempt, and after a replay: what an effect outside the database is made idempotent by. */
  id: string
  attempt: number
  /** Aborted when the run took too long, lost its job to another worker, or must make way for a shutdown. */
  signal: AbortSignal
  /**
   * Runs the effect and completes the job in one transaction: both happen or neither does, whatever is killed when. Throws, with the
   * effect undone, when the job is no longer this run's.
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
  /** room.verb */
  name: string
  /** Attempts after the first; then the job is dead until an operator replays it. A worker that dies under a job uses one up. */
  retries?: number
  /** The wait before a retry: it doubles from the first, with jitter, up to the ceiling. [0, 0] is at once. */
  backoff_seconds?: readonly [first: number, ceiling: number]
  /** How long one run may take. */
  expire_seconds?: number
  /** Five cron fields, UTC. Each tick runs once, however many workers there are; ticks do not pile up. */
  schedule?: string
  /** How many run at once in one worker process. */
  concurrency?: number
  /**
   * Effects in the database go through `finish`. A handler that returns without it has its job completed afterwards, and may therefore
   * run again after a crash.
   */
  handle(run: Run<Data>): Promise<unknown>
}

const NAME = /^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/

export function job<Data = unknown>(definition: Definition<Data>): Job<Data> {
  if (!NAME.test(definition.name))
    throw new Error(`A job is called room.verb, not ${definition.name}`)
  return {
    retries: 12,
    backoff_seconds: [2, 3600],
    expire_seconds: 60,
    concurrency: 1,
    ...definition,
  }
}

export type SendOptions = {
  after_seconds?: number
  /** At most one job of a key waits for its first run: a second is not made, and the first runs only after this transaction committed. */
  key?: string
}

export type Jobs = {
  /** Commits or vanishes with `tx`. Answers the id of the job that will do it. */
  send: (tx: Sql | Tx, name: string, data?: object, options?: SendOptions) => Promise<string>
  /** Begins to run jobs; only processes with the worker role do. */
  start: (core: Core) => Promise<void>
  /** Lets running jobs finish until the deadline, then hands them back to the queue. */
  stop: (deadline_ms?: number) => Promise<void>
  /** Jobs that used up their attempts, newest first. */
  dead: (limit?: number) => Promise<DeadJob[]>
  /** Gives dead jobs all their attempts again. Answers how many. */
  replay: (ids: string[] | 'all') => Promise<number>
  counts: () => Promise<JobCounts>
  /** Throws when the queue cannot be reached. */
  probe: () => Promise<void>
}

/** Within the time the service has for stopping, after its connections had theirs. */
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
    if (!names.has(name)) throw new Error(`No job is called ${name}`)
    const id = uuidv7()
    // A few rounds, because the waiting job of the key may be taken between our two looks at it.
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
    async start(core) {
      worker = await startWorker(sql, log, jobs, core)
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
    async probe() {
      const found = await sql`select from pgboss.queue where name = ${DEAD}`
      if (!found.length) throw new Error('The job queue is not installed')
    },
  }
}

/** Started for its cache of queues alone: a send inside a transaction then needs no second connection. */
async function openSender(sql: Sql, log: Log): Promise<PgBoss> {
  const day = 86_400
  const boss = new PgBoss({
    db: poolAdapter(sql),
    migrate: false,
    supervise: false,
    schedule: false,
    queueCacheIntervalSeconds: day,
  })
  boss.on('error', ({ message }) => log.warn({ error: message }, 'the job queue had trouble'))
  await boss.start()
  return boss
}

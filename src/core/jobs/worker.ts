import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { PgBoss } from 'pg-boss'
import type { Sql } from '../database/sql.ts'
import { limitQueries } from '../database/timeouts.ts'
import type { Core } from '../runtime/core.ts'
import type { Log } from '../runtime/log.ts'
import { DAY, HOUR, MINUTE, MINUTE_MS, SECOND_MS } from '../runtime/units.ts'
import { sha256 } from '../security/crypto.ts'
import { dueTick, type TickTimes } from './due-tick.ts'
import type { Job } from './index.ts'
import { type ActiveRun, type JobContext, RunEnded, runJob } from './run.ts'
import {
  CATCH_UP_SECONDS,
  type Claim,
  findWork,
  type Listener,
  openJobLocks,
  poolAdapter,
  returnToQueue,
} from './store.ts'

/**
 * These set how soon a job whose worker is gone runs again, besides its own backoff. A process that
 * ended has released its locks: any worker sees that at its next poll, within 2 + 2 seconds. One
 * that is cut off or frozen keeps its locks but stops its heartbeats: after 10 seconds the
 * monitor's next pass finds it, within 20 more. Either way the run that lost the job has no effect
 * through `finish`.
 */
const POLL_MS = 2_000
const HEARTBEAT_MS = 3_000
const MONITOR_SECONDS = 20

type Kind = { job: Job; running: Set<ActiveRun>; claiming: boolean; claim_again: boolean }
type Schedule = TickTimes & { name: string; cron: string }
type State = JobContext & {
  /** Of the queries between runs: after that the connection is given up. */
  max_wait_ms: number
  kinds: Map<string, Kind>
  schedules: Schedule[]
  stopping: AbortController
  pending: Set<Promise<void>>
}

export type Worker = { stop: (deadline_ms: number) => Promise<void> }

export async function startWorker(sql: Sql, log: Log, jobs: Job[], core: Core): Promise<Worker> {
  const max_wait_ms = core.config.database_timeout * SECOND_MS
  const kinds = new Map(
    jobs.map((job): [string, Kind] => [
      job.name,
      { job, running: new Set(), claiming: false, claim_again: false },
    ]),
  )
  const boss = openBoss(sql, log, {
    notified: (name) => claim(state, name),
    connected: () => track(state, claimWaiting(state)),
  })
  const state: State = {
    sql,
    log,
    core,
    boss,
    locks: openJobLocks(sql, max_wait_ms),
    max_wait_ms,
    kinds,
    schedules: [],
    stopping: new AbortController(),
    pending: new Set(),
  }
  await boss.start()
  state.schedules = await readSchedules(boss, jobs)
  const polling = pollUntilStopped(state)
  const heartbeat = setInterval(() => track(state, sendHeartbeats(state)), HEARTBEAT_MS)
  return {
    async stop(deadline_ms) {
      state.stopping.abort()
      await polling
      await finishRuns(state, deadline_ms)
      clearInterval(heartbeat)
      await boss.stop({ graceful: false, close: false })
      await state.locks.close()
    },
  }
}

function openBoss(sql: Sql, log: Log, listener: Listener): PgBoss {
  const boss = new PgBoss({
    db: poolAdapter(sql, listener),
    useListenNotify: true,
    schedule: false,
    superviseIntervalSeconds: MONITOR_SECONDS,
    monitorIntervalSeconds: MONITOR_SECONDS,
    maintenanceIntervalSeconds: 10 * MINUTE,
    queueCacheIntervalSeconds: HOUR,
    // Flows (chains of jobs) are not used.
    flowIntervalSeconds: DAY,
  })
  // Only the message: other fields of the event may contain the data of a job.
  boss.on('error', ({ message }) => log.warn({ error: message }, 'job queue error'))
  boss.on('warning', ({ message }) => log.warn({ warning: message }, 'job queue warning'))
  return boss
}

/**
 * Remembers work in progress, for `stop` to wait for. Errors here are temporary database errors.
 */
function track({ pending, log }: State, work: Promise<void>) {
  const tracked = work
    .catch((error: Error) => log.warn({ error: error.message }, 'job queue error'))
    .finally(() => pending.delete(tracked))
  pending.add(tracked)
}

/** Fills the free places of a kind. One query at a time; a call during it causes another one. */
function claim(state: State, name: string) {
  const kind = state.kinds.get(name)
  if (!kind || state.stopping.signal.aborted) return
  kind.claim_again = true
  if (!kind.claiming) track(state, claimUntilFull(state, kind))
}

/** Claims what was sent while no notification could arrive. */
async function claimWaiting(state: State) {
  for (const { name, id } of await readWork(state)) if (!id) claim(state, name)
}

/** Only the query is limited: the runs that begin with its result are not. */
const readWork = ({ sql, kinds, max_wait_ms }: State) =>
  limitQueries(async () => findWork(sql, [...kinds.keys()]), max_wait_ms)

async function claimUntilFull(state: State, kind: Kind) {
  const { job, running } = kind
  kind.claiming = true
  try {
    while (kind.claim_again && running.size < job.concurrency && !state.stopping.signal.aborted) {
      kind.claim_again = false
      const rows = await limitQueries(
        () =>
          state.boss.fetch<unknown>(job.name, {
            batchSize: job.concurrency - running.size,
            includeMetadata: true,
          }),
        state.max_wait_ms,
      )
      for (const row of rows) {
        const run: ActiveRun = {
          id: row.id,
          retryCount: row.retryCount,
          ending: new AbortController(),
          finishing: false,
        }
        running.add(run)
        const done = runJob(state, job, row, run).finally(() => {
          running.delete(run)
          claim(state, job.name)
        })
        track(state, done)
      }
    }
  } finally {
    kind.claiming = false
  }
}

/**
 * Polls for all kinds at once: retries and delayed jobs come due without a notification, and a
 * notification may be missed.
 */
async function pollUntilStopped(state: State) {
  const { signal } = state.stopping
  while (!signal.aborted) {
    const wait = await poll(state).catch((error: Error) => {
      state.log.warn({ error: error.message }, 'could not poll the job queue; retrying')
      return POLL_MS
    })
    await pause(wait, undefined, { signal }).catch(() => {})
  }
}

/** Returns how long to wait before the next poll. */
async function poll(state: State): Promise<number> {
  for (const schedule of state.schedules)
    await limitQueries(() => sendDueTick(state.boss, schedule, Date.now()), state.max_wait_ms)
  for (const { name, id, retry_count, lost_runs } of await readWork(state)) {
    if (id) await failOrphan(state, name, { id, retryCount: retry_count, lost_runs })
    else claim(state, name)
  }
  return Math.max(0, Math.min(POLL_MS, ...state.schedules.map(({ due }) => due - Date.now())))
}

type Orphan = Claim & { lost_runs: number }

async function failOrphan({ kinds, log, boss }: State, name: string, orphan: Orphan) {
  const running = [...(kinds.get(name)?.running ?? [])]
  // A run of this process, whose lock was lost for a moment because the database restarted.
  if (running.some(({ id, retryCount }) => id === orphan.id && retryCount === orphan.retryCount))
    return
  log.warn(
    { job: name, id: orphan.id, attempt: orphan.retryCount + 1 },
    'the worker of a job ended; the job is retried',
  )
  const lost_runs = orphan.lost_runs + 1
  await boss.fail(name, orphan, { message: 'The worker is gone', lost_runs })
}

async function sendHeartbeats({ kinds, boss, max_wait_ms }: State) {
  for (const { job, running } of kinds.values()) {
    const runs = [...running]
    if (!runs.length) continue
    const { settled } = (await limitQueries(() => boss.touch(job.name, runs), max_wait_ms)) as {
      settled: string[]
    }
    // A run inside `finish` may have just completed its job; if it lost it, `finish` throws.
    const lost = runs.filter((run) => !run.finishing && !settled.includes(run.id))
    for (const run of lost) run.ending.abort(new RunEnded('Another worker has the job'))
  }
}

async function finishRuns({ sql, log, kinds, pending }: State, deadline_ms: number) {
  const cancel = new AbortController()
  const late = pause(deadline_ms, 'late', { signal: cancel.signal }).catch(() => 'late')
  while (pending.size) if ((await Promise.race([Promise.all(pending), late])) === 'late') break
  cancel.abort()
  for (const { job, running } of kinds.values())
    for (const run of running) {
      await returnToQueue(sql, job.name, run).catch((error: Error) =>
        log.warn(
          { error: error.message },
          'job could not be returned to the queue; another worker retries it',
        ),
      )
      run.ending.abort(new RunEnded('Returned to the queue because the worker stops'))
    }
  await Promise.all(pending)
}

/**
 * The first tick after a moment. Ticks are at whole minutes, or at whole seconds if the schedule has
 * a sixth field, so all moments of one have the same tick. Computing it takes a millisecond.
 */
function nextTick(boss: PgBoss, cron: string, moment: number): number {
  const step = cron.trim().split(/\s+/).length > 5 ? SECOND_MS : MINUTE_MS
  const start = Math.floor(moment / step) * step
  const key = `${cron} ${start}`
  const known = ticks.get(key)
  if (known !== undefined) return known
  const tick = boss.previewSchedule(cron, { from: new Date(start), count: 1 })[0]!.getTime()
  ticks.set(key, tick)
  return tick
}

const ticks = new LRUCache<string, number>({ max: 1000 })

/** Ticks missed while no worker ran are caught up, but none from before the schedule existed. */
async function readSchedules(boss: PgBoss, jobs: Job[]): Promise<Schedule[]> {
  const created = new Map(
    (await boss.getQueues()).map((queue) => [queue.name, queue.createdOn.getTime()]),
  )
  return jobs.flatMap(({ name, schedule: cron }) => {
    if (!cron) return []
    const since = Math.max(
      Date.now() - CATCH_UP_SECONDS * SECOND_MS,
      created.get(name) ?? Date.now(),
    )
    return [{ name, cron, since, due: nextTick(boss, cron, since) }]
  })
}

/**
 * The id of the job is derived from the tick, so the second process that sends it finds the row. Of
 * several missed ticks the last one runs.
 */
async function sendDueTick(boss: PgBoss, schedule: Schedule, now: number) {
  const { name, cron } = schedule
  const { tick, ...times } = dueTick(schedule, now, (moment) => nextTick(boss, cron, moment))
  if (tick !== undefined) {
    const id = sha256(`${name} ${tick}`).toString('hex').slice(0, 32)
    await boss.send(name, {}, { id, singletonKey: 'tick' })
  }
  Object.assign(schedule, times)
}

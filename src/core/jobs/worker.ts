import { setTimeout as pause } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import type { Sql } from '../database/sql.ts'
import type { Core } from '../runtime/core.ts'
import type { Log } from '../runtime/log.ts'
import { sha256 } from '../security/crypto.ts'
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
 * How soon a job whose worker is gone runs again, besides its own backoff. A process that ended let go of its locks: any worker sees that
 * at its next look, within 2 + 2 seconds. One that is cut off or frozen keeps its locks but stops its heartbeats: 10 seconds, found by the
 * monitor's next pass within 20 more. Either way the run that lost the job can have no effect through `finish` any more.
 */
const LOOK_MS = 2_000
const HEARTBEAT_MS = 3_000
const MONITOR_SECONDS = 20

type Kind = { job: Job; running: Set<ActiveRun>; claiming: boolean; again: boolean }
type Timer = { name: string; cron: string; due: number }
type State = JobContext & {
  kinds: Map<string, Kind>
  timers: Timer[]
  stopping: AbortController
  pending: Set<Promise<void>>
}

export type Worker = { stop: (deadline_ms: number) => Promise<void> }

export async function startWorker(sql: Sql, log: Log, jobs: Job[], core: Core): Promise<Worker> {
  const kinds = new Map(
    jobs.map((job): [string, Kind] => [
      job.name,
      { job, running: new Set(), claiming: false, again: false },
    ]),
  )
  const boss = openBoss(sql, log, {
    notified: (name) => claim(state, name),
    connected: () => claimAll(state),
  })
  const state: State = {
    sql,
    log,
    core,
    boss,
    locks: openJobLocks(sql),
    kinds,
    timers: [],
    stopping: new AbortController(),
    pending: new Set(),
  }
  await boss.start()
  state.timers = await readTimers(boss, jobs)
  const watching = watch(state)
  const heart = setInterval(() => track(state, beat(state)), HEARTBEAT_MS)
  return {
    async stop(deadline_ms) {
      state.stopping.abort()
      await watching
      await settle(state, deadline_ms)
      clearInterval(heart)
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
    maintenanceIntervalSeconds: 600,
    queueCacheIntervalSeconds: 3_600,
    // Chains of jobs, which we do not use.
    flowIntervalSeconds: 86_400,
  })
  // Only the text: what else comes with an event may hold the data of a job.
  boss.on('error', ({ message }) => log.warn({ error: message }, 'the job queue had trouble'))
  boss.on('warning', ({ message }) => log.warn({ warning: message }, 'the job queue warns'))
  return boss
}

/** Keeps what is under way, for `stop` to wait for; trouble here is the database's, and passes. */
function track({ pending, log }: State, work: Promise<void>) {
  const tracked = work
    .catch((error: Error) => log.warn({ error: error.message }, 'the job queue had trouble'))
    .finally(() => pending.delete(tracked))
  pending.add(tracked)
}

/** Fills the free places of a kind. One question at a time: a call in between makes it ask again. */
function claim(state: State, name: string) {
  const kind = state.kinds.get(name)
  if (!kind || state.stopping.signal.aborted) return
  kind.again = true
  if (!kind.claiming) track(state, fill(state, kind))
}

function claimAll(state: State) {
  for (const name of state.kinds.keys()) claim(state, name)
}

async function fill(state: State, kind: Kind) {
  const { job, running } = kind
  kind.claiming = true
  try {
    while (kind.again && running.size < job.concurrency && !state.stopping.signal.aborted) {
      kind.again = false
      const rows = await state.boss.fetch<unknown>(job.name, {
        batchSize: job.concurrency - running.size,
        includeMetadata: true,
      })
      for (const row of rows) {
        const mine: ActiveRun = {
          id: row.id,
          retryCount: row.retryCount,
          ending: new AbortController(),
          finishing: false,
        }
        running.add(mine)
        const done = runJob(state, job, row, mine).finally(() => {
          running.delete(mine)
          claim(state, job.name)
        })
        track(state, done)
      }
    }
  } finally {
    kind.claiming = false
  }
}

/** Every other second, for all kinds at once: retries and delayed jobs come due unannounced, and an announcement may be missed. */
async function watch(state: State) {
  const { signal } = state.stopping
  while (!signal.aborted) {
    const wait = await look(state).catch((error: Error) => {
      state.log.warn({ error: error.message }, 'the job queue had trouble')
      return LOOK_MS
    })
    await pause(wait, undefined, { signal }).catch(() => {})
  }
}

/** Answers how long to wait before the next one. */
async function look(state: State): Promise<number> {
  for (const timer of state.timers) await tick(state.boss, timer, Date.now())
  for (const { name, id, retry_count } of await findWork(state.sql, [...state.kinds.keys()])) {
    if (id) await rescue(state, name, { id, retryCount: retry_count })
    else claim(state, name)
  }
  return Math.max(0, Math.min(LOOK_MS, ...state.timers.map(({ due }) => due - Date.now())))
}

async function rescue({ kinds, log, boss }: State, name: string, orphan: Claim) {
  const running = [...(kinds.get(name)?.running ?? [])]
  // Ours, with its lock lost for a moment because the database restarted.
  if (running.some(({ id, retryCount }) => id === orphan.id && retryCount === orphan.retryCount))
    return
  log.warn(
    { job: name, id: orphan.id, attempt: orphan.retryCount + 1 },
    'the worker of a job is gone',
  )
  await boss.fail(name, orphan, { message: 'its worker is gone' })
}

async function beat({ kinds, boss }: State) {
  for (const { job, running } of kinds.values()) {
    const held = [...running]
    if (!held.length) continue
    const { settled } = (await boss.touch(job.name, held)) as { settled: string[] }
    // A run inside `finish` may have completed its job just now, and finds out for itself if it lost it.
    const lost = held.filter((mine) => !mine.finishing && !settled.includes(mine.id))
    for (const mine of lost) mine.ending.abort(new RunEnded('another worker has the job'))
  }
}

async function settle({ sql, log, kinds, pending }: State, deadline_ms: number) {
  const cancel = new AbortController()
  const late = pause(deadline_ms, 'late', { signal: cancel.signal }).catch(() => 'late')
  while (pending.size) if ((await Promise.race([Promise.all(pending), late])) === 'late') break
  cancel.abort()
  for (const { job, running } of kinds.values())
    for (const mine of running) {
      await returnToQueue(sql, job.name, mine).catch((error: Error) =>
        log.warn({ error: error.message }, 'a job could not be handed back'),
      )
      mine.ending.abort(new RunEnded('handed back, because the worker stops'))
    }
  await Promise.all(pending)
}

const after = (boss: PgBoss, cron: string, moment: number) =>
  boss.previewSchedule(cron, { from: new Date(moment), count: 1 })[0]!.getTime()

/** A tick missed while no worker ran is caught up, but none from before the schedule was first installed. */
async function readTimers(boss: PgBoss, jobs: Job[]): Promise<Timer[]> {
  const created = new Map(
    (await boss.getQueues()).map((queue) => [queue.name, queue.createdOn.getTime()]),
  )
  const since = (name: string) =>
    Math.max(Date.now() - CATCH_UP_SECONDS * 1000, created.get(name) ?? Date.now())
  return jobs.flatMap(({ name, schedule }) =>
    schedule ? [{ name, cron: schedule, due: after(boss, schedule, since(name)) }] : [],
  )
}

/** The id is the tick's: whoever comes second finds the row there, whatever its state. Of several missed ticks the last is run. */
async function tick(boss: PgBoss, timer: Timer, now: number) {
  const { name, cron } = timer
  if (now < timer.due) return
  let last = timer.due
  for (let next = after(boss, cron, last); next <= now; next = after(boss, cron, next)) last = next
  const id = sha256(`${name} ${last}`).toString('hex').slice(0, 32)
  await boss.send(name, {}, { id, singletonKey: 'tick' })
  timer.due = after(boss, cron, last)
}

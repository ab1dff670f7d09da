import type { JobWithMetadata, PgBoss } from 'pg-boss'
import type { Sql, Tx } from '../database/sql.ts'
import { transact } from '../database/transaction.ts'
import type { Core } from '../runtime/core.ts'
import type { Log } from '../runtime/log.ts'
import type { Job } from './index.ts'
import { asJob } from './running-job.ts'
import { type Claim, type JobLocks, transactionAdapter } from './store.ts'

/** A run was ended: it took too long, another worker has its job, or the process stops. */
export class RunEnded extends Error {}

export type ActiveRun = Claim & { ending: AbortController; finishing: boolean }
export type JobContext = { sql: Sql; log: Log; core: Core; boss: PgBoss; locks: JobLocks }

/** Runs a claimed job: takes its lock, calls its handler, and completes or fails it. */
export async function runJob(
  context: JobContext,
  job: Job,
  row: JobWithMetadata<unknown>,
  run: ActiveRun,
): Promise<void> {
  try {
    await context.locks.acquire(run)
    await handle(context, job, row, run)
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    report(context.log, job, run, error)
    // Fenced by the claim, like `complete`: a job that no longer belongs to this run is unchanged.
    await context.boss.fail(job.name, run, {
      message: error.message.slice(0, 2_000),
      stack: error.stack?.slice(0, 8_000),
    })
  } finally {
    context.locks.release(run)
  }
}

async function handle(
  context: JobContext,
  job: Job,
  row: JobWithMetadata<unknown>,
  run: ActiveRun,
) {
  const { signal } = run.ending
  let finished = false
  const finish = async <T>(effect: (tx: Tx) => Promise<T>): Promise<T> => {
    const result = await completeWith(context, job, run, effect)
    finished = true
    return result
  }
  const ended = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
  const timeout = new RunEnded(`The run took longer than ${job.expire_seconds} seconds`)
  const timer = setTimeout(() => run.ending.abort(timeout), job.expire_seconds * 1000)
  try {
    const input = {
      core: context.core,
      data: row.data,
      id: row.sourceRootId ?? row.id,
      attempt: row.retryCount + 1,
      lost_runs: (row.output as { lost_runs?: number } | null)?.lost_runs ?? 0,
      signal,
      finish,
    }
    const running = { name: job.name, id: input.id, data: row.data }
    const run_handler = () => asJob(running, () => job.handle(input))
    const { tracer } = context.core
    await Promise.race([tracer ? tracer.runJob(job.name, run_handler) : run_handler(), ended])
    if (!finished) await context.boss.complete(job.name, run)
  } finally {
    clearTimeout(timer)
  }
}

/** Runs the effect and completes the job in one transaction. */
async function completeWith<T>(
  { sql, boss }: JobContext,
  job: Job,
  run: ActiveRun,
  effect: (tx: Tx) => Promise<T>,
): Promise<T> {
  run.finishing = true
  const result = await transact(sql, async (tx) => {
    const value = await effect(tx)
    // Last, so that the row is locked only for a moment: heartbeats wait for it.
    const { affected } = (await boss.complete(job.name, run, null, {
      db: transactionAdapter(tx),
    })) as { affected: number }
    if (affected !== 1)
      throw new RunEnded('The job no longer belongs to this run; its effect was rolled back')
    return value
  })
  return result as T
}

/**
 * Logs selected fields only: an error may carry the request it failed on, and with it the data of
 * the job.
 */
function report(log: Log, job: Job, { id, retryCount }: Claim, error: Error) {
  const { name, message, stack, code } = error as Error & { code?: unknown }
  const context = { job: job.name, id, attempt: retryCount + 1 }
  if (error instanceof RunEnded) log.warn({ ...context, reason: message }, 'job run ended early')
  else log.error({ ...context, error: { name, message, code, stack } }, 'job failed')
}

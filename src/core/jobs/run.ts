import type { JobWithMetadata, PgBoss } from 'pg-boss'
import type { Sql, Tx } from '../database/sql.ts'
import { transact } from '../database/transaction.ts'
import type { Core } from '../runtime/core.ts'
import type { Log } from '../runtime/log.ts'
import type { Job } from './index.ts'
import { type Claim, type JobLocks, transactionAdapter } from './store.ts'

/** A run that must end: it took too long, another worker has its job, or the process stops. */
export class RunEnded extends Error {}

export type ActiveRun = Claim & { ending: AbortController; finishing: boolean }
export type JobContext = { sql: Sql; log: Log; core: Core; boss: PgBoss; locks: JobLocks }

/** One run of a claimed job, from its lock to its verdict. */
export async function runJob(
  shop: JobContext,
  job: Job,
  row: JobWithMetadata<unknown>,
  mine: ActiveRun,
): Promise<void> {
  try {
    await shop.locks.hold(mine)
    await handle(shop, job, row, mine)
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    report(shop.log, job, mine, error)
    // Fenced like `complete`: where the job is no longer this run's, nothing changes.
    await shop.boss.fail(job.name, mine, {
      message: error.message.slice(0, 2_000),
      stack: error.stack?.slice(0, 8_000),
    })
  } finally {
    shop.locks.release(mine)
  }
}

async function handle(
  { sql, core, boss }: JobContext,
  job: Job,
  row: JobWithMetadata<unknown>,
  mine: ActiveRun,
) {
  const { signal } = mine.ending
  let finished = false
  const finish = async <T>(effect: (tx: Tx) => Promise<T>): Promise<T> => {
    mine.finishing = true
    const result = await transact(sql, async (tx) => {
      const value = await effect(tx)
      // Last, so that the row is locked no longer than a moment: heartbeats wait for it.
      const { affected } = (await boss.complete(job.name, mine, null, {
        db: transactionAdapter(tx),
      })) as { affected: number }
      if (affected !== 1)
        throw new RunEnded('the job is no longer this run’s, and what it did is undone')
      return value
    })
    finished = true
    return result as T
  }
  const ended = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
  const too_long = new RunEnded(`took longer than ${job.expire_seconds} seconds`)
  const expiry = setTimeout(() => mine.ending.abort(too_long), job.expire_seconds * 1000)
  try {
    const context = {
      core,
      data: row.data,
      id: row.sourceRootId ?? row.id,
      attempt: row.retryCount + 1,
      signal,
      finish,
    }
    await Promise.race([job.handle(context), ended])
    if (!finished) await boss.complete(job.name, mine)
  } finally {
    clearTimeout(expiry)
  }
}

/** Fields picked by hand: an error may carry the request it failed on, and with it the data of the job. */
function report(log: Log, job: Job, { id, retryCount }: Claim, error: Error) {
  const { name, message, stack, code } = error as Error & { code?: unknown }
  const context = { job: job.name, id, attempt: retryCount + 1 }
  if (error instanceof RunEnded)
    log.warn({ ...context, reason: message }, 'a run of a job was ended')
  else log.error({ ...context, error: { name, message, code, stack } }, 'a job failed')
}

import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { openPool, type Sql } from '../../../src/core/database/sql.ts'
import {
  createJobs,
  installJobs,
  type Job,
  type Jobs,
  job,
  type Run,
} from '../../../src/core/jobs/index.ts'
import type { Core } from '../../../src/core/runtime/core.ts'
import { cleanup } from '../../support/cleanup.ts'
import { freshDatabase } from '../../support/database.ts'

export const core = { config: { database_timeout: 60 } } as Core
export const quiet = pino({ level: 'silent' })
export const FAST = { retries: 3, backoff_seconds: [0, 0] } as const

export async function database(t: TestContext): Promise<{ url: string; sql: Sql }> {
  const url = await freshDatabase(t)
  const sql = openPool(url, 5, 'test')
  cleanup(t, () => sql.end({ timeout: 1 }))
  await sql`create table effects (id uuid not null, note text not null default '')`
  return { url, sql }
}

/** Installs the queues of these jobs in a new database; `runner` starts a worker on it. */
export async function queue(t: TestContext, definitions: Job[]) {
  const { url, sql } = await database(t)
  await installJobs(sql, definitions)
  const jobs = await createJobs(sql, quiet, definitions)
  cleanup(t, () => jobs.stop(0))
  const runner = async (log = quiet): Promise<Jobs> => {
    const pool = openPool(url, 5, 'runner')
    const another = await createJobs(pool, log, definitions)
    await another.start(core)
    cleanup(t, async () => {
      await another.stop(0)
      await pool.end({ timeout: 1 })
    })
    return another
  }
  return { url, sql, jobs, runner }
}

/** A job whose runs are passed to the test, which decides when and how each one ends. */
export function controlledJob(name: string, options: object = {}) {
  const arrived: ((run: Run) => void)[] = []
  const waiting: Run[] = []
  const released = new Map<Run, PromiseWithResolvers<unknown>>()
  const definition = job({
    name,
    ...FAST,
    ...options,
    async handle(run) {
      const release = Promise.withResolvers<unknown>()
      released.set(run, release)
      const waiter = arrived.shift()
      if (waiter) waiter(run)
      else waiting.push(run)
      await release.promise
    },
  })
  return {
    definition,
    next: () =>
      waiting.length
        ? Promise.resolve(waiting.shift()!)
        : new Promise<Run>((resolve) => arrived.push(resolve)),
    end: (run: Run, error?: Error) =>
      error ? released.get(run)!.reject(error) : released.get(run)!.resolve(undefined),
  }
}

/** Lets a job run so many times, and returns the ids of the runs. */
export async function idsOfRuns(
  { next, end }: Pick<ReturnType<typeof controlledJob>, 'next' | 'end'>,
  count: number,
): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let i = 0; i < count; i++) {
    const run = await next()
    ids.add(run.id)
    end(run)
  }
  return ids
}

export const note = ({ id, finish }: Run, text: string) =>
  finish((tx) => tx`insert into effects (id, note) values (${id}, ${text})`)
export const notes = async (sql: Sql) =>
  (await sql`select note from effects order by note`).map((row) => row.note)
export const rows = (sql: Sql, name: string) =>
  sql`
    select
      id, state::text, retry_count, retry_limit,
      extract(epoch from start_after - now())::float8 as wait
    from pgboss.job
    where name = ${name}`

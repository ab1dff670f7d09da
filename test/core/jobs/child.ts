import { randomInt } from 'node:crypto'
import { pino } from 'pino'
import { openPool } from '../../../src/core/database/sql.ts'
import { createJobs, job } from '../../../src/core/jobs/index.ts'
import type { Core } from '../../../src/core/runtime/core.ts'

/**
 * The counting job of the kill tests. Run as a program, this file is a worker that prints its
 * progress, so that it can be killed at a given step.
 */
export const count = (report: (where: string) => void) =>
  job<{ number: number }>({
    name: 'test.count',
    retries: 1_000,
    backoff_seconds: [0, 0],
    concurrency: 4,
    async handle({ data: { number }, attempt, finish }) {
      report('begun')
      await finish(async (tx) => {
        await tx`insert into counted (number, attempt) values (${number}, ${attempt})`
        report('inside')
        // The sleep lets some kills happen while the database is executing a statement.
        await tx`select pg_sleep(${randomInt(20) / 1000}), pg_notify('counted', ${String(number)})`
        report('almost')
      })
      report('done')
    },
  })

if (import.meta.main) {
  const sql = openPool(process.argv[2]!, 4, 'child')
  const jobs = await createJobs(sql, pino({ level: 'silent' }), [
    count((where) => process.stdout.write(`${where}\n`)),
  ])
  await jobs.start({ config: { database_timeout: 60 } } as Core)
}

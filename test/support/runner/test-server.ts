import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/core/database/embedded/postgres.ts'
import { migrate } from '../../../src/core/database/migrate.ts'
import { openPool, type Sql } from '../../../src/core/database/sql.ts'
import { installJobs } from '../../../src/core/jobs/index.ts'
import { createLog } from '../../../src/core/runtime/log.ts'
import { jobs } from '../../../src/jobs.ts'

export const TEMPLATE = 'slipway_template'
// Test data need not survive a power cut, and many tests run at once.
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '300',
  max_wal_size: '1GB',
  autovacuum: 'off',
  // A statement is planned once per connection, not each of its first five times.
  plan_cache_mode: 'force_generic_plan',
}

/** Starts one server for the whole run, with a migrated template database. */
export async function startTestDatabase(folder: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(folder, settings)
  const admin = openPool(server.url, 1, 'test')
  await admin.unsafe(`create database ${TEMPLATE}`)
  const template = databaseUrl(server.url, TEMPLATE)
  await migrate(template, createLog({ log_level: 'silent' }))
  const sql = openPool(template, 2, 'test')
  await installJobs(sql, jobs)
  await forgetMissedTicks(sql)
  await sql.end()
  await admin.unsafe(`alter database ${TEMPLATE} with is_template true allow_connections false`)
  await admin.end()
  return server
}

/**
 * A service that starts catches up on the ticks of schedules since their queue was created: in a
 * copy of the template a dozen jobs, with each start of each test. As if the clock had been ahead
 * then, its schedules begin when it starts.
 */
async function forgetMissedTicks(sql: Sql): Promise<void> {
  await sql`update pgboss.queue set created_on = now() + interval '1 day'`
}

export function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/core/database/embedded-postgres.ts'
import { migrate } from '../../src/core/database/migrate.ts'
import { openPool } from '../../src/core/database/sql.ts'
import { installJobs } from '../../src/core/jobs/index.ts'
import { createLog } from '../../src/core/runtime/log.ts'
import { jobs } from '../../src/jobs.ts'
import { cleanup } from './cleanup.ts'

const TEMPLATE = 'slipway_template'
// Test data need not survive a power cut, and many tests run at once.
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '300',
  max_wal_size: '1GB',
  autovacuum: 'off',
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
  await sql.end()
  await admin.unsafe(`alter database ${TEMPLATE} with is_template true allow_connections false`)
  await admin.end()
  return server
}

/** Creates a migrated database that is dropped after the test. */
export const freshDatabase = (t: TestContext) =>
  makeDatabase(t, `template ${TEMPLATE} strategy file_copy`)

/** Creates an empty database. */
export const emptyDatabase = (t: TestContext) => makeDatabase(t, '')

async function makeDatabase(t: TestContext, options: string): Promise<string> {
  const server = process.env.TEST_DATABASE_URL
  if (!server) throw new Error('run the tests with npm test, which starts the database')
  const name = `test_${randomBytes(8).toString('hex')}`
  const admin = openPool(server, 1, 'test')
  await admin.unsafe(`create database ${name} ${options}`)
  cleanup(t, async () => {
    await admin.unsafe(`drop database if exists ${name} with (force)`)
    await admin.end()
  })
  return databaseUrl(server, name)
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

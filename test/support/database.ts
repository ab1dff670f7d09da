import { randomBytes } from 'node:crypto'
import { after, type TestContext } from 'node:test'
import { openPool, type Sql } from '../../src/core/database/sql.ts'
import { cleanup } from './cleanup.ts'
import { databaseUrl, TEMPLATE } from './runner/test-server.ts'

/** Creates a migrated database that is dropped after the test. */
export const freshDatabase = (t: TestContext) =>
  makeDatabase(t, `template ${TEMPLATE} strategy file_copy`)

/** Creates an empty database. */
export const emptyDatabase = (t: TestContext) => makeDatabase(t, '')

async function makeDatabase(t: TestContext, options: string): Promise<string> {
  const server = process.env.TEST_DATABASE_URL
  if (!server) throw new Error('run the tests with npm test, which starts the database')
  const name = `test_${randomBytes(8).toString('hex')}`
  await adminConnection(server).unsafe(`create database ${name} ${options}`)
  cleanup(t, () => dropDatabase(server, name))
  return databaseUrl(server, name)
}

/**
 * Copies a database as a backup and its restore do. Connections to it are cut for that moment; the
 * pools of its services connect again.
 */
export async function copyDatabase(t: TestContext, url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1)
  const admin = adminConnection(process.env.TEST_DATABASE_URL!)
  await admin.unsafe(`alter database ${name} with allow_connections false`)
  try {
    for (;;) {
      const open = await admin`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = ${name}`
      if (!open.length) break
    }
    return await makeDatabase(t, `template ${name} strategy file_copy`)
  } finally {
    await admin.unsafe(`alter database ${name} with allow_connections true`)
  }
}

/** One connection for all tests of this process. */
let admin: Sql | undefined
let are_tests_over = false
after(closeAdmin)

function adminConnection(server: string): Sql {
  admin ??= openPool(server, 1, 'test')
  return admin
}

async function closeAdmin() {
  are_tests_over = true
  const ending = admin
  admin = undefined
  await ending?.end()
}

async function dropDatabase(server: string, name: string) {
  await adminConnection(server).unsafe(`drop database if exists ${name} with (force)`)
  // Databases that all tests of a file share are dropped last.
  if (are_tests_over) await closeAdmin()
}

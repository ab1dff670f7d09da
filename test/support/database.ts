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
  const admin = adminConnection(server)
  await admin.unsafe(`create database ${name} ${options}`)
  cleanup(t, () => admin.unsafe(`drop database if exists ${name} with (force)`))
  return databaseUrl(server, name)
}

let shared_admin: Sql | undefined

/** One connection for all tests of this process. */
function adminConnection(server: string): Sql {
  shared_admin ??= openPool(server, 1, 'test')
  return shared_admin
}
after(() => shared_admin?.end())

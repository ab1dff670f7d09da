import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { LOCK, MigrationError, migrate } from '../../../src/core/database/migrate.ts'
import { openPool } from '../../../src/core/database/sql.ts'
import { eventually } from '../../support/app.ts'
import { lockWaits } from '../../support/builders.ts'
import { cleanup } from '../../support/cleanup.ts'
import { emptyDatabase, freshDatabase } from '../../support/database.ts'

const log = pino({ level: 'silent' })
const folderWith = (files: Record<string, string>) => {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

test('many processes that start at once run each migration once', async (t) => {
  const url = await emptyDatabase(t)
  const folder = folderWith({
    '0001_a.sql': 'create table a (n int); insert into a values (1);',
    '0002_b.sql': 'select pg_sleep(0.2); update a set n = n + 1;',
  })
  await Promise.all(Array.from({ length: 5 }, () => migrate(url, log, folder)))
  const sql = openPool(url, 1, 'test')
  cleanup(t, () => sql.end())
  assert.deepEqual([...(await sql`select n from a`)], [{ n: 2 }])
  assert.deepEqual(
    (await sql`select name from schema_migrations order by name`).map(({ name }) => name),
    ['0001_a.sql', '0002_b.sql'],
  )
})

test('a start that waits for the migrations of another process says so', async (t) => {
  const url = await emptyDatabase(t)
  const sql = openPool(url, 1, 'slipway other')
  cleanup(t, () => sql.end())
  const [holder] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  await sql`select pg_advisory_lock(${LOCK})`
  const waiting = pino({ level: 'silent' })
  const warn = t.mock.method(waiting, 'warn', () => {})
  const run = migrate(url, waiting, folderWith({ '0001_a.sql': 'create table a (n int)' }))
  await eventually('the line', () => warn.mock.callCount() === 1)
  const [fields, message] = warn.mock.calls[0]!.arguments as unknown as [object, string]
  assert.deepEqual(fields, { pid: holder!.pid, application: 'slipway other' })
  assert.match(message, /waits for another process .*pg_stat_activity/)
  await sql`select pg_advisory_unlock(${LOCK})`
  await run
  assert.equal(warn.mock.callCount(), 1)
})

test('rejects a changed migration, and rolls back one that fails', async (t) => {
  const url = await emptyDatabase(t)
  await migrate(url, log, folderWith({ '0001_a.sql': 'create table a (n int)' }))
  await assert.rejects(
    migrate(url, log, folderWith({ '0001_a.sql': 'create table a (n bigint)' })),
    (error: Error) =>
      error instanceof MigrationError &&
      /0001_a\.sql was changed after it was applied/.test(error.message),
  )
  await assert.rejects(
    migrate(
      url,
      log,
      folderWith({
        '0001_a.sql': 'create table a (n int)',
        '0002_b.sql': 'create table b (n int); select 1 / 0;',
      }),
    ),
    /division by zero/,
  )
  await migrate(
    url,
    log,
    folderWith({ '0001_a.sql': 'create table a (n int)', '0002_b.sql': 'create table b (n int)' }),
  )
})

test('a migration that waits for a locked table lets others use it, and tries again', async (t) => {
  const url = await emptyDatabase(t)
  const files = { '0001_a.sql': 'create table a (n int)' }
  await migrate(url, log, folderWith(files))
  const sql = openPool(url, 3, 'test')
  cleanup(t, () => sql.end())
  const patient = pino({ level: 'silent' })
  const warn = t.mock.method(patient, 'warn', () => {})
  let run: Promise<void> | undefined
  await sql.begin(async (backup) => {
    await backup`lock table a in access share mode`
    const folder = folderWith({ ...files, '0002_b.sql': 'alter table a add column b int' })
    run = migrate(url, patient, folder)
    await eventually('a second attempt', () => warn.mock.callCount() >= 1)
    await sql`insert into a (n) values (1)`
  })
  await run
  assert.deepEqual([...(await sql`select n, b from a`)], [{ n: 1, b: null }])
})

test('a migration that meets a transaction in a deadlock tries again', async (t) => {
  const url = await emptyDatabase(t)
  const files = { '0001_a.sql': 'create table a (n int); create table b (n int)' }
  await migrate(url, log, folderWith(files))
  const sql = openPool(url, 3, 'test')
  cleanup(t, () => sql.end())
  const patient = pino({ level: 'silent' })
  const warn = t.mock.method(patient, 'warn', () => {})
  let run: Promise<void> | undefined
  await sql.begin(async (request) => {
    // So that the deadlock is found by the migration.
    await request`set local deadlock_timeout = '1min'`
    await request`insert into b values (1)`
    const text = 'alter table a add column c int; alter table b add column c int'
    run = migrate(url, patient, folderWith({ ...files, '0002_c.sql': text }))
    run.catch(() => {})
    await eventually('the migration to wait', async () => (await lockWaits(request)) > 0)
    await request`insert into a values (1)`
  })
  await run
  assert.ok(warn.mock.callCount() >= 1, 'the migration did not meet the transaction')
  assert.deepEqual([...(await sql`select n, c from b`)], [{ n: 1, c: null }])
})

test('a database of a newer version is used, unless a migration has broken that', async (t) => {
  const url = await emptyDatabase(t)
  const older = { '0001_a.sql': 'create table a (n int)' }
  const compatible = { ...older, '0002_b.sql': 'create table b (n int)' }
  const warned = t.mock.method(log, 'warn')
  await migrate(url, log, folderWith(compatible))
  assert.equal(warned.mock.callCount(), 0)
  await migrate(url, log, folderWith(older))
  const [warning] = warned.mock.calls
  assert.deepEqual(warning?.arguments[0], { migration: '0002_b.sql' })
  await migrate(url, log, folderWith({ ...compatible, '0003_c_breaking.sql': 'drop table b' }))
  await assert.rejects(
    migrate(url, log, folderWith({ ...compatible, '0004_d.sql': 'create table d (n int)' })),
    (error: Error) =>
      error instanceof MigrationError &&
      /newer version of Slipway .+\(0003_c_breaking\.sql\).+cannot use it/.test(error.message),
  )
  const sql = openPool(url, 1, 'test')
  cleanup(t, () => sql.end())
  assert.deepEqual([...(await sql`select to_regclass('d') as d`)], [{ d: null }])
})

test('a second run of the real migrations changes nothing', async (t) => {
  await migrate(await freshDatabase(t), log)
})

test('reports an address that accepts connections but never answers, instead of waiting forever', {
  timeout: 60_000,
}, async (t) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  cleanup(t, () => silent.close())
  await new Promise((go) => silent.once('listening', go))
  const { port } = silent.address() as { port: number }
  await assert.rejects(
    migrate(`postgres://x@127.0.0.1:${port}/x`, log),
    /CONNECT_TIMEOUT|did not answer/,
  )
})

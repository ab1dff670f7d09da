import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ARRAY_TYPES } from '../../../src/core/database/array-types.ts'
import { openPool } from '../../../src/core/database/sql.ts'
import { eventually, startApp } from '../../support/app.ts'
import { cleanup } from '../../support/cleanup.ts'

/** One connection, so that every query follows the one before it. */
async function openConnection(t: TestContext) {
  const { core } = await startApp(t)
  const sql = openPool(core.config.database_url!, 1, 'test')
  cleanup(t, () => sql.end({ timeout: 0 }))
  return sql
}

test('a query that fails after some of its rows leaves none to the next query', async (t) => {
  const sql = await openConnection(t)
  const failing = sql`select 10 / (3 - n) as x from generate_series(1, 5) n`
  await assert.rejects(failing, /division by zero/)
  assert.deepEqual([...(await sql`select 7 as n`)], [{ n: 7 }])
})

test('a parameter that cannot be sent rejects its own query only', {
  timeout: 60_000,
}, async (t) => {
  const sql = await openConnection(t)
  const timeOf = (date: Date) => sql`select ${date}::timestamptz as time`
  // Prepares the statement, so that the next one is sent together with its parameters.
  await timeOf(new Date())
  const results = await Promise.allSettled([
    sql`select 1 as n from pg_sleep(0.1)`,
    timeOf(new Date('not a date')),
    sql`select 3 as n`,
  ])
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? [...result.value] : 'rejected')),
    [[{ n: 1 }], 'rejected', [{ n: 3 }]],
  )
  assert.deepEqual([...(await sql`select 4 as n`)], [{ n: 4 }])
  await assert.rejects(timeOf(new Date('not a date')), RangeError)
  assert.deepEqual([...(await sql`select 5 as n`)], [{ n: 5 }])
})

test('a copy that ends while its reader waits does not stop the connection', {
  timeout: 60_000,
}, async (t) => {
  const sql = await openConnection(t)
  await sql.begin(async (tx) => {
    // Just more than the stream holds before it tells the connection to pause.
    const copy = tx.unsafe(`copy (select repeat('x', 1000) from generate_series(1, 67)) to stdout`)
    const rows = await copy.readable()
    const size = 67 * 1001
    await eventually('all rows', () => rows.readableLength === size)
    const chunks: Buffer[] = await Array.fromAsync(rows)
    assert.equal(Buffer.concat(chunks).length, size)
    assert.deepEqual([...(await tx`select 7 as n`)], [{ n: 7 }])
  })
})

test('a copy whose reader gives up does not stop the connection', {
  timeout: 60_000,
}, async (t) => {
  const sql = await openConnection(t)
  const copy = sql.unsafe(`copy (select repeat('x', 1000) from generate_series(1, 9999)) to stdout`)
  const rows = await copy.readable()
  await eventually('the first rows', () => rows.readableLength > 0)
  rows.destroy()
  // Until all rows arrived, the driver refuses queries.
  const answer = await eventually('an answer', () =>
    sql`select 7 as n`.catch((error) => {
      if (error.code !== 'COPY_IN_PROGRESS') throw error
      return undefined
    }),
  )
  assert.deepEqual([...answer], [{ n: 7 }])
})

test('the array types that the driver knows are those of the database', async (t) => {
  const sql = await openConnection(t)
  const rows = await sql<{ type: number; array: number }[]>`
    select oid::int as type, typarray::int as array
    from pg_type
    where oid = any(${ARRAY_TYPES.map(([type]) => type)}::oid[])
    order by oid`
  assert.deepEqual(
    rows.map(({ type, array }) => [type, array]),
    ARRAY_TYPES,
  )
})

test('a new connection can be reserved, and sends and reads arrays of its first query', {
  timeout: 60_000,
}, async (t) => {
  const sql = await openConnection(t)
  const reserved = await sql.reserve()
  const texts = ['a,b', '"', 'NULL', '']
  const numbers = [1, 2 ** 53 - 1]
  const [row] = await reserved`
    select ${texts}::text[] as texts, ${numbers}::bigint[] as numbers,
      array['{"a":[1]}']::jsonb[] as objects, '{}'::uuid[] as uids`
  assert.deepEqual(row, { texts, numbers, objects: [{ a: [1] }], uids: [] })
  reserved.release()
  assert.deepEqual([...(await sql`select true as free`)], [{ free: true }])
})

test('queries one after the other use one connection, so that the others can close', async (t) => {
  const { core } = await startApp(t)
  const sql = openPool(core.config.database_url!, 3, 'test')
  cleanup(t, () => sql.end({ timeout: 0 }))
  const processOf = async () => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid, pg_sleep(0.01)`
    return row!.pid
  }
  const peak = new Set(await Promise.all([processOf(), processOf(), processOf()]))
  assert.equal(peak.size, 3)
  const later = new Set<number>()
  for (let i = 0; i < 6; i++) later.add(await processOf())
  assert.equal(later.size, 1)
})

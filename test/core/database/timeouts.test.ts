import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { lossyDatabase } from '../../../sim/lossy-database.ts'
import { openPool, type Sql } from '../../../src/core/database/sql.ts'
import { limitQueries, MAX_QUEUED, poolTimeouts } from '../../../src/core/database/timeouts.ts'
import { cleanup } from '../../support/cleanup.ts'
import { freshDatabase } from '../../support/database.ts'

type Purpose = keyof typeof poolTimeouts

async function openTestPool(t: TestContext, max: number, purpose?: Purpose, url?: string) {
  const sql = openPool(url ?? (await freshDatabase(t)), max, 'test', purpose)
  cleanup(t, () => sql.end({ timeout: 0 }))
  return sql
}

const hasCode = (code: string) => (error: { code?: string }) => error.code === code
const sleep = (sql: Sql, seconds: number) => sql`select pg_sleep(${seconds})`

const statement_timeouts: Record<Purpose, string> = {
  requests: '10min',
  slow: '5min',
  events: '1min',
  reads: '1min',
  search: '1min',
}
for (const [purpose, statement_timeout] of Object.entries(statement_timeouts))
  test(`the server limits statements, locks and idle transactions of the pool ${purpose}`, async (t) => {
    const sql = await openTestPool(t, 1, purpose as Purpose)
    const show = async (name: string) =>
      (await sql<{ value: string }[]>`select current_setting(${name}) as value`)[0]!.value
    assert.equal(await show('statement_timeout'), statement_timeout)
    assert.equal(await show('lock_timeout'), '30s')
    assert.equal(await show('idle_in_transaction_session_timeout'), '5min')
    assert.equal(await show('client_connection_check_interval'), '2s')
  })

test('a query of a request is given up after its time, one of a job is not', async (t) => {
  const sql = await openTestPool(t, 2, 'requests')
  const slow_job = sleep(sql, 1)
  const slow_request = limitQueries(async () => sleep(sql, 120), 300)
  await assert.rejects(slow_request, hasCode('QUERY_TIMEOUT'))
  await slow_job
})

test('a read of the replica has half of the time of a request', () => {
  const isExpired = limitQueries(() => poolTimeouts.reads.query_limit(), 1_000)
  assert.deepEqual([isExpired(499), isExpired(500)], [false, true])
})

for (const [purpose, seconds] of [
  ['requests', 605],
  ['slow', 305],
  ['events', 65],
  ['reads', 65],
  ['search', 65],
] as const)
  test(`outside of a request, the pool ${purpose} waits ${seconds} seconds for an answer`, () => {
    const isExpired = poolTimeouts[purpose].query_limit()
    assert.deepEqual([isExpired(seconds * 1000 - 1), isExpired(seconds * 1000)], [false, true])
  })

test('queries beyond the limit of waiting ones are refused at once', async (t) => {
  const sql = await openTestPool(t, 1, 'requests')
  await sql`select 1`
  const blocking = sleep(sql, 1)
  // A connection also takes queries ahead of time, which do not count as waiting.
  const sent_ahead = 100
  const queries = Array.from(
    { length: MAX_QUEUED + sent_ahead + 10 },
    async () => (await sql`select 1 as n`)[0]!.n as number,
  )
  const results = await Promise.allSettled(queries)
  await blocking
  const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
  assert.ok(refused.length > 0 && refused.length <= 10 + sent_ahead, String(refused.length))
  for (const { reason } of refused) assert.equal(reason.code, 'TOO_MANY_QUERIES')
})

test('idle connections that were silent since before a query without an answer are closed', async (t) => {
  const database = await lossyDatabase(await freshDatabase(t))
  cleanup(t, () => database.close())
  const sql = await openTestPool(t, 4, 'requests', database.url)
  await Promise.all(Array.from({ length: 4 }, () => sleep(sql, 0.1)))
  database.goSilent()()
  await assert.rejects(
    limitQueries(async () => sql`select 1`, 500),
    hasCode('QUERY_TIMEOUT'),
  )
  // All connections were silent; without that, three more queries would wait in vain.
  const answers = await limitQueries(
    () => Promise.all(Array.from({ length: 4 }, async () => (await sql`select 7 as n`)[0]!.n)),
    60_000,
  )
  assert.deepEqual(answers, [7, 7, 7, 7])
})

test('the system looks after ten seconds whether an idle connection is alive', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs /proc')
  const database = await lossyDatabase(await freshDatabase(t))
  cleanup(t, () => database.close())
  const sql = await openTestPool(t, 1, 'requests', database.url)
  await sql`select 1`
  const port = Number(new URL(database.url).port).toString(16).toUpperCase().padStart(4, '0')
  // The columns: number, local and remote address, state, queues, timer and when it ends.
  const timers = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote, state]) => remote?.endsWith(`:${port}`) && state === '01')
    .map((columns) => columns[5]!.split(':'))
  const KEEP_ALIVE = '02'
  assert.equal(timers.length, 1)
  const [timer, ends_in] = timers[0]!
  assert.equal(timer, KEEP_ALIVE)
  assert.ok(Number.parseInt(ends_in!, 16) <= 1000, 'in hundredths of a second')
})

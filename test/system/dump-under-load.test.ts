import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from '../../src/core/database/sql.ts'
import { DAY_MS } from '../../src/core/runtime/units.ts'
import { rotateEventDays } from '../../src/telemetry/events/jobs.ts'
import { eventually, runJob } from '../support/app.ts'
import { cleanup } from '../support/cleanup.ts'
import { IS_FULL_RUN, loopCount } from '../support/loop-count.ts'
import { debianServer } from '../support/programs/debian-postgres.ts'
import { needs } from '../support/system-packages.ts'
import { startTelemetryApp } from '../telemetry/fixtures.ts'

const DUMPS = loopCount({ short: 1, full: 20 })
const CLIENTS = loopCount({ short: 4, full: 16 })
/** A short run leaves other tests the machine. */
const PAUSE_MS = loopCount({ short: 20, full: 0 })
const MAX_P99_MS = 1_000
/** Events that are acknowledged during each dump, at least. */
const MIN_EVENTS = 50
const RETENTION_DAYS = 32
const DAYS_AHEAD = 7

const suffixOf = (days: number) =>
  new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')

/** A dump that has its locks, and ends only when its output is read. */
async function startDump(t: TestContext, sql: Sql, url: string) {
  const dump = spawn('pg_dump', ['--dbname', url], { stdio: ['ignore', 'pipe', 'inherit'] })
  cleanup(t, () => dump.kill('SIGKILL'))
  const ended = once(dump, 'exit')
  await eventually('the locks of pg_dump', async () => {
    const locks = await sql`
      select from pg_locks l
      join pg_stat_activity a using (pid)
      where a.application_name = 'pg_dump' and l.granted
        and l.relation in ('event_packs'::regclass, 'event_keys'::regclass)`
    return locks.length >= 2
  })
  return async () => {
    const [output, [code]] = await Promise.all([text(dump.stdout), ended])
    return { output, code }
  }
}

/** A day to drop and a day to create, for the next run of the job. */
async function prepareMaintenance(sql: Sql) {
  const expired = new Date(Date.now() - (RETENTION_DAYS + 2) * DAY_MS)
  await sql`select make_event_days(${expired}::date, ${expired}::date)`
  const coming = suffixOf(DAYS_AHEAD)
  for (const table of ['event_packs', 'event_keys'])
    await sql.unsafe(`drop table if exists ${table}_${coming}`)
}

const hasDay = async (sql: Sql, days: number) =>
  (await sql`select from pg_class where relname = ${`event_packs_${suffixOf(days)}`}`).length > 0

test('pg_dump and the maintenance of partitions fail and delay no event', async (t) => {
  if (!needs(t, 'pg_dump')) return
  const server = await debianServer(t)
  server.bin('createdb', '--maintenance-db', server.url('postgres'), 'slipway')
  const app = await startTelemetryApp(t, {
    DATABASE_URL: server.url('slipway'),
    DATABASE_CONNECTIONS: '10',
    EVENT_RETENTION_DAYS: String(RETENTION_DAYS),
    SLIPWAY_ROLES: 'api',
  })
  const { sql } = app
  const build = await app.build(await app.a.listing())
  const durations: number[] = []
  const failures: string[] = []
  let sending = true
  const repeat = async () => {
    while (sending) {
      const started = performance.now()
      const event = { event: 'tick', event_id: randomUUID() }
      const { status, body } = await app.send(build, [event])
      if (status === 202) durations.push(performance.now() - started)
      else failures.push(`${status} ${JSON.stringify(body)}`)
      if (PAUSE_MS) await pause(PAUSE_MS)
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, repeat))
  for (let count = 0; count < DUMPS; count++) {
    await prepareMaintenance(sql)
    const finishDump = await startDump(t, sql, server.url('slipway'))
    const before = durations.length
    await runJob(app, rotateEventDays)
    assert.ok(await hasDay(sql, DAYS_AHEAD), 'a coming day was not created during the dump')
    await eventually('events during the dump', () => durations.length >= before + MIN_EVENTS)
    const { output, code } = await finishDump()
    assert.equal(code, 0)
    assert.match(output, /PostgreSQL database dump complete/)
    // A run leaves a day that writers use to the next one.
    await eventually('the removal of an old day', async () => {
      await runJob(app, rotateEventDays)
      return !(await hasDay(sql, -RETENTION_DAYS - 2))
    })
  }
  sending = false
  await clients
  assert.deepEqual(failures, [])
  assert.equal((await app.stored()).length, durations.length)
  const sorted = durations.sort((a, b) => a - b)
  const p99 = sorted[Math.floor(sorted.length * 0.99)]!
  t.diagnostic(
    `${DUMPS} dumps, ${sorted.length} events: p50 ${sorted[sorted.length >> 1]!.toFixed(1)} ms, ` +
      `p99 ${p99.toFixed(1)} ms, slowest ${sorted.at(-1)!.toFixed(1)} ms`,
  )
  if (IS_FULL_RUN) assert.ok(p99 < MAX_P99_MS, `p99 was ${p99} ms`)
})

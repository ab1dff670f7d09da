import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sql } from '../../src/core/database/sql.ts'
import { DAY_MS } from '../../src/core/runtime/units.ts'
import { rotateEventDays } from '../../src/telemetry/events/jobs.ts'
import { eventually, runJob } from '../support/app.ts'
import { lockWaits, must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { startTelemetryApp } from './fixtures.ts'

const sharedTelemetryApp = sharedInFile(startTelemetryApp)

test("flushes events to disk before it responds, whatever the database's setting", async (t) => {
  const { a, build, send, sql } = await sharedTelemetryApp(t)
  const to = await build(await a.listing())
  assert.equal((await sql`show synchronous_commit`)[0]!.synchronous_commit, 'off')
  for (let i = 0; i < 30; i++) {
    const [{ before }] = (await sql`select pg_current_wal_insert_lsn() as before`) as any
    must(await send(to, [{ event: 'tick', event_id: `e${i}` }]))
    const [{ flushed }] =
      (await sql`select pg_current_wal_flush_lsn() > ${before}::text::pg_lsn as flushed`) as any
    assert.equal(flushed, true, `request ${i}`)
  }
})

test('a request that the database rejects does not fail the others of its batch', async (t) => {
  const { a, build, send, sql, stored } = await sharedTelemetryApp(t)
  const to = await build(await a.listing())
  await sql`
    create function poison() returns trigger language plpgsql as $$ begin
      if new.events::text like '%poison%' then
        raise exception 'no' using errcode = '22000';
      end if;
      return new;
    end $$`
  await sql`
    create trigger poison before insert on event_packs
    for each row execute function poison()`
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      send(to, [{ event: i === 7 ? 'poison' : `fine${i}`, event_id: `${i}` }]),
    ),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map((_, i) => (i === 7 ? 500 : 202)),
  )
  assert.equal((await stored(to)).length, 19)
})

const dayAfter = (days: number) => new Date(Date.now() + days * DAY_MS)
const suffixOf = (days: number) => dayAfter(days).toISOString().slice(0, 10).replaceAll('-', '')

/** The days that have a table, oldest first. */
const daysOf = async (sql: Sql) =>
  (
    await sql`
      select right(relname, 8) as day
      from pg_class
      where relkind = 'r' and relname ~ '^event_packs_[0-9]{8}$'
      order by 1`
  ).map((row) => row.day as string)

test('drops old partitions, two days in a run, and creates coming ones', async (t) => {
  const app = await startTelemetryApp(t, { EVENT_RETENTION_DAYS: '32', SLIPWAY_ROLES: 'api' })
  const { a, build, send, sql, stored } = app
  const to = await build(await a.listing())
  must(await send(to, [{ event: 'tick', timestamp: dayAfter(-29).toISOString() }]))
  await sql`select make_event_days(${dayAfter(-36)}::date, ${dayAfter(-32)}::date)`
  await sql`
    insert into event_packs (day, build_uid, events)
    values (${dayAfter(-36)}, ${to.build_id}, '[{"event":"old"}]')`
  for (const oldest of [-34, -32, -32]) {
    await runJob(app, rotateEventDays)
    const days = await daysOf(sql)
    assert.deepEqual([days[0], days.at(-1)], [suffixOf(oldest), suffixOf(7)])
  }
  assert.equal((await stored()).length, 1)
  // The partition of today is missing, as after weeks without a worker.
  const today = suffixOf(0)
  await sql.unsafe(`drop table event_packs_${today}, event_keys_${today}`)
  assert.equal((await send(to, [{ event: 'tick', event_id: 'x' }])).status, 202)
})

test('a worker with a wrong clock drops no events', async (t) => {
  const app = await startTelemetryApp(t, { SLIPWAY_ROLES: 'api' })
  // The database may have been made before midnight.
  await runJob(app, rotateEventDays)
  const before = await daysOf(app.sql)
  const realTime = Date.now
  const clock = t.mock.method(Date, 'now', () => realTime() + 400 * DAY_MS)
  await runJob(app, rotateEventDays)
  clock.mock.restore()
  assert.deepEqual(await daysOf(app.sql), before)
})

test('a backup that reads the events delays neither writers nor later runs', async (t) => {
  const app = await startTelemetryApp(t, { EVENT_RETENTION_DAYS: '32', SLIPWAY_ROLES: 'api' })
  const { a, build, send, sql } = app
  const to = await build(await a.listing())
  // The database may have been made before midnight.
  await runJob(app, rotateEventDays)
  await sql`select make_event_days(${dayAfter(-33)}::date, ${dayAfter(-33)}::date)`
  const tomorrow = suffixOf(7)
  await sql.unsafe(`drop table event_packs_${tomorrow}, event_keys_${tomorrow}`)
  await sql.begin(async (backup) => {
    await backup`lock table event_packs, event_keys in access share mode`
    const run = runJob(app, rotateEventDays)
    await eventually('the job to wait', async () => (await lockWaits(backup)) > 0)
    must(await send(to, [{ event: 'tick', event_id: 'meanwhile' }]))
    await run
    assert.equal((await daysOf(sql)).at(-1), tomorrow, 'a coming day was not created')
  })
  await runJob(app, rotateEventDays)
  assert.ok(!(await daysOf(sql)).includes(suffixOf(-33)), 'an old day was kept')
})

test('an old day that a backup reads while it is removed is left to the next run', async (t) => {
  const app = await startTelemetryApp(t, { EVENT_RETENTION_DAYS: '32', SLIPWAY_ROLES: 'api' })
  const { sql } = app
  // The database may have been made before midnight.
  await runJob(app, rotateEventDays)
  await sql`select make_event_days(${dayAfter(-33)}::date, ${dayAfter(-33)}::date)`
  const old_keys = `event_keys_${suffixOf(-33)}`
  // The first run begins to detach the day, which a reader delays until it gives up.
  await sql.begin(async (reader) => {
    await reader`lock table event_packs, event_keys in access share mode`
    await runJob(app, rotateEventDays)
  })
  await sql.begin('isolation level repeatable read', async (backup) => {
    // The job must be the one that the database rolls back.
    await backup`set local deadlock_timeout = '10min'`
    await backup`select from listings`
    const run = runJob(app, rotateEventDays)
    // It locks the day, then waits until everyone who may still read it has ended.
    await eventually('the job to lock the day', async () => {
      const locks = await sql`
        select from pg_locks
        where relation = to_regclass(${old_keys}) and mode = 'AccessExclusiveLock' and granted`
      return locks.length > 0
    })
    await backup.unsafe(`lock table ${old_keys} in access share mode`)
    await run
    assert.ok((await daysOf(sql)).includes(suffixOf(-33)))
  })
  await runJob(app, rotateEventDays)
  assert.ok(!(await daysOf(sql)).includes(suffixOf(-33)), 'an old day was kept')
})

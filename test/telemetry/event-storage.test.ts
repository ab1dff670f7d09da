import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually } from '../support/app.ts'
import { lockWaits, must } from '../support/builders.ts'
import { startTelemetryApp } from './fixtures.ts'

test("flushes events to disk before it responds, whatever the database's setting", async (t) => {
  const { a, build, send, sql } = await startTelemetryApp(t)
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
  const { a, build, send, sql, stored } = await startTelemetryApp(t)
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
  assert.equal((await stored()).length, 19)
})

test('drops old partitions and creates coming ones, and so does a writer', async (t) => {
  const { a, build, send, sql, core, stored } = await startTelemetryApp(t, {
    EVENT_RETENTION_DAYS: '32',
  })
  const to = await build(await a.listing())
  const day = (days: number) => new Date(Date.now() + days * 86_400_000)
  must(await send(to, [{ event: 'tick', timestamp: day(-29).toISOString() }, { event: 'tick' }]))
  await sql`select make_event_days(${day(-40)}::date, ${day(-32)}::date)`
  await sql`
    insert into event_packs (day, build_uid, events)
    values (${day(-39)}, ${to.build_id}, '[{"event":"old"}]')`
  // No table is locked while the rollups are deleted, which this transaction delays.
  const gone = randomUUID()
  await sql`
    insert into build_devices (build_uid, device, last_seen)
    values (${gone}, ${gone}, now())`
  await sql.begin(async (tx) => {
    await tx`select from build_devices where build_uid = ${gone} for update`
    await core.jobs.send(sql, 'telemetry.event-days')
    await eventually('the sweep to wait', async () => (await lockWaits(sql)) > 0)
    assert.equal(
      (
        await sql`
          select from pg_locks l
          join pg_class c on c.oid = l.relation
          where l.mode = 'AccessExclusiveLock' and c.relname like 'event_packs%'
            and l.database = (select oid from pg_database where datname = current_database())`
      ).length,
      0,
    )
  })
  await eventually(
    'the old partitions to be dropped',
    async () => (await sql`select from event_packs where day = ${day(-39)}::date`).length === 0,
  )
  const names = (
    await sql`
      select right(inhrelid::regclass::text, 8) as day
      from pg_inherits
      where inhparent = 'event_packs'::regclass
      order by 1`
  ).map((row) => row.day)
  const text = (days: number) => day(days).toISOString().slice(0, 10).replaceAll('-', '')
  assert.deepEqual([names[0], names.at(-1)], [text(-32), text(7)])
  assert.equal((await stored()).length, 2)
  // The partition of today is missing, as after weeks without a worker.
  const today = text(0)
  await sql.unsafe(`drop table event_packs_${today}, event_keys_${today}`)
  assert.equal((await send(to, [{ event: 'tick', event_id: 'x' }])).status, 202)
})

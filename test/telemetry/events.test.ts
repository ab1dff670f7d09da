import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { device, EVENTS, fresh, idsOf, startTelemetryApp } from './fixtures.ts'

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]))
const code = (answer: { status: number; body: any }) => [answer.status, answer.body.error?.code]

test('accepts all standard events and stores them before it responds', async (t) => {
  const { a, build, send, stored } = await startTelemetryApp(t)
  const listing = await a.listing()
  const one = await build(listing)
  const device_uid = device()
  const sent = [
    { event: 'session_start', device_uid },
    { event: 'boot_ok', device_uid, ms: 1200 },
    { event: 'first_input', device_uid, ms: 0 },
    {
      event: 'level_up',
      device_uid,
      metadata: { level: 3, deep: { er: [1, 2] } },
      colour: 'red',
      ms: 5,
      seconds: 7,
    },
    { event: 'crash', device_uid },
    { event: 'session_end', device_uid, seconds: 86_400 },
    { event: 'quit', device_uid },
  ]
  const answer = await send(one, sent)
  assert.deepEqual([answer.status, answer.body], [202, { success: true, data: { accepted: 7 } }])
  const rows = await stored()
  assert.deepEqual(
    rows.map(({ event, value, metadata }) => [event, value, metadata]),
    [
      ['session_start', null, null],
      ['boot_ok', 1200, null],
      ['first_input', 0, null],
      ['level_up', null, { colour: 'red', ms: 5, seconds: 7, level: 3, deep: { er: [1, 2] } }],
      ['crash', null, null],
      ['session_end', 86_400, null],
      ['quit', null, null],
    ],
  )
  assert.deepEqual([...new Set(rows.map((row) => row.build_uid))], [one.build_id])
})

test('stores no device id or IP address, and different hashes of a device for each game', async (t) => {
  const { a, build, send, sql } = await startTelemetryApp(t)
  const listing = await a.listing()
  const [one, two] = [await build(listing), await build(await a.listing({ owner: listing.owner }))]
  const [device_uid, session_id] = [`device-${randomUUID()}`, `session-${randomUUID()}`]
  const address = '10.99.88.77'
  for (const to of [one, two])
    must(
      await send(
        to,
        [
          { event: 'boot_ok', device_uid, session_id, event_id: 'first' },
          { event: 'tick', metadata: { device_uid, level: 3 }, properties: { session_id } },
        ],
        { 'x-forwarded-for': address },
      ),
    )
  const devices = await sql`select distinct device from build_devices`
  assert.equal(devices.length, 2)
  const dump = JSON.stringify([
    await sql`select * from event_packs`,
    await sql`select * from build_devices`,
    await sql`select day, event_key::text from event_keys`,
    await sql`select * from event_days`,
  ])
  for (const secret of [device_uid, session_id, address]) assert.ok(!dump.includes(secret))
})

test('rejects a request with an invalid standard event with 4158 and the index', async (t) => {
  const { a, build, send, stored } = await startTelemetryApp(t)
  const to = await build(await a.listing())
  const device_uid = device()
  const bad: [object, RegExp][] = [
    [{ event: 'boot_ok' }, /device_uid/],
    [{ event: 'boot_ok', device_uid: '' }, /device_uid/],
    [{ event: 'boot_ok', device_uid: 5 }, /device_uid/],
    [{ event: 'boot_ok', device_uid: 'x'.repeat(129) }, /device_uid/],
    [{ event: 'boot_ok', device_uid, ms: -1 }, /ms/],
    [{ event: 'boot_ok', device_uid, ms: 600_001 }, /ms/],
    [{ event: 'boot_ok', device_uid, ms: '5' }, /ms/],
    [{ event: 'first_input', ms: 600_001 }, /ms/],
    [{ event: 'session_end' }, /seconds/],
    [{ event: 'session_end', seconds: 86_401 }, /seconds/],
    [{ event: 'session_end', seconds: -1 }, /seconds/],
    [{ event: 'session_end', seconds: 1.5 }, /seconds/],
    [{ event: 'session_end', seconds: '10' }, /seconds/],
    [{ event: 'crash' }, /device_uid/],
  ]
  for (const [event, about] of bad) {
    const answer = await send(to, [{ event: 'quit' }, { event: 'session_start' }, event])
    assert.deepEqual(
      [answer.status, answer.body.error.code, answer.body.data.index],
      [422, 4158, 2],
      JSON.stringify(event),
    )
    assert.match(answer.body.error.message, /Event 2/)
    assert.match(answer.body.error.message, about)
  }
  assert.deepEqual([...(await stored())], [])
  const fine = [
    { event: 'boot_ok', device_uid, ms: 600_000 },
    { event: 'boot_ok', device_uid: 'x'.repeat(128), ms: 0 },
    { event: 'session_end', seconds: 0 },
    { event: 'first_input' },
    { event: 'Boot_ok' },
  ]
  must(await send(to, fine))
  assert.equal((await stored()).length, 5)
})

test('accepts 100 events and 64 keys, and rejects one more with 4130', async (t) => {
  const { a, build, send, sql } = await startTelemetryApp(t)
  const to = await build(await a.listing())
  const events = (count: number) => Array.from({ length: count }, () => ({ event: 'tick' }))
  assert.equal((await send(to, events(100))).status, 202)
  assert.deepEqual(code(await send(to, events(101))), [413, 4130])
  assert.equal((await send(to, [])).body.data.accepted, 0)
  for (const name of ['metadata', 'properties']) {
    assert.equal(
      (await send(to, [{ event: 'tick', [name]: keys(64), app_version: '1', device_uid: 'd' }]))
        .status,
      202,
    )
    assert.deepEqual(code(await send(to, [{ event: 'tick', [name]: keys(65) }])), [413, 4130])
  }
  assert.deepEqual(
    code(await send(to, [{ event: 'tick', metadata: keys(64), one: 'more' }])),
    [413, 4130],
  )
  // A body that is too large, as raw bytes and as a single value.
  assert.deepEqual(
    code(await send(to, [{ event: 'tick', metadata: { text: 'x'.repeat(10_000_000) } }])),
    [413, 4130],
  )
  assert.equal(
    (await send(to, [{ event: 'tick', metadata: { t: 'x'.repeat(16 * 1024 - 8) } }])).status,
    202,
  )
  assert.deepEqual(
    code(await send(to, [{ event: 'tick', metadata: { t: 'x'.repeat(16 * 1024 - 7) } }])),
    [413, 4130],
  )
  const [{ count }] = (await sql`select count(*)::int as count from events`) as any
  assert.equal(count, 103)
})

test('rejects a malformed body with 4000 and stores nothing', async (t) => {
  const { a, build, post, call, stored } = await startTelemetryApp(t)
  const to = await build(await a.listing())
  const headers = () => ({ ...idsOf(to), ...fresh() })
  const deep = JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`)
  const bodies = [
    {},
    [],
    'text',
    null,
    { events: {} },
    { events: 'x' },
    { events: [null] },
    { events: [[]] },
    { events: ['boot_ok'] },
    { events: [{}] },
    { events: [{ event: '' }] },
    { events: [{ event: 5 }] },
    { events: [{ event: 'x'.repeat(65) }] },
    { events: [{ event: 'x', metadata: [] }] },
    { events: [{ event: 'x', metadata: 'text' }] },
    { events: [{ event: 'x', metadata: deep }] },
    { events: [{ event: 'x', event_id: 'x'.repeat(129) }] },
    { events: [{ event: 'x', session_id: {} }] },
    { events: [{ event: 'nul\u0000' }] },
  ]
  for (const body of bodies)
    assert.deepEqual(
      code(await post(EVENTS, body, { headers: headers() })),
      [400, 4000],
      JSON.stringify(body).slice(0, 80),
    )
  for (const raw of [
    '{"events":[',
    '{"events":[{"event":"x","metadata":{"__proto__":{}}}]}',
    '\xff',
  ]) {
    const answer = await call('POST', EVENTS, {
      raw: Buffer.from(raw, 'latin1'),
      headers: { ...headers(), 'content-type': 'application/json' },
    })
    assert.deepEqual(code(answer), [400, 4000])
  }
  assert.deepEqual(
    code(
      await call('POST', EVENTS, {
        raw: 'events',
        headers: { ...headers(), 'content-type': 'text/plain' },
      }),
    ),
    [415, 4150],
  )
  assert.deepEqual([...(await stored())], [])
  assert.equal(
    (
      await post(
        EVENTS,
        { events: [{ event: 'x'.repeat(64), event_id: 'x'.repeat(128) }] },
        { headers: headers() },
      )
    ).status,
    202,
  )
})

test('rejects missing ids, an unknown app and a build of another game with 4025', async (t) => {
  const { a, build, post, stored } = await startTelemetryApp(t)
  const listing = await a.listing()
  const [mine, other] = [
    await build(listing),
    await build(await a.listing({ owner: listing.owner })),
  ]
  const tries: Record<string, string>[] = [
    {},
    { 'x-app-id': mine.game_uid },
    { 'x-build-id': mine.build_id },
    { 'x-app-id': mine.game_uid, 'x-build-id': other.build_id },
    { 'x-app-id': other.game_uid, 'x-build-id': mine.build_id },
    { 'x-app-id': randomUUID(), 'x-build-id': mine.build_id },
    { 'x-app-id': mine.game_uid, 'x-build-id': randomUUID() },
    { 'x-app-id': listing.vanity_name, 'x-build-id': mine.build_id },
    { 'x-app-id': 'x', 'x-build-id': 'y' },
  ]
  for (const ids of tries) {
    const answer = await post(
      EVENTS,
      { events: [{ event: 'quit' }] },
      { headers: { ...ids, ...fresh() } },
    )
    assert.deepEqual(code(answer), [401, 4025], JSON.stringify(ids))
    assert.equal(answer.headers['www-authenticate'], 'Bearer')
  }
  assert.deepEqual(code(await post(EVENTS, { events: [] }, { headers: fresh() })), [401, 4025])
  assert.deepEqual([...(await stored())], [])
})

test('accepts the format of older clients: ids in every event, their URL, session_sec', async (t) => {
  const { a, build, post, stored } = await startTelemetryApp(t)
  const listing = await a.listing()
  const [one, two] = [await build(listing), await build(listing, { version: '2.0' })]
  const of = ({ game_uid: app_id, build_id }: typeof one) => ({
    app_id,
    build_id,
    app_version: '1.0',
    build_channel: 'stable',
    engine_version: '4.2',
  })
  const older = `${EVENTS}/v1/events`
  const events = [
    {
      event: 'session_end',
      ...of(one),
      session_id: 's',
      anonymous: true,
      timestamp: new Date().toISOString(),
      properties: { session_sec: 61.7, os_name: 'Linux' },
    },
    { event: 'quit', ...of(two) },
  ]
  must(await post(older, { events }, { headers: fresh() }))
  const rows = await stored()
  assert.deepEqual(
    rows.map(({ event, build_uid, value }) => [event, build_uid, value]).sort(),
    [
      ['quit', two.build_id, null],
      ['session_end', one.build_id, 61],
    ].sort(),
  )
  assert.deepEqual(rows.find(({ event }) => event === 'session_end')!.metadata, {
    session_sec: 61.7,
    os_name: 'Linux',
  })
  // One event without ids, or with those of another game, rejects the whole request.
  const foreign = await build(await a.listing({ owner: listing.owner }))
  for (const more of [
    { event: 'quit' },
    { event: 'quit', app_id: one.game_uid, build_id: foreign.build_id },
  ])
    assert.deepEqual(
      code(await post(older, { events: [events[1], more] }, { headers: fresh() })),
      [401, 4025],
    )
  // The ids of the headers take precedence.
  must(
    await post(
      older,
      { events: [{ event: 'again', ...of(foreign) }] },
      { headers: { ...idsOf(one), ...fresh() } },
    ),
  )
  assert.equal((await stored()).find(({ event }) => event === 'again')!.build_uid, one.build_id)
})

test('counts a repeated event id once: in one request, in later ones, concurrently and a day later', async (t) => {
  const { a, build, send, sql, stored } = await startTelemetryApp(t)
  const listing = await a.listing()
  const [one, two] = [await build(listing), await build(listing, { version: '2.0' })]
  const boot = { event: 'session_end', seconds: 60, event_id: 'e1', device_uid: 'd1' }
  assert.equal((await send(one, [boot, boot])).body.data.accepted, 2)
  must(await send(one, [boot, { ...boot, event_id: 'e2' }]))
  assert.equal((await stored()).length, 2)
  must(await send(two, [boot]))
  assert.equal((await stored()).length, 3)
  await Promise.all(Array.from({ length: 30 }, () => send(one, [{ ...boot, event_id: 'race' }])))
  assert.equal((await stored()).length, 4)
  assert.deepEqual(
    [...(await sql`select sum(sessions)::int as sessions from build_sessions`)],
    [{ sessions: 4 }],
  )
  assert.deepEqual(
    [...(await sql`select sum(events)::int as events from event_days`)],
    [{ events: 4 }],
  )
  // Events without an id are never duplicates.
  must(await send(one, [{ event: 'tick' }, { event: 'tick' }]))
  assert.equal((await stored()).length, 6)
  // Move the keys to yesterday: a repeat without a time counts for today and is still recognized.
  await sql`update event_keys set day = day - 1`
  must(await send(one, [boot, { ...boot, event_id: 'race' }]))
  assert.equal((await stored()).length, 6)
  // A repeat with a time counts for the day of that time, however late it arrives.
  const timestamp = new Date(Date.now() - 20 * 86_400_000).toISOString()
  for (let i = 0; i < 2; i++) must(await send(one, [{ ...boot, event_id: 'late', timestamp }]))
  assert.equal((await stored()).length, 7)
})

test('flushes events to disk before it responds, also if the database commits asynchronously', async (t) => {
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

test('limits both event URLs together to 60 requests a minute, with Retry-After', async (t) => {
  const { a, build, post } = await startTelemetryApp(t)
  const to = await build(await a.listing())
  const headers = { ...idsOf(to), ...fresh() }
  const send = (path = EVENTS) => post(path, { events: [{ event: 'tick' }] }, { headers })
  for (let i = 0; i < 30; i++) assert.equal((await send()).status, 202)
  for (let i = 0; i < 30; i++) assert.equal((await send(`${EVENTS}/v1/events`)).status, 202)
  for (const path of [EVENTS, `${EVENTS}/v1/events`]) {
    const refused = await send(path)
    assert.deepEqual(code(refused), [429, 4290])
    assert.ok(Number(refused.headers['retry-after']) > 0)
  }
  assert.equal(
    (await post(EVENTS, { events: [] }, { headers: { ...headers, ...fresh() } })).status,
    202,
  )
})

test('a request that the database rejects does not fail the others of its batch', async (t) => {
  const { a, build, send, sql, stored } = await startTelemetryApp(t)
  const to = await build(await a.listing())
  await sql`create function poison() returns trigger language plpgsql as $$ begin
    if new.events::text like '%poison%' then raise exception 'no' using errcode = '22000'; end if; return new; end $$`
  await sql`create trigger poison before insert on event_packs for each row execute function poison()`
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

test('counts event names beyond the limit as (other), but never standard events', async (t) => {
  const { a, build, send, get } = await startTelemetryApp(t)
  const listing = await a.listing()
  const to = await build(listing)
  for (let at = 0; at < 600; at += 100)
    must(
      await send(
        to,
        Array.from({ length: 100 }, (_, i) => ({ event: `name${at + i}` })),
      ),
    )
  // Standard events are counted by name even beyond the limit.
  must(await send(to, [{ event: 'quit' }]))
  const { totals, daily } = must(
    await get(`/api/v1/private/games/${listing.uid}/event-analytics`, listing.owner),
  )
  assert.deepEqual(totals[0], { event: '(other)', count: 100 })
  assert.deepEqual([totals.length, daily.length], [502, 502])
  assert.ok(totals.some(({ event }: any) => event === 'quit'))
  const stranger = await a.developer()
  assert.equal(
    (await get(`/api/v1/private/games/${listing.uid}/event-analytics`, stranger)).status,
    404,
  )
})

test('drops old partitions, creates coming ones, and a writer creates a missing one itself', async (t) => {
  const { a, build, send, sql, core, stored } = await startTelemetryApp(t, {
    EVENT_RETENTION_DAYS: '32',
  })
  const to = await build(await a.listing())
  const day = (days: number) => new Date(Date.now() + days * 86_400_000)
  must(await send(to, [{ event: 'tick', timestamp: day(-29).toISOString() }, { event: 'tick' }]))
  await sql`select make_event_days(${day(-40)}::date, ${day(-32)}::date)`
  await sql`insert into event_packs (day, build_uid, events) values (${day(-39)}, ${to.build_id}, '[{"event":"old"}]')`
  // No table is locked while the rollups are deleted, which this transaction delays.
  const gone = randomUUID()
  await sql`insert into build_devices (build_uid, device, last_seen) values (${gone}, ${gone}, now())`
  await sql.begin(async (tx) => {
    await tx`select from build_devices where build_uid = ${gone} for update`
    await core.jobs.send(sql, 'telemetry.event-days')
    const waits = () =>
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await eventually('the sweep to wait', async () => (await waits()).length)
    assert.equal(
      (
        await sql`select from pg_locks l join pg_class c on c.oid = l.relation
      where l.mode = 'AccessExclusiveLock' and c.relname like 'event_packs%'
        and l.database = (select oid from pg_database where datname = current_database())`
      ).length,
      0,
    )
  })
  await eventually(
    'the old days to go',
    async () => (await sql`select from event_packs where day = ${day(-39)}::date`).length === 0,
  )
  const names = (
    await sql`select right(inhrelid::regclass::text, 8) as day from pg_inherits where inhparent = 'event_packs'::regclass order by 1`
  ).map((row) => row.day)
  const text = (days: number) => day(days).toISOString().slice(0, 10).replaceAll('-', '')
  assert.deepEqual([names[0], names.at(-1)], [text(-32), text(7)])
  assert.equal((await stored()).length, 2)
  // The partition of today is missing, as after weeks without a worker.
  const today = text(0)
  await sql.unsafe(`drop table event_packs_${today}, event_keys_${today}`)
  assert.equal((await send(to, [{ event: 'tick', event_id: 'x' }])).status, 202)
})

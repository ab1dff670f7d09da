import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { must, newAddress, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { device, EVENTS, idsOf, startTelemetryApp } from './fixtures.ts'

const sharedTelemetryApp = sharedInFile(startTelemetryApp)

test('accepts all standard events and stores them before it responds', async (t) => {
  const { a, build, send, stored } = await sharedTelemetryApp(t)
  const listing = await a.listing()
  const to = await build(listing)
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
  const before = (await stored()).length
  const answer = await send(to, sent)
  assert.deepEqual([answer.status, answer.body], [202, { success: true, data: { accepted: 7 } }])
  const rows = await stored(to)
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
  assert.equal((await stored()).length, before + rows.length, 'events of another build')
})

test('stores no device id or IP address, and hashes a device differently per game', async (t) => {
  const { a, build, send, sql } = await sharedTelemetryApp(t)
  const listing = await a.listing()
  const [first, second] = [
    await build(listing),
    await build(await a.listing({ owner: listing.owner })),
  ]
  const [device_uid, session_id] = [`device-${randomUUID()}`, `session-${randomUUID()}`]
  const address = '10.99.88.77'
  for (const to of [first, second])
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
  const devices = await sql`
    select distinct device
    from build_devices
    where build_uid in ${sql([first.build_id, second.build_id])}`
  assert.equal(devices.length, 2)
  const dump = JSON.stringify([
    await sql`select event_packs::text from event_packs`,
    await sql`select build_devices::text from build_devices`,
    await sql`select day, event_key::text from event_keys`,
    await sql`select event_days::text from event_days`,
  ])
  for (const secret of [device_uid, session_id, address]) assert.ok(!dump.includes(secret))
})

test('accepts the format of older clients: ids in each event, URL and session_sec', async (t) => {
  const { a, build, post, stored } = await sharedTelemetryApp(t)
  const listing = await a.listing()
  const [first, second] = [await build(listing), await build(listing, { version: '2.0' })]
  const of = ({ game_uid: app_id, build_id }: typeof first) => ({
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
      ...of(first),
      session_id: 's',
      anonymous: true,
      timestamp: new Date().toISOString(),
      properties: { session_sec: 61.7, os_name: 'Linux' },
    },
    { event: 'quit', ...of(second) },
  ]
  must(await post(older, { events }, { headers: newAddress() }))
  const rows = await stored(first, second)
  assert.deepEqual(
    rows.map(({ event, build_uid, value }) => [event, build_uid, value]).sort(),
    [
      ['quit', second.build_id, null],
      ['session_end', first.build_id, 61],
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
    { event: 'quit', app_id: first.game_uid, build_id: foreign.build_id },
  ])
    assert.deepEqual(
      refused(await post(older, { events: [events[1], more] }, { headers: newAddress() })),
      [401, 4025],
    )
  // The ids of the headers take precedence.
  must(
    await post(
      older,
      { events: [{ event: 'again', ...of(foreign) }] },
      { headers: { ...idsOf(first), ...newAddress() } },
    ),
  )
  assert.equal((await stored(first)).filter(({ event }) => event === 'again').length, 1)
})

test('counts a repeated event id once: in one request, concurrently and a day later', async (t) => {
  const { a, build, send, sql, stored } = await sharedTelemetryApp(t)
  const listing = await a.listing()
  const [first, second] = [await build(listing), await build(listing, { version: '2.0' })]
  const boot = { event: 'session_end', seconds: 60, event_id: 'e1', device_uid: 'd1' }
  assert.equal((await send(first, [boot, boot])).body.data.accepted, 2)
  must(await send(first, [boot, { ...boot, event_id: 'e2' }]))
  assert.equal((await stored(first, second)).length, 2)
  must(await send(second, [boot]))
  assert.equal((await stored(first, second)).length, 3)
  await Promise.all(Array.from({ length: 30 }, () => send(first, [{ ...boot, event_id: 'race' }])))
  assert.equal((await stored(first, second)).length, 4)
  const builds = [first.build_id, second.build_id]
  assert.deepEqual(
    [
      ...(await sql`
        select sum(sessions)::int as sessions
        from build_sessions
        where build_uid in ${sql(builds)}`),
    ],
    [{ sessions: 4 }],
  )
  assert.deepEqual(
    [
      ...(await sql`
        select sum(events)::int as events from event_days where build_uid in ${sql(builds)}`),
    ],
    [{ events: 4 }],
  )
  // Events without an id are never duplicates.
  must(await send(first, [{ event: 'tick' }, { event: 'tick' }]))
  assert.equal((await stored(first, second)).length, 6)
  // Move the keys to yesterday: a repeat without a time counts for today and is still recognized.
  await sql`update event_keys set day = day - 1`
  must(await send(first, [boot, { ...boot, event_id: 'race' }]))
  assert.equal((await stored(first, second)).length, 6)
  // A repeat with a time counts for the day of that time, however late it arrives.
  const timestamp = new Date(Date.now() - 20 * 86_400_000).toISOString()
  for (let i = 0; i < 2; i++) must(await send(first, [{ ...boot, event_id: 'late', timestamp }]))
  assert.equal((await stored(first, second)).length, 7)
})

test('counts event names beyond the limit as (other), but never standard events', async (t) => {
  const { a, build, send, get } = await sharedTelemetryApp(t)
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

test('event statistics reach back as many days as the request says', async (t) => {
  const { a, get, sql } = await sharedTelemetryApp(t)
  const listing = await a.listing()
  const { build_id } = await a.cleanBuild(listing)
  for (const days of [0, 29, 30, 89, 364, 365])
    await sql`
      insert into event_days (build_uid, day, event, events)
      values (${build_id}, (now() at time zone 'utc')::date - ${days}::int, 'boot_ok', 1)`
  const url = `/api/v1/private/games/${listing.uid}/event-analytics`
  const countOf = async (query: string) =>
    must(await get(`${url}${query}`, listing.owner)).totals[0].count
  assert.equal(await countOf(''), 2)
  assert.equal(await countOf('?days=1'), 1)
  assert.equal(await countOf('?days=31'), 3)
  assert.equal(await countOf('?days=90'), 4)
  assert.equal(await countOf('?days=365'), 5)
  for (const days of ['0', '366'])
    assert.equal((await get(`${url}?days=${days}`, listing.owner)).status, 400)
})

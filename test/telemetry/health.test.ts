import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { DAY_MS } from '../../src/core/runtime/units.ts'
import { updateBuilds, updateHealth } from '../../src/telemetry/health/jobs.ts'
import { eventually, outbox } from '../support/app.ts'
import { lockWaits, must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { type BuildOf, device, startTelemetryApp } from './fixtures.ts'

const sharedTelemetryApp = sharedInFile(startTelemetryApp)

const ago = (days: number, ms = 0) => new Date(Date.now() - days * DAY_MS + ms).toISOString()
type TelemetryApp = Awaited<ReturnType<typeof startTelemetryApp>>

/** Sends launches of devices that succeeded, crashed first, or reported nothing. */
async function launches({ send }: TelemetryApp, to: BuildOf, { ok = 0, crashed = 0, silent = 0 }) {
  const events = [
    ...Array.from({ length: ok }, () => ({ event: 'boot_ok', device_uid: device() })),
    ...Array.from({ length: crashed }, () => ({ event: 'crash', device_uid: device() })),
    ...Array.from({ length: silent }, () => ({ event: 'session_start', device_uid: device() })),
  ]
  for (let at = 0; at < events.length; at += 100) must(await send(to, events.slice(at, at + 100)))
}

test('a build is rated from 20 devices on, which are counted once each', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const none = must(
    await app.get(
      `/api/v1/private/games/${listing.uid}/builds/${to.build_id}/health`,
      listing.owner,
    ),
  )
  assert.deepEqual(none, {
    build_id: to.build_id,
    band: 'unrated',
    devices: 0,
    boot_ok: 0,
    crash_on_boot: 0,
    signed_devices: 0,
    median_session_seconds: null,
    updated_at: null,
  })
  await launches(app, to, { ok: 18 })
  const device_uid = device()
  for (let i = 0; i < 5; i++)
    must(
      await app.send(to, [
        { event: 'boot_ok', device_uid },
        { event: 'tick', device_uid },
      ]),
    )
  const nineteen = await app.healthOf(listing, to)
  assert.deepEqual([nineteen.band, nineteen.devices, nineteen.boot_ok], ['unrated', 19, 19])
  await launches(app, to, { ok: 1 })
  const twenty = await app.healthOf(listing, to)
  assert.deepEqual(
    [twenty.band, twenty.devices, twenty.boot_ok, twenty.crash_on_boot],
    ['excellent', 20, 20, 0],
  )
})

test('events of a session without a device id count for the device of that session', async (t) => {
  const { a, build, send, healthOf, get } = await sharedTelemetryApp(t)
  const listing = await a.listing()
  const to = await build(listing)
  const [device_uid, session_id] = ['one', 'run']
  must(
    await send(to, [
      { event: 'session_start', session_id },
      { event: 'boot_ok', device_uid, session_id },
      { event: 'quit', session_id },
    ]),
  )
  assert.equal((await healthOf(listing, to)).devices, 1)
  must(
    await send(await build(listing, { version: '2.0' }), [
      { event: 'boot_ok', device_uid, session_id },
    ]),
  )
  const { new_devices } = must(
    await get(`/api/v1/private/games/${listing.uid}/event-analytics`, listing.owner),
  )
  assert.deepEqual(
    new_devices.map(({ devices }: { devices: number }) => devices),
    [1],
    'a known device counts as new in the next build',
  )
})

test('counts active devices by build and day, in whatever order the days arrive', async (t) => {
  const { a, build, send, get, sql } = await sharedTelemetryApp(t)
  const listing = await a.listing()
  const [first, second] = [await build(listing), await build(listing, { version: '2.0' })]
  const sendEvents = async (to: BuildOf, device_uid: string, ...days: number[]) =>
    must(
      await send(
        to,
        days.map((back) => ({ event: 'tick', device_uid, timestamp: ago(back) })),
      ),
    )
  await sendEvents(first, 'a', 3, 0, 3)
  await sendEvents(first, 'a', 1)
  await sendEvents(first, 'a', 29, 0)
  await sendEvents(first, 'b', 29)
  await sendEvents(first, 'b', 0)
  await sendEvents(first, 'c', 5, 9)
  await sendEvents(first, 'c', 9)
  await sendEvents(second, 'a', 0)
  const today = Date.parse(ago(0).slice(0, 10))
  const daysAgo = (day: string) => Math.round((today - Date.parse(day)) / DAY_MS)
  const active = async () => {
    const { active_devices } = must(
      await get(`/api/v1/private/games/${listing.uid}/event-analytics`, listing.owner),
    )
    return new Map(
      active_devices.map(
        ({ build_id, day, devices }: { build_id: string; day: string; devices: number }) => [
          `${build_id === first.build_id ? 'one' : 'two'} ${daysAgo(day)}`,
          devices,
        ],
      ),
    )
  }
  const expected = {
    'one 0': 2,
    'one 1': 1,
    'one 3': 1,
    'one 5': 1,
    'one 9': 1,
    'one 29': 2,
    'two 0': 1,
  }
  assert.deepEqual(Object.fromEntries([...(await active())].sort()), expected)
  // A day later the oldest day leaves the window. A device that returns after months loses its
  // earlier days.
  await sql`update build_devices set last_seen = last_seen - 1`
  assert.deepEqual(
    [(await active()).get('one 30'), (await active()).get('one 1'), (await active()).get('one 0')],
    [undefined, 2, undefined],
  )
  await sql`update build_devices set last_seen = last_seen - 60`
  await sendEvents(first, 'a', 0)
  assert.deepEqual(Object.fromEntries(await active()), { 'one 0': 1 })
})

test('a crash counts only before the first boot_ok of its device, by event time', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const times: [string, [string, number][]][] = [
    [
      'crashed, then started',
      [
        ['crash', 0],
        ['boot_ok', 1000],
      ],
    ],
    [
      'started, then crashed',
      [
        ['boot_ok', 0],
        ['crash', 1000],
      ],
    ],
    [
      'sent in the wrong order',
      [
        ['boot_ok', 1000],
        ['crash', 0],
      ],
    ],
    [
      'at the same moment',
      [
        ['boot_ok', 0],
        ['crash', 0],
      ],
    ],
    ['only crashed', [['crash', 0]]],
  ]
  const yesterday = Date.now() - DAY_MS
  for (const [device_uid, events] of times)
    for (const [event, ms] of events)
      must(
        await app.send(to, [
          { event, device_uid, timestamp: new Date(yesterday + ms).toISOString() },
        ]),
      )
  const health = await app.healthOf(listing, to)
  assert.deepEqual([health.devices, health.boot_ok, health.crash_on_boot], [5, 4, 3])
  // Without times, the order within a request is the order of the events.
  must(
    await app.send(to, [
      { event: 'crash', device_uid: 'a' },
      { event: 'boot_ok', device_uid: 'a' },
      { event: 'boot_ok', device_uid: 'b' },
      { event: 'crash', device_uid: 'b' },
    ]),
  )
  assert.equal((await app.healthOf(listing, to)).crash_on_boot, 4)
})

test('devices, boots and crashes leave the window after 30 days', async (t) => {
  const app = await startTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  must(
    await app.send(to, [
      { event: 'boot_ok', device_uid: 'in', timestamp: ago(28) },
      { event: 'boot_ok', device_uid: 'recent', timestamp: ago(1) },
      { event: 'crash', device_uid: 'never started', timestamp: ago(28) },
      { event: 'crash', device_uid: 'late start', timestamp: ago(28) },
      { event: 'boot_ok', device_uid: 'late start', timestamp: ago(1) },
      { event: 'boot_ok', device_uid: 'still there', timestamp: ago(28) },
      { event: 'quit', device_uid: 'still there', timestamp: ago(1) },
    ]),
  )
  const counts = async () => {
    const { devices, boot_ok, crash_on_boot } = await app.healthOf(listing, to)
    return { devices, boot_ok, crash_on_boot }
  }
  assert.deepEqual(await counts(), { devices: 5, boot_ok: 4, crash_on_boot: 2 })
  // Two weeks pass.
  const later = new Date(Date.now() + 14 * DAY_MS).toISOString().slice(0, 10)
  await app.sql.begin((tx) => updateBuilds(app.core, tx, [to.build_id], later))
  const [row] = await app.sql`select devices, boot_ok, crash_on_boot from build_health`
  assert.deepEqual({ ...row }, { devices: 3, boot_ok: 2, crash_on_boot: 1 })
  // The nightly job updates builds that had no events since.
  await app.sql`update build_health set updated_at = now() - interval '1 day'`
  await app.core.jobs.send(app.sql, 'telemetry.turn-day')
  await eventually(
    'the nightly job',
    async () => (await app.sql`select from health_news`).length === 1,
  )
  assert.deepEqual(await counts(), { devices: 5, boot_ok: 4, crash_on_boot: 2 })
})

test('of two updates at once, the one that read more events wins', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  // Builds are saved in this order.
  const first = await app.build(listing)
  const second = await app.build(listing, { version: '2.0' })
  await launches(app, first, { ok: 1 })
  await launches(app, second, { ok: 1 })
  assert.equal((await app.healthOf(listing, second)).devices, 1)
  const day = new Date().toISOString().slice(0, 10)
  const update = (...builds: BuildOf[]) =>
    app.sql.begin((tx) =>
      updateBuilds(
        app.core,
        tx,
        builds.map(({ build_id }) => build_id),
        day,
      ),
    )
  await launches(app, first, { ok: 1 })
  const updates: Promise<unknown>[] = []
  await app.sql.begin(async (tx) => {
    await tx`select from build_health where build_uid = ${first.build_id} for update`
    updates.push(update(first, second))
    await eventually('the first update to wait', async () => (await lockWaits(tx)) > 0)
    await launches(app, second, { ok: 1 })
    const later = update(second)
    updates.push(later)
    const isWaiting = async () => (await lockWaits(tx)) > 1
    let is_done = false
    void later.then(() => {
      is_done = true
    })
    await eventually('the second update', async () => is_done || (await isWaiting()))
  })
  await Promise.all(updates)
  const [row] = await app.sql`
    select devices
    from build_health
    where build_uid = ${second.build_id}`
  assert.equal(row!.devices, 2)
})

test('the median session is the mean of the two middle sessions of 30 days', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const sessions = async (...seconds: number[]) => {
    must(
      await app.send(
        to,
        seconds.map((length) => ({ event: 'session_end', seconds: length })),
      ),
    )
    return (await app.healthOf(listing, to)).median_session_seconds
  }
  assert.equal(await sessions(100), 100)
  assert.equal(await sessions(200), 150)
  assert.equal(await sessions(7200), 200)
  assert.equal(await sessions(7200, 7200), 7200)
})

test('the page shows the band of the newest stable build, and builds their figures', async (t) => {
  const app = await sharedTelemetryApp(t)
  const { a, get, put } = app
  const listing = await a.listing()
  const { build_id } = await a.cleanBuild(listing, { version: '1.0' })
  const to = { game_uid: listing.uid, build_id }
  const page = async () => must(await get(`/api/v1/public/games/${listing.uid}`, listing.owner))
  assert.equal((await page()).health, 'unrated')
  await launches(app, to, { ok: 19, silent: 1 })
  await app.healthOf(listing, to)
  assert.equal((await page()).health, 'healthy')
  const { builds } = must(await get(`/api/v1/private/games/${listing.uid}/builds`, listing.owner))
  assert.deepEqual(builds[0].health, {
    band: 'healthy',
    devices: 20,
    boot_ok: 19,
    crash_on_boot: 0,
    signed_devices: 0,
    median_session_seconds: null,
  })
  // A beta build does not affect the listing.
  const beta = await a.cleanBuild(listing, { version: '2.0', channel: 'beta' })
  await launches(app, { game_uid: listing.uid, build_id: beta.build_id }, { crashed: 20 })
  await app.healthOf(listing, { game_uid: listing.uid, build_id: beta.build_id })
  assert.equal((await page()).health, 'healthy')
  must(
    await put(
      `/api/v1/private/games/${listing.uid}/channels/stable`,
      { build_id: beta.build_id },
      listing.owner,
    ),
  )
  assert.equal((await page()).health, 'problematic')
})

test('new events update launch health without a request', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  await launches(app, to, { ok: 20 })
  const band = () =>
    app
      .get(`/api/v1/private/games/${listing.uid}/builds/${to.build_id}/health`, listing.owner)
      .then((answer) => must(answer).band)
  await eventually('the band', async () => (await band()) === 'excellent')
})

test('a run of the health job ends although changes keep arriving', async (t) => {
  const app = await startTelemetryApp(t, { SLIPWAY_ROLES: 'api,upload' })
  const { sql, core } = app
  const to = await app.build(await app.a.listing())
  await launches(app, to, { ok: 20 })
  await sql`create function more_news() returns trigger language plpgsql as $$ begin
    insert into health_news (build_uid) select distinct build_uid from gone; return null; end $$`
  await sql`
    create trigger more_news after delete on health_news referencing old table as gone
    for each statement execute function more_news()`
  const run = {
    core,
    data: {},
    id: randomUUID(),
    attempt: 1,
    lost_runs: 0,
    signal: AbortSignal.timeout(60_000),
  }
  await updateHealth.handle({ ...run, finish: (effect) => sql.begin(effect) as never })
  const [known] = await sql`select devices, band from build_health`
  assert.deepEqual({ ...known }, { devices: 20, band: 'excellent' })
  assert.equal((await sql`select from health_news`).length, 1, 'the next run has no work left')
})

test('a stable build that falls a band causes one mail and one dashboard warning', async (t) => {
  const app = await sharedTelemetryApp(t)
  const { a, get, data_dir } = app
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const of = (build_id: string) => ({ game_uid: listing.uid, build_id })
  const first = await a.cleanBuild(listing, { version: '1.0' })
  await launches(app, of(first.build_id), { ok: 20 })
  await app.healthOf(listing, of(first.build_id))
  const second = await a.cleanBuild(listing, { version: '1.1' })
  await launches(app, of(second.build_id), { ok: 17 })
  await app.healthOf(listing, of(second.build_id))
  const warnings = async () =>
    must(await get(`/api/v1/private/games/${listing.uid}/health-warnings`, listing.owner)).warnings
  assert.deepEqual(await warnings(), [])
  await launches(app, of(second.build_id), { silent: 3 })
  await app.healthOf(listing, of(second.build_id))
  const [warning, ...more] = await warnings()
  assert.deepEqual(more, [])
  const { uid, created_at, ...details } = warning
  assert.deepEqual(details, {
    build_id: second.build_id,
    version: '1.1',
    os: 'linux',
    arch: 'x86_64',
    band: 'mixed',
    previous_build_id: first.build_id,
    previous_version: '1.0',
    previous_band: 'excellent',
  })
  const mails = () => outbox(data_dir).filter(({ subject }) => subject.includes('is mixed'))
  const mail = await eventually('the mail', () => mails()[0])
  assert.equal(mail.to, listing.owner.email)
  assert.match(mail.text, /1\.1 starts worse than 1\.0/)
  // An unchanged band causes no further warning; another fall does.
  await launches(app, of(second.build_id), { ok: 1 })
  await app.healthOf(listing, of(second.build_id))
  assert.equal((await warnings()).length, 1)
  await launches(app, of(second.build_id), { crashed: 20 })
  await app.healthOf(listing, of(second.build_id))
  assert.deepEqual(
    (await warnings()).map(({ band }: any) => band),
    ['problematic', 'mixed'],
  )
  assert.equal(mails().length, 1)
})

test('launch health returns the same 404 to others as a missing project', async (t) => {
  const app = await sharedTelemetryApp(t)
  const { a, get } = app
  const listing = await a.listing()
  const to = await app.build(listing)
  const other = await app.build(await a.listing({ owner: listing.owner }))
  const stranger = await a.developer()
  for (const path of [`builds/${to.build_id}/health`, 'health-warnings']) {
    const readHealth = (uid: string, token?: string) =>
      get(`/api/v1/private/games/${uid}/${path}`, { token })
    assert.deepEqual(
      (await readHealth(listing.uid, stranger.token)).body,
      (await readHealth(randomUUID(), stranger.token)).body,
    )
    assert.equal((await readHealth(listing.uid)).body.error.code, 4010)
    const agent = await a.key('agent', listing.owner, ['mcp:read'])
    assert.equal((await readHealth(listing.uid, agent.key)).status, 200)
    const player = await a.key('player', listing.owner, ['player:read'])
    assert.equal((await readHealth(listing.uid, player.key)).body.error.code, 4033)
  }
  for (const build_id of [other.build_id, randomUUID(), 'x'])
    assert.equal(
      (await get(`/api/v1/private/games/${listing.uid}/builds/${build_id}/health`, listing.owner))
        .body.error.code,
      4006,
    )
})

test('reach counts the devices of a listing since it was published', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const [early, late] = [await app.build(listing), await app.build(listing, { version: '2.0' })]
  const reach = async () => {
    await app.healthOf(listing, early)
    const [row] = await app.sql`
        select devices, first_boot_ok_at
        from listing_reach
        where game_uid = ${listing.uid}`
    return row && { devices: row.devices, first: row.first_boot_ok_at?.toISOString() }
  }
  await launches(app, early, { ok: 3 })
  assert.equal(await reach(), undefined)
  await app.sql`
    update listings set published_at = now() - interval '5 days'
    where uid = ${listing.uid}`
  const first = ago(2)
  must(
    await app.send(early, [
      { event: 'boot_ok', device_uid: 'x', timestamp: first },
      { event: 'boot_ok', device_uid: 'before', timestamp: ago(9) },
    ]),
  )
  must(
    await app.send(late, [
      { event: 'boot_ok', device_uid: 'x' },
      { event: 'quit', device_uid: 'y' },
    ]),
  )
  assert.deepEqual(await reach(), { devices: 5, first })
})

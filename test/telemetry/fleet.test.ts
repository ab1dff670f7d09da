import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openPool } from '../../src/core/database/sql.ts'
import { type Answer, client, eventually, temporaryFolder } from '../support/app.ts'
import { builders, must, newAddress } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { freshDatabase } from '../support/database.ts'
import { loopCount } from '../support/loop-count.ts'
import { sharedInFile } from '../support/shared.ts'
import { CRASHES, EVENTS, idsOf } from './fixtures.ts'

const KILLS = loopCount({ short: 1, full: 100 })
const SENDERS = 6

/** A service that can be killed and started again at the same address. */
async function startKillableService(t: TestContext) {
  const [DATABASE_URL, DATA_DIR, PORT] = [
    await freshDatabase(t),
    temporaryFolder(t),
    await freePort(),
  ]
  const sql = openPool(DATABASE_URL, 2, 'test')
  cleanup(t, () => sql.end({ timeout: 1 }))
  const service = childService(t, { DATABASE_URL, DATA_DIR, PORT, PROXY_HOPS: '1' })
  return { ...service, sql, data_dir: DATA_DIR, http: client(`http://127.0.0.1:${PORT}`) }
}

async function startKillable(t: TestContext) {
  const service = await startKillableService(t)
  await service.start()
  return service
}

/** Every test kills it and leaves it running. */
const sharedService = sharedInFile(startKillable)

/** A listing of that service, and its deploy key. */
async function addListing(t: TestContext) {
  const service = await sharedService(t)
  const a = builders(service.http, service.data_dir)
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  return { ...service, listing, ci: await a.deployer(listing) }
}

/** Retries until the service responds, because it is down between a kill and the next start. */
async function sendUntilAccepted(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send().catch(() => undefined)
    if (answer && answer.status < 500) return answer
    await pause(100)
  }
}

/** Devices of each build, in hundredths: ten thousand of all builds in the full run. */
const PERCENT = loopCount({ short: 2, full: 20 })

/**
 * The number of devices of each build that start, crash and then start, only crash, or never report
 * a start. Some builds have one device less or more than the boundary of a band.
 */
const plans = [
  {
    version: '1.0',
    started: 97.5 * PERCENT,
    crashed_then_started: 0.5 * PERCENT,
    crashed: 0.5 * PERCENT,
    silent: 1.5 * PERCENT,
    band: 'excellent',
  },
  {
    version: '1.1',
    started: 97.5 * PERCENT - 1,
    crashed_then_started: 0.5 * PERCENT,
    crashed: 0.5 * PERCENT,
    silent: 1.5 * PERCENT + 1,
    band: 'healthy',
  },
  {
    version: '1.2',
    started: 90 * PERCENT,
    crashed_then_started: 3 * PERCENT,
    crashed: 1,
    silent: 7 * PERCENT - 1,
    band: 'mixed',
  },
  {
    version: '1.3',
    started: 75 * PERCENT,
    crashed_then_started: 5 * PERCENT,
    crashed: 5 * PERCENT + 1,
    silent: 15 * PERCENT - 1,
    band: 'problematic',
  },
  {
    version: '1.4',
    started: 99 * PERCENT,
    crashed_then_started: PERCENT,
    crashed: 0,
    silent: 0,
    band: 'excellent',
  },
] as const

type Sent = {
  event: string
  event_id: string
  device_uid?: string
  metadata: { n: string }
  seconds?: number
}
type Batch = { build_id: string; events: Sent[] }

/**
 * The events of the devices of a build in order: crashes before starts, and a session at the end.
 */
function script(build_id: string, plan: (typeof plans)[number]): Batch[] {
  const kinds = {
    started: ['boot_ok', 'crash'],
    crashed_then_started: ['crash', 'boot_ok'],
    crashed: ['crash'],
    silent: ['session_start'],
  }
  const devices = Object.entries(kinds).flatMap(([kind, events]) =>
    Array.from({ length: plan[kind as keyof typeof kinds] }, () => events),
  )
  const sent = devices.map((events) => {
    const device_uid = randomUUID()
    const named = [...events.map((event) => ({ event })), { event: 'session_end', seconds: 600 }]
    return named.map((event) => ({
      ...event,
      device_uid,
      event_id: randomUUID(),
      metadata: { n: randomUUID() },
    }))
  })
  const batches: Batch[] = []
  // Several devices share a request, but the events of one device stay together and in order.
  for (let at = 0; at < sent.length; ) {
    const some = sent.slice(at, at + randomInt(1, 33))
    batches.push({ build_id, events: some.flat() })
    at += some.length
  }
  return batches
}

test(`${500 * PERCENT} devices get the expected bands despite ${KILLS} kills and duplicates`, {
  timeout: 1_800_000,
}, async (t) => {
  const service = await addListing(t)
  const { http, sql, listing, ci } = service
  const builds: { build_id: string; plan: (typeof plans)[number] }[] = []
  for (const plan of plans) {
    const { build_id } = must(
      await http.post(
        '/api/v1/tool/upload/build',
        { version: plan.version, os: 'linux', arch: 'x86_64' },
        ci,
      ),
    )
    builds.push({ build_id, plan })
  }
  const batches = builds
    .flatMap(({ build_id, plan }) => script(build_id, plan))
    .sort(() => Math.random() - 0.5)
  const total = batches.length
  const acknowledged = new Set<string>()
  let killing = true
  let repeats = 0
  let ticks = 0
  async function send({ build_id, events }: Batch) {
    // All addresses are of one network, so that every device has the same weight.
    const headers = () => ({
      ...idsOf({ game_uid: listing.uid, build_id }),
      'x-forwarded-for': `10.0.0.${randomInt(1, 255)}`,
    })
    const answer = await sendUntilAccepted(() =>
      http.post(EVENTS, { events }, { headers: headers() }),
    )
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    for (const { metadata } of events) acknowledged.add(metadata.n)
  }
  async function sender() {
    while (batches.length || killing) {
      const remaining = batches.length / total
      // Reserve some batches, so that the last kill interrupts requests too.
      const batch = !killing || remaining > 0.1 ? batches.pop() : undefined
      // Events without a device do not affect the bands.
      const tick = { event: 'tick', event_id: randomUUID(), metadata: { n: randomUUID() } }
      const now = batch ?? { build_id: builds[ticks++ % 5]!.build_id, events: [tick] }
      await send(now)
      if (Math.random() < 0.2) {
        repeats++
        await send({ ...now, events: now.events.toReversed() })
      }
    }
  }
  const sending = Promise.all(Array.from({ length: SENDERS }, sender))
  for (let i = 0; i < KILLS; i++) {
    await pause(randomInt(20, 700))
    await service.kill()
    await service.start()
  }
  killing = false
  await sending
  const uids = builds.map(({ build_id }) => build_id)
  const rows = await sql`
    select metadata->>'n' as n from events where build_uid in ${sql(uids)}`
  const stored = new Set(rows.map(({ n }) => n as string))
  assert.equal(rows.length, stored.size, 'an event was counted twice')
  assert.deepEqual(
    [stored.size, [...acknowledged].filter((n) => !stored.has(n)).length],
    [acknowledged.size, 0],
  )
  const [counted] = await sql`
    select sum(events)::int as events from event_days where build_uid in ${sql(uids)}`
  assert.equal(counted!.events, acknowledged.size)
  for (const { build_id, plan } of builds) {
    const { started, crashed_then_started, crashed, silent, band } = plan
    const expected = {
      devices: started + crashed_then_started + crashed + silent,
      boot_ok: started + crashed_then_started,
      crash_on_boot: crashed_then_started + crashed,
      signed_devices: 0,
      median_session_seconds: 600,
    }
    const readHealth = () =>
      http
        .get(`/api/v1/private/games/${listing.uid}/builds/${build_id}/health`, listing.owner)
        .then(must)
    const health = await eventually(
      'the expected health',
      async () => {
        const now = await readHealth()
        return (
          now.devices === expected.devices &&
          (await sql`select from health_news`).length === 0 &&
          now
        )
      },
      120,
    )
    const { build_id: _, updated_at, band: rated, ...figures } = health
    assert.deepEqual(figures, expected)
    assert.equal(rated, band, plan.version)
  }
  t.diagnostic(
    `${KILLS} kills, ${acknowledged.size} events, ${repeats} repeats, ` +
      `${ticks} requests with one event`,
  )
})

test('an acknowledged crash report survives a kill, and a repeat is recognized', async (t) => {
  const service = await addListing(t)
  const { http, sql, listing, ci } = service
  const { build_id } = must(
    await http.post('/api/v1/tool/upload/build', { version: '1', os: 'linux', arch: 'x86_64' }, ci),
  )
  const ids = new Map<string, string>()
  let killing = true
  const reporting = (async () => {
    for (let i = 0; killing; i++) {
      const headers = () => ({ ...idsOf({ game_uid: listing.uid, build_id }), ...newAddress() })
      for (let times = 0; times < 1 + (i % 2); times++) {
        const { id } = must(
          await sendUntilAccepted(() =>
            http.post(
              CRASHES,
              { id: `r${i}`, user_message: 'same', has_log: true },
              { headers: headers() },
            ),
          ),
        )
        assert.equal(ids.get(`r${i}`) ?? id, id)
        ids.set(`r${i}`, id)
      }
    }
  })()
  for (let i = 0; i < loopCount({ short: 1, full: 30 }); i++) {
    await pause(randomInt(20, 500))
    await service.kill()
    await service.start()
  }
  killing = false
  await reporting
  const rows = await sql`select uid from crashes where build_uid = ${build_id}`
  assert.deepEqual(rows.map(({ uid }) => uid as string).sort(), [...ids.values()].sort())
  const [group] = await sql`
    select crashes from crash_group_builds where build_uid = ${build_id}`
  assert.equal(group!.crashes, ids.size)
})

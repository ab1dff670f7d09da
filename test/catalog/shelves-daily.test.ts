import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createRefreshingCache } from '../../src/catalog/refreshing-cache.ts'
import {
  BUCKETS,
  bucketsAt,
  type DailyOrder,
  dailyOrder,
  dateOf,
  nextWindow,
  windows,
} from '../../src/catalog/shelves/daily-order.ts'
import type { ShelfKind } from '../../src/catalog/shelves/shelf-rules.ts'
import { loadShelf } from '../../src/catalog/shelves/shelves.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { must } from '../support/builders.ts'
import { fc } from '../support/property.ts'
import { startCatalog } from './fixtures.ts'

/** The position of a bucket, which the database computes as well. */
const positionOf = ({ step, start }: DailyOrder, bucket: number) =>
  (bucket * step + start) % BUCKETS
const md5 = (text: string) => createHash('md5').update(text).digest('hex')
const dates = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map(dateOf)

test('the daily order visits every bucket once, and its inverse is correct', () => {
  fc.assert(
    fc.property(dates, (date) => {
      const order = dailyOrder(date)
      const buckets = bucketsAt(order, 0, BUCKETS)
      assert.equal(new Set(buckets).size, BUCKETS)
      for (let place = 0; place < BUCKETS; place += 97)
        assert.equal(positionOf(order, buckets[place]!), place)
    }),
    { numRuns: 20 },
  )
})

test('the shelf date changes at midnight UTC', () => {
  assert.equal(dateOf(new Date('2026-03-01T23:59:59.999Z')), '2026-03-01')
  assert.equal(dateOf(new Date('2026-03-02T00:00:00.000Z')), '2026-03-02')
  assert.notDeepEqual(dailyOrder('2026-03-01'), dailyOrder('2026-03-02'))
})

test('windows cover every position once, for any first size', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: BUCKETS }), (first) => {
      let next = 0
      for (const { from, to } of windows(first)) {
        assert.equal(from, next)
        assert.ok(to > from)
        next = to
      }
      assert.equal(next, BUCKETS)
    }),
  )
  assert.deepEqual([nextWindow(1), nextWindow(100), nextWindow(BUCKETS)], [16, 150, BUCKETS])
})

test('over many days every listing comes first about equally often', () => {
  const buckets = Array.from({ length: 20 }, (_, n) =>
    createHash('sha256').update(String(n)).digest().readUInt16BE(0),
  )
  const firsts = new Array<number>(20).fill(0)
  for (let day = 0; day < 4000; day++) {
    const order = dailyOrder(dateOf(new Date(day * 86_400_000)))
    const places = buckets.map((bucket) => positionOf(order, bucket))
    firsts[places.indexOf(Math.min(...places))]!++
  }
  for (const times of firsts) assert.ok(times > 80 && times < 420, `${firsts}`)
})

test('the daily order does not depend on the window size', async (t) => {
  const { core, createManyListings } = await startCatalog(t)
  const uids = await createManyListings(2000)
  const now = new Date('2026-05-05T12:00:00Z')
  const order = dailyOrder(dateOf(now))
  const key = (uid: string) =>
    positionOf(order, Number.parseInt(uid.slice(-4), 16))
      .toString()
      .padStart(5, '0') + md5(order.date + uid)
  const expected = uids.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, 24)
  // The first query starts with few buckets, later ones with the number that was enough before.
  for (let i = 0; i < 3; i++) {
    const { rows } = await loadShelf(core, 'in_development', { os: null, limit: 24, now })
    assert.deepEqual(
      rows.map(({ uid }) => uid),
      expected,
    )
  }
})

test('listings in the same bucket are shuffled daily as well', async (t) => {
  const { core, createListing, createDeveloper } = await startCatalog(t)
  const owner = await createDeveloper()
  const uids: string[] = []
  for (let n = 0; n < 12; n++)
    uids.push(
      (await createListing({ owner, uid: `${uuidv7().slice(0, -4)}beef`, status: 'development' }))
        .uid,
    )
  const on = async (date: string) =>
    (
      await loadShelf(core, 'in_development', { os: null, limit: 24, now: new Date(date) })
    ).rows.map(({ uid }) => uid)
  const first = await on('2026-05-05')
  const second = await on('2026-05-06')
  assert.deepEqual(first.toSorted(), uids.toSorted())
  assert.notDeepEqual(first, second)
  assert.deepEqual(
    first,
    uids.toSorted((a, b) => (md5(`2026-05-05${a}`) < md5(`2026-05-05${b}`) ? -1 : 1)),
  )
})

test('a shelf is the same all day in every process, and differs the next day', async (t) => {
  const app = await startCatalog(t)
  const second = await startCatalog(t, {
    DATABASE_URL: app.settings.DATABASE_URL,
    SLIPWAY_ROLES: 'api',
  })
  await app.createManyListings(200)
  const on = async ({ core }: typeof app, time: string, kind: ShelfKind = 'in_development') =>
    (await loadShelf(core, kind, { os: null, limit: 24, now: new Date(time) })).rows.map(
      ({ uid }) => uid,
    )
  const first = await on(app, '2026-05-05T00:00:00.000Z')
  assert.equal(first.length, 24)
  assert.deepEqual(await on(second, '2026-05-05T23:59:59.999Z'), first)
  const next = await on(second, '2026-05-06T00:00:00.000Z')
  assert.notDeepEqual(next, first)
  assert.ok(next.filter((uid) => first.includes(uid)).length < 20, 'the same listings come first')
  assert.deepEqual(await on(app, '2026-05-06T11:00:00.000Z'), next)
})

test('a cached shelf omits listings that no longer belong, and refills itself', async (t) => {
  const app = await startCatalog(t)
  const { sql, core, get } = app
  await sql`alter sequence listings_asset_id_seq restart with 5001`
  await app.createManyListings(300)
  const shelfUids = async () =>
    must(await get('/api/v1/public/shelves/in_development?limit=24')).items.map(
      ({ uid }: any) => uid,
    ) as string[]
  const before = await shelfUids()
  const gone = before.slice(0, 20)
  await sql`update listings set visibility = 'draft' where uid = any(${gone.slice(0, 10)}::uuid[])`
  await sql`update listings set adult = true where uid = any(${gone.slice(10)}::uuid[])`
  const after = await shelfUids()
  assert.equal(after.length, 24)
  assert.deepEqual(after.slice(0, 4), before.slice(20))
  assert.ok(!after.some((uid) => gone.includes(uid)))
  // More listings leave than there are cached candidates.
  await sql`
    update listings set visibility = 'draft'
    where uid in (
      select uid from listings where visibility = 'public' order by uid limit 200)`
  const [counted] = await sql`
    select count(*)::int as listings
    from listings
    where visibility = 'public' and not adult`
  const rest = await shelfUids()
  assert.equal(rest.length, Math.min(24, counted!.listings))
  const visible = await sql`
    select
    from listings
    where uid = any(${rest}::uuid[]) and visibility = 'public' and not adult`
  assert.equal(visible.length, rest.length)
  assert.equal(
    (await loadShelf(core, 'in_development', { os: null, limit: 24, now: new Date() })).rows.length,
    rest.length,
  )
})

test('the refreshing cache serves fresh, refreshes stale and awaits expired values', async () => {
  let time = 0
  let made = 0
  const cached = createRefreshingCache<number>({ cost_factor: 10, max_age_ms: 1000 }, () => time)
  const compute = async () => {
    time += 20
    return ++made
  }
  assert.equal(await cached('a', compute), 1)
  time = 20 + 199
  assert.equal(await cached('a', compute), 1)
  time = 20 + 200
  assert.equal(await cached('a', compute), 1, 'the stale value was not served during the refresh')
  await new Promise(setImmediate)
  assert.equal(made, 2)
  assert.equal(await cached('a', compute), 2)
  time += 5000
  assert.equal(await cached('a', compute), 3)
  assert.equal(await cached('b', compute), 4)
})

test('the refreshing cache serves no value beyond its maximum age, whatever its cost', async () => {
  let time = 0
  let made = 0
  const cached = createRefreshingCache<number>({ cost_factor: 10, max_age_ms: 1000 }, () => time)
  const compute = async () => {
    time += 1e6
    return ++made
  }
  assert.equal(await cached('a', compute), 1)
  time += 999
  assert.equal(await cached('a', compute), 1)
  await new Promise(setImmediate)
  assert.equal(made, 1, 'the value is fresh, so no other is computed')
  time += 1
  assert.equal(await cached('a', compute), 2, 'the value has expired')
})

test('concurrent requests compute a value once, and a failure is not cached', async () => {
  let made = 0
  const cached = createRefreshingCache<number>({ cost_factor: 10, max_age_ms: 1000 })
  const slow = async () => {
    await new Promise(setImmediate)
    return ++made
  }
  assert.deepEqual(
    await Promise.all(Array.from({ length: 50 }, () => cached('a', slow))),
    new Array(50).fill(1),
  )
  await assert.rejects(cached('b', () => Promise.reject(new Error('away'))))
  assert.equal(await cached('b', slow), 2)
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { releaseCouponUse } from '../../src/payments/coupons/queries.ts'
import { recordCouponUse } from '../../src/payments/coupons/use-coupon.ts'
import { quote } from '../../src/payments/quote.ts'
import { startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'

const GAMES = '/api/v1/private/games'
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

async function startWithCoupons(t: Parameters<typeof startApp>[0]) {
  const app = await startApp(t)
  const { a, post, put, patch, sql } = app
  const { uid, owner } = await a.listing()
  const url = `${GAMES}/${uid}`
  must(await patch(url, { price_cents: 2000 }, owner))
  must(await put(`${url}/offers`, { prices: [{ currency: 'EUR', amount_minor: 1000 }] }, owner))
  const make = (body: object) => post(`${url}/coupons`, body, owner)
  const priceFor = (coupon: string, more: object = {}) =>
    quote(sql, {
      game_uid: uid,
      currency: 'USD',
      coupon,
      user_uid: owner.uid,
      at: new Date(),
      ...more,
    })
  const order = (coupon_uid: string, user_uid: string, order_uid = randomUUID()) =>
    sql.begin((tx) => recordCouponUse(tx as never, { order_uid, coupon_uid, user_uid }))
  const stateOf = (error: unknown) => (error as { data: { state: string } }).data.state
  const refusedState = async (coupon: string, more: object = {}) =>
    priceFor(coupon, more).then(
      () => 'accepted',
      (error) => stateOf(error),
    )
  return { ...app, uid, owner, url, make, priceFor, order, refusedState }
}

test('a coupon takes off what it says, after the sale, in every currency', async (t) => {
  const { make, priceFor, post, url, owner } = await startWithCoupons(t)
  must(await make({ code: 'tenth', percent: 10 }))
  const { coupons } = must(await make({ code: 'FIVER', amount_cents: 500 }))
  assert.deepEqual(await priceFor(' Tenth '), {
    edition_uid: null,
    currency: 'USD',
    list_minor: 2000,
    price_minor: 1800,
    coupon_uid: coupons[1].uid,
  })
  assert.equal((await priceFor('fiver')).price_minor, 1500)
  assert.equal((await priceFor('fiver', { currency: 'EUR' })).price_minor, 750)
  must(await post(`${url}/sales`, { percent: 50, ends_at: inHours(2) }, owner))
  assert.equal((await priceFor('tenth')).price_minor, 900)
  assert.equal((await priceFor('fiver')).price_minor, 500)
  must(await make({ code: 'GIFT', percent: 100 }))
  assert.equal((await priceFor('gift')).price_minor, 0)
})

test('a coupon is for its listings and its time only', async (t) => {
  const { make, refusedState, a, owner, url, patch, del, get } = await startWithCoupons(t)
  const other = await a.listing({ owner })
  const third = await a.listing({ owner })
  for (const { uid } of [other, third])
    must(await patch(`${GAMES}/${uid}`, { price_cents: 900 }, owner))
  const { coupons } = must(
    await make({ code: 'BOTH', percent: 10, games: [other.vanity_name], ends_at: inHours(1) }),
  )
  assert.deepEqual(
    [
      await refusedState('both'),
      await refusedState('both', { game_uid: other.uid }),
      await refusedState('both', { game_uid: third.uid }),
      await refusedState('nothing'),
      await refusedState('both', { at: new Date(inHours(2)) }),
      await refusedState('both', { at: new Date(inHours(-1)) }),
    ],
    ['accepted', 'accepted', 'unknown', 'unknown', 'ended', 'not_started'],
  )
  must(await del(`${url}/coupons/${coupons[0].uid}`, owner))
  assert.equal(await refusedState('both'), 'ended')
  assert.deepEqual(refused(await del(`${url}/coupons/${coupons[0].uid}`, owner)), [404, 4040])
  assert.deepEqual(refused(await get(`${url}/coupons`, await a.developer())), [404, 4040])
})

test('refuses coupons that are not valid', async (t) => {
  const { make, a } = await startWithCoupons(t)
  const stranger = await a.listing()
  const good = { code: 'GOOD', percent: 10 }
  must(await make(good))
  for (const bad of [
    good,
    { ...good, code: 'abc' },
    { ...good, code: 'with space' },
    { code: 'NONE' },
    { code: 'BOTH', percent: 10, amount_cents: 10 },
    { code: 'MUCH', percent: 101 },
    { code: 'ZERO', percent: 0 },
    { code: 'USES', percent: 1, max_uses: 0 },
    { code: 'EACH', percent: 1, max_per_person: 101 },
    { code: 'PAST', percent: 1, ends_at: inHours(-1) },
    { code: 'TIME', percent: 1, starts_at: inHours(3), ends_at: inHours(2) },
    { code: 'OTHER', percent: 1, games: [stranger.uid] },
    { code: 'MISSING', percent: 1, games: [randomUUID()] },
  ])
    assert.deepEqual(refused(await make(bad)), [422, 4254], JSON.stringify(bad))
})

test('orders made at the same time cannot exceed the limits of a coupon', async (t) => {
  const { make, order, refusedState, a, sql, get, url, owner } = await startWithCoupons(t)
  const { coupons } = must(
    await make({ code: 'FEW-5', percent: 10, max_uses: 5, max_per_person: 2 }),
  )
  const { uid } = coupons[0]
  const people = await Promise.all(Array.from({ length: 4 }, () => a.user()))
  const tries = people.flatMap((person) => Array.from({ length: 4 }, () => person.uid))
  const results = await Promise.allSettled(tries.map((user_uid) => order(uid, user_uid)))
  const accepted = tries.filter((_, i) => results[i]!.status === 'fulfilled')
  assert.equal(accepted.length, 5)
  for (const { uid: user_uid } of people)
    assert.ok(accepted.filter((person) => person === user_uid).length <= 2)
  assert.equal(await refusedState('few-5'), 'used_up')
  assert.equal(must(await get(`${url}/coupons`, owner)).coupons[0].uses, 5)
  // An order that was never paid gives its use back; the same order counts once.
  const [use] = await sql<{ order_uid: string }[]>`select order_uid from coupon_uses limit 1`
  await releaseCouponUse(sql, use!.order_uid)
  assert.equal(await refusedState('few-5'), 'accepted')
  const order_uid = randomUUID()
  const fresh = await a.user()
  await order(uid, fresh.uid, order_uid)
  await order(uid, fresh.uid, order_uid)
  assert.equal(must(await get(`${url}/coupons`, owner)).coupons[0].uses, 5)
})

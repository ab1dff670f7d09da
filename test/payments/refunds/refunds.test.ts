import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, outbox } from '../../support/app.ts'
import { must, refused } from '../../support/builders.ts'
import { ORDERS, SALES, sharedPaymentApp, startPaymentApp } from '../fixtures.ts'

const startApp = sharedPaymentApp()

test('a buyer returns an order within the window at once, with the copy and the review', async (t) => {
  const { bought, post, put, get, reaches, copyOf, entriesOf, sql, data_dir } = await startApp(t)
  const { buyer, listing, order } = await bought()
  assert.equal(must(await get(`${ORDERS}/${order.uid}`, buyer)).refund, 'now')
  await sql`
    insert into play_time (user_uid, game_uid, seconds, last_beat_at)
    values (${buyer.uid}, ${listing.uid}, 600, now())`
  const review = { enjoyed: true, quality: 4, text: 'Good' }
  must(await put(`/api/v1/private/games/${listing.uid}/review`, review, buyer))
  must(await post(`${ORDERS}/${order.uid}/return`, { reason: 'Too hard' }, buyer))
  await reaches(buyer, order.uid, 'refunded')
  assert.equal(await copyOf(buyer, listing), undefined)
  const [reviews] = await sql`
    select count(*)::int as count from reviews where game_uid = ${listing.uid}`
  assert.equal(reviews!.count, 0)
  const store = (await entriesOf(order.uid)).filter(({ account }) => account === 'store')
  assert.deepEqual(
    store.map(({ amount_minor }) => amount_minor),
    [105, -105],
  )
  await eventually('a mail about the refund', () =>
    outbox(data_dir).find(({ to, subject }) => to === buyer.email && /refund/i.test(subject)),
  )
  const again = await post(`${ORDERS}/${order.uid}/return`, {}, buyer)
  assert.deepEqual(refused(again), [409, 4239])
})

test('after the window the developer decides', async (t) => {
  const { bought, post, get, reaches, sql, copyOf, data_dir } = await startApp(t)
  const { buyer, listing, order } = await bought()
  await sql`update orders set paid_at = now() - interval '400 days' where uid = ${order.uid}`
  const path = `${ORDERS}/${order.uid}`
  assert.equal(must(await get(path, buyer)).refund, 'request')
  must(await post(`${path}/return`, { reason: 'Please' }, buyer))
  assert.equal(must(await get(path, buyer)).refunds[0].state, 'requested')
  await eventually('a mail to the seller', () =>
    outbox(data_dir).find(({ to, subject }) => to === listing.owner.email && /asks/.test(subject)),
  )
  const refund = `${SALES}/${order.uid}/refund`
  assert.equal((await post(refund, {}, buyer)).status, 404)
  must(await post(refund, { decline: true, reason: 'No' }, listing.owner))
  const declined = must(await get(path, buyer)).refunds[0]
  assert.deepEqual([declined.state, declined.answer], ['declined', 'No'])
  assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
  must(await post(`${path}/return`, { reason: 'Really' }, buyer))
  must(await post(refund, {}, listing.owner))
  await reaches(buyer, order.uid, 'refunded')
  assert.equal(await copyOf(buyer, listing), undefined)
})

test('a part goes back and the copy stays, until all of it is back', async (t) => {
  const { bought, post, get, reaches, copyOf, ledgerSum, data_dir } = await startApp(t)
  const { buyer, listing, order } = await bought()
  const mailOf = (sum: RegExp) =>
    eventually(`a mail about ${sum}`, () =>
      outbox(data_dir).find(
        ({ to, subject, text }) =>
          to === buyer.email && /Your refund/.test(subject) && sum.test(text),
      ),
    )
  const refund = (body: object) => post(`${SALES}/${order.uid}/refund`, body, listing.owner)
  const path = `${ORDERS}/${order.uid}`
  must(await refund({ amount_minor: 300 }))
  await eventually('300 back', async () => must(await get(path, buyer)).refunded_minor === 300)
  assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
  await mailOf(/\$3\.00/)
  assert.deepEqual(refused(await refund({ amount_minor: 701 })), [409, 4239])
  must(await refund({ amount_minor: 700 }))
  await reaches(buyer, order.uid, 'refunded')
  // What goes back now, not what went back so far.
  await mailOf(/\$7\.00/)
  assert.equal(await copyOf(buyer, listing), undefined)
  assert.equal(await ledgerSum(), 0)
})

test('a refund counts before the record of the order shows it', async (t) => {
  const { bought, post, get, sql, provider } = await startApp(t)
  const refunds = provider.world.refunds.size
  const { buyer, listing, order } = await bought()
  // As between the answer of the provider and the next look at its record.
  await sql`
    insert into order_refunds (uid, order_uid, state, amount_minor, reason, decided_at)
    values (gen_random_uuid(), ${order.uid}, 'done', 700, '', now())`
  const refund = (body: object) => post(`${SALES}/${order.uid}/refund`, body, listing.owner)
  assert.deepEqual(refused(await refund({ amount_minor: 301 })), [409, 4239])
  must(await refund({}))
  await eventually(
    'the rest to be sent',
    async () => must(await get(`${ORDERS}/${order.uid}`, buyer)).refunded_minor === 300,
  )
  assert.deepEqual(
    [...provider.world.refunds.values()].slice(refunds).map(({ amount }) => amount),
    [300],
  )
  assert.deepEqual(refused(await refund({ amount_minor: 1 })), [409, 4239])
  assert.deepEqual(refused(await post(`${ORDERS}/${order.uid}/return`, {}, buyer)), [409, 4239])
})

test('many refunds at once send back no more than was paid', async (t) => {
  const { bought, post, provider, ledgerSum, sql } = await startApp(t)
  const refunds = provider.world.refunds.size
  const { listing, order } = await bought()
  const answers = await Promise.all(
    Array.from({ length: 6 }, () =>
      post(`${SALES}/${order.uid}/refund`, { amount_minor: 700 }, listing.owner),
    ),
  )
  assert.equal(answers.filter(({ status }) => status < 300).length, 1)
  await eventually('the refund in the record', async () => {
    const [row] = await sql`select refunded_minor from orders where uid = ${order.uid}`
    return row!.refunded_minor === 700
  })
  assert.equal(provider.world.refunds.size - refunds, 1)
  assert.equal(await ledgerSum(), 0)
})

test('a refund whose answer got lost is made once', async (t) => {
  const { bought, post, reaches, provider } = await startApp(t)
  const refunds = provider.world.refunds.size
  const { buyer, order } = await bought()
  provider.control.fault({ on: 'POST /v1/refunds', mode: 'lost', times: 1 })
  must(await post(`${ORDERS}/${order.uid}/return`, {}, buyer))
  await reaches(buyer, order.uid, 'refunded')
  assert.equal(provider.world.refunds.size - refunds, 1)
})

test('a dispute takes the copy and tells the seller', async (t) => {
  const { bought, reaches, copyOf, provider, data_dir, post } = await startApp(t)
  const { buyer, listing, order, session } = await bought()
  provider.control.dispute({ session })
  await reaches(buyer, order.uid, 'disputed')
  assert.equal(await copyOf(buyer, listing), undefined)
  await eventually('a mail to the seller', () =>
    outbox(data_dir).find(
      ({ to, subject }) => to === listing.owner.email && /disputed/.test(subject),
    ),
  )
  assert.deepEqual(refused(await post(`${ORDERS}/${order.uid}/return`, {}, buyer)), [409, 4239])
})

test('a sale without a fee of the store is refunded', async (t) => {
  const { bought, post, patch, operator, reaches, provider, entriesOf } = await startPaymentApp(t)
  const fees = { sale_fee_fixed_cents: 0, sale_fee_percent: 0 }
  must(await patch('/api/v1/private/operations/settings', fees, await operator()))
  const { buyer, order, session } = await bought()
  assert.equal(order.fee_minor, 0)
  assert.equal(provider.world.sessions.get(session)!.application_fee_amount, 0)
  must(await post(`${ORDERS}/${order.uid}/return`, {}, buyer))
  await reaches(buyer, order.uid, 'refunded')
  assert.ok(!(await entriesOf(order.uid)).some(({ account }) => account === 'store'))
})

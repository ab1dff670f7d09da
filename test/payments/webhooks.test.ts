import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { signature } from '../../sim/payments/webhooks.ts'
import { DEMO_WEBHOOK_SECRET } from '../../sim/payments/world.ts'
import { reconcileOrders } from '../../src/payments/orders/jobs.ts'
import { eventually, runJob } from '../support/app.ts'
import { newAddress } from '../support/builders.ts'
import { loopCount } from '../support/loop-count.ts'
import { sharedPaymentApp, startPaymentApp, WEBHOOK } from './fixtures.ts'

const startApp = sharedPaymentApp()

const FORGERIES = loopCount({ short: 60, full: 1000 })

test('forged, altered and old webhooks are refused and change nothing', async (t) => {
  const { a, forSale, order, stateOf, copyOf, post, provider, sql, call } = await startApp(t)
  const listing = await forSale()
  const buyer = await a.verified()
  const { order: made, session } = await order(buyer, listing)
  const event = (id: string) =>
    JSON.stringify({
      id,
      object: 'event',
      type: 'checkout.session.completed',
      account: provider.world.sessions.get(session)!.account,
      data: {
        object: {
          id: session,
          object: 'checkout.session',
          payment_status: 'paid',
          metadata: { order: made.uid },
        },
      },
    })
  const now = () => Math.floor(Date.now() / 1000)
  const forgeries: ((body: string) => [string, string | undefined])[] = [
    (body) => [body, undefined],
    (body) => [body, ''],
    (body) => [body, 't=,v1='],
    (body) => [body, `t=${now()},v1=${'0'.repeat(64)}`],
    (body) => [body, `t=${now()},v1=${randomBytes(32).toString('hex')}`],
    (body) => [body, signature('whsec_other', body)],
    (body) => [body, signature('', body)],
    (body) => [body, signature(DEMO_WEBHOOK_SECRET, body, now() - 301)],
    (body) => [body, signature(DEMO_WEBHOOK_SECRET, `${body} `)],
    (body) => [`${body} `, signature(DEMO_WEBHOOK_SECRET, body)],
    (body) => [body, signature(DEMO_WEBHOOK_SECRET, body).replace('v1=', 'v0=')],
    (body) => [body, signature(DEMO_WEBHOOK_SECRET, body).replace(/t=\d+/, `t=${now() + 1}`)],
  ]
  for (let index = 0; index < FORGERIES; index++) {
    const [raw, header] = forgeries[index % forgeries.length]!(event(`evt_forged_${index}`))
    // From many addresses, so that the signature is what refuses it, and not the limit of requests.
    const headers = {
      'content-type': 'application/json',
      ...newAddress(),
      ...(header !== undefined && { 'stripe-signature': header }),
    }
    const answer = await call('POST', WEBHOOK, { raw, headers })
    assert.deepEqual([answer.status, answer.body.error.code], [400, 4239], `forgery ${index}`)
  }
  const [row] = await sql`
    select count(*)::int as count from payment_events where id like 'evt_forged_%'`
  t.diagnostic(`${FORGERIES} forged webhooks: ${row!.count} accepted`)
  assert.equal(row!.count, 0)
  // Even a validly signed message that says "paid" gives nothing: the provider's record decides.
  const body = event('evt_lie')
  const lie = { 'stripe-signature': signature(DEMO_WEBHOOK_SECRET, body) }
  const headers = { 'content-type': 'application/json', ...lie }
  assert.equal((await call('POST', WEBHOOK, { raw: body, headers })).status, 200)
  await eventually('the order to be checked', async () => {
    const [checked] = await sql`select checked_at from orders where uid = ${made.uid}`
    return checked!.checked_at !== null
  })
  assert.equal(await stateOf(buyer, made.uid), 'open')
  assert.equal(await copyOf(buyer, listing), undefined)
  assert.equal((await post(WEBHOOK, 'x'.repeat(600_000))).status, 413)
})

test('a replayed event counts once, and any number of them gives one copy', async (t) => {
  const { bought, call, entriesOf, provider, sql } = await startPaymentApp(t)
  const { order } = await bought()
  await provider.control.settled()
  const { events } = provider.world
  const replays = loopCount({ short: 40, full: 1000 })
  for (let index = 0; index < replays; index++) {
    const raw = JSON.stringify(events[index % events.length])
    const signed = { 'stripe-signature': signature(DEMO_WEBHOOK_SECRET, raw) }
    const headers = { 'content-type': 'application/json', ...newAddress(), ...signed }
    assert.equal((await call('POST', WEBHOOK, { raw, headers })).status, 200)
  }
  const [row] = await sql`
    select count(*)::int as count, count(distinct id)::int as distinct_count from payment_events`
  t.diagnostic(`${replays} replays of ${events.length} events: ${row!.count} recorded`)
  assert.equal(row!.count, events.length)
  assert.equal((await entriesOf(order.uid)).length, 4)
})

test('an account that the provider refuses does not hold up the orders of others', async (t) => {
  const { a, forSale, order, stateOf, core, sql, provider } = await startApp(t)
  const listing = await forSale()
  provider.control.webhooks({ mode: 'lost' })
  const buyers = []
  for (let n = 0; n < 6; n++) {
    const buyer = await a.verified()
    const made = await order(buyer, listing)
    provider.control.pay({ session: made.session })
    buyers.push({ buyer, uid: made.order.uid })
  }
  const [lost] = buyers
  await sql`update orders set account_ref = 'acct_gone' where uid = ${lost!.uid}`
  await sql`update orders set checked_at = null, created_at = now() - interval '2 days'`
  await runJob({ core, sql }, reconcileOrders)
  for (const { buyer, uid } of buyers.slice(1)) assert.equal(await stateOf(buyer, uid), 'paid')
  const [row] = await sql`
    select state, problem, problem_details->>'code' as code from orders where uid = ${lost!.uid}`
  assert.equal(row!.state, 'open')
  assert.match(row!.problem, /does not have access to account/)
  assert.equal(row!.code, 'not_checked')
})

test('a payment whose webhook never came is noticed by the reconcile job', async (t) => {
  const { a, core, sql, forSale, order, copyOf, provider } = await startApp(t)
  const listing = await forSale()
  const buyer = await a.verified()
  const { order: made, session } = await order(buyer, listing)
  provider.control.webhooks({ mode: 'lost' })
  provider.control.pay({ session })
  await runJob({ core, sql }, reconcileOrders)
  // It was made a moment ago: its webhook may still come.
  assert.equal(await copyOf(buyer, listing), undefined)
  // A day of outage later.
  await sql`
    update orders set created_at = now() - interval '1 day', checked_at = now() - interval '1 day'`
  await runJob({ core, sql }, reconcileOrders)
  assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
  const [row] = await sql`select state from orders where uid = ${made.uid}`
  assert.equal(row!.state, 'paid')
  // A refund that nobody reported is noticed the next day.
  provider.control.refund({ session })
  await sql`update orders set checked_at = now() - interval '25 hours'`
  await runJob({ core, sql }, reconcileOrders)
  assert.equal(await copyOf(buyer, listing), undefined)
})

test('webhooks that come doubled, late and out of order lead to the same end', async (t) => {
  const { a, forSale, order, reaches, copyOf, ledgerSum, provider } = await startApp(t)
  const listing = await forSale()
  const buyer = await a.verified()
  const { order: made, session } = await order(buyer, listing)
  provider.control.webhooks({ mode: 'reordered' })
  provider.control.pay({ session })
  provider.control.refund({ session, amount: 400 })
  const dispute = provider.control.dispute({ session })
  await provider.control.deliverLate()
  await reaches(buyer, made.uid, 'disputed')
  assert.equal(await copyOf(buyer, listing), undefined)
  provider.control.webhooks({ mode: 'doubled' })
  provider.control.closeDispute({ dispute: dispute.id, status: 'won' })
  await reaches(buyer, made.uid, 'paid')
  assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
  assert.equal(await ledgerSum(), 0)
})

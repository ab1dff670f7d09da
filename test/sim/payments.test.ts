import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { Stripe } from 'stripe'
import { startPaymentSimulator } from '../../sim/payments/server.ts'
import { DEMO_SECRET_KEY } from '../../sim/payments/world.ts'
import { type Currency, currencies, currencyCodes } from '../../src/listings/prices/currencies.ts'
import { cleanup } from '../support/cleanup.ts'

const line_items = [
  {
    quantity: 1,
    price_data: { currency: 'usd', unit_amount: 1000, product_data: { name: 'A game' } },
  },
]

async function start(t: Parameters<typeof cleanup>[0]) {
  const provider = await startPaymentSimulator()
  cleanup(t, () => provider.stop())
  const { hostname, port } = new URL(provider.url)
  const stripe = new Stripe(DEMO_SECRET_KEY, {
    host: hostname,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  })
  const { id: stripeAccount } = await stripe.accounts.create({ type: 'standard' })
  const checkout = (options = {}, fields = {}) =>
    stripe.checkout.sessions.create(
      {
        mode: 'payment',
        line_items,
        payment_intent_data: { application_fee_amount: 105 },
        success_url: 'http://store.example/done',
        ...fields,
      },
      { stripeAccount, ...options },
    )
  return { provider, stripe, stripeAccount, checkout }
}

test('the official client pays, refunds and reads balances against the simulator', async (t) => {
  const { provider, stripe, stripeAccount, checkout } = await start(t)
  await assert.rejects(checkout(), { code: 'account_invalid' })
  provider.control.setUp({ account: stripeAccount })
  assert.equal((await stripe.accounts.retrieve(stripeAccount)).charges_enabled, true)
  const session = await checkout()
  const form = (action: string) => ({
    method: 'POST',
    body: new URLSearchParams({ action }),
    redirect: 'manual' as const,
  })
  assert.match(await (await fetch(session.url!)).text(), /1000 USD/)
  assert.equal((await fetch(session.url!, form('decline'))).status, 402)
  const paid = await fetch(session.url!, form('pay'))
  assert.equal(paid.headers.get('location'), 'http://store.example/done')
  const expand = ['payment_intent.latest_charge.balance_transaction']
  const read = await stripe.checkout.sessions.retrieve(session.id, { expand }, { stripeAccount })
  const charge = (read.payment_intent as Stripe.PaymentIntent).latest_charge as Stripe.Charge
  assert.equal((charge.balance_transaction as Stripe.BalanceTransaction).net, 1000 - 105 - 59)
  const refund = await stripe.refunds.create(
    { charge: charge.id, amount: 400, refund_application_fee: true },
    { stripeAccount },
  )
  assert.equal(refund.amount, 400)
  // What buyers paid becomes available after some days; refunds are taken at once.
  const balance = await stripe.balance.retrieve({}, { stripeAccount })
  assert.deepEqual([balance.available[0]!.amount, balance.pending[0]!.amount], [-358, 836])
  provider.control.releaseFunds({ account: stripeAccount })
  const later = await stripe.balance.retrieve({}, { stripeAccount })
  assert.equal(later.available[0]!.amount, 836 - 400 + 42)
  await assert.rejects(
    stripe.refunds.create({ charge: charge.id, amount: 601 }, { stripeAccount }),
    { code: 'amount_too_large' },
  )
  // Objects of an account are not visible from outside of it.
  await assert.rejects(stripe.checkout.sessions.retrieve(session.id), { code: 'resource_missing' })
  const events = await stripe.events.list({ limit: 10 }, { stripeAccount })
  assert.ok(events.data.some(({ type }) => type === 'checkout.session.completed'))
})

test('an idempotency key gives the first answer, and refuses other parameters', async (t) => {
  const { provider, stripe, stripeAccount, checkout } = await start(t)
  provider.control.setUp({ account: stripeAccount })
  const first = await checkout({ idempotencyKey: 'a' })
  assert.equal((await checkout({ idempotencyKey: 'a' })).id, first.id)
  assert.equal(provider.world.sessions.size, 1)
  await assert.rejects(
    stripe.accounts.create({ type: 'express' }, { stripeAccount, idempotencyKey: 'a' }),
    { type: 'StripeIdempotencyError' },
  )
  provider.control.fault({ on: 'POST /v1/checkout/sessions', mode: 'conflict', times: 1 })
  await assert.rejects(checkout({ idempotencyKey: 'b' }), { statusCode: 409 })
})

test('a wrong key is refused, and a lost answer is performed', async (t) => {
  const { provider, stripeAccount, checkout } = await start(t)
  provider.control.setUp({ account: stripeAccount })
  // The client repeats a request on a closed connection once by itself, with the same key.
  provider.control.fault({ on: 'POST /v1/checkout/sessions', mode: 'lost', times: 2 })
  await assert.rejects(checkout({ idempotencyKey: 'a' }), { type: 'StripeConnectionError' })
  assert.equal(provider.world.sessions.size, 1)
  await checkout({ idempotencyKey: 'a' })
  assert.equal(provider.world.sessions.size, 1)
  const answer = await fetch(`${provider.url}/v1/balance`, {
    headers: { authorization: 'Bearer sk_wrong' },
  })
  assert.equal(answer.status, 401)
})

test('the set-up page completes an account, or leaves something out', async (t) => {
  const { provider, stripe, stripeAccount } = await start(t)
  const { url } = await stripe.accountLinks.create({
    account: stripeAccount,
    type: 'account_onboarding',
    return_url: 'http://store.example/back',
    refresh_url: 'http://store.example/again',
  })
  const submit = (action: string) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ action }), redirect: 'manual' })
  await submit('incomplete')
  const incomplete = await stripe.accounts.retrieve(stripeAccount)
  assert.equal(incomplete.charges_enabled, false)
  assert.deepEqual(incomplete.requirements!.currently_due, ['individual.verification.document'])
  const answer = await submit('complete')
  assert.equal(answer.headers.get('location'), 'http://store.example/back')
  assert.equal((await stripe.accounts.retrieve(stripeAccount)).charges_enabled, true)
  const verb = await fetch(`${provider.url}/sim/settled`, { method: 'POST' })
  assert.equal(verb.status, 200)
})

test('the fee of a charge without one cannot be refunded', async (t) => {
  const { provider, stripe, stripeAccount, checkout } = await start(t)
  provider.control.setUp({ account: stripeAccount })
  const { id } = await checkout({}, { payment_intent_data: {} })
  const { id: charge } = provider.control.pay({ session: id })
  await assert.rejects(
    stripe.refunds.create({ charge: charge!, refund_application_fee: true }, { stripeAccount }),
    {
      statusCode: 400,
      type: 'StripeInvalidRequestError',
      message: /does not have an application fee/,
    },
  )
  assert.equal((await stripe.refunds.create({ charge: charge! }, { stripeAccount })).amount, 1000)
})

test('a checkout has a least amount and a time to end', async (t) => {
  const { provider, stripeAccount, checkout } = await start(t)
  provider.control.setUp({ account: stripeAccount })
  const least = { usd: 50, eur: 50, gbp: 30, jpy: 50, sek: 300 }
  const items = (currency: string, unit_amount: number) => ({
    line_items: [
      { quantity: 1, price_data: { currency, unit_amount, product_data: { name: 'A game' } } },
    ],
    payment_intent_data: {},
  })
  for (const [currency, amount] of Object.entries(least))
    assert.equal(currencies[currency.toUpperCase() as Currency].min, amount)
  // The store refuses lower prices by a table of its own, which has to be the same everywhere.
  for (const code of currencyCodes) {
    const currency = code.toLowerCase()
    const amount = currencies[code].min
    await assert.rejects(checkout({}, items(currency, amount - 1)), { code: 'amount_too_small' })
    await checkout({}, items(currency, amount))
  }
  const inMinutes = (minutes: number) => ({
    expires_at: Math.floor(Date.now() / 1000) + minutes * 60,
  })
  for (const minutes of [-1, 29, 24 * 60 + 1])
    await assert.rejects(checkout({}, inMinutes(minutes)), { param: 'expires_at' })
  for (const minutes of [31, 24 * 60 - 1]) await checkout({}, inMinutes(minutes))
})

test('npm run sim prints how it is used, and refuses what is no port', () => {
  const run = (...words: string[]) =>
    spawnSync(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        join(import.meta.dirname, '../../sim/main.ts'),
        ...words,
      ],
      { encoding: 'utf8', timeout: 60_000 },
    )
  for (const words of [['payments', '--help'], ['--help'], ['-h']]) {
    const { status, stdout } = run(...words)
    assert.equal(status, 0)
    assert.match(stdout, /npm run sim -- payments \[port\] \[webhook URL\]/)
  }
  for (const words of [
    ['payments', 'soon'],
    ['payments', '65536'],
    ['payments', '0', 'nowhere'],
  ]) {
    const { status, stderr } = run(...words)
    assert.equal(status, 2, words.join(' '))
    assert.match(stderr, /^Usage:/)
  }
})

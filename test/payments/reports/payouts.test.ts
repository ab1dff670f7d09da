import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { must, refused } from '../../support/builders.ts'
import { signedIn } from '../../web/dashboard-fixtures.ts'
import { startPaymentApp } from '../fixtures.ts'

const PAYOUTS = '/api/v1/private/account/payouts'
const PAGE = '/settings/payments/payouts'

test('a developer reads their balance and payouts as the provider reports them', async (t) => {
  const app = await startPaymentApp(t)
  const { a, get, seller, forSale, bought, provider } = app
  const owner = await seller()
  const account = [...provider.world.accounts.keys()].at(-1)!
  const page = signedIn(app, owner)
  assert.match((await page.open(PAGE)).body, /The provider holds nothing for you/)
  await bought(await forSale(1000, owner))
  const [charge] = provider.world.balance_transactions.values()
  const before = must(await get(PAYOUTS, owner))
  assert.equal(before.provider, 'stripe')
  assert.deepEqual(before.pending, [{ currency: 'USD', amount_minor: charge!.net }])
  assert.deepEqual(before.available, [{ currency: 'USD', amount_minor: 0 }])

  provider.control.releaseFunds({ account })
  const first = provider.control.payout({ account, amount: 300 })
  const second = provider.control.payout({ account, amount: 200 })
  provider.control.endPayout({ payout: first.id, status: 'paid' })
  provider.control.endPayout({ payout: second.id, status: 'failed' })
  const after = must(await get(PAYOUTS, owner))
  assert.deepEqual(after.available, [{ currency: 'USD', amount_minor: charge!.net - 300 }])
  assert.deepEqual(
    after.payouts.map((payout: any) => [payout.ref, payout.amount_minor, payout.state]),
    [
      [second.id, 200, 'failed'],
      [first.id, 300, 'paid'],
    ],
  )
  assert.equal(after.payouts[1].arrives_at, new Date(first.arrival_date * 1000).toISOString())
  const { body } = await page.open(PAGE)
  for (const part of [/\$3\.00/, /Arrived/, /Failed/, /The bank account has been closed/])
    assert.match(body, part)

  // Nobody else's.
  const other = must(await get(PAYOUTS, await seller()))
  assert.deepEqual([other.available, other.payouts], [[], []])
  const { key: money } = await a.key('agent', owner, ['mcp:money'])
  assert.equal(must(await get(PAYOUTS, { token: money })).payouts.length, 2)
  const { key: reader } = await a.key('agent', owner, ['mcp:read'])
  assert.equal((await get(PAYOUTS, { token: reader })).status, 403)
  const listing = await a.listing({ owner })
  const bound = await a.key('agent', owner, ['mcp:money'], { game_uid: listing.uid })
  assert.deepEqual(refused(await get(PAYOUTS, { token: bound.key })), [403, 4030])
})

test('a provider that does not answer makes a sentence within seconds, not an error', async (t) => {
  const app = await startPaymentApp(t)
  const { get, seller, provider } = app
  const owner = await seller()
  const page = signedIn(app, owner)
  for (const mode of ['silent', 'reset', 'status'] as const) {
    provider.control.fault({ on: 'GET /v1/balance', mode })
    const started = performance.now()
    assert.deepEqual(refused(await get(PAYOUTS, owner)), [503, 5031], mode)
    // The limit is four seconds; the rest is for a busy machine.
    assert.ok(performance.now() - started < 14_000, mode)
    const { status, body } = await page.open(PAGE)
    assert.equal(status, 200, mode)
    assert.match(body, /The payment provider does not answer\. Try again in a minute/)
    provider.control.clearFaults()
  }
  assert.deepEqual(must(await get(PAYOUTS, owner)).payouts, [])
})

test('a store without cards says who holds the money', async (t) => {
  const app = await startApp(t, { PAYMENT_INSTRUCTIONS: 'IBAN XX00' })
  const owner = await app.a.verifiedDeveloper()
  assert.equal(must(await app.get(PAYOUTS, owner)).provider, 'manual')
  assert.match((await signedIn(app, owner).open(PAGE)).body, /sends you your share by hand/)
  const closed = await startApp(t)
  const person = await closed.a.verifiedDeveloper()
  assert.equal(must(await closed.get(PAYOUTS, person)).provider, null)
  assert.match((await signedIn(closed, person).open(PAGE)).body, /You have no account/)
})

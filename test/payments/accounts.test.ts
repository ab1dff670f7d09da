import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/app.ts'
import { must, type Person, refused } from '../support/builders.ts'
import { signedIn } from '../web/dashboard-fixtures.ts'
import { ACCOUNT, ORDERS, type PaymentApp, sharedPaymentApp } from './fixtures.ts'

const startApp = sharedPaymentApp()

const CLOSED = [409, 4232]
const lastAccount = ({ provider }: PaymentApp) => [...provider.world.accounts.keys()].at(-1)!
const accountOf = async ({ get }: PaymentApp, person: Person) => must(await get(ACCOUNT, person))

test('a checkout that the provider refuses ends the order and says that buying is closed', async (t) => {
  const app = await startApp(t)
  const { a, forSale, post, provider, sql, order } = app
  const listing = await forSale()
  const buyer = await a.verified()
  const buy = () => post(ORDERS, { game: listing.uid }, buyer)
  const statesOf = async () => {
    const orders = await sql`
      select state from orders where game_uid = ${listing.uid} order by uid`
    return orders.map(({ state }) => state)
  }
  // Nobody tells the store that the account may not take payments any more.
  provider.control.webhooks({ mode: 'lost' })
  provider.control.setUp({ account: lastAccount(app), complete: false })
  assert.deepEqual(refused(await buy()), CLOSED)
  assert.deepEqual(await statesOf(), ['expired'])
  const { charges_enabled, requirements, has_account } = await accountOf(app, listing.owner)
  assert.deepEqual([charges_enabled, has_account], [false, true])
  assert.ok(requirements.length > 0)
  // No further order is made.
  assert.deepEqual(refused(await buy()), CLOSED)
  assert.deepEqual(await statesOf(), ['expired'])
  provider.control.webhooks({ mode: 'deliver' })
  provider.control.setUp({ account: lastAccount(app) })
  await eventually('payments', async () => (await accountOf(app, listing.owner)).charges_enabled)
  // Any other refusal does not stick to the next order either.
  provider.control.fault({
    on: 'POST /v1/checkout/sessions',
    mode: 'status',
    status: 400,
    times: 1,
  })
  assert.deepEqual(refused(await buy()), CLOSED)
  const made = await order(buyer, listing)
  assert.equal(made.order.state, 'open')
  assert.deepEqual(await statesOf(), ['expired', 'expired', 'open'])
})

test('a developer who disconnects the account cannot sell, and sets up another', async (t) => {
  const app = await startApp(t)
  const { a, forSale, post, order, reaches, provider } = app
  const listing = await forSale()
  const { owner } = listing
  const buyer = await a.verified()
  const first = lastAccount(app)
  provider.control.deauthorize({ account: first })
  await eventually('the message', async () => (await accountOf(app, owner)).is_disconnected)
  const { has_account, charges_enabled } = await accountOf(app, owner)
  assert.deepEqual([has_account, charges_enabled], [false, false])
  const calls = provider.world.calls.length
  assert.deepEqual(refused(await post(ORDERS, { game: listing.uid }, buyer)), CLOSED)
  assert.equal(provider.world.calls.length, calls, 'the provider is not asked')
  const browser = signedIn(app, owner)
  assert.match((await browser.open('/settings/payments')).body, /You disconnected your account/)
  must(await post(`${ACCOUNT}/setup`, undefined, owner))
  const second = lastAccount(app)
  assert.notEqual(second, first)
  provider.control.setUp({ account: second })
  await eventually('payments', async () => (await accountOf(app, owner)).charges_enabled)
  assert.equal((await accountOf(app, owner)).is_disconnected, false)
  const { order: made, session } = await order(buyer, listing)
  provider.control.pay({ session })
  await reaches(buyer, made.uid, 'paid')
})

test('an account whose disconnection nobody reported is noticed by the next order', async (t) => {
  const app = await startApp(t)
  const { a, forSale, post, provider, sql } = app
  const listing = await forSale()
  const buyer = await a.verified()
  provider.control.webhooks({ mode: 'lost' })
  provider.control.deauthorize({ account: lastAccount(app) })
  assert.deepEqual(refused(await post(ORDERS, { game: listing.uid }, buyer)), CLOSED)
  assert.equal((await accountOf(app, listing.owner)).is_disconnected, true)
  const [row] = await sql`select state from orders where game_uid = ${listing.uid}`
  assert.equal(row!.state, 'expired')
})

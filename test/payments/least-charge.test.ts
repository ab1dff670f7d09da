import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, refused } from '../support/builders.ts'
import { signedIn } from '../web/dashboard-fixtures.ts'
import { ORDERS, sharedPaymentApp } from './fixtures.ts'

const startApp = sharedPaymentApp()

const GAMES = '/api/v1/private/games'
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

test('a sale never takes a price below what can be charged, in any currency', async (t) => {
  const { a, post, put, patch, forSale, order } = await startApp(t)
  const listing = await forSale(500)
  const { owner } = listing
  const url = `${GAMES}/${listing.uid}`
  const sell = (off: object) => post(`${url}/sales`, { ends_at: inHours(2), ...off }, owner)
  for (const off of [{ percent: 91 }, { amount_cents: 451 }]) {
    const answer = await sell(off)
    assert.deepEqual(refused(answer), [422, 4251], JSON.stringify(off))
    assert.equal(answer.body.data.field, Object.keys(off)[0])
  }
  // In kroner the least amount is a larger share of the price.
  const prices = [{ currency: 'SEK', amount_minor: 1000 }]
  must(await put(`${url}/offers`, { prices }, owner))
  assert.deepEqual(refused(await sell({ percent: 71 })), [422, 4251])
  must(await sell({ percent: 70 }))
  const buyer = await a.verified()
  const made = await order(buyer, listing, { currency: 'SEK' })
  assert.equal(made.order.amount_minor, 300)
  must(await put(`${url}/offers`, { prices: [] }, owner))
  const { offers } = must(await sell({ percent: 90 }))
  assert.equal(offers[0].price_minor, 50)
  // A price that falls while the sale runs stops at the least amount, and can be paid.
  must(await patch(url, { price_cents: 100 }, owner))
  const { order: low } = await order(await a.verified(), listing)
  assert.deepEqual([low.list_minor, low.amount_minor], [100, 50])
})

test('who chooses the price pays nothing less than can be charged', async (t) => {
  const { a, post, put, forSale } = await startApp(t)
  const listing = await forSale(0)
  const url = `${GAMES}/${listing.uid}`
  must(await put(`${url}/offers`, { pay_what_you_want: true }, listing.owner))
  const buyer = await a.verified()
  const send = (amount_minor: number) => post(ORDERS, { game: listing.uid, amount_minor }, buyer)
  const low = await send(49)
  assert.deepEqual(refused(low)[0], 422)
  assert.equal(low.body.data.field, 'amount')
  assert.equal(low.body.data.price_minor, 50)
  assert.equal(must(await send(50)).order.amount_minor, 50)
})

test('a fixed price is refused with its price, not with "or more"', async (t) => {
  const app = await startApp(t)
  const { a, post, forSale } = app
  const listing = await forSale(500)
  const buyer = await a.verified()
  for (const amount_minor of [499, 501]) {
    const answer = await post(ORDERS, { game: listing.uid, amount_minor }, buyer)
    assert.equal(refused(answer)[0], 422)
    assert.doesNotMatch(answer.body.error.message, /or more/)
  }
  must(await post(ORDERS, { game: listing.uid, amount_minor: 500 }, buyer))
  const tab = signedIn(app, await a.verified())
  const page = await tab.send(`/games/${listing.uid}/buy`, { currency: 'USD', amount: '6' })
  assert.match(page.body, /This costs \$5\.00\. Pay exactly that\./)
})

test('an amount that cannot be read is refused at its field and makes no order', async (t) => {
  const app = await startApp(t)
  const { a, sql, put, forSale } = app
  const listing = await forSale(500)
  must(await put(`${GAMES}/${listing.uid}/offers`, { pay_what_you_want: true }, listing.owner))
  const tab = signedIn(app, await a.verified())
  const buy = (amount: string) =>
    tab.send(`/games/${listing.uid}/buy`, { currency: 'USD', amount, gift_to: 'someone@x.org' })
  for (const amount of ['ten', '5.001', '-5', '1e3', '', ' ', '4.99', '12,50 €']) {
    const { status, body } = await buy(amount)
    assert.equal(status, 422, amount)
    assert.match(body, /id="f-amount-error"/, amount)
    assert.match(body, /name="gift_to" value="someone@x\.org"/, 'what was typed stays')
  }
  const [{ count }] = (await sql`
    select count(*)::int as count from orders where game_uid = ${listing.uid}`) as any
  assert.equal(count, 0)
  assert.equal((await buy('5,00')).status, 303)
})

test('an unpaid order has no invoice, and a free one says nothing about paying', async (t) => {
  const app = await startApp(t)
  const { a, sql, forSale, order } = app
  const listing = await forSale()
  const buyer = await a.verified()
  const { order: made } = await order(buyer, listing)
  const tab = signedIn(app, buyer)
  const path = `/library/orders/${made.uid}`
  const invoice = await tab.open(`${path}/invoice`)
  assert.deepEqual([invoice.status, invoice.headers.location], [303, path])
  await sql`
    update orders
    set provider = 'manual', list_minor = 0, amount_minor = 0, tax_minor = 0, fee_minor = 0
    where uid = ${made.uid}`
  const { body } = await tab.open(path)
  assert.match(body, /There is nothing to pay/)
  assert.match(body, /http-equiv="refresh"/)
  assert.doesNotMatch(body, /Transfer the total|You pay on a page/)
})

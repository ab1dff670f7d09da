import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, outbox } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { ACCOUNT, ORDERS, sharedPaymentApp } from './fixtures.ts'

const startApp = sharedPaymentApp()

test('a paid order gives the copy, a receipt and ledger entries that add up to zero', async (t) => {
  const { bought, copyOf, entriesOf, data_dir, provider } = await startApp(t)
  const { buyer, listing, order } = await bought()
  assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
  // Fee 25 cents and 8 percent of 1000; the provider takes 59.
  const entries = (await entriesOf(order.uid)).map(({ account, amount_minor }) => [
    account,
    amount_minor,
  ])
  assert.deepEqual(entries, [
    ['buyer', -1000],
    ['seller', 836],
    ['store', 105],
    ['provider', 59],
  ])
  const mail = await eventually('a receipt', () =>
    outbox(data_dir).find(({ to }) => to === buyer.email),
  )
  assert.match(mail.text, /\$10\.00/)
  await eventually('a mail to the seller', () =>
    outbox(data_dir).find(({ to, subject }) => to === listing.owner.email && /sold/.test(subject)),
  )
  // Direct charge: everything about the payment happened on the account of the developer.
  const calls = provider.world.calls.filter(({ call }) => call.includes('checkout'))
  assert.ok(calls.every(({ account }) => account?.startsWith('acct_')))
})

test('an order without a payment gives nothing', async (t) => {
  const { a, forSale, order, copyOf, stateOf, provider } = await startApp(t)
  const listing = await forSale()
  const buyer = await a.verified()
  const { order: made, session } = await order(buyer, listing)
  assert.equal(made.state, 'open')
  provider.control.expire({ session })
  await eventually('an expired order', async () => (await stateOf(buyer, made.uid)) === 'expired')
  assert.equal(await copyOf(buyer, listing), undefined)
})

test('the same key and the same open order lead to one payment', async (t) => {
  const { a, forSale, post, provider, sql } = await startApp(t)
  const listing = await forSale()
  const buyer = await a.verified()
  const body = { game: listing.uid }
  const headers = { 'idempotency-key': 'once' }
  const sessions = provider.world.sessions.size
  const call = { token: buyer.token, headers }
  const first = await Promise.all(Array.from({ length: 3 }, () => post(ORDERS, body, call)))
  const later = await Promise.all(Array.from({ length: 3 }, () => post(ORDERS, body, buyer)))
  const answers = [...first, ...later]
  const uids = new Set(answers.map((answer) => must(answer).order.uid))
  assert.equal(uids.size, 1)
  assert.equal(provider.world.sessions.size - sessions, 1)
  const other = await post(ORDERS, { game: listing.uid, currency: 'EUR' }, call)
  assert.deepEqual(refused(other), [409, 4095])
  const [row] = await sql`
    select count(*)::int as count from orders where buyer_uid = ${buyer.uid}`
  assert.equal(row!.count, 1)
})

test('a lost answer of the provider leads to the same checkout', async (t) => {
  const { a, forSale, post, provider } = await startApp(t)
  const listing = await forSale()
  const buyer = await a.verified()
  const fault = { on: 'POST /v1/checkout/sessions', mode: 'lost', times: 1 } as const
  const sessions = provider.world.sessions.size
  provider.control.fault(fault)
  must(await post(ORDERS, { game: listing.uid }, buyer))
  assert.equal(provider.world.sessions.size - sessions, 1)
})

test('while the provider is down, an order is refused and can be repeated', async (t) => {
  const { a, forSale, post, provider } = await startApp(t)
  const listing = await forSale()
  const buyer = await a.verified()
  provider.control.fault({ on: 'POST /v1/checkout/sessions', mode: 'status', status: 500 })
  assert.deepEqual(refused(await post(ORDERS, { game: listing.uid }, buyer)), [503, 5031])
  provider.control.clearFaults()
  must(await post(ORDERS, { game: listing.uid }, buyer))
})

test('what a person may not buy is refused with its reason', async (t) => {
  const { a, forSale, post, sql, bought } = await startApp(t)
  const listing = await forSale()
  const buyer = await a.verified()
  const unverified = await a.user()
  const order = (game: string, person = buyer, more = {}) =>
    post(ORDERS, { game, ...more }, { token: person.token })
  assert.deepEqual(refused(await order(listing.uid, unverified)), [403, 4096])
  assert.deepEqual(refused(await order(listing.uid, listing.owner)), [409, 4090])
  assert.deepEqual(refused(await order('no-such-game')), [404, 4040])
  const edition = { edition: 'none' }
  assert.deepEqual(refused(await order(listing.uid, buyer, edition)), [404, 4040])
  const draft = await a.listing({ owner: listing.owner })
  assert.deepEqual(refused(await order(draft.uid)), [404, 4040])
  const free = await forSale(0, listing.owner)
  assert.deepEqual(refused(await order(free.uid)), [409, 4090])
  const { buyer: holder } = await bought(listing)
  assert.deepEqual(refused(await order(listing.uid, holder)), [409, 4090])
  const poor = await forSale(500, await a.verifiedDeveloper())
  assert.deepEqual(refused(await order(poor.uid)), [409, 4232])
  const [row] = await sql`select count(*)::int as count from orders where game_uid = ${poor.uid}`
  assert.equal(row!.count, 0)
})

test('an order shows only to its buyer', async (t) => {
  const { a, get, bought } = await startApp(t)
  const { buyer, order } = await bought()
  const stranger = await a.verified()
  assert.equal((await get(`${ORDERS}/${order.uid}`, stranger)).status, 404)
  assert.equal(must(await get(ORDERS, stranger)).total, 0)
  assert.equal(must(await get(ORDERS, buyer)).items[0].uid, order.uid)
})

test('an edition upgrades the copy, and a bundle adds its parts', async (t) => {
  const { forSale, bought, order, reaches, copyOf, post, provider } = await startApp(t)
  const listing = await forSale()
  const part = await forSale(700, listing.owner)
  const url = `/api/v1/private/games/${listing.uid}/editions`
  const standard = { slug: 'standard', name: 'Standard', description: '', price_cents: 1000 }
  must(await post(url, standard, listing.owner))
  const bundle = {
    slug: 'both',
    name: 'Both',
    description: '',
    kind: 'bundle',
    price_cents: 1500,
    bundle_asset_uids: [part.uid],
  }
  must(await post(url, bundle, listing.owner))
  const { buyer } = await bought(listing, { edition: 'standard' })
  const { order: made, session } = await order(buyer, listing, { edition: 'both' })
  provider.control.pay({ session })
  await reaches(buyer, made.uid, 'paid')
  assert.equal((await copyOf(buyer, part))?.source, 'purchase')
  const upgraded = await copyOf(buyer, listing)
  assert.equal(upgraded?.edition_uid, made.edition_uid)
  // The upgrade goes back, the first purchase stays.
  provider.control.refund({ session })
  await reaches(buyer, made.uid, 'refunded')
  assert.equal(await copyOf(buyer, part), undefined)
  const rest = await copyOf(buyer, listing)
  assert.ok(rest?.edition_uid && rest.edition_uid !== made.edition_uid)
})

test('a second payment for the same goes back by itself', async (t) => {
  const { a, forSale, order, reaches, copyOf, ledgerSum, provider, sql } = await startApp(t)
  const listing = await forSale()
  const buyer = await a.verified()
  const first = await order(buyer, listing)
  // The price changes, and the first checkout cannot be ended at the provider.
  await sql`update listings set price_cents = 1200 where uid = ${listing.uid}`
  const path = `/v1/checkout/sessions/${first.session}/expire`
  provider.control.fault({ on: `POST ${path}`, mode: 'status', status: 500 })
  const second = await order(buyer, listing)
  assert.notEqual(second.order.uid, first.order.uid)
  provider.control.pay({ session: second.session })
  await reaches(buyer, second.order.uid, 'paid')
  provider.control.pay({ session: first.session })
  await reaches(buyer, first.order.uid, 'refunded')
  assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
  assert.equal(await ledgerSum(), 0)
})

test('a payment for a listing that was deleted meanwhile goes back by itself', async (t) => {
  const { a, bought, order, del, reaches, copyOf, ledgerSum, provider } = await startApp(t)
  // Somebody has it, so that it is kept for some days.
  const { listing } = await bought()
  const buyer = await a.verified()
  const { order: made, session } = await order(buyer, listing)
  must(await del(`/api/v1/private/games/${listing.uid}`, listing.owner))
  provider.control.pay({ session })
  await reaches(buyer, made.uid, 'refunded')
  assert.equal(await copyOf(buyer, listing), undefined)
  assert.equal(await ledgerSum(), 0)
})

test('a price goes public only if its owner can be paid', async (t) => {
  const { a, seller, patch, sql, get } = await startApp(t)
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner })
  await sql`
    update listings set visibility = 'public', public_since = now() where uid = ${listing.uid}`
  const price = (uid: string, token: string) =>
    patch(`/api/v1/private/games/${uid}`, { price_cents: 500 }, { token })
  assert.deepEqual(refused(await price(listing.uid, owner.token)), [422, 4239])
  const ready = await seller()
  const sold = await a.listing({ owner: ready })
  await sql`
    update listings set visibility = 'public', public_since = now() where uid = ${sold.uid}`
  must(await price(sold.uid, ready.token))
  const { charges_enabled, requirements } = must(await get(ACCOUNT, ready))
  assert.deepEqual([charges_enabled, requirements], [true, []])
})

test('a key belongs to the order that it led to, also if that was open before', async (t) => {
  const { a, forSale, post, provider, reaches } = await startApp(t)
  const listing = await forSale()
  const other = await forSale(500, listing.owner)
  const buyer = await a.verified()
  const buy = (body: object, key: string) =>
    post(ORDERS, body, { token: buyer.token, headers: { 'idempotency-key': key } })
  const body = { game: listing.uid }
  const { order } = must(await buy(body, 'first'))
  const reused = must(await buy(body, 'second'))
  assert.equal(reused.order.uid, order.uid)
  for (const key of ['first', 'second'])
    assert.deepEqual(refused(await buy({ game: other.uid }, key)), [409, 4095], key)
  // A repetition leads to the same order, also once it is paid.
  provider.control.pay({ session: reused.checkout_url.split('/').at(-1) })
  await reaches(buyer, order.uid, 'paid')
  for (const key of ['first', 'second']) {
    const again = must(await buy(body, key)).order
    assert.deepEqual([again.uid, again.state], [order.uid, 'paid'])
  }
  assert.deepEqual(refused(await buy(body, 'third')), [409, 4090])
})

test('a key whose order the provider refused can be used again', async (t) => {
  const { a, forSale, post, provider } = await startApp(t)
  const listing = await forSale()
  const buyer = await a.verified()
  const buy = () =>
    post(
      ORDERS,
      { game: listing.uid },
      { token: buyer.token, headers: { 'idempotency-key': 'one-key' } },
    )
  provider.control.fault({
    on: 'POST /v1/checkout/sessions',
    mode: 'status',
    status: 400,
    times: 1,
  })
  assert.deepEqual(refused(await buy()), [409, 4232])
  assert.equal(must(await buy()).order.state, 'open')
})

test('an order that waited for the provider too long for a checkout is made anew', async (t) => {
  const { a, forSale, post, provider, sql } = await startApp(t)
  const listing = await forSale()
  const variants: Record<string, string>[] = [{}, { 'idempotency-key': 'late' }]
  for (const headers of variants) {
    const buyer = await a.verified()
    const buy = () => post(ORDERS, { game: listing.uid }, { token: buyer.token, headers })
    provider.control.fault({ on: 'POST /v1/checkout/sessions', mode: 'status', status: 500 })
    assert.deepEqual(refused(await buy()), [503, 5031])
    provider.control.clearFaults()
    await sql`
      update orders set expires_at = now() + interval '20 minutes'
      where buyer_uid = ${buyer.uid}`
    assert.equal(must(await buy()).order.state, 'open')
    const states = await sql`
      select state from orders where buyer_uid = ${buyer.uid} order by created_at`
    assert.deepEqual(
      states.map(({ state }) => state),
      ['expired', 'open'],
    )
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, refused } from '../support/builders.ts'
import { signedIn } from '../web/dashboard-fixtures.ts'
import { ORDERS, sharedPaymentApp } from './fixtures.ts'

const startApp = sharedPaymentApp()

const GAMES = '/api/v1/private/games'
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

test('an order costs what the page shows: other currencies, a sale and a coupon', async (t) => {
  const { a, put, post, forSale, order, provider, reaches, entriesOf } = await startApp(t)
  const listing = await forSale(2000)
  const { owner } = listing
  const url = `${GAMES}/${listing.uid}`
  must(await put(`${url}/offers`, { prices: [{ currency: 'EUR', amount_minor: 1800 }] }, owner))
  must(await post(`${url}/sales`, { percent: 50, ends_at: inHours(2) }, owner))
  must(await post(`${url}/coupons`, { code: 'TENTH', percent: 10 }, owner))
  const buyer = await a.verified()
  const made = await order(buyer, listing, { currency: 'EUR', coupon: 'tenth' })
  assert.deepEqual(
    [made.order.currency, made.order.list_minor, made.order.amount_minor],
    ['EUR', 1800, 810],
  )
  provider.control.pay({ session: made.session })
  await reaches(buyer, made.order.uid, 'paid')
  const [paid] = await entriesOf(made.order.uid)
  assert.deepEqual([paid!.account, paid!.amount_minor], ['buyer', -810])
  const other = { game: listing.uid, currency: 'JPY' }
  assert.equal((await post(ORDERS, other, await a.verified())).status, 409)
})

test('without an edition, the cheapest one is ordered', async (t) => {
  const { a, post, forSale, order, provider, reaches, copyOf } = await startApp(t)
  const listing = await forSale(2000)
  const editions = `${GAMES}/${listing.uid}/editions`
  const make = async (slug: string, price_cents: number) =>
    must(await post(editions, { slug, name: slug, kind: 'standard', price_cents }, listing.owner))
  await make('deluxe', 3000)
  await make('standard', 1500)
  const buyer = await a.verified()
  const made = await order(buyer, listing)
  assert.deepEqual([made.order.amount_minor, made.order.edition_name], [1500, 'standard'])
  provider.control.pay({ session: made.session })
  await reaches(buyer, made.order.uid, 'paid')
  assert.notEqual((await copyOf(buyer, listing))?.edition_uid, null)
  assert.equal(refused(await post(ORDERS, { game: listing.uid }, buyer))[0], 409)
  const deluxe = await order(buyer, listing, { edition: 'deluxe' })
  assert.equal(deluxe.order.amount_minor, 3000)
})

test('a coupon is used by orders, and given back by those that were never paid', async (t) => {
  const { a, post, forSale, order, provider, reaches, sql } = await startApp(t)
  const listing = await forSale(2000)
  const coupons = `${GAMES}/${listing.uid}/coupons`
  must(await post(coupons, { code: 'ONCE', percent: 10, max_uses: 1 }, listing.owner))
  const first = await a.verified()
  const second = await a.verified()
  const body = { game: listing.uid, coupon: 'once' }
  const made = await order(first, listing, { coupon: 'once' })
  assert.equal(refused(await post(ORDERS, body, second))[0], 409)
  provider.control.expire({ session: made.session })
  await reaches(first, made.order.uid, 'expired')
  must(await post(ORDERS, body, second))
  const uses = await sql`
    select user_uid from coupon_uses where user_uid = any(${[first.uid, second.uid]}::uuid[])`
  assert.deepEqual(
    uses.map(({ user_uid }) => user_uid),
    [second.uid],
  )
})

test('a coupon that leaves less than a card can pay is refused; one of 100 % is free', async (t) => {
  const { a, post, forSale, copyOf, provider, ledgerSum } = await startApp(t)
  const listing = await forSale(1000)
  const coupons = `${GAMES}/${listing.uid}/coupons`
  must(await post(coupons, { code: 'ALMOST', percent: 96 }, listing.owner))
  must(await post(coupons, { code: 'JUST', percent: 95 }, listing.owner))
  must(await post(coupons, { code: 'EVERYTHING', percent: 100 }, listing.owner))
  const buyer = await a.verified()
  const send = (coupon: string) => post(ORDERS, { game: listing.uid, coupon }, buyer)
  const sessions = provider.world.sessions.size
  assert.equal(refused(await send('ALMOST'))[0], 409)
  assert.equal(provider.world.sessions.size, sessions)
  assert.equal(must(await send('JUST')).order.amount_minor, 50)
  const { order } = must(await send('EVERYTHING'))
  assert.deepEqual([order.amount_minor, order.state], [0, 'paid'])
  assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
  assert.equal(await ledgerSum(), 0)
})

test('on the page buyers choose the price and type a coupon', async (t) => {
  const app = await startApp(t)
  const listing = await app.forSale(500)
  const url = `${GAMES}/${listing.uid}`
  must(await app.put(`${url}/offers`, { pay_what_you_want: true }, listing.owner))
  must(await app.post(`${url}/coupons`, { code: 'TENTH', percent: 10 }, listing.owner))
  const amountOf = async (fields: Record<string, string>) => {
    const tab = signedIn(app, await app.a.verified())
    await tab.submit(`/games/${listing.uid}/buy`, { currency: 'USD', ...fields })
    const [latest] = await app.sql`
      select amount_minor from orders order by created_at desc limit 1`
    return latest?.amount_minor
  }
  assert.equal(await amountOf({ amount: '12.50' }), 1250)
  assert.equal(await amountOf({ amount: '7,05' }), 705)
  assert.equal(await amountOf({}), 500)
  assert.equal(await amountOf({ coupon: 'tenth' }), 450)
  const tab = signedIn(app, await app.a.verified())
  const low = await tab.send(`/games/${listing.uid}/buy`, { currency: 'USD', amount: '4.99' })
  assert.equal(low.status, 422)
  assert.match(low.body, /Pay \$5\.00 or more/)
  const [{ count }] = (await app.sql`
    select count(*)::int as count from orders where game_uid = ${listing.uid}`) as any
  assert.equal(count, 4, 'less than the minimum makes no order')
})

test('a coupon for one use is not used up by an own checkout that was left', async (t) => {
  const { a, post, get, forSale, order, stateOf, reaches, provider } = await startApp(t)
  const listing = await forSale(2000)
  const url = `${GAMES}/${listing.uid}`
  const edition = (slug: string, price_cents: number) => ({ slug, name: slug, price_cents })
  for (const made of [edition('small', 1000), edition('large', 2000)])
    must(await post(`${url}/editions`, { ...made, kind: 'standard' }, listing.owner))
  const limits = { max_uses: 1, max_per_person: 1 }
  must(await post(`${url}/coupons`, { code: 'ONCE', percent: 10, ...limits }, listing.owner))
  const buyer = await a.verified()
  const coupon = { coupon: 'once' }
  const first = await order(buyer, listing, { ...coupon, edition: 'small' })
  const again = await order(buyer, listing, { ...coupon, edition: 'small' })
  assert.equal(again.order.uid, first.order.uid)
  // Another edition ends the first checkout, at the provider too.
  const other = await order(buyer, listing, { ...coupon, edition: 'large' })
  assert.equal(other.order.amount_minor, 1800)
  assert.equal(await stateOf(buyer, first.order.uid), 'expired')
  assert.equal(provider.world.sessions.get(first.session)!.status, 'expired')
  // A checkout that was paid meanwhile has used it, also if nobody reported the payment yet.
  provider.control.webhooks({ mode: 'lost' })
  provider.control.pay({ session: other.session })
  const body = { game: listing.uid, ...coupon, edition: 'small', gift_to: 'friend@mail.example' }
  const answer = await post(ORDERS, body, buyer)
  assert.deepEqual([answer.status, answer.body.data?.state], [409, 'used_by_you'])
  await reaches(buyer, other.order.uid, 'paid')
  assert.equal(must(await get(`${url}/coupons`, listing.owner)).coupons[0].uses, 1)
})

test('orders at the same moment pay with a coupon for one use once', async (t) => {
  const { a, post, get, forSale, sql, provider, reaches } = await startApp(t)
  const listing = await forSale(2000)
  const url = `${GAMES}/${listing.uid}`
  for (const slug of ['one', 'two', 'three'])
    must(
      await post(
        `${url}/editions`,
        { slug, name: slug, kind: 'standard', price_cents: 2000 },
        listing.owner,
      ),
    )
  must(await post(`${url}/coupons`, { code: 'ONCE', percent: 10 }, listing.owner))
  const buyer = await a.verified()
  const earlier = provider.world.sessions.size
  await Promise.all(
    ['one', 'two', 'three'].map((edition) =>
      post(ORDERS, { game: listing.uid, coupon: 'once', edition }, buyer),
    ),
  )
  const open = [...provider.world.sessions.values()]
    .slice(earlier)
    .filter(({ status }) => status === 'open')
  assert.ok(open.length <= 1, `${open.length} checkouts`)
  for (const { id } of open) provider.control.pay({ session: id })
  const [paid] = open
  if (paid) await reaches(buyer, paid.client_reference_id, 'paid')
  const [row] = await sql`
    select count(*)::int as count
    from orders
    where state = 'paid' and buyer_uid = ${buyer.uid}`
  assert.equal(row!.count, open.length)
  assert.equal(must(await get(`${url}/coupons`, listing.owner)).coupons[0].uses, open.length)
})

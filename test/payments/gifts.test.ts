import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { syncOrder } from '../../src/payments/orders/apply.ts'
import { eventually, outbox } from '../support/app.ts'
import { type Listing, must, type Person, refused } from '../support/builders.ts'
import { loopCount } from '../support/loop-count.ts'
import { browser } from '../web/browser.ts'
import { signedIn } from '../web/dashboard-fixtures.ts'
import { ORDERS, type PaymentApp, SALES, sharedPaymentApp, startPaymentApp } from './fixtures.ts'

const startApp = sharedPaymentApp()

const GIFTS = '/api/v1/private/gifts'

/** Buys a listing for somebody and waits until the order is paid. */
const give = (app: PaymentApp, gift_to: string, { listing }: { listing?: Listing } = {}) =>
  app.bought(listing, { gift_to })

const giftOf = async ({ get }: PaymentApp, buyer: Person, uid: string) =>
  must(await get(`${ORDERS}/${uid}`, buyer)).gift as { to: string; state: string } | undefined

const waitingFor = async ({ get }: PaymentApp, person: Person) =>
  must(await get(GIFTS, person)).items as any[]

const mailTo = (app: PaymentApp, email: string, subject: RegExp) =>
  eventually(`a mail to ${email} about ${subject}`, () =>
    outbox(app.data_dir).find((mail) => mail.to === email && subject.test(mail.subject)),
  )

const nameOf = async ({ sql }: PaymentApp, { uid }: Listing) =>
  (await sql<{ name: string }[]>`select name from listings where uid = ${uid}`)[0]!.name

const linkIn = (text: string) => new URL(text.match(/https?:\S+\/library\/gift\?token=\S+/)![0])

test('a gift to a username is a copy once its receiver accepts it', async (t) => {
  const app = await startApp(t)
  const { a, post, get, copyOf, sql, ledgerSum } = app
  const receiver = await a.verified()
  const { buyer, listing, order } = await give(app, receiver.username.toUpperCase())
  assert.deepEqual(await giftOf(app, buyer, order.uid), { to: receiver.username, state: 'waiting' })
  assert.equal(await copyOf(buyer, listing), undefined)
  assert.equal(await copyOf(receiver, listing), undefined)

  const mail = await mailTo(app, receiver.email, /gift/)
  assert.match(mail.text, new RegExp(buyer.username))
  assert.ok(!mail.text.includes(buyer.email))
  const receipt = await mailTo(app, buyer.email, /receipt/)
  assert.doesNotMatch(receipt.text, /in your library/)

  const [gift] = await waitingFor(app, receiver)
  assert.deepEqual([gift.given_by, gift.state], [buyer.username, 'waiting'])
  assert.ok(!JSON.stringify(gift).includes(buyer.email))
  // Nobody else has anything to do with it, nor the seller with who it is for.
  const stranger = await a.verified()
  assert.deepEqual(await waitingFor(app, stranger), [])
  assert.equal((await post(`${GIFTS}/${gift.uid}/accept`, undefined, stranger)).status, 404)
  assert.equal((await post(`${GIFTS}/${gift.uid}/decline`, undefined, buyer)).status, 404)
  const [sale] = must(await get(SALES, listing.owner)).items
  assert.equal(sale.gift, undefined)

  must(await post(`${GIFTS}/${gift.uid}/accept`, undefined, receiver))
  assert.equal((await copyOf(receiver, listing))?.source, 'purchase')
  assert.equal(await copyOf(buyer, listing), undefined)
  assert.equal((await giftOf(app, buyer, order.uid))?.state, 'accepted')
  assert.deepEqual(await waitingFor(app, receiver), [])
  await mailTo(app, buyer.email, /accepted/)
  const [copy] = must(await get('/api/v1/private/library', receiver)).items
  assert.equal(copy.given_by.username, buyer.username)
  assert.equal(await ledgerSum(), 0)
  // The link is made of a secret key: nothing in the database opens the page.
  const token = linkIn(mail.text).searchParams.get('token')!
  const [row] = await sql`
    select from order_gifts g where g::text like ${`%${token.split('.')[1]}%`}`
  assert.equal(row, undefined)
})

test('many requests at once accept a gift once', async (t) => {
  const app = await startApp(t)
  const receiver = await app.a.verified()
  const { listing, order } = await give(app, receiver.username)
  const [gift] = await waitingFor(app, receiver)
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      app.post(`${GIFTS}/${gift.uid}/${index % 3 ? 'accept' : 'decline'}`, undefined, receiver),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers.filter(({ status }) => status !== 200))
    assert.deepEqual(refused(answer), [409, 4218])
  const [{ count, state }] = (await app.sql`
    select count(c.*)::int as count, g.state
    from order_gifts g
    left join order_copies c on c.order_uid = g.order_uid
    where g.order_uid = ${order.uid}
    group by g.state`) as any
  assert.equal(count, state === 'accepted' ? 1 : 0)
  assert.equal((await app.copyOf(receiver, listing)) !== undefined, state === 'accepted')
})

test('a gift whose refund was sent cannot be accepted, before the order shows it', async (t) => {
  const app = await startApp(t)
  const receiver = await app.a.verified()
  const { listing, order } = await give(app, receiver.username)
  const [gift] = await waitingFor(app, receiver)
  const send = (amount_minor: number) => app.sql`
    insert into order_refunds (uid, order_uid, state, amount_minor, reason, decided_at)
    values (gen_random_uuid(), ${order.uid}, 'done', ${amount_minor}, '', now())`
  await send(600)
  await send(400)
  const answer = await app.post(`${GIFTS}/${gift.uid}/accept`, undefined, receiver)
  assert.deepEqual(refused(answer), [409, 4218])
  assert.equal(await app.copyOf(receiver, listing), undefined)
})

test('a gift that is accepted while it is returned ends in one way for everybody', async (t) => {
  const app = await startApp(t)
  const { a, post, copyOf, reaches, ledgerSum, core, provider } = app
  const listing = await app.forSale()
  for (let run = 0; run < loopCount({ short: 6, full: 200 }); run++) {
    const receiver = await a.verified()
    const { buyer, order, session } = await give(app, receiver.username, { listing })
    const [gift] = await waitingFor(app, receiver)
    const accept = () => post(`${GIFTS}/${gift.uid}/accept`, undefined, receiver)
    // By the buyer, or at the provider with the record read at the same time.
    const giveBack = async () => {
      if (run % 2) return post(`${ORDERS}/${order.uid}/return`, {}, buyer)
      provider.control.refund({ session })
      return syncOrder(core, order.uid)
    }
    await Promise.all(run % 3 ? [accept(), giveBack()] : [giveBack(), accept()])
    await reaches(buyer, order.uid, 'refunded')
    assert.equal(await copyOf(receiver, listing), undefined)
    assert.deepEqual(refused(await accept()), [409, 4218])
  }
  assert.equal(await ledgerSum(), 0)
})

test('a gift to a mail address waits for an account that verified it', async (t) => {
  const app = await startApp(t)
  const { a, post, copyOf, sql } = app
  const address = `Newcomer-${randomUUID()}@example.com`
  const { buyer, listing, order } = await give(app, address)
  assert.deepEqual(await giftOf(app, buyer, order.uid), { to: address, state: 'waiting' })
  const mail = await mailTo(app, address, /gift/)
  const link = linkIn(mail.text)
  const path = link.pathname + link.search
  const visitor = await browser(app).open(path)
  assert.match(visitor.body, new RegExp(await nameOf(app, listing)))
  assert.match(visitor.body, /Create (an )?account/)
  assert.match(visitor.headers['cache-control']!, /no-store/)
  assert.equal((await browser(app).open(`${path}x`)).status, 404)

  const other = await a.verified()
  assert.match((await signedIn(app, other).open(path)).body, /another account/)
  const newcomer = await a.user()
  await sql`update users set email = ${address.toLowerCase()} where uid = ${newcomer.uid}`
  assert.deepEqual(await waitingFor(app, newcomer), [])
  const [gift] = await sql`select uid from order_gifts where order_uid = ${order.uid}`
  assert.equal((await post(`${GIFTS}/${gift!.uid}/accept`, undefined, newcomer)).status, 404)
  await sql`update users set email_verified_at = now() where uid = ${newcomer.uid}`
  await eventually('the gift', async () => (await waitingFor(app, newcomer)).length === 1)
  const page = signedIn(app, newcomer)
  assert.match((await page.open('/library')).body, /Open the gift/)
  const token = link.searchParams.get('token')!
  await eventually('the accepted gift', async () => {
    const sent = await page.send('/library/gift/accept', { token })
    return sent.headers.location === '/library'
  })
  assert.equal((await copyOf(newcomer, listing))?.source, 'purchase')
  assert.match((await page.open('/library')).body, new RegExp(`Gift from ${buyer.username}`))
  assert.match((await page.open(path)).body, /was accepted/)
  // The address goes with the account.
  await sql`delete from users where uid = ${newcomer.uid}`
  assert.equal((await giftOf(app, buyer, order.uid))?.to, '')
})

test('a declined gift is returned by its buyer at any time', async (t) => {
  const app = await startApp(t)
  const { post, get, reaches, sql } = app
  const address = `${randomUUID()}@example.com`
  const { buyer, order } = await give(app, address)
  await sql`update orders set paid_at = now() - interval '400 days' where uid = ${order.uid}`
  assert.equal(must(await get(`${ORDERS}/${order.uid}`, buyer)).refund, 'request')
  const link = linkIn((await mailTo(app, address, /gift/)).text)
  // Nobody needs an account to say no.
  const token = link.searchParams.get('token')!
  assert.equal((await browser(app).send('/library/gift/decline', { token })).status, 303)
  assert.match((await browser(app).open(link.pathname + link.search)).body, /was declined/)
  assert.equal((await giftOf(app, buyer, order.uid))?.state, 'declined')
  await mailTo(app, buyer.email, /declined/)
  assert.equal(must(await get(`${ORDERS}/${order.uid}`, buyer)).refund, 'now')
  must(await post(`${ORDERS}/${order.uid}/return`, {}, buyer))
  await reaches(buyer, order.uid, 'refunded')
  assert.equal((await giftOf(app, buyer, order.uid))?.state, 'returned')
})

test('a refund or dispute after acceptance takes the copy of the receiver and says so', async (t) => {
  const app = await startApp(t)
  const { a, post, reaches, copyOf, get, sql, provider } = app
  const receiver = await a.verified()
  const { buyer, listing, order, session } = await give(app, receiver.username)
  const [gift] = await waitingFor(app, receiver)
  must(await post(`${GIFTS}/${gift.uid}/accept`, undefined, receiver))
  const dispute = provider.control.dispute({ session })
  await reaches(buyer, order.uid, 'disputed')
  assert.equal(await copyOf(receiver, listing), undefined)
  assert.equal((await giftOf(app, buyer, order.uid))?.state, 'returned')
  await mailTo(app, receiver.email, /taken back/)
  provider.control.closeDispute({ dispute: dispute.id, status: 'won' })
  await reaches(buyer, order.uid, 'paid')
  assert.equal((await copyOf(receiver, listing))?.source, 'purchase')
  assert.equal(await copyOf(buyer, listing), undefined)
  // The play time of the receiver decides, not that of the buyer.
  const way = async () => must(await get(`${ORDERS}/${order.uid}`, buyer)).refund
  assert.equal(await way(), 'now')
  await sql`
    insert into play_time (user_uid, game_uid, seconds, last_beat_at)
    values (${receiver.uid}, ${listing.uid}, 100000, now())`
  assert.equal(await way(), 'request')
  must(await post(`${SALES}/${order.uid}/refund`, {}, listing.owner))
  await reaches(buyer, order.uid, 'refunded')
  assert.equal(await copyOf(receiver, listing), undefined)
})

test('a gift before acceptance is gone with its payment, and comes back with it', async (t) => {
  const app = await startApp(t)
  const { a, post, reaches, provider } = app
  const receiver = await a.verified()
  const { buyer, order, session } = await give(app, receiver.username)
  const [gift] = await waitingFor(app, receiver)
  const dispute = provider.control.dispute({ session })
  await reaches(buyer, order.uid, 'disputed')
  assert.deepEqual(await waitingFor(app, receiver), [])
  const early = await post(`${GIFTS}/${gift.uid}/accept`, undefined, receiver)
  assert.deepEqual(refused(early), [409, 4218])
  provider.control.closeDispute({ dispute: dispute.id, status: 'won' })
  await reaches(buyer, order.uid, 'paid')
  must(await post(`${GIFTS}/${gift.uid}/accept`, undefined, receiver))
})

test('what cannot be given is refused with its reason', async (t) => {
  const app = await startApp(t)
  const { a, post, forSale, bought, copyOf, order, reaches, provider } = app
  const listing = await forSale()
  const { buyer: holder } = await bought(listing)
  const buyer = await a.verified()
  const give_to = (gift_to: string) => post(ORDERS, { game: listing.uid, gift_to }, buyer)
  assert.deepEqual(refused(await give_to('nobody-has-this-name')), [404, 4040])
  assert.deepEqual(refused(await give_to('no address@')), [400, 4000])
  assert.deepEqual(refused(await give_to(holder.username)), [409, 4217])
  assert.deepEqual(refused(await give_to(listing.owner.username)), [409, 4217])
  assert.deepEqual(refused(await give_to(buyer.username)), [409, 4217])
  assert.deepEqual(refused(await give_to(buyer.email.toUpperCase())), [409, 4217])
  // An address does not tell what its owner has; they learn it when they accept.
  const { order: made, session } = await order(buyer, listing, { gift_to: holder.email })
  provider.control.pay({ session })
  await reaches(buyer, made.uid, 'paid')
  const [gift] = await waitingFor(app, holder)
  const accepted = await post(`${GIFTS}/${gift.uid}/accept`, undefined, holder)
  assert.deepEqual(refused(accepted), [409, 4090])
  assert.equal((await giftOf(app, buyer, made.uid))?.state, 'waiting')
  // Who has the game can still give it.
  const friend = await a.verified()
  const own = await order(holder, listing, { gift_to: friend.username })
  provider.control.pay({ session: own.session })
  await reaches(holder, own.order.uid, 'paid')
  assert.equal((await copyOf(holder, listing))?.source, 'purchase')
})

test('gifts to several people and an own copy are orders of their own', async (t) => {
  const app = await startApp(t)
  const { a, forSale, order, reaches, copyOf, provider, post } = app
  const listing = await forSale()
  const buyer = await a.verified()
  const [first, second] = [await a.verified(), await a.verified()]
  const own = await order(buyer, listing)
  const one_gift = await order(buyer, listing, { gift_to: first.username })
  const same_gift = await order(buyer, listing, { gift_to: first.username.toUpperCase() })
  const other_gift = await order(buyer, listing, { gift_to: second.username })
  assert.equal(same_gift.order.uid, one_gift.order.uid)
  assert.equal(new Set([own, one_gift, other_gift].map((made) => made.order.uid)).size, 3)
  for (const { session, order: made } of [own, one_gift, other_gift]) {
    provider.control.pay({ session })
    await reaches(buyer, made.uid, 'paid')
  }
  assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
  // The same gift once more is refused before it is paid.
  const again = { game: listing.uid, gift_to: second.username.toUpperCase() }
  assert.deepEqual(refused(await post(ORDERS, again, buyer)), [409, 4217])
  must(await post(ORDERS, again, await a.verified()))
  const [gift] = await waitingFor(app, second)
  must(await post(`${GIFTS}/${gift.uid}/accept`, undefined, second))
  assert.equal((await copyOf(second, listing))?.source, 'purchase')
})

test('adult content is not named to who did not turn it on', async (t) => {
  const app = await startApp(t)
  const { a, forSale, sql, post, copyOf } = app
  const listing = await forSale()
  await sql`update listings set adult = true where uid = ${listing.uid}`
  const receiver = await a.verified()
  await give(app, receiver.username, { listing })
  const mail = await mailTo(app, receiver.email, /gift/)
  assert.doesNotMatch(mail.text, new RegExp(await nameOf(app, listing)))
  const [gift] = await waitingFor(app, receiver)
  assert.deepEqual([gift.title, gift.game_uid, gift.adult], ['', null, true])
  const link = linkIn(mail.text)
  const page = (await signedIn(app, receiver).open(link.pathname + link.search)).body
  assert.doesNotMatch(page, new RegExp(await nameOf(app, listing)))
  const accept = () => post(`${GIFTS}/${gift.uid}/accept`, undefined, receiver)
  assert.deepEqual(refused(await accept()), [409, 4218])
  const setting = { show: true, confirm_18: true }
  must(await app.put('/api/v1/private/settings/adult', setting, receiver))
  must(await accept())
  assert.equal((await copyOf(receiver, listing))?.source, 'purchase')
})

test('a gift of a larger edition improves a copy, and its refund restores it', async (t) => {
  const app = await startApp(t)
  const { post, forSale, bought, copyOf, order, reaches, provider, a } = app
  const listing = await forSale()
  const part = await forSale(700, listing.owner)
  const url = `/api/v1/private/games/${listing.uid}/editions`
  const edition = { description: '', price_cents: 1000 }
  must(await post(url, { ...edition, slug: 'standard', name: 'Standard' }, listing.owner))
  const bundle = { slug: 'both', name: 'Both', kind: 'bundle', bundle_asset_uids: [part.uid] }
  must(await post(url, { ...edition, ...bundle, price_cents: 1500 }, listing.owner))
  const giver = await a.verified()
  const address = `${randomUUID()}@example.com`
  // Paid before the receiver buys a copy, and accepted after that.
  const made = await order(giver, listing, { edition: 'both', gift_to: address })
  provider.control.pay({ session: made.session })
  await reaches(giver, made.order.uid, 'paid')
  const own = await bought(listing, { edition: 'standard' })
  const receiver = own.buyer
  await app.sql`update users set email = ${address} where uid = ${receiver.uid}`
  const [gift] = await waitingFor(app, receiver)
  must(await post(`${GIFTS}/${gift.uid}/accept`, undefined, receiver))
  assert.equal((await copyOf(receiver, part))?.source, 'purchase')
  assert.equal((await copyOf(receiver, listing))?.edition_uid, made.order.edition_uid)
  // The first copy goes back: the gift stays, and leaves nothing behind when it goes.
  provider.control.refund({ session: own.session })
  await reaches(receiver, own.order.uid, 'refunded')
  assert.equal((await copyOf(receiver, listing))?.edition_uid, made.order.edition_uid)
  provider.control.refund({ session: made.session })
  await reaches(giver, made.order.uid, 'refunded')
  assert.equal(await copyOf(receiver, listing), undefined)
  assert.equal(await copyOf(receiver, part), undefined)
})

test('the previous version cannot give the copy of a gift to its buyer', async (t) => {
  const app = await startApp(t)
  const { sql } = app
  const { order, listing } = await give(app, (await app.a.verified()).username)
  const insert = sql`
    insert into order_copies (order_uid, game_uid) values (${order.uid}, ${listing.uid})`
  await assert.rejects(insert, /belongs to whoever accepted it/)
})

test('a gift that costs nothing counts against the gifts of a day', async (t) => {
  const app = await startPaymentApp(t, { GIFTS_PER_DAY: '1' })
  const { a, post, forSale } = app
  const listing = await forSale()
  const coupon = { code: 'FREE-FOR-ALL', percent: 100, max_per_person: 10 }
  const coupons = `/api/v1/private/games/${listing.uid}/coupons`
  must(await post(coupons, coupon, listing.owner))
  const buyer = await a.verified()
  const give_to = async (gift_to: string) =>
    post(ORDERS, { game: listing.uid, coupon: 'FREE-FOR-ALL', gift_to }, buyer)
  const made = must(await give_to((await a.verified()).username)).order
  assert.deepEqual([made.state, made.gift.state], ['paid', 'waiting'])
  assert.deepEqual(refused(await give_to((await a.verified()).username)), [429, 4290])
})

test('a second payment for the same gift goes back, and the first gift stays', async (t) => {
  const app = await startApp(t)
  const { a, forSale, order, reaches, provider, sql } = app
  const listing = await forSale()
  const [buyer, receiver] = [await a.verified(), await a.verified()]
  const gift_to = receiver.username
  const first = await order(buyer, listing, { gift_to })
  await sql`update listings set price_cents = 1200 where uid = ${listing.uid}`
  const path = `/v1/checkout/sessions/${first.session}/expire`
  provider.control.fault({ on: `POST ${path}`, mode: 'status', status: 500 })
  const second = await order(buyer, listing, { gift_to })
  for (const { session } of [second, first]) {
    provider.control.pay({ session })
    await eventually('the payment', async () => {
      const rows = await sql`
        select from orders where paid_at is not null and buyer_uid = ${buyer.uid}`
      return rows.length === (session === second.session ? 1 : 2)
    })
  }
  await reaches(buyer, first.order.uid, 'refunded')
  const page = (await signedIn(app, buyer).open(`/library/orders/${first.order.uid}`)).body
  assert.match(page, /The first gift stays as it is/)
  assert.equal((await waitingFor(app, receiver)).length, 1)
})

test('the gift of a deleted listing says so, and its buyer can return it at any time', async (t) => {
  const app = await startApp(t)
  const { a, post, get, del, sql, bought } = app
  // Somebody has it, so that it is kept for some days.
  const { listing } = await bought()
  const receiver = await a.verified()
  const { buyer, order } = await give(app, receiver.username, { listing })
  const [gift] = await waitingFor(app, receiver)
  const refundOf = async () => must(await get(`${ORDERS}/${order.uid}`, buyer)).refund
  await sql`update orders set paid_at = now() - interval '400 days' where uid = ${order.uid}`
  assert.equal(await refundOf(), 'request')
  const buyer_page = async () =>
    (await signedIn(app, buyer).open(`/library/orders/${order.uid}`)).body
  assert.doesNotMatch(await buyer_page(), /Until then you can take it back/)
  assert.match(await buyer_page(), /the developer decides whether you can take it back/)
  must(await del(`/api/v1/private/games/${listing.uid}`, listing.owner))
  const answer = await post(`${GIFTS}/${gift.uid}/accept`, undefined, receiver)
  assert.deepEqual(refused(answer), [409, 4218])
  assert.match(answer.body.error.message, /no longer in the store/)
  const link = new URL(gift.url)
  const page = (await signedIn(app, receiver).open(link.pathname + link.search)).body
  assert.match(page, /no longer in the store/)
  assert.doesNotMatch(page, /taken back|gift\/accept/)
  assert.equal(await refundOf(), 'now')
  assert.match(await buyer_page(), /Until then you can take it back/)
})

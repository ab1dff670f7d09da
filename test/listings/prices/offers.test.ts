import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { quote } from '../../../src/payments/quote.ts'
import { startApp } from '../../support/app.ts'
import { must, refused } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { GAMES, PAGES } from '../fixtures.ts'

const sharedApp = sharedInFile(startApp)

const HOUR = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()

async function startPriced(t: Parameters<typeof startApp>[0], price_cents = 2000) {
  const app = await sharedApp(t)
  const { a, post, put, del, get, patch, sql } = app
  const listing = await a.listing()
  const { uid, owner } = listing
  const url = `${GAMES}/${uid}`
  if (price_cents) must(await patch(url, { price_cents }, owner))
  const page = async () => must(await get(`${PAGES}/${uid}`, owner))
  const sell = (body: object) => post(`${url}/sales`, body, owner)
  const setOffer = (body: object) => put(`${url}/offers`, body, owner)
  const priceFor = (request: object) =>
    sql.begin((tx) =>
      quote(tx as never, {
        game_uid: uid,
        currency: 'USD',
        user_uid: owner.uid,
        at: new Date(),
        ...request,
      }),
    )
  /** Moves the times of every sale into the past. */
  const wait = (hours: number) =>
    sql`update sales set
      starts_at = starts_at - ${hours} * interval '1 hour',
      ends_at = ends_at - ${hours} * interval '1 hour'`
  return { ...app, listing, uid, owner, url, page, sell, setOffer, priceFor, wait, del }
}

test('a listing has prices in other currencies, which are quoted', async (t) => {
  const { setOffer, page, priceFor, owner, uid, get, put, a } = await startPriced(t)
  const prices = [
    { currency: 'EUR', amount_minor: 1899 },
    { currency: 'JPY', amount_minor: 2800 },
  ]
  must(await setOffer({ prices }))
  const { offers, price_cents, currency, sale } = await page()
  assert.deepEqual([price_cents, currency, sale], [2000, 'USD', null])
  assert.deepEqual(
    offers.map((offer: any) => [offer.currency, offer.list_minor]),
    [
      ['USD', 2000],
      ['EUR', 1899],
      ['JPY', 2800],
    ],
  )
  assert.deepEqual(await priceFor({ currency: 'JPY' }), {
    edition_uid: null,
    currency: 'JPY',
    list_minor: 2800,
    price_minor: 2800,
  })
  await assert.rejects(priceFor({ currency: 'GBP' }), /no price in this currency/)
  await assert.rejects(priceFor({ game_uid: randomUUID() }), { refusal: 'NOT_FOUND' })
  for (const bad of [
    [{ currency: 'USD', amount_minor: 1000 }],
    [{ currency: 'XXX', amount_minor: 1000 }],
    [{ currency: 'EUR', amount_minor: 49 }],
    [{ currency: 'EUR', amount_minor: 1.5 }],
    [{ currency: 'EUR', amount_minor: 100_000_001 }],
    [prices[0], prices[0]],
  ])
    assert.deepEqual(refused(await setOffer({ prices: bad })), [422, 4250], JSON.stringify(bad))
  must(await setOffer({ prices: [{ currency: 'EUR', amount_minor: 50 }] }))
  assert.equal((await page()).offers.length, 2, 'a price that was not sent is still there')
  const stranger = await a.developer()
  const url = `${GAMES}/${uid}/offers`
  assert.deepEqual(refused(await get(url, stranger)), [404, 4040])
  assert.deepEqual(refused(await put(url, {}, stranger)), [404, 4040])
  assert.equal(must(await get(url, owner)).offers.length, 2)
})

test('a sale lowers the price from its start to its end', async (t) => {
  const { sell, page, priceFor, wait, setOffer, sql, uid } = await startPriced(t)
  must(await setOffer({ prices: [{ currency: 'EUR', amount_minor: 1899 }] }))
  must(await sell({ percent: 25, starts_at: inHours(1), ends_at: inHours(3) }))
  assert.equal((await page()).sale, null)
  assert.equal((await priceFor({})).price_minor, 2000)
  await wait(2)
  const { sale, price_cents, offers } = await page()
  assert.deepEqual(
    [price_cents, sale.price_cents, sale.list_price_cents, sale.percent],
    [2000, 1500, 2000, 25],
  )
  assert.deepEqual([offers[1].currency, offers[1].price_minor], ['EUR', 1424])
  const [row] = await sql`select uid from sales where game_uid = ${uid}`
  const amounts = { currency: 'EUR', list_minor: 1899, price_minor: 1424 }
  const expected = { edition_uid: null, ...amounts, sale_uid: row!.uid }
  assert.deepEqual(await priceFor({ currency: 'EUR' }), expected)
  await wait(2)
  assert.equal((await page()).sale, null, 'the sale is still shown')
  assert.equal((await priceFor({})).price_minor, 2000)
})

test('a page shows the lowest price of the 30 days before the sale', async (t) => {
  const { sell, page, patch, url, owner, sql, uid } = await startPriced(t)
  await sql`update price_history set at = at - interval '40 days' where game_uid = ${uid}`
  must(await patch(url, { price_cents: 1200 }, owner))
  must(await patch(url, { price_cents: 3000 }, owner))
  must(await sell({ percent: 50, ends_at: inHours(5) }))
  const { sale } = await page()
  assert.deepEqual(
    [sale.price_cents, sale.list_price_cents, sale.lowest_price_cents],
    [1500, 3000, 1200],
  )
})

test('an edition that is deleted and made again keeps its lowest price', async (t) => {
  const { sell, page, post, del, url, owner, sql } = await startPriced(t, 0)
  const edition = (fields: object) => post(`${url}/editions`, { description: '', ...fields }, owner)
  const first = must(await edition({ slug: 'deluxe', name: 'Deluxe', price_cents: 2000 }))
  must(await sell({ percent: 50, ends_at: inHours(5), edition_uid: first.uid }))
  assert.equal((await page()).sale.price_cents, 1000)
  must(await del(`${url}/editions/${first.uid}`, owner))
  must(await edition({ slug: 'other', name: 'Other', price_cents: 4000 }))
  must(await edition({ slug: 'deluxe-2', name: 'DELUXE', price_cents: 3000 }))
  const { offers, editions } = await page()
  assert.deepEqual(
    offers.map((offer: any) => offer.sale),
    [null, null],
  )
  const again = editions.find(({ name }: any) => name === 'DELUXE')
  must(await sell({ percent: 50, ends_at: inHours(5), edition_uid: again.uid }))
  const sale = (await page()).offers.find((offer: any) => offer.edition_uid === again.uid).sale
  // The sale of the deleted edition counts: buyers could have paid that.
  assert.equal(sale.lowest_minor, 1000)
  // A listing that is deleted for good takes everything with it.
  await sql`delete from all_listings`
  const [rest] = await sql`
    select
      (select count(*)::int from removed_edition_prices) as prices,
      (select count(*)::int from removed_edition_sales) as sales`
  assert.deepEqual({ ...rest }, { prices: 0, sales: 0 })
})

test('a sale ends early, and one that has not started is deleted', async (t) => {
  const { sell, page, del, url, owner, sql } = await startPriced(t)
  const { sales } = must(await sell({ amount_cents: 500, ends_at: inHours(5) }))
  assert.equal((await page()).sale.price_cents, 1500)
  const planned = must(await sell({ percent: 50, starts_at: inHours(1), ends_at: inHours(2) }))
  assert.equal(planned.sales.length, 2)
  must(await del(`${url}/sales/${sales[0].uid}`, owner))
  assert.equal((await page()).sale, null)
  assert.deepEqual(refused(await del(`${url}/sales/${sales[0].uid}`, owner)), [404, 4040])
  must(await del(`${url}/sales/${planned.sales[0].uid}`, owner))
  // What was a price once stays part of the history.
  assert.deepEqual([...(await sql`select uid from sales`)], [{ uid: sales[0].uid }])
  for (const bad of ['x', randomUUID()])
    assert.deepEqual(refused(await del(`${url}/sales/${bad}`, owner)), [404, 4040])
})

test('refuses a sale that takes off too much, never runs or has nothing to sell', async (t) => {
  const { sell, a, post, owner } = await startPriced(t)
  const until = { ends_at: inHours(5) }
  for (const bad of [
    until,
    { percent: 0, ...until },
    { percent: 96, ...until },
    { percent: 10, amount_cents: 10, ...until },
    { amount_cents: 1901, ...until },
    { amount_cents: 0, ...until },
    { percent: 10, ends_at: inHours(-1) },
    { percent: 10, starts_at: inHours(6), ends_at: inHours(5) },
    { percent: 10, ends_at: inHours(60 * 24 + 1) },
    { percent: 10, starts_at: inHours(366 * 24), ends_at: inHours(367 * 24) },
    { percent: 10, event_uid: randomUUID() },
  ])
    assert.deepEqual(refused(await sell(bad)), [422, 4251], JSON.stringify(bad))
  must(await sell({ percent: 95, ...until }))
  must(await sell({ amount_cents: 1900, ends_at: inHours(60 * 24 - 1) }))
  assert.deepEqual(
    refused(await sell({ percent: 5, edition_uid: randomUUID(), ...until })),
    [404, 4040],
  )
  const free = await a.listing({ owner })
  const answer = await post(`${GAMES}/${free.uid}/sales`, { percent: 10, ...until }, owner)
  assert.deepEqual(refused(answer), [422, 4251])
})

test('editions and bundles have prices and sales of their own', async (t) => {
  const { sell, page, priceFor, post, url, owner, a, setOffer } = await startPriced(t, 0)
  const other = await a.listing({ owner })
  const standard = must(
    await post(`${url}/editions`, { slug: 's', name: 'S', price_cents: 1000 }, owner),
  )
  const bundle = must(
    await post(
      `${url}/editions`,
      { slug: 'b', name: 'B', kind: 'bundle', price_cents: 3000, bundle_asset_uids: [other.uid] },
      owner,
    ),
  )
  const prices = [{ currency: 'EUR', amount_minor: 2800 }]
  must(await setOffer({ edition_uid: bundle.uid, prices }))
  assert.deepEqual(refused(await setOffer({ edition_uid: randomUUID(), prices })), [404, 4040])
  must(await sell({ percent: 50, edition_uid: bundle.uid, ends_at: inHours(5) }))
  assert.equal((await page()).sale, null, 'the cheapest edition is not on sale')
  assert.equal((await priceFor({ edition_uid: standard.uid })).price_minor, 1000)
  assert.equal((await priceFor({ edition_uid: bundle.uid })).price_minor, 1500)
  assert.equal((await priceFor({ edition_uid: bundle.uid, currency: 'EUR' })).price_minor, 1400)
  assert.equal((await priceFor({})).price_minor, 1000, 'not the cheapest edition')
  must(await sell({ percent: 80, edition_uid: bundle.uid, ends_at: inHours(5) }))
  assert.equal((await page()).sale.price_cents, 600)
})

test('buyers choose what they pay, but not less than the price', async (t) => {
  const { setOffer, page, priceFor } = await startPriced(t, 500)
  await assert.rejects(priceFor({ amount: 501 }), { refusal: 'AMOUNT_TOO_LOW' })
  assert.deepEqual(
    refused(await setOffer({ pay_what_you_want: true, suggested_cents: 499 })),
    [422, 4250],
  )
  must(await setOffer({ pay_what_you_want: true, suggested_cents: 800 }))
  const [offer] = (await page()).offers
  assert.deepEqual([offer.pay_what_you_want, offer.suggested_minor], [true, 800])
  assert.equal((await priceFor({})).price_minor, 500)
  assert.equal((await priceFor({ amount: 500 })).price_minor, 500)
  assert.equal((await priceFor({ amount: 12_345 })).price_minor, 12_345)
  for (const amount of [499, -1, 500.5, 100_000_001])
    await assert.rejects(priceFor({ amount }), { refusal: 'AMOUNT_TOO_LOW' })
  must(await setOffer({}))
  assert.equal((await page()).offers[0].pay_what_you_want, false)
})

test('listings take part in a sale of the store, and it ends for all of them', async (t) => {
  const { sell, page, post, get, del, a, sql } = await startPriced(t)
  const operator = await a.verified()
  await sql`insert into operators (user_uid) values (${operator.uid})`
  const EVENTS = '/api/v1/private/operations/sale-events'
  const event = { name: 'Autumn sale', starts_at: inHours(-1), ends_at: inHours(10) }
  assert.deepEqual(refused(await post(EVENTS, event, await a.developer())), [403, 4030])
  assert.deepEqual(refused(await post(EVENTS, { ...event, name: ' ' }, operator)), [422, 4251])
  const { uid } = must(await post(EVENTS, event, operator))
  must(await sell({ percent: 30, event_uid: uid, ends_at: inHours(1) }))
  const { sale } = await page()
  assert.deepEqual([sale.event, sale.price_cents], ['Autumn sale', 1400])
  const [listed] = must(await get('/api/v1/public/sale-events')).events
  assert.equal(sale.ends_at, listed.ends_at)
  must(await del(`${EVENTS}/${uid}`, operator))
  assert.equal((await page()).sale, null)
  assert.deepEqual(must(await get('/api/v1/public/sale-events')).events, [])
  assert.deepEqual(refused(await del(`${EVENTS}/${uid}`, operator)), [404, 4040])
})

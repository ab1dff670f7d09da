import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { jsonLd, startStore } from '../fixtures.ts'

const sharedStore = sharedInFile(startStore)

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

test('a visitor chooses a currency without script, and sees sales with the lowest price', async (t) => {
  const { published, put, post, visitor } = await sharedStore(t)
  const listing = await published({ name: 'Saltmarsh' }, { price_cents: 2000 })
  const url = `/api/v1/private/games/${listing.uid}`
  const prices = [
    { currency: 'EUR', amount_minor: 1899 },
    { currency: 'JPY', amount_minor: 2800 },
  ]
  must(await put(`${url}/offers`, { prices }, listing.owner))
  const guest = visitor()
  const dollars = (await guest.open(listing.path)).body
  assert.match(dollars, /download-price">\$20\.00</)
  assert.doesNotMatch(dollars, /Lowest price/)
  const offersIn = (body: string) =>
    jsonLd(body).offers.map((offer: any) => [offer.priceCurrency, offer.price])
  assert.deepEqual(offersIn(dollars), [
    ['USD', '20.00'],
    ['EUR', '18.99'],
    ['JPY', '2800'],
  ])
  const headers = { referer: `http://store.example${listing.path}` }
  await guest.send('/settings/currency', { currency: 'JPY' }, headers)
  assert.match((await guest.open(listing.path)).body, /download-price">¥2,800</)
  // The choice of one visitor is not what another one sees.
  assert.match((await visitor().open(listing.path)).body, /download-price">\$20\.00</)
  must(await post(`${url}/sales`, { percent: 25, ends_at: inHours(30) }, listing.owner))
  const { body } = await guest.open(listing.path)
  assert.match(body, /<del>[\s\S]*¥2,800[\s\S]*<\/del>[\s\S]*<ins>¥2,100<\/ins>/)
  assert.match(body, /−25%/)
  assert.match(body, /Lowest price of the 30 days before: ¥2,800/)
  const [offer] = jsonLd(body).offers
  assert.equal(offer.price, '15.00')
  assert.ok(Date.parse(offer.priceValidUntil) > Date.now())
  const refused = await guest.send('/settings/currency', { currency: 'XYZ' })
  assert.equal(refused.status, 404)
})

test('developers set prices and sales by forms', async (t) => {
  const { published, get, signedIn } = await sharedStore(t)
  const listing = await published({}, { price_cents: 2000 })
  const owner = signedIn(listing.owner)
  const base = `/dashboard/${listing.vanity_name}/sales`
  const read = async () =>
    must(await get(`/api/v1/private/games/${listing.uid}/offers`, listing.owner))
  const opened = await owner.open(base)
  assert.equal(opened.status, 200)
  assert.match(opened.body, /No sales yet/)
  const prices = 'EUR 18.99\njpy: 2800'
  assert.equal((await owner.send(`${base}/offers/listing`, { prices })).status, 303)
  assert.deepEqual(
    (await read()).offers.map((offer: any) => [offer.currency, offer.list_minor]),
    [
      ['USD', 2000],
      ['EUR', 1899],
      ['JPY', 2800],
    ],
  )
  const wrong = await owner.send(`${base}/offers/listing`, { prices: 'JPY 28.50' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.body, /Enter a price in JPY/)
  const ends_at = inHours(48).slice(0, 16)
  assert.equal((await owner.send(base, { amount_cents: '5.00', ends_at })).status, 303)
  const { sales } = await read()
  assert.equal(sales[0].amount_cents, 500)
  const late = await owner.send(base, { percent: '20', ends_at: '2020-01-01T10:00' })
  assert.match(late.body, /Choose a time in the future/)
  assert.match((await owner.open(base)).body, /Running/)
  assert.equal((await owner.send(`${base}/${sales[0].uid}/end`, {})).status, 303)
  assert.match((await owner.open(base)).body, /Ended/)
})

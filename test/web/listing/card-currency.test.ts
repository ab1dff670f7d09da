import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inCurrency } from '../../../src/web/store/card-prices.ts'
import { eventually } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { startStore } from '../fixtures.ts'

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

test('cards show the currency that the visitor chose, on every list of the store', async (t) => {
  const { published, put, post, a, visitor, signedIn } = await startStore(t)
  const owner = await a.verifiedDeveloper()
  const yen = await published({ owner, name: 'Saltmarsh' }, { price_cents: 2000 })
  const dollars = await published({ owner, name: 'Dry Dock' }, { price_cents: 1700 })
  const free = await published({ owner, name: 'Free Float' })
  const url = `/api/v1/private/games/${yen.uid}`
  must(await put(`${url}/offers`, { prices: [{ currency: 'JPY', amount_minor: 2800 }] }, owner))
  const similar = `/api/v1/private/games/${free.uid}/similar`
  must(await put(similar, { games: [yen.uid] }, owner))
  const guest = visitor()
  await guest.send('/settings/currency', { currency: 'JPY' })
  const lists = ['/', '/search?q=Saltmarsh', `/${owner.username}`, free.path]
  const cardOf = (body: string, name: string) =>
    body.split('<article class="card">').find((part) => part.includes(`>${name}</a>`))
  for (const path of lists) {
    const card = await eventually(`the card on ${path}`, async () =>
      cardOf((await guest.open(path)).body, 'Saltmarsh'),
    )
    assert.match(card, /¥2,800/, path)
    assert.doesNotMatch(card, /\$20/, path)
    // Nobody else's choice, and never guessed from the language.
    const japanese = (await visitor().open(path, { 'accept-language': 'ja' })).body
    assert.match(cardOf(japanese, 'Saltmarsh')!, /\$20\.00/, path)
  }
  const page = (await guest.open(`/${owner.username}`)).body
  assert.match(cardOf(page, 'Dry Dock')!, /\$17\.00/, 'without a price in yen')
  assert.match(cardOf(page, 'Free Float')!, /Free/)
  const member = signedIn(await a.verified())
  await member.send('/settings/currency', { currency: 'JPY' })
  assert.match(cardOf((await member.open('/search')).body, 'Saltmarsh')!, /¥2,800/)

  must(await post(`${url}/sales`, { percent: 25, ends_at: inHours(30) }, owner))
  const reduced = cardOf((await guest.open(`/${owner.username}`)).body, 'Saltmarsh')!
  assert.match(reduced, /<del>[\s\S]*¥2,800[\s\S]*<\/del>\s*<strong>¥2,100</)
  assert.match(reduced, /Lowest price of the 30 days before: ¥2,800/)

  // The widget reads no cookie.
  assert.match((await guest.open(`${yen.path}/embed`)).body, /\$15\.00/)
  assert.match((await visitor().open(`${yen.path}/embed?currency=JPY`)).body, /¥2,100/)
  assert.match((await visitor().open(`${yen.path}/embed?currency=XYZ`)).body, /\$15\.00/)
  assert.match((await visitor().open(`${dollars.path}/embed?currency=JPY`)).body, /\$17\.00/)
})

test('one query reads the prices of all cards of a page, and none for US dollars', async () => {
  let queries = 0
  const read = async () => {
    queries++
    return []
  }
  const listings = Array.from({ length: 48 }, (_, i) => ({ uid: String(i), price_cents: i }))
  const core = { read } as unknown as Parameters<typeof inCurrency>[0]
  assert.deepEqual(await inCurrency(core, 'USD', listings), listings)
  assert.equal(queries, 0)
  assert.equal((await inCurrency(core, 'EUR', listings)).length, 48)
  assert.equal(queries, 1)
  await inCurrency(core, 'EUR', [{ uid: 'a', price_cents: 0 }])
  assert.equal(queries, 1, 'nothing is read for free listings')
})

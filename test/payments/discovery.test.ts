import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must } from '../support/builders.ts'
import { browser } from '../web/browser.ts'
import { signedIn } from '../web/dashboard-fixtures.ts'
import { ORDERS, sharedPaymentApp } from './fixtures.ts'

const startApp = sharedPaymentApp()

const channelOf = (body: string) => body.match(/name="discovery" value="(\w+)"/)?.[1]

test('the page of a listing says how its visitor came there, for every way', async (t) => {
  const app = await startApp(t)
  const { a, forSale, url } = app
  const listing = await forSale()
  const other = await a.listing()
  const path = `/${listing.owner.username}/${listing.vanity_name}`
  const ways: [headers: Record<string, string>, channel: string][] = [
    [{}, 'direct'],
    [{ 'sec-fetch-site': 'none' }, 'direct'],
    [{ 'sec-fetch-site': 'cross-site' }, 'external'],
    [{ referer: 'https://news.example/games' }, 'external'],
    [{ referer: `${url}/` }, 'home'],
    [{ referer: `${url}/search` }, 'search'],
    [{ referer: `${url}/search?q=salt&tags=puzzle` }, 'search'],
    [{ referer: `${url}/search?tags=puzzle` }, 'tag'],
    [{ referer: `${url}/${listing.owner.username}` }, 'developer'],
    [{ referer: `${url}/${other.owner.username}/${other.vanity_name}` }, 'listing'],
    [{ referer: `${url}${path}/embed` }, 'external'],
    [{ referer: `${url}${path}/reviews` }, 'other'],
    [{ referer: `${url}/library` }, 'other'],
    [{ referer: 'not an address' }, 'direct'],
  ]
  const visitor = browser({ url })
  const member = signedIn(app, await a.verified())
  for (const [headers, channel] of ways) {
    const label = JSON.stringify(headers)
    const page = await visitor.open(path, headers)
    assert.equal(channelOf(page.body), channel, label)
    assert.match(page.headers.vary!, /\bReferer\b/)
    assert.equal(page.headers['set-cookie'], undefined, 'nothing follows the visitor')
    assert.equal(channelOf((await member.open(path, headers)).body), channel, label)
  }
  const free = await a.listing()
  await app.sql`update listings set visibility = 'public' where uid = ${free.uid}`
  const page = await visitor.open(`/${free.owner.username}/${free.vanity_name}`)
  assert.doesNotMatch(page.headers.vary!, /\bReferer\b/, 'nothing is bought there')
})

test('an order keeps its channel and the billing country, and nothing else about it', async (t) => {
  const app = await startApp(t)
  const { a, sql, forSale, order, reaches, provider, post, url, get } = app
  const listing = await forSale()
  const person = await a.verified()
  const buyer = signedIn(app, person)
  const path = `/${listing.owner.username}/${listing.vanity_name}`
  const page = await buyer.open(path, { referer: `${url}/search?q=salt+and+secrets` })
  const sent = { discovery: channelOf(page.body)!, currency: 'USD' }
  const location = (await buyer.send(`/games/${listing.uid}/buy`, sent)).headers.location!
  const uid = location.split('/').at(-1)!
  const [row] = await sql`select checkout_ref from orders where uid = ${uid}`
  provider.control.pay({ session: row!.checkout_ref, country: 'DE' })
  await reaches(person, uid, 'paid')
  const [paid] = await sql`select * from orders where uid = ${uid}`
  assert.deepEqual([paid!.discovery, paid!.country], ['search', 'DE'])
  const text = JSON.stringify(paid)
  for (const secret of ['salt and', 'salt+and', 'Card Holder', 'buyer@mail.example'])
    assert.ok(!text.includes(secret), secret)

  const api_buyer = await a.verified()
  const made = await order(api_buyer, listing)
  provider.control.pay({ session: made.session })
  await reaches(api_buyer, made.order.uid, 'paid')
  const [unknown] = await sql`select discovery, country from orders where uid = ${made.order.uid}`
  assert.deepEqual({ ...unknown }, { discovery: 'app', country: null })

  const invented = { game: listing.uid, discovery: 'a page somewhere' }
  const { token } = await a.verified()
  assert.equal((await post(ORDERS, invented, { token })).status, 400)
  const forged = signedIn(app, await a.verified())
  const fields = { discovery: 'a page somewhere', currency: 'USD' }
  const forged_order = (await forged.send(`/games/${listing.uid}/buy`, fields)).headers.location!
  const [other] = await sql`
    select discovery from orders where uid = ${forged_order.split('/').at(-1)!}`
  assert.equal(other!.discovery, 'other')

  const report_url = `/api/v1/private/games/${listing.uid}/sales-report`
  const { by_country, by_discovery } = must(await get(report_url, listing.owner))
  assert.deepEqual(by_country.map((group: any) => group.country).sort(), ['DE', null])
  assert.deepEqual(by_discovery.map((group: any) => group.discovery).sort(), ['app', 'search'])
})

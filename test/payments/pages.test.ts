import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startApp } from '../support/app.ts'
import { makePublic } from '../support/builders.ts'
import { browser } from '../web/browser.ts'
import { signedIn } from '../web/dashboard-fixtures.ts'
import { startPaymentApp } from './fixtures.ts'

test('a person sets up, buys, gets an invoice and returns it, all by pages', async (t) => {
  const app = await startPaymentApp(t)
  const { a, sql, provider, url } = app
  const owner = await a.verifiedDeveloper()
  const seller = signedIn(app, owner)
  assert.match((await seller.open('/settings/payments')).body, /Set up payments/)
  const setup = await seller.send('/settings/payments/setup')
  const link = setup.body.match(/href="(http[^"]+\/setup\/[^"]+)"/)![1]!
  const complete = new URLSearchParams({ action: 'complete' })
  await fetch(link, { method: 'POST', body: complete, redirect: 'manual' })
  assert.match((await seller.open('/settings/payments?returned=1')).body, /Buyers can pay you/)
  const details = {
    legal_name: 'Harbor Games Ltd',
    address: 'Pier 1\nHarbor',
    tax_id: 'TAX 77',
    tax_percent: '19',
  }
  await seller.submit('/settings/payments/details', details)

  const listing = await a.listing({ owner })
  await sql`update listings set price_cents = 1190 where uid = ${listing.uid}`
  await makePublic(sql, listing.uid)
  const path = `/${owner.username}/${listing.vanity_name}`
  assert.match((await browser({ url }).open(path)).body, new RegExp(`/games/${listing.uid}/buy`))
  assert.match((await browser({ url }).open(`${path}/embed`)).body, />Buy</)

  const person = await a.verified()
  const buyer = signedIn(app, person)
  const ordered = await buyer.send(`/games/${listing.uid}/buy`)
  assert.equal(ordered.status, 303)
  const order = ordered.headers.location!
  const open = (await buyer.open(order)).body
  // The page waits without script.
  assert.match(open, /http-equiv="refresh"/)
  const checkout = open.match(/href="(http[^"]+\/c\/pay\/[^"]+)"/)![1]!
  assert.equal(new URL(checkout).origin, provider.url)
  await fetch(checkout, {
    method: 'POST',
    body: new URLSearchParams({ action: 'pay' }),
    redirect: 'manual',
  })
  const paid = await eventually('the paid order', async () => {
    const { body } = await buyer.open(order)
    return /Go to your library/.test(body) ? (body as string) : undefined
  })
  assert.doesNotMatch(paid, /http-equiv="refresh"/)
  const invoice = (await buyer.open(`${order}/invoice`)).body
  for (const part of [/Harbor Games Ltd/, /TAX 77/, /\$10\.00/, /\$1\.90/, /\$11\.90/])
    assert.match(invoice, part)
  assert.match((await buyer.open('/library/orders')).body, /\$11\.90/)
  const stranger = signedIn(app, await a.verified())
  assert.equal((await stranger.open(order)).status, 404)
  assert.equal((await stranger.open(`${order}/invoice`)).status, 404)
  assert.match((await seller.open('/settings/payments')).body, /\$11\.90/)

  await buyer.submit(`${order}/return`, { reason: 'Not for me' })
  await eventually('the refund', async () =>
    /The copy was removed/.test((await buyer.open(order)).body),
  )
})

test('a transfer is confirmed in the console, which names missing settings', async (t) => {
  const env = { PAYMENT_INSTRUCTIONS: 'IBAN XX00', STRIPE_SECRET_KEY: 'sk_test_x' }
  const app = await startApp(t, env)
  const { a, sql } = app
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  await sql`update listings set price_cents = 500 where uid = ${listing.uid}`
  await makePublic(sql, listing.uid)
  const operator_person = await a.verified()
  await sql`insert into operators (user_uid) values (${operator_person.uid})`
  const buyer = signedIn(app, await a.verified())
  const order = (await buyer.send(`/games/${listing.uid}/buy`)).headers.location!
  assert.match((await buyer.open(order)).body, /IBAN XX00/)
  const operator = signedIn(app, operator_person)
  const console_page = (await operator.open('/operator/orders')).body
  assert.match(console_page, /STRIPE_WEBHOOK_SECRET/)
  const uid = order.split('/').at(-1)!
  assert.match(console_page, new RegExp(uid))
  await operator.submit(`/operator/orders/${uid}/settle`, { reference: 'TX 5' })
  assert.match((await buyer.open(order)).body, /Go to your library/)
})

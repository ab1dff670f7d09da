import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must } from '../../support/builders.ts'
import { needs } from '../../support/system-packages.ts'
import { axeRules, axeViolations, openTab, startChromium } from '../../web/chromium.ts'
import { startPaymentApp } from '../fixtures.ts'

test('reports and payouts fit phones and screens and are accessible in both themes', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startPaymentApp(t)
  const { a, sql, url, put, seller, forSale, order, reaches, provider } = app
  const owner = await seller()
  await sql`insert into operators (user_uid) values (${owner.uid})`
  const account = [...provider.world.accounts.keys()].at(-1)!
  const listing = await forSale(1999, owner)
  for (const [country, discovery] of [
    ['DE', 'search'],
    [null, 'direct'],
  ] as const) {
    const buyer = await a.verified()
    const made = await order(buyer, listing, { discovery })
    provider.control.pay({ session: made.session, country })
    await reaches(buyer, made.order.uid, 'paid')
  }
  provider.control.releaseFunds({ account })
  const failed = provider.control.payout({ account, amount: 1000 })
  provider.control.endPayout({ payout: failed.id, status: 'failed' })
  provider.control.payout({ account, amount: 1200 })
  const prices = [{ currency: 'EUR', amount_minor: 1899 }]
  must(await put(`/api/v1/private/games/${listing.uid}/offers`, { prices }, owner))
  const base = `/dashboard/${listing.vanity_name}`
  const paths = [
    `${base}/revenue`,
    '/settings/payments/payouts',
    '/operator/sales-report',
    `/${owner.username}`,
  ]
  const browser = await startChromium(t)
  for (const [width, colorScheme] of [
    [360, 'dark'],
    [1280, 'light'],
  ] as const) {
    const options = { token: owner.token, width, context: { colorScheme } }
    const { page, problems, context } = await openTab(browser, url, options)
    await context.addCookies([{ name: 'svc_currency', value: 'EUR', url }])
    for (const path of paths) {
      await page.goto(path)
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
      assert.ok(wide <= width, `${path} is ${wide} wide`)
      assert.deepEqual(await axeViolations(page, axeRules(colorScheme)), [], path)
    }
    assert.deepEqual(problems, [])
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, outbox } from '../support/app.ts'
import { makePublic } from '../support/builders.ts'
import { needs } from '../support/system-packages.ts'
import { openTab, startChromium } from '../web/chromium.ts'
import { layoutProblems } from '../web/layouts.ts'
import { startPaymentApp } from './fixtures.ts'

/** What axe and the layout say against a page with all its details. */
const problemsOf = (page: Page, path: string) =>
  layoutProblems(page, path, { opens_details: true, keeps_dates: true })

test('a developer, a buyer, the receiver of a gift and a refunder use the pages', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startPaymentApp(t)
  const { a, sql, url, copyOf, data_dir, provider } = app
  const browser = await startChromium(t)
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner, name: 'Lantern Pier' })
  await makePublic(sql, listing.uid)
  const path = `/${owner.username}/${listing.vanity_name}`
  const ugly: string[] = []

  // The developer is paid before a public listing gets a price.
  const seller = await openTab(browser, url, { token: owner.token })
  await seller.page.goto('/settings/payments')
  await seller.page.getByRole('button', { name: 'Set up payments' }).click()
  await seller.page.locator(`a[href^="${provider.url}"]`).click()
  await seller.page.getByRole('button', { name: 'Complete everything' }).click()
  await seller.page.getByText('Buyers can pay you').waitFor()
  await seller.page.getByLabel('Name of the seller').fill('Harbor Games Ltd')
  await seller.page.getByRole('button', { name: 'Save changes' }).click()
  await seller.page.goto(`/dashboard/${listing.vanity_name}/settings`)
  await seller.page.getByLabel('Price in US dollars').fill('11.90')
  await seller.page.getByRole('button', { name: 'Save price' }).click()
  await eventually('the price', async () => {
    const [row] = await sql`select price_cents from listings where uid = ${listing.uid}`
    return row!.price_cents === 1190
  })

  /** Orders on the page of the listing, pays at the provider, and waits for the confirmation. */
  async function buy(page: Page, gift_to?: string): Promise<string> {
    await page.goto(path)
    if (gift_to) {
      await page.locator('summary', { hasText: /gift/ }).click()
      await page.getByLabel('Username or mail address of the receiver').fill(gift_to)
    }
    await page.getByRole('button', { name: /^Buy( the gift)?$/ }).click()
    await page.getByRole('link', { name: 'Pay $11.90' }).click()
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    // The page notices the payment by itself.
    await page.waitForURL(/\/library\/orders\//)
    await page.getByRole('link', { name: 'Invoice' }).waitFor()
    return new URL(page.url()).pathname
  }
  const buyer = await a.verified()
  const buying = await openTab(browser, url, { token: buyer.token, width: 390 })
  const own_order = await buy(buying.page)
  assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
  ugly.push(...(await problemsOf(buying.page, own_order)))
  ugly.push(...(await problemsOf(buying.page, `${own_order}/invoice`)))
  ugly.push(...(await problemsOf(buying.page, path)))

  // Who has a game can give it.
  const address = 'newcomer@example.com'
  const gift_order = await buy(buying.page, address)
  await buying.page.getByText('Waiting for the receiver').waitFor()
  const mail = await eventually('the mail about the gift', () =>
    outbox(data_dir).find(({ to }) => to === address),
  )
  const link = mail.text.match(/https?:\S+\/library\/gift\?token=\S+/)![0]
  const guest = await openTab(browser, url)
  ugly.push(...(await problemsOf(guest.page, link)))
  const receiver = await a.verified()
  await sql`update users set email = ${address} where uid = ${receiver.uid}`
  const receiving = await openTab(browser, url, { token: receiver.token })
  await receiving.page.goto('/library')
  await receiving.page.getByRole('link', { name: 'Open the gift' }).click()
  ugly.push(...(await problemsOf(receiving.page, link)))
  await receiving.page.getByRole('button', { name: 'Accept the gift' }).click()
  await receiving.page.getByText(`Gift from ${buyer.username}`).waitFor()
  assert.equal((await copyOf(receiver, listing))?.source, 'purchase')
  await buying.page.goto(gift_order)
  await buying.page.getByText('accepted your gift').waitFor()
  ugly.push(...(await problemsOf(buying.page, gift_order)))
  ugly.push(...(await problemsOf(buying.page, '/library/orders')))

  // The buyer returns the own copy, and the seller refunds the gift.
  await buying.page.goto(own_order)
  await buying.page.locator('summary', { hasText: 'Return it' }).click()
  await buying.page.getByRole('button', { name: 'Return it' }).click()
  await eventually('the own copy to go', async () => !(await copyOf(buyer, listing)))
  await buying.page.goto(own_order)
  await buying.page.getByText('The copy was removed').waitFor()
  ugly.push(...(await problemsOf(seller.page, '/settings/payments')))
  await seller.page.goto('/settings/payments')
  await seller.page.locator('summary', { hasText: 'Refund' }).first().click()
  await seller.page.getByRole('button', { name: 'Refund' }).first().click()
  await eventually('the gift to go', async () => !(await copyOf(receiver, listing)))
  await receiving.page.goto(link)
  await receiving.page.getByText('taken back').waitFor()

  const operator = await a.verified()
  await sql`insert into operators (user_uid) values (${operator.uid})`
  await sql`update orders set problem = 'The provider reports another sum' where state = 'refunded'`
  const console_tab = await openTab(browser, url, { token: operator.token })
  ugly.push(...(await problemsOf(console_tab.page, '/operator/orders')))
  await console_tab.page.goto('/operator/orders?filter=all')
  await console_tab.page.locator('main table a').first().click()
  await console_tab.page.getByText('What happened').waitFor()
  ugly.push(...(await problemsOf(console_tab.page, new URL(console_tab.page.url()).pathname)))
  assert.deepEqual(ugly, [])
  const problems = [seller, buying, receiving, guest, console_tab].flatMap((tab) => tab.problems)
  assert.deepEqual(
    problems.filter((text) => !text.startsWith(`requested ${provider.url}`)),
    [],
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must } from '../../support/builders.ts'
import { needs } from '../../support/system-packages.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'
import { signedIn, startDashboard } from '../dashboard-fixtures.ts'

const TEXT = '# Tides\n\nRow **out**.\n\n<script>alert(1)</script> [x](javascript:alert(2))'

test('the preview renders the text as it was sent and saves nothing', async (t) => {
  const { owner, at, read, pageForm, a, url } = await startDashboard(t, { name: 'Night Boat' })
  const sent = await pageForm({ name: 'Day Boat', tagline: 'By day', description: TEXT })
  const { status, body } = await owner.send(at('page/preview'), sent)
  assert.equal(status, 200)
  const preview = (body as string).match(/<article class="preview">.*?<\/article>/s)![0]
  assert.match(preview, /<h2>Day Boat<\/h2>/)
  assert.match(preview, /<h3>Tides<\/h3>\s*<p>Row <strong>out<\/strong>/)
  assert.doesNotMatch(preview, /<script|href="javascript/)
  const saved = await read()
  assert.deepEqual([saved.name, saved.description], ['Night Boat', ''])

  const stranger = signedIn({ url }, await a.verifiedDeveloper())
  assert.equal((await stranger.send(at('page/preview'), sent)).status, 404)
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  assert.equal((await owner.send(at('page/preview'), sent, headers)).status, 403)
})

test('the preview of the listing page looks like the page itself', async (t) => {
  const { owner, at, patch, listing, pageForm } = await startDashboard(t)
  const api = `/api/v1/private/games/${listing.uid}`
  must(await patch(api, { description: TEXT }, listing.owner))
  const prose = (body: string) => body.match(/<div class="prose">.*?<\/div>/s)![0]
  const preview = await owner.send(at('page/preview'), await pageForm({}))
  const page = await owner.open(`/${listing.owner.username}/${listing.vanity_name}`)
  assert.equal(prose(preview.body), prose(page.body))
})

test('the preview opens in a dialog and leaves the form as it is', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, listing, at, read } = await startDashboard(t, { name: 'Night Boat' })
  const chromium = await startChromium(t)
  const { page, problems } = await openTab(chromium, url, { token: listing.owner.token })
  await page.goto(at('page'))
  await page.locator('#f-description').fill('Row **out**.')
  await page.getByRole('button', { name: 'Preview' }).click()
  const dialog = page.getByRole('dialog', { name: 'Preview' })
  await dialog.locator('strong', { hasText: 'out' }).waitFor()
  assert.deepEqual(await axeViolations(page), [])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'hidden' })
  assert.equal(await page.locator('#f-description').inputValue(), 'Row **out**.')
  // Enter in a field saves: the first button of the form is its default.
  await page.locator('#f-tagline').fill('By night')
  await page.locator('#f-tagline').press('Enter')
  await page.getByText('Changes saved', { exact: true }).waitFor()
  assert.equal((await read()).description, 'Row **out**.')
  assert.deepEqual(problems, [])
})

test('without script the preview opens in a tab of its own', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, listing, at } = await startDashboard(t, { name: 'Night Boat' })
  const chromium = await startChromium(t)
  const { page, context } = await openTab(chromium, url, {
    token: listing.owner.token,
    context: { javaScriptEnabled: false, viewport: { width: 390, height: 900 } },
  })
  await page.goto(at('page'))
  await page.locator('#f-description').fill('Row **out**.')
  const opened = context.waitForEvent('page')
  await page.getByRole('button', { name: 'Preview' }).click()
  const tab = await opened
  await tab.locator('.preview strong').waitFor()
  assert.equal(await page.locator('#f-description').inputValue(), 'Row **out**.')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { needs } from '../../support/system-packages.ts'
import { openTab, startChromium } from '../chromium.ts'
import { startDashboard } from '../dashboard-fixtures.ts'

/** The upper edge of the space that no sticky bar covers. */
const visibleTop = async (page: Page, width: number) => {
  if (width > 760) return 0
  const bar = (await page.locator('.section-nav').boundingBox())!
  return bar.y + bar.height
}

for (const width of [390, 1280])
  test(`links of the listing check show the label of their field, ${width} pixels`, async (t) => {
    if (!needs(t, 'chromium-headless-shell')) return
    const { url, at, listing } = await startDashboard(t)
    const browser = await startChromium(t)
    const { page, problems } = await openTab(browser, url, { width, token: listing.owner.token })
    const labels = {
      'Say how long one session takes': 'label[for="f-session_bucket"]',
      'Choose at least one genre': '#f-genres legend',
      'Add at least 4 images to the gallery': '#gallery h2',
      'Upload a build and wait until its scan is clean': '#upload h2',
    }
    await page.goto(at('page'))
    for (const [link, label] of Object.entries(labels)) {
      // Every page of the project has the check, so that none is loaded just for its links.
      await page.evaluate('scrollTo(0, 0)')
      await page.locator('#check').getByRole('link', { name: link }).click()
      await page.waitForURL((url) => url.hash !== '' && label.includes(url.hash.slice(1)))
      await page.waitForLoadState('load')
      const box = (await page.locator(label).boundingBox())!
      const top = await visibleTop(page, width)
      assert.ok(box.y >= top, `${link}: the label is at ${box.y}, below a bar up to ${top}`)
      assert.ok(box.y < 450, `${link}: ${box.y}`)
    }
    // The browser moves to the first field that it does not accept. The last link led to builds.
    assert.equal(new URL(page.url()).pathname, at('builds'))
    await page.evaluate('scrollTo(0, 0)')
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    const version = page.locator('#upload :invalid:not(form, fieldset)').first()
    const label = page.locator(`label[for="${await version.getAttribute('id')}"]`)
    const box = (await label.boundingBox())!
    assert.ok(box.y >= (await visibleTop(page, width)), `the first invalid field: ${box.y}`)
    assert.deepEqual(problems, [])
  })

test('fields that the listing check needs are not called optional', async (t) => {
  const { owner, at } = await startDashboard(t)
  const { body } = await owner.open(at('page'))
  const labelOf = (id: string) =>
    (body.match(new RegExp(`<label for="${id}">(.*?)</label>`, 's')) ??
      body.match(new RegExp(`id="${id}"[^>]*>\\s*<legend>(.*?)</legend>`, 's')))?.[1]?.replace(
      /<[^>]*>/g,
      '',
    )
  for (const name of ['tags', 'genres', 'session_bucket', 'net', 'players_min', 'players_max'])
    assert.match(labelOf(`f-${name}`)!, / needed to publish$/, name)
  for (const name of ['tagline', 'engines', 'demo_url'])
    assert.match(labelOf(`f-${name}`)!, / optional$/, name)
})

test('a mod needs an engine to be published, but no genre', async (t) => {
  const { owner, at } = await startDashboard(t, { asset_type: 'mod' })
  const { body } = await owner.open(at('page'))
  assert.match(body, /Engines, up to 5 <span class="optional">needed to publish/)
  assert.match(body, /<label for="f-parent_game">[^<]* <span class="optional">needed to publish/)
  assert.doesNotMatch(body, /Genres[^<]*<span class="optional">needed/)
})

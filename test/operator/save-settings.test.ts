import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '../support/system-packages.ts'
import { openTab, startChromium } from '../web/chromium.ts'
import { startConsole } from './fixtures.ts'

test('a browser saves settings while switches are off, and after a refusal', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { operator, url, core } = await startConsole(t)
  const { token } = operator
  const { page, problems } = await openTab(await startChromium(t), url, { token })
  await page.goto('/operator/settings')
  const save = async () => {
    const loaded = page.waitForEvent('load')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await loaded
  }
  await page.locator('[name=store_name]').fill('Harbor')
  await page.locator('[name=powered_by]').uncheck()
  await page.locator('[name=asset_types][value=mod]').uncheck()
  await save()
  await page.getByText('Settings saved').waitFor()
  await page.locator('[name=min_price_cents]').fill('60000')
  await save()
  await page.getByText('The highest price must be at least the lowest').first().waitFor()
  await page.locator('[name=min_price_cents]').fill('200')
  await save()
  await page.getByText('Settings saved').waitFor()
  const { store_name, powered_by, asset_types, min_price_cents } = core.settings.current
  assert.deepEqual([store_name, powered_by, min_price_cents], ['Harbor', false, 200])
  assert.equal(asset_types.includes('mod'), false)
  assert.deepEqual(problems, [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertDeadJob } from '../admin/dead-jobs.ts'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { needs } from '../support/system-packages.ts'
import { openTab, startChromium } from '../web/chromium.ts'
import { layoutProblems } from '../web/layouts.ts'
import { SETTINGS, startConsole } from './fixtures.ts'

test('an operator brands the store and makes another operator in the console', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { a, url, operator, get } = await startConsole(t)
  const person = await a.user({ username: 'second-operator' })
  const browser = await startChromium(t)
  const { page, problems } = await openTab(browser, url, { token: operator.token })
  await page.goto(url)
  await page.locator('details.menu summary').click()
  await page.getByRole('link', { name: 'Operator' }).click()
  await page.getByRole('link', { name: 'Settings', exact: true }).last().click()
  await page.getByLabel('Name of the store').fill('Harbor Bell')
  await page.locator('[name=accent_color]').fill('#1b6f5c')
  assert.equal(await page.locator('.brand-preview .brand').innerText(), 'Harbor Bell')
  // The color of a button changes gradually.
  const color = `getComputedStyle(document.querySelector('.brand-preview .button')).backgroundColor`
  await eventually(
    'the color of the button',
    async () => (await page.evaluate(color)) === 'rgb(27, 111, 92)',
  )
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Settings saved').waitFor()
  assert.equal(await page.locator('.site-header .brand').innerText(), 'Harbor Bell')
  const { settings } = must(await get(SETTINGS, operator))
  assert.deepEqual([settings.store_name, settings.accent_color], ['Harbor Bell', '#1b6f5c'])

  await page.locator('[name=accent_color]').fill('#ffd400')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.locator('.error-text', { hasText: 'The contrast with the light background' }).waitFor()
  // The browser asks before unsaved changes are lost.
  await page.locator('[name=accent_color]').fill('#1b6f5c')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Settings saved').waitFor()

  await page.goto(`${url}/operator/people`)
  await page.getByRole('searchbox', { name: 'Username or email address' }).fill('second')
  await page.getByRole('button', { name: 'Search' }).last().click()
  await page.getByRole('link', { name: person.username }).click()
  await page.getByRole('button', { name: 'Verify address' }).click()
  await page.getByText('The address is verified').waitFor()
  await page.locator('summary', { hasText: 'Make operator' }).click()
  await page.getByRole('button', { name: 'Make operator' }).click()
  await page.getByText('This person is an operator now').waitFor()
  assert.deepEqual(problems, [])
})

test('pages of the console are accessible in both themes at two widths', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { a, url, operator, published, patch, sql } = await startConsole(t)
  const { owner } = await published({ name: 'Lantern Harbour' })
  await a.listing({ owner, name: 'Tide Draft' })
  await insertDeadJob(sql)
  const announcement = { text: 'Jam', url: '/jam', starts_on: '', ends_on: '' }
  const footer_links = [{ label: 'Imprint', url: '/imprint' }]
  const brand = { accent_color: '#1b6f5c', contact: 'a@b.example', announcement, footer_links }
  must(await patch(SETTINGS, brand, operator))
  const browser = await startChromium(t)
  const sections = [
    '',
    '/settings',
    '/settings/reports-webhook',
    '/people',
    `/people/${owner.uid}`,
    '/listings',
    '/jobs',
    '/security-events',
    '/moderation/decisions',
  ]
  // German words are longer than English ones.
  for (const [width, locale] of [
    [1280, 'en'],
    [390, 'de'],
  ] as const) {
    const { token } = operator
    const { page, problems } = await openTab(browser, url, { token, context: { locale } })
    for (const path of [...sections.map((section) => `/operator${section}`), '/'])
      assert.deepEqual(await layoutProblems(page, path, { widths: [width] }), [])
    assert.deepEqual(problems, [])
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertDeadJob } from '../admin/dead-jobs.ts'
import { must } from '../support/builders.ts'
import { needs } from '../support/system-packages.ts'
import { axeViolations, openTab, startChromium } from '../web/chromium.ts'
import { SETTINGS, startConsole } from './fixtures.ts'

test('pages of the console are accessible in both themes at two widths', async (t) => {
  if (!needs(t, 'chromium')) return
  const { a, url, operator, published, patch, sql } = await startConsole(t)
  const { owner } = await published({ name: 'Lantern Harbour' })
  await a.listing({ owner, name: 'Tide Draft' })
  await insertDeadJob(sql)
  const announcement = { text: 'Jam', url: '/jam', starts_on: '', ends_on: '' }
  const footer_links = [{ label: 'Imprint', url: '/imprint' }]
  const brand = { accent_color: '#1b6f5c', contact: 'a@b.example', announcement, footer_links }
  must(await patch(SETTINGS, brand, operator))
  const browser = await startChromium(t)
  const sections = ['', '/settings', '/people', `/people/${owner.uid}`, '/listings', '/jobs']
  for (const width of [1280, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, problems } = await openTab(browser, url, {
        token: operator.token,
        width,
        context: { colorScheme },
      })
      for (const path of [...sections.map((section) => `/operator${section}`), '/']) {
        await page.goto(url + path)
        const place = `${path} ${width} ${colorScheme}`
        assert.deepEqual(await axeViolations(page), [], place)
        const fits = await page.evaluate('document.documentElement.scrollWidth <= innerWidth')
        assert.ok(fits, `${place} scrolls sideways`)
      }
      assert.deepEqual(problems, [])
    }
})

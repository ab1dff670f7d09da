import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sections } from '../../src/web/dashboard/project-page.ts'
import { eventually } from '../support/app.ts'
import { addCopy } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { needs } from '../support/system-packages.ts'
import { openTab, startChromium } from './chromium.ts'
import { startStore } from './fixtures.ts'

const sharedStore = sharedInFile(startStore)

test('values that the search does not know are not shown as active filters', async (t) => {
  const { published, visitor } = await sharedStore(t)
  await published({ name: 'Lantern Harbour' })
  await eventually('the listing is in search', async () =>
    /Lantern Harbour/.test((await visitor().open('/search')).body),
  )
  const bad =
    '/search?tone=nonsense,cozy&players=many&os=beos&sort=sideways&engine=Not%20One&page=x' +
    '&engine_version=new&arch=z80&tags=%3Cb%3E&net=Offline'
  const { status, body } = await visitor().open(bad)
  assert.equal(status, 200)
  const chips = [...body.matchAll(/class="chip"[^>]*>(.*?)<span class="sr">, remove/gs)]
  assert.deepEqual(
    chips.map((match) => match[1]),
    ['Cozy', 'No multiplayer'],
  )
  assert.match(body, /Lantern Harbour/)
  assert.match(body, /<link rel="canonical" href="[^"]*\/search\?tone=cozy&amp;net=offline">/)
})

test('a page of results past the end leads to the last one', async (t) => {
  const { published, visitor } = await sharedStore(t)
  await published({ name: 'Lantern Harbour' })
  await eventually('the listing is in search', async () =>
    /Lantern Harbour/.test((await visitor().open('/search')).body),
  )
  const past = await visitor().open('/search?tone=cozy&page=99')
  assert.deepEqual([past.status, past.headers.location], [302, '/search?tone=cozy'])
  const empty = await visitor().open('/search?q=nothingatall&page=99')
  assert.equal(empty.status, 200, 'a search without results has no last page')
})

test('the filter sheet of a phone stays open and shows how many listings are left', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { published, visitor, url } = await startStore(t)
  await published({ name: 'Lantern Harbour' })
  await published({ name: 'Dark Water' }, {}, { tone: ['dark'] })
  await eventually('the listings are in search', async () =>
    /Dark Water/.test((await visitor().open('/search')).body),
  )
  const browser = await startChromium(t)
  const { page, problems } = await openTab(browser, url, { width: 390 })
  await page.goto(`${url}/search`)
  await page.getByRole('button', { name: 'Filters' }).click()
  const sheet = page.locator('#filters')
  await sheet.getByRole('button', { name: 'Show 2 listings' }).waitFor()
  await sheet.getByRole('link', { name: /^Dark/ }).click()
  await sheet.getByRole('button', { name: 'Show 1 listing', exact: true }).click()
  await page.getByRole('link', { name: 'Dark Water' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Lantern Harbour' }).count(), 0)
  assert.match(page.url(), /tone=dark/)
  assert.deepEqual(problems, [])
})

test('menus close with Esc and a click elsewhere, and a message by its button', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { a, published, url } = await sharedStore(t)
  const listing = await published()
  const browser = await startChromium(t)
  const { page, problems } = await openTab(browser, url, { token: (await a.verified()).token })
  await page.goto(url + listing.path)
  const menu = page.locator('details.menu')
  const link = page.getByRole('link', { name: 'Settings' })
  await menu.locator('summary').click()
  await link.waitFor()
  await page.keyboard.press('Escape')
  await link.waitFor({ state: 'hidden' })
  await menu.locator('summary').click()
  await link.waitFor()
  await page.locator('h1').click()
  await link.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Add to library' }).first().click()
  await page.getByText('Added to your library').waitFor()
  await page.getByRole('button', { name: 'Close message' }).click()
  await page.getByText('Added to your library').waitFor({ state: 'hidden' })
  assert.deepEqual(problems, [])
})

test('no page scrolls sideways on a screen of 320 pixels', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { a, published, url, sql } = await sharedStore(t)
  const listing = await published({ name: 'Lantern Harbour' })
  const player = await a.verified()
  await addCopy(sql, listing.uid, player.uid, 'grant')
  const browser = await startChromium(t)
  const project = `/dashboard/${listing.vanity_name}`
  const game = `/games/${listing.uid}`
  const pages = {
    nobody: ['/', '/search', '/search?q=none', listing.path, `${listing.path}/press`, '/login'],
    owner: [
      '/dashboard',
      '/dashboard/new',
      '/dashboard/import',
      ...sections.map(([name]) => `${project}/${name}`),
    ],
    player: [
      '/library',
      '/settings',
      '/settings/delete',
      '/account/keys',
      listing.path,
      `${game}/review`,
    ],
  }
  const tokens = { nobody: '', owner: listing.owner.token, player: player.token }
  const wide: string[] = []
  for (const [who, paths] of Object.entries(pages)) {
    const token = tokens[who as keyof typeof tokens]
    const { page, context } = await openTab(browser, url, { ...(token && { token }) })
    // German needs more room. The dashboard is in English.
    for (const locale of who === 'owner' ? ['en'] : ['en', 'de']) {
      await context.addCookies([{ name: 'svc_language', value: locale, url }])
      const noteWidth = async (path: string, width: number) => {
        await page.setViewportSize({ width, height: 900 })
        const excess = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        if (excess) wide.push(`${who} ${path} in ${locale} at ${width}: ${excess} pixels`)
      }
      for (const path of paths) {
        await page.setViewportSize({ width: 320, height: 900 })
        await page.goto(url + path)
        assert.equal(await page.locator('html').getAttribute('lang'), locale)
        await noteWidth(path, 320)
      }
      await page.goto(url)
      for (const width of [360, 390]) await noteWidth('/', width)
    }
  }
  assert.deepEqual(wide, [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, outbox } from '../support/app.ts'
import { must, PASSWORD } from '../support/builders.ts'
import { needs } from '../support/system-packages.ts'
import { seriousOf, sitDown, startChromium } from './chromium.ts'
import { startStore } from './fixtures.ts'
import { payloads } from './payloads.ts'

const countShifts = `shifts = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) shifts += entry.value
}).observe({ type: 'layout-shift', buffered: true })`

/** Elements with a handler, a link that is script, or script of their own. */
const suspicious = `[...document.querySelectorAll('*')].filter((one) =>
  [...one.attributes].some(({ name, value }) => name.startsWith('on') || /^\\s*javascript:/i.test(value)) ||
  (one.localName === 'script' && !one.hasAttribute('src') && one.type !== 'application/ld+json')).map((one) => one.outerHTML.slice(0, 100))`

test('a visitor finds a game by search on a phone, and downloads it signed out', async (t) => {
  if (!needs(t, 'chromium')) return
  const { published, put, url, visitor } = await startStore(t)
  const listing = await published({ name: 'Lantern Harbour' })
  must(
    await put(
      `/api/v1/private/games/${listing.uid}/anonymous-downloads`,
      { enabled: true, confirm_no_license: true },
      listing.owner,
    ),
  )
  await eventually('it is found', async () =>
    /Lantern Harbour/.test((await visitor().open('/search?q=lantern')).body),
  )
  const browser = await startChromium(t)
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  const { page, problems } = await sitDown(browser, url, undefined, 390, phone)
  await page.goto(url)
  await page.getByRole('searchbox').fill('lantern')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Lantern Harbour' }).click()
  await page.waitForURL(`**${listing.path}`)
  const button = page.getByRole('link', { name: /^Download/ })
  const box = (await button.boundingBox())!
  assert.ok(box.y + box.height <= 844, 'the download is within the first screen of a phone')
  assert.ok(
    await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
    'nothing sticks out sideways',
  )
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  assert.match(download.suggestedFilename(), /\.zip$/)
  await page.getByText('Checksum and origin').click()
  assert.ok(await page.getByText('A build machine').isVisible())
  assert.deepEqual(problems, [])
})

test('a newcomer registers, proves the address and becomes a developer, with the keyboard alone', async (t) => {
  if (!needs(t, 'chromium')) return
  const { url, data_dir } = await startStore(t)
  const browser = await startChromium(t)
  const { page, problems } = await sitDown(browser, url)
  await page.goto(`${url}/signup`)
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content')
  await page.getByLabel('Username').focus()
  for (const text of ['keys-only', 'keys@example.com', PASSWORD]) {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Send code' }).press('Enter')
  const mail = await eventually('the mail', () =>
    outbox(data_dir).find(({ to }) => to === 'keys@example.com'),
  )
  await page.getByLabel('Six-digit code').fill(mail.text.match(/\d{6}/)![0])
  await page.keyboard.press('Enter')
  await page.waitForURL('**/settings')
  await page.getByRole('checkbox', { name: /developer terms/ }).press('Space')
  await page.getByRole('button', { name: 'Become a developer' }).press('Enter')
  await page.waitForURL('**/dashboard')
  await page.goto(`${url}/settings`)
  assert.ok(await page.getByText('Developer mode is on').isVisible())
  assert.deepEqual(problems, [])
})

test('no page has a serious fault for people with a screen reader, in light or in dark', async (t) => {
  if (!needs(t, 'chromium')) return
  const { published, url, a, visitor, put } = await startStore(t)
  const listing = await published({ name: 'Lantern Harbour' })
  const kit = {
    quotes: [{ quote: 'It floats', source: 'A paper' }],
    credits: [{ name: 'Ada', role: 'Code' }],
    features: ['Tides'],
  }
  must(await put(`/api/v1/private/games/${listing.uid}/press`, kit, listing.owner))
  const player = await a.verified()
  must(await put(`/api/v1/private/settings/adult`, { show: false }, player))
  await eventually('it is found', async () =>
    /Lantern Harbour/.test((await visitor().open('/search')).body),
  )
  const browser = await startChromium(t)
  const game = `/games/${listing.uid}`
  const open = [
    '/',
    '/search',
    '/search?tone=cozy&exclude_genres=rpg&players=2',
    listing.path,
    '/login',
    '/signup',
    '/password/forgot',
    '/password/new',
    '/none/such',
  ]
  const more = ['/press', '/mods', '/reviews', '/embed'].map((path) => listing.path + path)
  const own = [
    '/library',
    '/settings',
    '/account/keys',
    '/account/approvals',
    '/settings/verify',
    `${game}/review`,
    `${game}/bug`,
    `${game}/tags`,
    listing.path,
  ]
  const file = `${game}/files/${listing.file_uid}`
  for (const scheme of ['light', 'dark'] as const) {
    const { page, context, problems } = await sitDown(browser, url, undefined, 1280, {
      colorScheme: scheme,
    })
    const look = async (path: string) => {
      await page.goto(url + path)
      assert.deepEqual(
        await seriousOf(page, scheme === 'dark' ? ['color-contrast'] : []),
        [],
        `${scheme} ${path}`,
      )
    }
    // Dark differs in its colours only.
    const some = [
      listing.path,
      '/search?tone=cozy&exclude_genres=rpg',
      '/login',
      `${listing.path}/press`,
    ]
    for (const path of scheme === 'light'
      ? [...open, ...more, `/${listing.owner.username}`, file]
      : some)
      await look(path)
    await context.addCookies([{ name: 'svc_session', value: (await a.user()).token, url }])
    for (const path of scheme === 'light' ? own : ['/settings', '/account/keys']) await look(path)
    assert.deepEqual(problems, [])
    await context.close()
  }
})

test('the pictures of a game are walked through with the keyboard, and nothing on the page jumps', async (t) => {
  if (!needs(t, 'chromium')) return
  const { published, url } = await startStore(t)
  const listing = await published()
  const browser = await startChromium(t)
  const { page, problems } = await sitDown(browser, url)
  await page.addInitScript(countShifts)
  await page.goto(url + listing.path, { waitUntil: 'networkidle' })
  assert.ok((await page.evaluate<number>('shifts')) < 0.01)
  await page.locator('.strip').focus()
  await page.keyboard.press('ArrowRight')
  await page.locator('.thumbs li:nth-child(2) a[aria-current]').waitFor()
  await page.keyboard.press('End')
  await page.locator('.thumbs li:last-child a[aria-current]').waitFor()
  await page.getByRole('button', { name: 'Previous image' }).click()
  await page.locator('.thumbs li:nth-last-child(2) a[aria-current]').waitFor()
  assert.deepEqual(problems, [])
})

test('a thousand attempts to run script through what people write: none runs', async (t) => {
  if (!needs(t, 'chromium')) return
  const { published, url, a, put, patch, signedIn, sql } = await startStore(t)
  const listing = await published()
  const api = `/api/v1/private/games/${listing.uid}`
  const browser = await startChromium(t)
  const { page, problems } = await sitDown(browser, url)
  const player = await a.verified()
  await signedIn(player).send(`/games/${listing.uid}/claim`)
  const all = payloads(1000)
  assert.equal(new Set(all).size, 1000)
  const line = (i: number) => all[i % all.length]!.replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
  const fits = (text: string, most: number) => [...text].slice(0, most).join('')
  // Long texts take a hundred each, short fields one: every payload goes through the long ones, many through all.
  for (let part = 0; part < 10; part++) {
    const some = all.slice(part * 100, part * 100 + 100)
    const text = fits(
      some.map((payload) => payload.replace(/(?![\n\t])\p{Cc}/gu, ' ')).join('\n\n'),
      20_000,
    )
    must(
      await patch(
        api,
        { name: fits(line(part), 80), tagline: fits(line(part * 7 + 1), 255), description: text },
        listing.owner,
      ),
    )
    must(
      await put(
        `${api}/taxonomy`,
        { authorship_credit: fits(line(part * 3 + 2), 120) },
        listing.owner,
      ),
    )
    const kit = {
      history: fits(text, 8000),
      features: some
        .slice(0, 20)
        .map((_, i) => fits(line(part * 100 + i), 200))
        .filter((one) => one.trim()),
    }
    must(
      await put(
        `${api}/press`,
        { ...kit, quotes: [{ quote: fits(line(part), 200), source: fits(line(part + 5), 80) }] },
        listing.owner,
      ),
    )
    must(await put(`${api}/review`, { enjoyed: true, quality: 3, text: fits(text, 4000) }, player))
    await sql`update builds set title = ${fits(line(part), 255)}, description = ${text}, changelog_items = ${sql.json([{ title: line(part + 9), description: line(part + 4) }])} where game_uid = ${listing.uid}`
    for (const path of [
      listing.path,
      `${listing.path}/press`,
      `${listing.path}/embed`,
      `${listing.path}/reviews`,
    ]) {
      await page.goto(url + path)
      assert.equal(await page.evaluate('globalThis.ran'), undefined, `${part} ${path}`)
    }
    for (const payload of some.slice(0, 2))
      await page.goto(
        `${url}/search?q=${encodeURIComponent(payload)}&tags=${encodeURIComponent(payload)}`,
      )
  }
  const shown = await page.goto(url + listing.path)
  assert.equal(shown!.status(), 200)
  // What looks like a handler or a script anywhere in the tree would be ours to explain.
  const found = await page.evaluate(suspicious)
  assert.deepEqual(found, [])
  assert.deepEqual(problems, [])
})

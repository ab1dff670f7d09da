import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, outbox } from '../support/app.ts'
import { codeIn, must, PASSWORD } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { needs } from '../support/system-packages.ts'
import { axeRules, axeViolations, countShifts, openTab, startChromium } from './chromium.ts'
import { startStore } from './fixtures.ts'
import { payloads } from './payloads.ts'
import { startStillChromium } from './still-chromium.ts'

const sharedStore = sharedInFile(startStore)

/** Elements with an event handler, a javascript: link or inline script. */
const scriptElements = `[...document.querySelectorAll('*')]
  .filter((element) =>
    [...element.attributes].some(({ name, value }) =>
      name.startsWith('on') || /^\\s*javascript:/i.test(value)) ||
    (element.localName === 'script' && !element.hasAttribute('src') &&
      element.type !== 'application/ld+json'))
  .map((element) => element.outerHTML.slice(0, 100))`

test('a visitor on a phone finds a game by search and downloads it signed out', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { published, put, url, visitor } = await sharedStore(t)
  const listing = await published({ name: 'Lantern Harbour' })
  must(
    await put(
      `/api/v1/private/games/${listing.uid}/anonymous-downloads`,
      { enabled: true, confirm_no_license: true },
      listing.owner,
    ),
  )
  await eventually('the listing is in search', async () =>
    /Lantern Harbour/.test((await visitor().open('/search?q=lantern')).body),
  )
  const browser = await startChromium(t)
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  const { page, problems } = await openTab(browser, url, { width: 390, context: phone })
  await page.goto(url)
  await page.getByRole('combobox', { name: 'Search the store' }).fill('lantern')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Lantern Harbour' }).click()
  await page.waitForURL(`**${listing.path}`)
  const button = page.getByRole('link', { name: /^Download/ })
  const box = (await button.boundingBox())!
  assert.ok(box.y + box.height <= 844, 'the download button is within the first screen of a phone')
  assert.ok(
    await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
    'the page does not scroll sideways',
  )
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  assert.match(download.suggestedFilename(), /\.zip$/)
  await page.getByText('Checksum and origin').click()
  assert.ok(await page.getByText('A build machine').isVisible())
  assert.deepEqual(problems, [])
})

test('a new user becomes a developer with the keyboard only', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, data_dir } = await sharedStore(t)
  const browser = await startChromium(t)
  const { page, problems } = await openTab(browser, url)
  await page.goto(`${url}/signup`)
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content')
  await page.getByLabel('Username').focus()
  for (const text of ['keys-only', 'keys@example.com', PASSWORD]) {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  const mail = await eventually('the mail', () =>
    outbox(data_dir).find(({ to }) => to === 'keys@example.com'),
  )
  await page.getByLabel('Six-digit code').fill(codeIn(mail.text))
  await page.keyboard.press('Enter')
  await page.waitForURL('**/settings')
  await page.getByRole('checkbox', { name: /developer terms/ }).press('Space')
  await page.getByRole('button', { name: 'Turn on developer mode' }).press('Enter')
  await page.waitForURL('**/dashboard')
  await page.goto(`${url}/settings`)
  assert.ok(await page.getByText('Developer mode is on').isVisible())
  assert.deepEqual(problems, [])
})

test('pages have no serious accessibility violation in light and dark mode', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { published, url, a, visitor, put } = await sharedStore(t)
  const listing = await published({ name: 'Quiet Harbour' })
  const kit = {
    quotes: [{ quote: 'It floats', source: 'A paper' }],
    credits: [{ name: 'Ada', role: 'Code' }],
    features: ['Tides'],
  }
  must(await put(`/api/v1/private/games/${listing.uid}/press`, kit, listing.owner))
  const player = await a.verified()
  must(await put(`/api/v1/private/settings/adult`, { show: false }, player))
  await eventually('the listing is in search', async () =>
    /Quiet Harbour/.test((await visitor().open('/search')).body),
  )
  const browser = await startStillChromium(t)
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
    '/settings/email',
    '/settings/email/confirm',
    '/settings/password',
    '/settings/export',
    '/settings/delete',
    `${game}/review`,
    `${game}/bug`,
    `${game}/tags`,
    listing.path,
  ]
  const file = `${game}/files/${listing.file_uid}`
  const { page, context, problems } = await openTab(browser, url)
  // Dark mode differs only in its colors, and these pages have all kinds of elements.
  const dark_pages = [
    listing.path,
    '/search?tone=cozy&exclude_genres=rpg&players=2',
    '/login',
    `${listing.path}/press`,
    '/settings',
    '/account/keys',
  ]
  const check = async (path: string) => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(url + path)
    assert.deepEqual(await axeViolations(page, axeRules('light')), [], `light ${path}`)
    if (!dark_pages.includes(path)) return
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    assert.deepEqual(await axeViolations(page, axeRules('dark')), [], `dark ${path}`)
  }
  for (const path of [...open, ...more, `/${listing.owner.username}`, file]) await check(path)
  await context.addCookies([{ name: 'svc_session', value: (await a.user()).token, url }])
  for (const path of own) await check(path)
  assert.deepEqual(problems, [])
})

test('the gallery works by keyboard, and the page does not shift', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { published, url } = await sharedStore(t)
  const listing = await published()
  const browser = await startChromium(t)
  const { page, problems } = await openTab(browser, url)
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

test('no script runs from 1,000 injection attempts in user content', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { published, url, a, put, patch, signedIn, sql } = await sharedStore(t)
  const listing = await published()
  const api = `/api/v1/private/games/${listing.uid}`
  const browser = await startChromium(t)
  const { page, problems } = await openTab(browser, url)
  const player = await a.verified()
  await signedIn(player).send(`/games/${listing.uid}/claim`)
  const all = payloads(1000)
  assert.equal(new Set(all).size, 1000)
  const line = (i: number) => all[i % all.length]!.replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
  const truncate = (text: string, max: number) => [...text].slice(0, max).join('')
  // A long text holds a hundred payloads, a short field one: each payload passes through the long
  // texts, and many pass through all fields.
  for (let part = 0; part < 10; part++) {
    const batch = all.slice(part * 100, part * 100 + 100)
    const text = truncate(
      batch.map((payload) => payload.replace(/(?![\n\t])\p{Cc}/gu, ' ')).join('\n\n'),
      20_000,
    )
    must(
      await patch(
        api,
        {
          name: truncate(line(part), 80),
          tagline: truncate(line(part * 7 + 1), 255),
          description: text,
        },
        listing.owner,
      ),
    )
    must(
      await put(
        `${api}/taxonomy`,
        { authorship_credit: truncate(line(part * 3 + 2), 120) },
        listing.owner,
      ),
    )
    const kit = {
      history: truncate(text, 8000),
      features: batch
        .slice(0, 20)
        .map((_, i) => truncate(line(part * 100 + i), 200))
        .filter((feature) => feature.trim()),
    }
    must(
      await put(
        `${api}/press`,
        {
          ...kit,
          quotes: [{ quote: truncate(line(part), 200), source: truncate(line(part + 5), 80) }],
        },
        listing.owner,
      ),
    )
    must(
      await put(`${api}/review`, { enjoyed: true, quality: 3, text: truncate(text, 4000) }, player),
    )
    const changes = [{ title: line(part + 9), description: line(part + 4) }]
    await sql`
      update builds
      set title = ${truncate(line(part), 255)}, description = ${text},
        changelog_items = ${sql.json(changes)}
      where game_uid = ${listing.uid}`
    const [press, embed, reviews] = ['press', 'embed', 'reviews'].map(
      (page) => `${listing.path}/${page}`,
    )
    for (const path of [
      listing.path,
      part % 2 ? press! : reviews!,
      ...(part % 5 ? [] : [embed!]),
    ]) {
      await page.goto(url + path)
      assert.equal(await page.evaluate('globalThis.ran'), undefined, `${part} ${path}`)
    }
    for (const payload of batch.slice(0, 1))
      await page.goto(
        `${url}/search?q=${encodeURIComponent(payload)}&tags=${encodeURIComponent(payload)}`,
      )
  }
  const response = await page.goto(url + listing.path)
  assert.equal(response!.status(), 200)
  assert.deepEqual(await page.evaluate(scriptElements), [])
  assert.deepEqual(problems, [])
})

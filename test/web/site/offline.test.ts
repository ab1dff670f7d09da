import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { eventually } from '../../support/app.ts'
import { sharedInFile } from '../../support/shared.ts'
import { needs } from '../../support/system-packages.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'
import { startStore } from '../fixtures.ts'

const sharedStore = sharedInFile((t) => startStore(t, { LANGUAGES: 'en,de' }))

test('pages name icons and a manifest, which exist in their sizes', async (t) => {
  const { url, get } = await sharedStore(t)
  const { body } = await get('/')
  const hrefOf = (rel: string, type: string) =>
    body.match(new RegExp(`<link rel="${rel}"[^>]*${type}[^>]*href="([^"]+)"`))?.[1] as string
  const sizeOf = async (path: string) => {
    const response = await fetch(url + path)
    assert.equal(response.status, 200, path)
    assert.equal(response.headers.get('content-type'), 'image/png')
    const { width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata()
    assert.equal(width, height)
    return width
  }
  assert.equal(await sizeOf(hrefOf('icon', 'image/png')), 32)
  assert.equal(await sizeOf(hrefOf('apple-touch-icon', '180x180')), 180)
  assert.equal(
    (await get(hrefOf('icon', 'svg'))).headers['content-type'],
    'image/svg+xml; charset=utf-8',
  )
  const favicon = await fetch(`${url}/favicon.ico`)
  const bytes = Buffer.from(await favicon.arrayBuffer())
  assert.equal(favicon.headers.get('content-type'), 'image/x-icon')
  assert.deepEqual([...bytes.subarray(0, 8)], [0, 0, 1, 0, 1, 0, 32, 32])
  assert.equal((await sharp(bytes.subarray(bytes.readUInt32LE(18))).metadata()).width, 32)

  for (const [language, name] of [
    ['en', /^Slipway: games/],
    ['de', /^Slipway: Spiele/],
  ] as const) {
    const headers = { 'accept-language': language }
    const manifest = await get('/manifest.webmanifest', { headers })
    assert.match(manifest.headers['content-type']!, /^application\/manifest\+json/)
    assert.match(manifest.headers.vary!, /Accept-Language/)
    const { lang, name: full_name, icons, start_url } = JSON.parse(manifest.body)
    assert.equal(lang, language)
    assert.match(full_name, name)
    assert.equal(start_url, '/')
    const maskable = icons.filter(({ purpose }: { purpose: string }) => purpose === 'maskable')
    const sizes = maskable.map(({ src }: { src: string }) => sizeOf(src))
    assert.deepEqual(await Promise.all(sizes), [192, 512])
  }
})

test('without network a page of the store is answered by the offline page', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url } = await sharedStore(t)
  const { page, context, problems } = await openTab(await startChromium(t), url, {
    context: { serviceWorkers: 'allow', locale: 'de' },
  })
  await page.goto(url)
  await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
  await page.goto(`${url}/search`)
  assert.match(await page.innerText('h1'), /Stöbern/, 'with network nothing changes')
  const kept = await page.evaluate<string[]>(`(async () => {
    const names = await caches.keys()
    const requests = await Promise.all(names.map(async (n) => (await caches.open(n)).keys()))
    return requests.flat().map(({ url }) => new URL(url).pathname)
  })()`)
  assert.deepEqual(kept, ['/offline.html'], 'nothing else is kept')
  await context.setOffline(true)
  await page.goto(`${url}/search?q=a`)
  assert.equal(await page.innerText('h1'), 'Du bist offline')
  assert.notEqual(
    await page.evaluate('getComputedStyle(document.querySelector("main")).borderTopWidth'),
    '0px',
    'the policy allows its style',
  )
  assert.deepEqual(await axeViolations(page), [])
  await context.setOffline(false)
  await page.getByRole('link').click()
  await page.waitForFunction(`document.querySelector('input[name=q]')?.value === 'a'`)
  assert.deepEqual(problems, [])
})

test('fonts of other alphabets load where a page has their letters', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, published } = await sharedStore(t)
  const plain = await published({ name: 'Lantern Harbour' })
  const polish = await published({ name: 'Zażółć gęślą jaźń' }, { tagline: 'Ćma i łódź' })
  const { page, problems } = await openTab(await startChromium(t), url)
  const fontsOf = async (path: string) => {
    await page.goto(url + path, { waitUntil: 'networkidle' })
    const names = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name)`,
    )
    return names
      .flatMap((name) => name.match(/assets\/([a-z-]+)-\w+\.woff2$/)?.[1] ?? [])
      .filter((name) => /-(ext|cyrillic)/.test(name))
  }
  assert.deepEqual(await fontsOf(plain.path), [])
  const names = await fontsOf(polish.path)
  assert.ok(names.includes('names-ext') && names.includes('text-ext'), names.join(' '))
  assert.deepEqual(problems, [])
})

test('systems have names, bold text is not heavy, and small images suit little data', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, get, published } = await sharedStore(t)
  const listing = await published({ name: 'Lantern Harbour' })
  const { page } = await openTab(await startChromium(t), url)
  // The home page of a visitor before may be served for some seconds more.
  await eventually('the home page to show the listing', async () => {
    await page.goto(url)
    return page.getByRole('img', { name: 'Linux' }).first().isVisible()
  })
  const weights = await page.evaluate<string[]>(
    `[...document.querySelectorAll('h3, strong, b, th, .button')]
      .map((element) => getComputedStyle(element).fontWeight)`,
  )
  assert.ok(weights.length > 0)
  for (const weight of weights) assert.ok(Number(weight) <= 600, weight)
  const source =
    /<source media="\(prefers-reduced-data: reduce\)" type="image\/avif" srcset="[^"]+-320-/
  const body = await eventually('a small image for little data', async () => {
    const home = await get('/')
    return source.test(home.body) && home.body
  })
  assert.match(body, /<link rel="preload" as="image"/)
  const saving = await get('/', { headers: { 'save-data': 'on' } })
  assert.doesNotMatch(saving.body, /<link rel="preload" as="image"/)
  assert.match(saving.headers.vary!, /Save-Data/)

  await page.goto(`${url}${listing.path}/press`)
  await page.emulateMedia({ media: 'print' })
  for (const selector of ['.site-header', '.site-footer', 'main .button'])
    assert.equal(await page.locator(selector).first().isVisible(), false, selector)
  assert.equal(await page.locator('h1').isVisible(), true)
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { must, refused } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { openTab, startChromium } from '../chromium.ts'
import { startStore } from '../fixtures.ts'

const sharedStore = sharedInFile(startStore)

const THEME = '/api/v1/private/settings/theme'
const FORM = '/settings/theme'
const themeOf = (body: string) => body.match(/<html [^>]*data-theme="(\w+)"/)?.[1]
const form = (theme: string, headers: Record<string, string> = {}) => ({
  headers: {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
    ...headers,
  },
  raw: new URLSearchParams({ theme }).toString(),
})

test('a page has the theme of the account, of the cookie, or follows the system', async (t) => {
  const { get, put, a } = await sharedStore(t)
  const open = async (cookie: string) =>
    themeOf((await get('/search', { headers: { cookie } })).body)
  assert.equal(await open(''), undefined)
  assert.equal(await open('svc_theme=dark'), 'dark')
  assert.equal(await open('svc_theme=light; other=1'), 'light')
  for (const value of ['auto', 'black', '"', 'darker'])
    assert.equal(await open(`svc_theme=${value}`), undefined)

  const person = await a.user()
  const session = `svc_session=${person.token}; svc_theme=dark`
  assert.equal(await open(session), 'dark', 'an account without a choice leaves it to the cookie')
  assert.deepEqual(must(await put(THEME, { theme: 'light' }, person)), { theme: 'light' })
  assert.equal(await open(session), 'light')
  assert.deepEqual(must(await put(THEME, { theme: 'auto' }, person)), { theme: 'auto' })
  assert.equal(await open(session), undefined)
  for (const theme of ['black', '', 5, null, 'DARK'])
    assert.deepEqual(refused(await put(THEME, { theme }, person)), [400, 4000])
})

test('the cached page of a listing and an error page have the theme too', async (t) => {
  const { get, published } = await sharedStore(t)
  const { path } = await published()
  for (const url of [path, '/no/such/page', '/']) {
    const open = async (cookie: string) =>
      (await get(url, { headers: { cookie, accept: 'text/html' } })).body
    assert.equal(themeOf(await open('svc_theme=dark')), 'dark', url)
    assert.equal(themeOf(await open('')), undefined, `${url} after the dark page`)
    assert.equal(themeOf(await open('svc_theme=light')), 'light', url)
  }
})

test('the choice is remembered by the browser and the account, and leads back', async (t) => {
  const { call, get, a } = await sharedStore(t)
  const chosen = await call(
    'POST',
    FORM,
    form('dark', { referer: 'http://any.example/search?q=a' }),
  )
  assert.equal(chosen.status, 303)
  assert.equal(chosen.headers.location, '/search?q=a')
  assert.match(chosen.headers['set-cookie']!, /^svc_theme=dark; /)
  assert.equal((await call('POST', FORM, form('black'))).status, 404)
  assert.equal(
    (await call('POST', FORM, form('dark', { 'sec-fetch-site': 'cross-site' }))).status,
    403,
  )

  const person = await a.user()
  const cookie = `svc_session=${person.token}`
  await call('POST', FORM, form('dark', { cookie }))
  const { body } = await get('/settings', { headers: { cookie } })
  assert.equal(themeOf(body), 'dark', 'the account remembers it on other devices')
  assert.match(body, /value="dark"\s+aria-current="true"/)
})

test('the dark colors of the system and of the choice are the same', () => {
  const css = readFileSync(new URL('../../../src/web/assets/tokens.css', import.meta.url), 'utf8')
  const colorsAfter = (selector: string) => {
    const start = css.indexOf('{', css.indexOf(selector))
    assert.notEqual(start, -1, selector)
    return css.slice(start, css.indexOf('}', start)).replace(/\s+/g, ' ')
  }
  assert.match(colorsAfter(':root:where([data-theme="dark"])'), /--bg: /)
  assert.equal(
    colorsAfter(':root:where(:not([data-theme="light"]))'),
    colorsAfter(':root:where([data-theme="dark"])').replace('color-scheme: dark; ', ''),
  )
})

test('in a browser without script, the chosen theme wins over that of the system', async (t) => {
  const { url } = await sharedStore(t)
  const browser = await startChromium(t)
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = { javaScriptEnabled: false, colorScheme }
    const { page, context: tab } = await openTab(browser, url, { context })
    // Without script in the page, the browser still evaluates what the test asks.
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const dark = 'rgb(13, 21, 29)'
    const light = 'rgb(246, 243, 236)'
    await page.goto('/search')
    assert.equal(await background(), colorScheme === 'dark' ? dark : light)
    await page.getByRole('button', { name: 'Dark' }).click()
    await page.waitForURL('**/search')
    assert.equal(await background(), dark)
    await page.emulateMedia({ media: 'print' })
    assert.equal(await background(), 'rgb(255, 255, 255)', 'paper is white')
    await page.emulateMedia({ media: null })
    await page.getByRole('button', { name: 'Light' }).click()
    await page.locator('html[data-theme="light"]').waitFor({ state: 'attached' })
    assert.equal(await background(), light)
    await page.getByRole('button', { name: 'Automatic' }).click()
    await page.locator('html:not([data-theme])').waitFor({ state: 'attached' })
    assert.equal(await background(), colorScheme === 'dark' ? dark : light)
    await tab.close()
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../support/app.ts'
import { sharedInFile } from '../../support/shared.ts'
import { needs } from '../../support/system-packages.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'
import { startStore } from '../fixtures.ts'

const sharedStore = sharedInFile((t) => startStore(t, { LANGUAGES: 'en,de' }))

test('the search box suggests while typing, and the keyboard chooses', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, get, published } = await sharedStore(t)
  const { path } = await published({ name: 'Tidal Bells' })
  await eventually('the listing in the search', async () =>
    (await get('/search/suggestions?q=tid')).body.includes(path),
  )
  const { page, problems } = await openTab(await startChromium(t), url, {})
  await page.goto(url)
  const box = page.getByRole('combobox')
  await box.pressSequentially('ti')
  const options = page.getByRole('option')
  await options.first().waitFor()
  assert.match(await options.first().innerText(), /Tidal Bells\s+by /)
  assert.equal(await box.getAttribute('aria-expanded'), 'true')
  assert.deepEqual(await axeViolations(page), [])

  await box.press('ArrowDown')
  assert.equal(await box.getAttribute('aria-activedescendant'), 'suggestion-0')
  assert.equal(await options.first().getAttribute('aria-selected'), 'true')
  await box.press('ArrowUp')
  assert.equal(await box.getAttribute('aria-activedescendant'), null)
  await box.press('Escape')
  assert.equal(await box.getAttribute('aria-expanded'), 'false')
  assert.equal(await options.count(), 0, 'a closed list is not read out')

  await box.pressSequentially('d')
  await options.first().waitFor()
  await box.press('ArrowDown')
  await box.press('Enter')
  await page.waitForURL(`**${path}`)
  assert.deepEqual(problems, [])
})

test('suggestions name the values of filters in the language of the visitor', async (t) => {
  const { get } = await sharedStore(t)
  const english = (await get('/search/suggestions?q=puz')).body
  assert.match(english, /href="\/search\?genres=puzzle"/)
  assert.match(english, /<span>Puzzle<\/span>\s+<small>Genres<\/small>/)
  const headers = { 'accept-language': 'de' }
  const german = (await get('/search/suggestions?q=gem', { headers })).body
  assert.match(german, /href="\/search\?tone=cozy"/)
  assert.equal((await get('/search/suggestions?q=p')).body.trim(), '')
  assert.match((await get('/search/suggestions?q=%3Cscript%3E')).body, /^\s*$/)
})

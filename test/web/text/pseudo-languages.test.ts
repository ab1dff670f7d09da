import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sections } from '../../../src/web/dashboard/project-page.ts'
import { addCopy } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { needs } from '../../support/system-packages.ts'
import { openPage, openTab, startChromium } from '../chromium.ts'
import { startStore } from '../fixtures.ts'

const assets = join(import.meta.dirname, '../../../src/web/assets')

/** Properties that name a side of the screen instead of the start or end of a line. */
const PHYSICAL = new RegExp(
  [
    String.raw`^\s*(?:margin|padding|border)-(?:left|right)\b`,
    String.raw`^\s*(?:left|right|float|clear): `,
    String.raw`^\s*text-align: (?:left|right)`,
    String.raw`^\s*border-(?:top|bottom)-(?:left|right)-radius`,
  ].join('|'),
)

test('style sheets name the start and end of a line, not the left and right side', () => {
  const physical = globSync('*.css', { cwd: assets }).flatMap((name) =>
    readFileSync(join(assets, name), 'utf8')
      .split('\n')
      .flatMap((line, i) => (PHYSICAL.test(line) ? [`${name}:${i + 1}: ${line.trim()}`] : [])),
  )
  assert.deepEqual(physical, [])
})

/** Finds texts of a page that are cut off, or reach out of the window. */
const findClippedTexts = `(() => {
  const style = (element) => getComputedStyle(element)
  const isScrollable = (element) => /auto|scroll/.test(style(element).overflowX)
  const isInScroller = (element) =>
    element !== null && (isScrollable(element) || isInScroller(element.parentElement))
  const hasText = ({ childNodes }) =>
    [...childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '')
  const problems = []
  if (document.documentElement.scrollWidth > innerWidth) problems.push('the page scrolls')
  for (const element of document.body.querySelectorAll('*')) {
    const { overflowX, textOverflow, visibility } = style(element)
    // Names that people chose end with an ellipsis where they have no room.
    if (!hasText(element) || visibility === 'hidden' || textOverflow === 'ellipsis') continue
    if (element.closest('.sr, .skip, .brand, option') || !element.getClientRects().length) continue
    const { left, right } = element.getBoundingClientRect()
    const text = element.textContent.trim().slice(0, 40)
    const is_cut = overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1
    if (is_cut && !isScrollable(element)) problems.push('cut off: ' + text)
    if ((left < -1 || right > innerWidth + 1) && !isInScroller(element))
      problems.push('outside of the window: ' + text)
  }
  return [...new Set(problems)]
})()`

const clippedTexts = (page: Page) => page.evaluate(findClippedTexts) as Promise<string[]>

test('the search for clipped texts finds one that is cut off, and one outside', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const page = await openPage(t)
  const style = 'width: 40px; overflow: hidden; white-space: nowrap'
  await page.setContent(`<p style="${style}">Much too long</p><p>This one fits</p>`)
  assert.deepEqual(await clippedTexts(page), ['cut off: Much too long'])
  await page.setContent('<!doctype html><p style="position: absolute; right: -50px">Outside</p>')
  assert.deepEqual(await clippedTexts(page), ['the page scrolls', 'outside of the window: Outside'])
})

/** A folder to write screenshots to, for a person who looks at them. */
const { SCREENSHOTS } = process.env

const locales = ['en-XA', 'ar-XB']
const sharedStore = sharedInFile((t) => startStore(t, { LANGUAGES: ['en', ...locales].join() }))

for (const locale of locales)
  test(`no page in ${locale} scrolls sideways or cuts off its text`, async (t) => {
    if (!needs(t, 'chromium-headless-shell')) return
    const { a, published, url, sql } = await sharedStore(t)
    const listing = await published({ name: 'Lantern Harbour' })
    const player = await a.verified()
    await addCopy(sql, listing.uid, player.uid, 'grant')
    const project = `/dashboard/${listing.vanity_name}`
    const visits = [
      { paths: ['/', '/search', listing.path, `${listing.path}/press`, '/signup'] },
      {
        who: player,
        paths: ['/library', '/settings', listing.path, `/games/${listing.uid}/review`],
      },
      {
        who: listing.owner,
        paths: ['/dashboard', '/dashboard/new', ...sections.map(([name]) => `${project}/${name}`)],
      },
    ]
    const browser = await startChromium(t)
    const problems: string[] = []
    for (const { who, paths } of visits) {
      const { page, context } = await openTab(browser, url, { ...(who && { token: who.token }) })
      await context.addCookies([{ name: 'svc_language', value: locale, url }])
      for (const path of paths) {
        await page.goto(path)
        assert.equal(await page.locator('html').getAttribute('lang'), locale)
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 900 })
          for (const problem of await clippedTexts(page))
            problems.push(`${path} at ${width} pixels: ${problem}`)
          const name = `${locale}-${width}${path.replaceAll('/', '-')}.png`
          if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, name) })
        }
      }
      await context.close()
    }
    assert.deepEqual(problems, [])
  })

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { must } from '../support/builders.ts'
import { needs } from '../support/system-packages.ts'
import { countShifts, openTab, startChromium } from './chromium.ts'
import { startStore } from './fixtures.ts'

const MAX_HTML = 30_000
const MAX_SCRIPT = 20_000

test('a full listing page is small and its layout does not shift', async (t) => {
  const { published, url, put, a, signedIn, visitor } = await startStore(
    t,
    {},
    { renditions: true },
  )
  const listing = await published({ name: 'Lantern Harbour' })
  const api = `/api/v1/private/games/${listing.uid}`
  const kit = { quotes: [{ quote: 'It floats', source: 'A paper' }], features: ['Tides'] }
  must(await put(`${api}/press`, kit, listing.owner))
  for (let i = 0; i < 3; i++) {
    const player = await a.verified()
    await signedIn(player).submit(`/games/${listing.uid}/claim`)
    must(
      await put(
        `${api}/review`,
        { enjoyed: true, quality: 4, text: `It floats, time and again. ${i}` },
        player,
      ),
    )
  }
  const { body } = await visitor().open(listing.path)
  assert.match(body, /time and again/)
  const size = gzipSync(body).length
  assert.ok(size < MAX_HTML, `${size} bytes of HTML`)
  const scripts = [...body.matchAll(/<script type="module" src="([^"]+)"/g)].map(
    (match) => match[1]!,
  )
  assert.ok(scripts.length > 0)
  const sizes = await Promise.all(
    scripts.map(async (path) => (await (await fetch(url + path)).text()).length),
  )
  const script = sizes.reduce((sum, size) => sum + size, 0)
  assert.ok(script < MAX_SCRIPT, `${script} bytes of script`)
  if (!needs(t, 'chromium-headless-shell')) return
  const browser = await startChromium(t)
  const { page } = await openTab(browser, url)
  await page.addInitScript(countShifts)
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    for (const path of [listing.path, '/', '/search']) {
      await page.goto(url + path, { waitUntil: 'networkidle' })
      assert.equal(await page.evaluate<number>('shifts'), 0, `${path} at ${width}`)
    }
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { earlySizes, lateSizes } from '../../../src/listings/renditions/rendition-rules.ts'
import { hashOf, mediaOf } from '../../listings/media/fixtures.ts'
import { eventually } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { form } from '../../support/images.ts'
import { needs } from '../../support/system-packages.ts'
import { openTab, startChromium } from '../chromium.ts'
import { startStore } from '../fixtures.ts'
import { grainyPngs, renditionsOf } from './grainy-images.ts'
import { devices, measurePage } from './measure-page.ts'

const MAX_BYTES = 250_000
const MAX_SCRIPT = 20_000
const MAX_SHIFT = 0.02
const MAX_FIRST_CARD = 400

// What depends on the speed of the machine, such as the time of the largest paint, is measured by
// bench/website/page-load.ts.
test('home, search and listing load little, shift nothing and start with an image', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const store = await startStore(t)
  const { url, get, post, published } = store
  const listings: Awaited<ReturnType<typeof published>>[] = []
  const covers = await grainyPngs(Array.from({ length: 3 }, () => [1024, 576] as const))
  const thumbnails = await grainyPngs(Array.from({ length: 3 }, () => [960, 540] as const))
  for (const [nth, cover] of covers.entries()) {
    const listing = await published({ name: `Lantern Harbour ${nth + 1}` })
    listings.push(listing)
    const send = async (kind: string, bytes: Buffer) => {
      const sent = await form({ kind }, [{ bytes }])
      return must(await post(mediaOf(listing), undefined, { token: listing.owner.token, ...sent }))
    }
    await send('cover', cover)
    const media = await send('thumbnail', thumbnails[nth]!)
    await renditionsOf(store, [hashOf(media.cover), hashOf(media.thumbnail)])
    // The page of the first one is opened.
    const gallery = media.gallery.map(({ url }: { url: string }) => hashOf(url))
    if (nth === 0) await renditionsOf(store, gallery, [...earlySizes, ...lateSizes])
  }
  await eventually('the listings in the search', async () => {
    const { body } = await get('/search')
    return listings.every(({ vanity_name }) => body.includes(vanity_name))
  })
  const browser = await startChromium(t)
  const pages = { home: '/', search: '/search?q=lantern', listing: listings[0]!.path }
  for (const [device, options] of Object.entries(devices))
    for (const [name, path] of Object.entries(pages)) {
      const load = await measurePage(browser, url + path, options)
      const where = `${name} on a ${device}: ${JSON.stringify(load)}`
      t.diagnostic(where)
      assert.ok(load.bytes <= MAX_BYTES, where)
      assert.ok(load.script_bytes <= MAX_SCRIPT, where)
      assert.ok(load.shift <= MAX_SHIFT, where)
      assert.equal(load.largest.tag, 'IMG', where)
      // The images of a search have one size, so that any of them may be painted first.
      if (name === 'search')
        assert.match((await get(path)).body, /<img[^>]*fetchpriority="high"/, where)
      else {
        assert.equal(load.largest.priority, 'high', where)
        assert.ok(load.largest.is_preloaded, where)
      }
      const sheets = load.blocking.filter((file) => file.endsWith('.css'))
      assert.equal(sheets.length, 1, where)
      assert.ok(load.blocking.length <= 3, where)
    }
  const { page } = await openTab(browser, url)
  await page.goto(url)
  for (const width of [320, 390, 768, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    const top = await page.evaluate<number>(
      `document.querySelector('.card').getBoundingClientRect().top`,
    )
    assert.ok(top < MAX_FIRST_CARD, `the first card is at ${top} px of a screen of ${width}`)
  }
})

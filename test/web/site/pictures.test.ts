import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  type Rendition,
  renditionKey,
  renditionPath,
} from '../../../src/listings/renditions/rendition-rules.ts'
import { hashOf, mediaOf } from '../../listings/media/fixtures.ts'
import { eventually } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { form } from '../../support/images.ts'
import { needs } from '../../support/system-packages.ts'
import { countShifts, openTab, startChromium } from '../chromium.ts'
import { startStore } from '../fixtures.ts'
import { grainyPngs, renditionsOf } from './grainy-images.ts'

type Store = Awaited<ReturnType<typeof startStore>>
type Published = Awaited<ReturnType<Store['published']>>

const MAX_LISTING = 400_000
const MAX_CARD = 25_000

async function mediaHashes({ get }: Store, listing: Published) {
  const media = must(await get(mediaOf(listing), listing.owner))
  return {
    cover: hashOf(media.cover),
    thumbnail: hashOf(media.thumbnail),
    gallery: media.gallery.map(({ url }: { url: string }) => hashOf(url)) as string[],
  }
}

const ready = ({ core }: Store, rendition: Rendition) =>
  eventually(`rendition ${rendition.width}`, () =>
    core.storage.stat(renditionKey(rendition)).then((object) => object ?? undefined),
  )

const inSearch = ({ visitor }: Store, name: string) =>
  eventually(`${name} in search`, async () =>
    new RegExp(name).test((await visitor().open('/search')).body),
  )

const elements = (body: string, name: string) =>
  [...body.matchAll(new RegExp(`<${name} [^>]*>`, 'g'))].map(([element]) => element)

test('every page offers renditions by width, and originals only as links', async (t) => {
  const store = await startStore(t, {}, { renditions: true })
  const listing = await store.published({ name: 'Lantern Harbour' })
  const { cover, thumbnail, gallery } = await mediaHashes(store, listing)
  for (const sha256 of [cover, thumbnail, ...gallery])
    await ready(store, { sha256, width: 640, format: 'avif' })
  await inSearch(store, 'Lantern Harbour')
  const owner = store.signedIn(listing.owner)
  await owner.submit(`/games/${listing.uid}/claim`)
  const pages: [path: string, sha256s: string[]][] = [
    ['/', [cover]],
    ['/search', [thumbnail]],
    [`/${listing.owner.username}`, [thumbnail]],
    [listing.path, [cover, ...gallery]],
    [`${listing.path}/press`, [cover, thumbnail, ...gallery]],
    [`${listing.path}/embed`, [thumbnail]],
    ['/library', [thumbnail]],
    [`/dashboard/${listing.vanity_name}/images`, [cover, thumbnail, ...gallery]],
  ]
  const addresses = new Set<string>()
  for (const [path, sha256s] of pages) {
    const { body, status } = await owner.open(path)
    assert.equal(status, 200, path)
    // The image of the lightbox gets its address when it opens.
    for (const image of elements(body, 'img').filter((element) => element.includes(' src='))) {
      assert.match(image, / width="\d+" height="\d+"/, path)
      assert.match(image, / alt="/, path)
      assert.doesNotMatch(image, /media\/images/, `${path} loads an original`)
    }
    assert.equal(elements(body, 'source').length > 0, true, path)
    assert.match(body, /<img class="placeholder" src="data:image\/webp;base64,/, path)
    for (const sha256 of sha256s) {
      assert.ok(body.includes(`${renditionPath({ sha256, width: 640, format: 'avif' })}`), path)
      assert.ok(
        body.includes(`${renditionPath({ sha256, width: 320, format: 'webp' })} 320w`) ||
          body.includes(`${renditionPath({ sha256, width: 640, format: 'webp' })} 640w`),
        path,
      )
    }
    assert.doesNotMatch(body, /-1920-v1/, `${path}: no original is that wide`)
    for (const [address] of body.matchAll(/\/media\/renditions\/[^" ]+/g)) addresses.add(address)
  }
  // The images of the gallery differ in nothing but their content.
  const repeated = gallery.slice(1)
  for (const address of addresses) {
    if (repeated.some((sha256) => address.includes(sha256))) continue
    const { status } = await store.get(address)
    assert.ok(status === 200 || status === 302, `${status} ${address}`)
  }
  const { body } = await owner.open(listing.path)
  assert.ok(body.includes(`/media/images/${cover}.png" id="picture-0"`), 'no link to the original')
  // The cover is 1024 pixels wide, the gallery 1280.
  assert.ok(!body.includes(renditionPath({ sha256: cover, width: 1280, format: 'avif' })))
  assert.ok(body.includes(renditionPath({ sha256: gallery[0]!, width: 1280, format: 'avif' })))
})

test('a page shows the original of an image that is small or cannot be decoded', async (t) => {
  const store = await startStore(t)
  const listing = await store.published({ name: 'Lantern Harbour' })
  const { cover } = await mediaHashes(store, listing)
  await store.sql`
    insert into image_previews (sha256, encoder, decodable, placeholder)
    values (${cover}, 1, false, '')
    on conflict (sha256) do update set decodable = false, placeholder = ''`
  const { body } = await store.visitor().open(`${listing.path}/press`)
  const image = elements(body, 'img').find((element) => element.includes('Cover art'))!
  assert.match(image, new RegExp(`src="[^"]*/media/images/${cover}.png"`))
  assert.match(image, /width="1024" height="576"/)
  const small = await store.published({ name: 'Small' })
  await store.sql`update listing_images set width = 100 where game_uid = ${small.uid}`
  const { body: small_body } = await store.visitor().open(`${small.path}/press`)
  assert.equal(elements(small_body, 'source').length, 0)
  assert.equal(elements(small_body, 'img').length, 6)
})

/** Counts the bytes of responses as they arrive over the network, by the type of resource. */
async function countBytes(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const types = new Map<string, string>()
  const urls = new Map<string, string>()
  const loaded: { url: string; type: string; bytes: number }[] = []
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    types.set(requestId, type)
    urls.set(requestId, response.url)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength: bytes }) => {
    const url = urls.get(requestId) ?? ''
    if (!url.startsWith('data:')) loaded.push({ url, type: types.get(requestId) ?? '', bytes })
  })
  return loaded
}

const total = (loaded: { bytes: number }[]) => loaded.reduce((sum, { bytes }) => sum + bytes, 0)

test('a phone loads little of a listing with four grainy images of 6 MB', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const store = await startStore(t)
  const { url, post, del } = store
  const listing = await store.published({ name: 'Lantern Harbour' })
  const before = must(await store.get(mediaOf(listing), listing.owner))
  const large = [2048, 1152] as const
  const images = await grainyPngs([large, large, large, large, large, [1600, 900]])
  const [cover_image, thumbnail_image] = images.splice(4)
  for (const { length } of images) assert.ok(length > 6_000_000, `${length}`)
  const send = async (kind: string, bytes: Buffer) =>
    must(
      await post(mediaOf(listing), undefined, {
        token: listing.owner.token,
        ...(await form({ kind }, [{ bytes }])),
      }),
    )
  for (const bytes of images) await send('gallery', bytes)
  for (const { uid } of before.gallery) must(await del(`${mediaOf(listing)}/${uid}`, listing.owner))
  await send('cover', cover_image!)
  await send('thumbnail', thumbnail_image!)
  const { cover, thumbnail, gallery } = await mediaHashes(store, listing)
  await renditionsOf(store, [cover, thumbnail, ...gallery])
  await inSearch(store, 'Lantern Harbour')
  const browser = await startChromium(t)
  for (const deviceScaleFactor of [2, 3]) {
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
    const { page, context, problems } = await openTab(browser, url, {
      context: { ...phone, deviceScaleFactor },
    })
    await page.addInitScript(countShifts)
    const loaded = await countBytes(page)
    await page.goto(url + listing.path, { waitUntil: 'networkidle' })
    // Also what loads only when it comes near: the gallery to its end, and the page.
    for (let i = 0; i < gallery.length + 1; i++) {
      await page.evaluate(`document.querySelector('.strip').scrollTo(${i} * innerWidth, 0)`)
      await page.waitForLoadState('networkidle')
    }
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await page.waitForLoadState('networkidle')
    const slides = await page.evaluate<string[]>(`Promise.all(
      [...document.querySelectorAll('.strip picture img')].map(async (image) => {
        await image.decode()
        return image.currentSrc
      }))`)
    assert.equal(slides.length, 5)
    for (const source of slides) assert.match(source, /-640-v1\.avif$/)
    const bytes = total(loaded)
    const image_bytes = total(loaded.filter(({ type }) => type === 'Image'))
    t.diagnostic(`listing at ${deviceScaleFactor}x: ${bytes} bytes, images ${image_bytes}`)
    assert.ok(bytes <= MAX_LISTING, `${bytes} bytes: ${JSON.stringify(loaded)}`)
    assert.equal(await page.evaluate<number>('shifts'), 0)
    loaded.length = 0
    await page.goto(`${url}/search`, { waitUntil: 'networkidle' })
    const cards = loaded.filter(({ url }) => url.includes('/media/'))
    assert.equal(cards.length, 1)
    t.diagnostic(`card at ${deviceScaleFactor}x: ${cards[0]!.bytes} bytes`)
    assert.ok(cards[0]!.bytes <= MAX_CARD, JSON.stringify(cards))
    assert.deepEqual(problems, [])
    await context.close()
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { needs } from '../../support/system-packages.ts'
import { openTab, startChromium } from '../chromium.ts'
import { startStore } from '../fixtures.ts'

const sharedStore = sharedInFile(startStore)

test('on a phone, the images of a listing leave the message above them in view', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { published, url } = await sharedStore(t)
  const listing = await published()
  const browser = await startChromium(t)
  const open = async (token?: string) => {
    const { page } = await openTab(browser, url, { width: 390, ...(token && { token }) })
    await page.goto(url + listing.path)
    return page
  }
  const owned = await open(listing.owner.token)
  const notice = (await owned.locator('.notice').boundingBox())!
  const images = (await owned.locator('.game-gallery').boundingBox())!
  assert.ok(notice.y + notice.height <= images.y, `${notice.y + notice.height} > ${images.y}`)
  const visited = await open()
  const header = (await visited.locator('.site-header').boundingBox())!
  const first = (await visited.locator('.game-gallery').boundingBox())!
  assert.equal(first.y, header.y + header.height, 'without a message they begin at the header')
})

test('on a phone, the account menu covers the marks of the header', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { a, url } = await sharedStore(t)
  const browser = await startChromium(t)
  const { page } = await openTab(browser, url, { width: 390, token: (await a.verified()).token })
  await page.goto(`${url}/settings`)
  await page.locator('details.menu summary').click()
  const menu = page.locator('details.menu > div')
  const box = (await menu.boundingBox())!
  const header = (await page.locator('.site-header').boundingBox())!
  assert.ok(box.y + box.height > header.y + header.height + 7, 'the menu reaches over the marks')
  const before = await menu.screenshot({ animations: 'disabled' })
  await page.evaluate(`document.styleSheets[0].insertRule(
    '.site-header::after { display: none !important }',
    document.styleSheets[0].cssRules.length,
  )`)
  const without_marks = await menu.screenshot({ animations: 'disabled' })
  assert.ok(before.equals(without_marks), 'the menu looks the same without the marks')
})

test('a build without a title shows its version once', async (t) => {
  const { published, visitor, signedIn, get } = await sharedStore(t)
  const listing = await published()
  const page = (await visitor().open(listing.path)).body
  const change = page.match(/<details class="change".*?<\/summary>/s)![0]
  assert.equal(change.match(/1\.2\.3/g)?.length, 1)
  const api = `/api/v1/private/games/${listing.uid}/builds`
  const [{ build_id }] = must(await get(api, listing.owner)).builds
  const owner = signedIn(listing.owner)
  const { body } = await owner.open(`/dashboard/${listing.vanity_name}/builds/${build_id}`)
  assert.match(body, /<section class="subsection" id="about">\s*<header>\s*<h2>About this build</)
})

test('a game names its mods; an application names its mods and plugins', async (t) => {
  const { a, published, put, sql, visitor } = await sharedStore(t)
  const game = await published()
  const application = await published({ asset_type: 'application' })
  const mod = await a.listing({ asset_type: 'mod', owner: game.owner })
  const dependencies = [game, application].map(({ uid }) => ({ game: uid, kind: 'supports' }))
  must(await put(`/api/v1/private/games/${mod.uid}/dependencies`, { dependencies }, game.owner))
  await sql`update listings set visibility = 'public' where uid = ${mod.uid}`
  assert.match((await visitor().open(game.path)).body, /<h2>Mods for this game<\/h2>/)
  assert.match((await visitor().open(application.path)).body, /<h2>Mods and plugins<\/h2>/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { needs } from '../../support/system-packages.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'
import { startStore } from '../fixtures.ts'

const sharedStore = sharedInFile(startStore)

test('images open in full size, with keys, swipes and captions', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { published, patch, get, url } = await sharedStore(t)
  const listing = await published()
  const { cover, gallery } = must(await get(`/api/v1/public/games/${listing.uid}`))
  const image = `/api/v1/private/games/${listing.uid}/media/${gallery[0].uid}`
  must(await patch(image, { alt: 'A boat at low tide' }, listing.owner))
  const browser = await startChromium(t)
  const { page, problems } = await openTab(browser, url)
  await page.goto(url + listing.path)
  await page.locator('#picture-0').focus()
  await page.keyboard.press('Enter')
  const dialog = page.locator('.lightbox')
  await dialog.locator(`img[src="${cover}"]`).waitFor()
  assert.equal(await dialog.locator('.lightbox-position').textContent(), '1 of 5')
  await page.keyboard.press('ArrowRight')
  await dialog.locator(`img[src="${gallery[0].url}"][alt="A boat at low tide"]`).waitFor()
  assert.equal(await dialog.locator('.lightbox-caption').textContent(), 'A boat at low tide')
  assert.deepEqual(await axeViolations(page), [])
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Tab')
    assert.ok(
      await page.evaluate(
        'document.activeElement === document.body || !!document.activeElement.closest(".lightbox")',
      ),
      'focus stays in the dialog',
    )
  }
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  assert.equal(await dialog.locator('.lightbox-position').textContent(), '5 of 5')
  await page.mouse.move(800, 400)
  await page.mouse.down()
  await page.mouse.move(500, 410, { steps: 4 })
  await page.mouse.up()
  assert.equal(await dialog.locator('.lightbox-position').textContent(), '1 of 5')
  await dialog.getByRole('button', { name: 'Previous image' }).click()
  assert.equal(await dialog.locator('.lightbox-position').textContent(), '5 of 5')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await page.locator('#picture-4:focus').waitFor()
  assert.deepEqual(problems, [])
})

test('without script an image is a link to its original', async (t) => {
  const { published, get, visitor } = await sharedStore(t)
  const listing = await published()
  const { cover } = must(await get(`/api/v1/public/games/${listing.uid}`))
  const { body } = await visitor().open(listing.path)
  assert.match(body, new RegExp(`<a href="${cover}" id="picture-0"`))
  assert.match(body, /<dialog class="lightbox" aria-label=/)
})

test('the dashboard asks for the text of an image and changes it', async (t) => {
  const { published, get, signedIn } = await sharedStore(t)
  const listing = await published()
  const owner = signedIn(listing.owner)
  const section = `/dashboard/${listing.uid}/images`
  const { body } = await owner.open(section)
  assert.match(body, /<input id="new-alt" name="alt"/)
  const read = async () => must(await get(`/api/v1/public/games/${listing.uid}`)).gallery
  const [{ uid }] = await read()
  const saved = await owner.submit(`${section}/${uid}/alt`, { alt: 'A boat at low tide' })
  assert.match(saved.body, /Text of the image saved/)
  assert.match(saved.body, new RegExp(`id="alt-${uid}"[^>]*value="A boat at low tide"`))
  assert.equal((await read())[0].alt, 'A boat at low tide')
  const refused = await owner.send(`${section}/${uid}/alt`, { alt: 'x'.repeat(251) })
  assert.equal(refused.status, 400)
  assert.match(refused.body, /at most 250 characters/)
})

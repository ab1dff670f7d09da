import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { must } from '../../support/builders.ts'
import { picture } from '../../support/images.ts'
import { needs } from '../../support/system-packages.ts'
import { errorsOf } from '../browser.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'
import { startDashboard } from '../dashboard-fixtures.ts'

test('an image that does not fit is explained, and cropped with the keyboard', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startDashboard(t)
  const { url, listing, at, read } = app
  const chromium = await startChromium(t)
  const { page, problems } = await openTab(chromium, url, { token: listing.owner.token })
  const choose = async (slot: string, name: string, bytes: Buffer, type = 'image/png') => {
    await page.locator(`#file-${slot}`).setInputFiles({ name, mimeType: type, buffer: bytes })
  }
  const cover = page.locator('#cover')
  const error = cover.locator('.error-text')
  const crop = cover.getByRole('button', { name: 'Crop…' })
  await page.goto(at('images'))

  await choose('cover', 'small.png', Buffer.from(await picture(800, 600)))
  await error
    .getByText('small.png: It is 800 × 600 pixels and has to be at least 1024 × 576 pixels.')
    .waitFor()
  assert.equal(await crop.isVisible(), false, 'too small to be cropped')
  await choose('cover', 'notes.png', Buffer.from('not an image'))
  await error.getByText('notes.png: It is not a PNG, JPEG, GIF or WebP image.').waitFor()
  assert.equal(await crop.isVisible(), false)

  // The left half is red, the right half is blue.
  const half = (background: string) => ({
    input: { create: { width: 1400, height: 1600, channels: 3 as const, background } },
  })
  const wide = await sharp({
    create: { width: 2800, height: 1600, channels: 3, background: 'white' },
  })
    .composite([
      { ...half('#ff0000'), left: 0, top: 0 },
      { ...half('#0000ff'), left: 1400, top: 0 },
    ])
    .png()
    .toBuffer()
  await choose('cover', 'wide.png', wide)
  await error.getByText('It is 2800 × 1600 pixels and may be at most 2048 × 1152').waitFor()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Crop image' })
  await dialog.waitFor()
  assert.deepEqual(await axeViolations(page), [])
  await dialog.getByLabel('Width').focus()
  await page.keyboard.press('Home')
  await dialog.getByText('1024 × 576 pixels').waitFor()
  await dialog.getByLabel('Horizontal position').focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  const loaded = page.waitForEvent('load')
  await page.keyboard.press('Enter')
  await loaded
  const saved = must(await app.get(`/api/v1/private/games/${listing.uid}/media`, listing.owner))
  const image = Buffer.from(await (await fetch(saved.cover)).arrayBuffer())
  const { width, height } = await sharp(image).metadata()
  assert.deepEqual([width, height], [1024, 576])
  const { dominant } = await sharp(image).stats()
  assert.ok(dominant.b > 200 && dominant.r < 50, 'the right part was uploaded')
  assert.ok((await read()).cover)

  // Cancel uploads nothing; a wrong shape is cropped by the pointer.
  await choose(
    'thumbnail',
    'square.jpg',
    await sharp(wide).resize(1400, 1400, { fit: 'fill' }).jpeg().toBuffer(),
    'image/jpeg',
  )
  const thumbnail = page.locator('#thumbnail')
  await thumbnail.getByText('It is 1400 × 1400 pixels').waitFor()
  await thumbnail.getByRole('button', { name: 'Crop…' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await read()).thumbnail, '')
  await thumbnail.getByRole('button', { name: 'Crop…' }).click()
  const box = (await dialog.locator('canvas').boundingBox())!
  await page.mouse.move(box.x + 40, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + 40, box.y + box.height / 2 - 500, { steps: 5 })
  await page.mouse.up()
  assert.equal(await dialog.getByLabel('Vertical position').inputValue(), '0')
  const reloaded = page.waitForEvent('load')
  await dialog.getByRole('button', { name: 'Upload this part' }).click()
  await reloaded
  assert.ok((await read()).thumbnail)
  assert.deepEqual(problems, [])
})

test('without script, a refused image is explained in words', async (t) => {
  const { at, sendFile } = await startDashboard(t)
  const refusal = async (kind: string, bytes: Uint8Array) =>
    errorsOf((await sendFile(at('images/add'), { kind }, bytes, 'image.png')).body).join()
  assert.match(
    await refusal('cover', await picture(300, 300)),
    /It is 300 × 300 pixels and has to be at least 1024 × 576 pixels\./,
  )
  assert.match(
    await refusal('thumbnail', await picture(1300, 900)),
    /It is 1300 × 900 pixels\. The width and height have to be 16:9, such as 960 × 540 pixels\./,
  )
  assert.match(
    await refusal('gallery', await picture(2560, 1440)),
    /It is 2560 × 1440 pixels and may be at most 2048 × 1152 pixels\./,
  )
  assert.match(
    await refusal('cover', Buffer.from('text')),
    /It is not a PNG, JPEG, GIF or WebP image\./,
  )
  assert.match(
    await refusal('thumbnail', Buffer.alloc(5 * 1024 * 1024 + 1)),
    /It has more than 5\.0 MiB\./,
  )
})

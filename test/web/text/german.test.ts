import assert from 'node:assert/strict'
import { test } from 'node:test'
import { picture } from '../../support/images.ts'
import { needs } from '../../support/system-packages.ts'
import { errorsOf } from '../browser.ts'
import { openTab, startChromium } from '../chromium.ts'
import { startDashboard } from '../dashboard-fixtures.ts'

const german = { 'accept-language': 'de' }

test('a store offers English and German unless it is set otherwise', async (t) => {
  const { get } = await startDashboard(t)
  assert.match((await get('/search', { headers: german })).body, /<html lang="de"/)
  assert.match((await get('/search')).body, /<html lang="en"/)
})

test('a refused image and a missing listing are explained in German', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, listing, owner, at, pageForm } = await startDashboard(t)
  const chromium = await startChromium(t)
  const { page, problems } = await openTab(chromium, url, {
    token: listing.owner.token,
    context: { locale: 'de-DE' },
  })
  await page.goto(at('images'))
  const choose = (slot: string, name: string, buffer: Buffer) =>
    page.locator(`#file-${slot}`).setInputFiles({ name, mimeType: 'image/png', buffer })
  await choose('cover', 'klein.png', Buffer.from(await picture(800, 600)))
  await page
    .getByText('klein.png: Das Bild hat 800 × 600 Pixel und braucht mindestens 1024 × 576 Pixel.')
    .waitFor()
  // What only the service finds.
  await page.route('**/media', (route) =>
    route.fulfill({
      status: 422,
      json: {
        success: false,
        error: {
          code: 4151,
          message: 'cover: it is larger than 8 bytes',
          reasons: [{ id: 'image_over_bytes', values: { max_bytes: 8 } }],
        },
      },
    }),
  )
  await choose('cover', 'gut.png', Buffer.from(await picture(1280, 720)))
  await page.getByText('Das Bild hat mehr als 8 B.').waitFor()

  const sent = await pageForm({ games: 'kein-spiel' })
  const { body } = await owner.send(at('page'), sent, german)
  assert.match(errorsOf(body).join(), /Unter der Adresse „kein-spiel“ gibt es keinen/)
  assert.deepEqual(problems, [])
})

test('prices are typed and shown with the decimal comma of the language', async (t) => {
  const { owner, at, read } = await startDashboard(t)
  const { status } = await owner.send(at('settings/price'), { price_cents: '4,99' }, german)
  assert.equal(status, 303)
  assert.equal((await read()).price_cents, 499)
  const value = async (headers: Record<string, string>) =>
    (await owner.open(at('settings'), headers)).body.match(
      /name="price_cents"[^>]* value="([^"]*)"/,
    )?.[1]
  assert.equal(await value(german), '4,99')
  assert.equal(await value({}), '4.99')
})

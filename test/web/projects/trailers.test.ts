import assert from 'node:assert/strict'
import { test } from 'node:test'
import { box, MP4, trailerRequests, VTT, WEBM } from '../../listings/trailers/fixtures.ts'
import { picture, type Upload } from '../../support/images.ts'
import { needs } from '../../support/system-packages.ts'
import { errorsOf } from '../browser.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'
import { startDashboard } from '../dashboard-fixtures.ts'

const YOUTUBE = 'https://www.youtube.com/watch?v=abcDEF_-123'

test('a trailer is uploaded with progress, edited, ordered and removed', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startDashboard(t)
  const { url, listing, at } = app
  const { scanned } = trailerRequests(app)
  const trailers = async () => (await trailerRequests(app).read(listing)).trailers
  const chromium = await startChromium(t)
  const { page, problems } = await openTab(chromium, url, { token: listing.owner.token })
  await page.goto(at('images'))
  const section = page.locator('#trailers')
  const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer })
  const upload = section.getByRole('button', { name: 'Upload video' })
  const add = section.locator('.add-trailer')

  await add
    .getByLabel('Video', { exact: false })
    .first()
    .setInputFiles(file('notes.mp4', 'video/mp4', Buffer.from('not a video')))
  await upload.click()
  await section.getByText('This is not an MP4 or WebM video.').waitFor()
  assert.deepEqual(await trailers(), [])

  // Enough bytes for the browser to report progress.
  const large = Buffer.concat([MP4, box('free', Buffer.alloc(1024 * 1024))])
  const states = page.evaluate(`new Promise((resolve) => {
    const state = document.querySelector('#trailers .add-trailer .upload-state')
    new MutationObserver(() => resolve(state.textContent)).observe(state, { childList: true })
  })`)
  await add.locator('[name=video]').setInputFiles(file('launch.mp4', 'video/mp4', large))
  await add.locator('#trailer-new-title').fill('Launch')
  await add
    .locator('[name=poster]')
    .setInputFiles(file('poster.png', 'image/png', Buffer.from(await picture(1280, 720))))
  await add.locator('[name=captions]').setInputFiles(file('de.vtt', 'text/vtt', Buffer.from(VTT)))
  await add.locator('[name=language]').fill('de')
  const reloaded = page.waitForEvent('load')
  await upload.click()
  assert.match(String(await states), /^\d.* of 1|^Checking the files…$/)
  await reloaded
  await section.getByRole('heading', { name: 'Launch' }).waitFor()
  await scanned(listing)
  await page.reload()
  await section.locator('.own-trailer video').waitFor()
  assert.deepEqual(await axeViolations(page), [])

  await section.getByLabel('Address of the video').fill('https://example.org/film')
  await section.getByRole('button', { name: 'Add video' }).click()
  await page.getByText('This is not the address of a video on YouTube').first().waitFor()
  const address = section.getByLabel('Address of the video')
  assert.equal(await address.inputValue(), 'https://example.org/film')
  assert.equal(await address.getAttribute('aria-invalid'), 'true')
  assert.equal(new URL(page.url()).pathname, at('images'))
  await section.getByLabel('Address of the video').fill(YOUTUBE)
  await section.getByRole('button', { name: 'Add video' }).click()
  await section.getByRole('heading', { name: 'Trailer 2' }).waitFor()

  await section.getByRole('button', { name: 'Later' }).click()
  await page.getByText('Trailer moved').waitFor()
  assert.deepEqual(
    (await trailers()).map(({ title }: { title: string }) => title),
    ['', 'Launch'],
  )
  const item = section.locator('.own-trailer', { hasText: 'Launch' })
  await item.getByText('Edit', { exact: true }).click()
  await item.getByLabel('Title').fill('Release trailer')
  const saved = page.waitForEvent('load')
  await item.getByRole('button', { name: 'Save changes' }).click()
  await saved
  await section.getByRole('heading', { name: 'Release trailer' }).waitFor()
  await section.getByRole('button', { name: 'Remove captions: German' }).click()
  await page.getByText('Captions removed').waitFor()
  await section.getByRole('button', { name: 'Remove poster' }).click()
  await page.getByText('Poster removed').waitFor()
  const renamed = section.locator('.own-trailer', { hasText: 'Release trailer' })
  await renamed.locator('.confirm summary').click()
  await renamed.locator('.confirm button').click()
  await page.getByText('Trailer removed').waitFor()
  assert.equal((await trailers()).length, 1)
  assert.deepEqual(problems, [])
})

test('without script, a trailer is uploaded and a refusal is explained in words', async (t) => {
  const app = await startDashboard(t)
  const { listing, at, sendForm } = app
  const { read } = trailerRequests(app)
  const send = (path: string, fields: Record<string, string>, files: Upload[]) =>
    sendForm(at(path), fields, files)
  // A browser sends empty parts for file inputs that were left alone.
  const empty = ['poster', 'captions'].map((name) => ({
    name,
    filename: '',
    bytes: Buffer.alloc(0),
    type: 'application/octet-stream',
  }))
  const video = { name: 'video', filename: 'a.webm', bytes: WEBM, type: 'video/webm' }
  const added = await send('trailers/add', { title: '', language: '' }, [video, ...empty])
  assert.deepEqual([added.status, added.headers.location], [303, at('images#trailers')])
  const [{ uid }] = (await read(listing)).trailers
  const changed = await send(`trailers/${uid}/change`, { title: 'New', language: '' }, empty)
  assert.equal(changed.status, 303)
  assert.equal((await read(listing)).trailers[0].title, 'New')

  const refusal = async (fields: Record<string, string>, files: Upload[]) =>
    errorsOf((await send(`trailers/${uid}/change`, fields, files)).body).join()
  const captions = { name: 'captions', filename: 'a.srt', bytes: Buffer.from('1\n00:00:01,000') }
  assert.match(await refusal({ language: 'de' }, [captions]), /The captions are not a WebVTT file/)
  const wrong = { ...captions, bytes: Buffer.from('WEBVTT\n\n00:05 --> 00:06\nHi') }
  assert.match(await refusal({ language: 'de' }, [wrong]), /Line 3 of the captions is not a time/)
  const good = { ...captions, bytes: Buffer.from(VTT) }
  assert.match(await refusal({ language: 'x!' }, [good]), /is not a BCP 47 language code/)
  const small = { name: 'poster', filename: 'a.png', bytes: await picture(640, 360) }
  assert.match(await refusal({}, [small]), /has to be at least 1280 × 720 pixels/)
  const cut = { ...video, bytes: MP4.subarray(0, -1) }
  assert.match(await refusal({}, [cut]), /The video is damaged or cut short. Export it again./)
})

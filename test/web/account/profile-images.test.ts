import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { hashOf } from '../../listings/media/fixtures.ts'
import { uploadImage } from '../../listings/profiles/fixtures.ts'
import { eventually } from '../../support/app.ts'
import { addCopy, must, type Person } from '../../support/builders.ts'
import { form, picture } from '../../support/images.ts'
import { sharedInFile } from '../../support/shared.ts'
import { needs } from '../../support/system-packages.ts'
import { errorsOf } from '../browser.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'
import { startStore } from '../fixtures.ts'

const PROFILE = '/api/v1/private/settings/profile'
const PAGE = '/settings/profile'

async function start(t: TestContext) {
  const app = await startStore(t)
  /** Sends the form of an image as a browser without script does. */
  const sendImage = async (person: Person, kind: string, bytes: Uint8Array) => {
    const { headers, raw } = await form({ kind }, [{ bytes }])
    const cookie = `svc_session=${person.token}`
    return app.call('POST', `${PAGE}/images`, {
      raw,
      headers: { ...headers, cookie, accept: 'text/html', origin: app.url },
    })
  }
  return { ...app, sendImage }
}

const sharedApp = sharedInFile(start)

test('without script, avatar and banner are uploaded, refused beside their form, and removed', async (t) => {
  const { a, get, signedIn, sendImage } = await sharedApp(t)
  const person = await a.verified()
  const browser = signedIn(person)
  const empty = (await browser.open(PAGE)).body
  assert.match(empty, /class="avatar avatar-small avatar-tone-\d"/, 'initials in the menu')
  assert.match(empty, /Without an image, your initials are shown/)
  for (const kind of ['avatar', 'banner'])
    assert.equal((await sendImage(person, kind, await picture(1280, 720))).status, 303, kind)
  const { avatar, banner } = must(await get(PROFILE, person))
  const page = (await browser.open(PAGE)).body
  for (const url of [avatar, banner]) assert.ok(page.includes(hashOf(url)))
  assert.match(page, /alt="The banner of your page"/)
  const menu = (await browser.open('/library')).body
  assert.match(menu, new RegExp(`${hashOf(avatar)}-160-v1\\.webp" alt="" width="24" height="24"`))
  const small = await sendImage(person, 'avatar', await picture(200, 300))
  assert.equal(small.status, 422)
  assert.deepEqual(errorsOf(small.body).filter(Boolean), [
    'It is 200 × 300 pixels and has to be at least 256 × 256 pixels.',
  ])
  const svg = await sendImage(person, 'banner', Buffer.from('<svg/>'))
  assert.deepEqual(errorsOf(svg.body).filter(Boolean), ['It is not a PNG, JPEG or WebP image.'])
  assert.match((await browser.submit(`${PAGE}/images/avatar/remove`)).body, /Image removed/)
  assert.equal(must(await get(PROFILE, person)).avatar, '')
  assert.equal((await browser.send(`${PAGE}/images/avatar/remove`)).status, 404)
})

test('avatar and banner show where the profile is public, and nowhere else', async (t) => {
  const app = await sharedApp(t)
  const { a, put, sql, published, visitor, signedIn } = app
  const { owner, path, uid } = await published()
  const player = await a.verified()
  await addCopy(sql, uid, player.uid, 'free')
  const review = { enjoyed: true, quality: 4, text: 'It floats.' }
  must(await put(`/api/v1/private/games/${uid}/review`, review, player))
  const upload = async (person: Person, kind: 'avatar' | 'banner') =>
    hashOf(must(await uploadImage(app, person, kind, await picture(1280, 720)))[kind])
  const hidden = await upload(player, 'avatar')
  const pages = [path, `${path}/reviews`]
  for (const page of pages) assert.ok(!(await visitor().open(page)).body.includes(hidden), page)
  assert.equal((await visitor().open(`/${player.username}`)).status, 404)
  assert.ok((await signedIn(player).open(`/${player.username}`)).body.includes(hidden))
  must(await put(PROFILE, { is_public: true }, player))
  for (const page of [...pages, `/${player.username}`])
    assert.ok((await visitor().open(page)).body.includes(hidden), page)
  const replaced = await upload(player, 'avatar')
  for (const page of pages) {
    const { body } = await visitor().open(page)
    assert.ok(body.includes(replaced) && !body.includes(hidden), page)
  }
  must(await put(PROFILE, { is_public: false }, player))
  for (const page of pages) assert.ok(!(await visitor().open(page)).body.includes(replaced), page)

  const [avatar, banner] = [await upload(owner, 'avatar'), await upload(owner, 'banner')]
  const developer = (await visitor().open(`/${owner.username}`)).body
  assert.ok(developer.includes(avatar))
  assert.match(
    developer,
    new RegExp(`<div class="banner">[^]*${banner}[^]*width="1920" height="480"`),
  )
  assert.match(developer, new RegExp(`<meta property="og:image" content="[^"]*${banner}`))
  const suggestions = await eventually('the suggestion', async () => {
    const answer = await visitor().open(`/search/suggestions?q=${owner.username.slice(0, 4)}`)
    return answer.body.includes(`href="/${owner.username}"`) ? answer.body : undefined
  })
  assert.ok(suggestions.includes(avatar))
  assert.ok((await visitor().open(`/search?q=${owner.username}`)).body.includes(avatar))
})

test('with script, an image of another shape is cropped before the upload', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { a, url, get } = await sharedApp(t)
  const person = await a.verified()
  const chromium = await startChromium(t)
  const { page, problems } = await openTab(chromium, url, { token: person.token })
  await page.goto(`${url}${PAGE}`)
  assert.deepEqual(await axeViolations(page), [])
  const choose = async (kind: string, buffer: Buffer) => {
    await page
      .locator(`#file-${kind}`)
      .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer })
  }
  // The left half is red, the right half is blue.
  const red = { create: { width: 500, height: 600, channels: 3 as const, background: '#ff0000' } }
  const wide = await sharp({
    create: { width: 1000, height: 600, channels: 3, background: '#0000ff' },
  })
    .composite([{ input: red, left: 0, top: 0 }])
    .png()
    .toBuffer()
  await choose('avatar', wide)
  const dialog = page.getByRole('dialog', { name: 'Crop image' })
  await dialog.waitFor()
  await dialog.getByLabel('Horizontal position').focus()
  await page.keyboard.press('End')
  const loaded = page.waitForEvent('load')
  await dialog.getByRole('button', { name: 'Upload this part' }).click()
  await loaded
  const { avatar } = must(await get(PROFILE, person))
  const { dominant } = await sharp(Buffer.from(await (await fetch(avatar)).arrayBuffer())).stats()
  assert.ok(dominant.b > 200 && dominant.r < 50, 'the right part was uploaded')
  // An image that fits is uploaded at once.
  const reloaded = page.waitForEvent('load')
  await choose('banner', Buffer.from(await picture(1280, 320)))
  await reloaded
  assert.ok(must(await get(PROFILE, person)).banner)
  await choose('banner', Buffer.from(await picture(300, 300)))
  await page.getByText('It is 300 × 300 pixels and has to be at least 1280 × 320').waitFor()
  assert.deepEqual(problems, [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  captionsFile,
  posterFile,
  trailerRequests,
  trailersOf,
  VTT,
} from '../../listings/trailers/fixtures.ts'
import { eventually } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { picture } from '../../support/images.ts'
import { sharedInFile } from '../../support/shared.ts'
import { needs } from '../../support/system-packages.ts'
import { axeViolations, countShifts, openTab, startChromium } from '../chromium.ts'
import { jsonLd, startStore } from '../fixtures.ts'

const sharedStore = sharedInFile(startStore)

const YOUTUBE = 'https://www.youtube.com/watch?v=abcDEF_-123'
const EMBED = 'https://www.youtube-nocookie.com/embed/abcDEF_-123?autoplay=1'
const policyOf = ({ headers }: { headers: Record<string, string> }) =>
  headers['content-security-policy']!
const directive = (policy: string, name: string) =>
  policy.split('; ').find((part) => part.startsWith(`${name} `))

async function startTrailers(t: Parameters<typeof startStore>[0]) {
  const app = await sharedStore(t)
  const listing = await app.published()
  const requests = trailerRequests(app)
  const addOutside = async (url = YOUTUBE, title = 'Making of') =>
    must(await app.post(`${trailersOf(listing)}/outside`, { url, title }, listing.owner))
  return { ...app, ...requests, listing, addOutside }
}

test('a trailer plays on the page with native controls and captions', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { clean, listing, url } = await startTrailers(t)
  const poster = posterFile(await picture(1280, 720))
  const { url: video_url } = await clean(listing, [poster, captionsFile(VTT)], {
    title: 'Launch trailer',
    language: 'de',
  })
  const browser = await startChromium(t)
  const { page, problems } = await openTab(browser, url)
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  await page.addInitScript(countShifts)
  await page.goto(url + listing.path)
  const video = page.locator('.trailer video')
  await video.scrollIntoViewIfNeeded()
  await page.waitForLoadState('networkidle')
  assert.ok(!requests.includes(new URL(video_url).pathname), 'nothing is loaded before it plays')
  assert.equal(await video.getAttribute('aria-label'), 'Launch trailer')
  assert.ok(await page.getByText('Captions: German').isVisible())
  assert.ok(await page.getByText('0:02').isVisible())
  const box = (await video.boundingBox())!
  assert.ok(Math.abs(box.width / box.height - 16 / 9) < 0.01, `${box.width} × ${box.height}`)
  assert.deepEqual(await axeViolations(page), [])
  // The keyboard reaches the video and starts it.
  await video.focus()
  await page.keyboard.press('Space')
  const evaluate = (expression: string) => page.evaluate(expression)
  await eventually('the video to play', () =>
    evaluate('document.querySelector("video").currentTime'),
  )
  await evaluate('document.querySelector("video").textTracks[0].mode = "showing"')
  await eventually('the captions', () =>
    evaluate('document.querySelector("video").textTracks[0].cues?.length === 1'),
  )
  assert.equal(await page.evaluate('shifts < 0.02'), true)
  assert.deepEqual(problems, [])
})

test('an outside video contacts its host only after a click', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { listing, url, addOutside } = await startTrailers(t)
  await addOutside()
  const browser = await startChromium(t)
  const { page, problems } = await openTab(browser, url)
  const outside: string[] = []
  await page.route(/youtube/, (route) => {
    outside.push(route.request().url())
    return route.fulfill({ contentType: 'text/html', body: '<h1>The player</h1>' })
  })
  await page.goto(url + listing.path)
  const card = page.getByRole('link', { name: 'Play: Making of' })
  await card.scrollIntoViewIfNeeded()
  await page.waitForLoadState('networkidle')
  assert.deepEqual([problems, outside], [[], []])
  const note =
    'Plays from www.youtube-nocookie.com. Nothing is loaded from there until you start it.'
  assert.ok(await page.getByText(note).isVisible())
  assert.deepEqual(await axeViolations(page), [])
  const before = (await card.boundingBox())!
  await card.focus()
  await page.keyboard.press('Enter')
  await page.frameLocator('.trailer iframe').getByText('The player').waitFor()
  assert.deepEqual(outside, [EMBED])
  const frame = page.locator('.trailer iframe')
  const after = (await frame.boundingBox())!
  assert.deepEqual([after.width, after.height], [before.width, before.height])
  assert.equal(await frame.getAttribute('title'), 'Making of')
  assert.deepEqual(problems, [`requested ${EMBED}`])
})

test('a page allows frames of exactly the hosts of its videos', async (t) => {
  const { listing, addOutside, visitor, signedIn, clean } = await startTrailers(t)
  const read = async () => [
    policyOf(await visitor().open(listing.path)),
    policyOf(await signedIn(listing.owner).open(listing.path)),
  ]
  await clean(listing)
  for (const policy of await read()) {
    assert.equal(directive(policy, 'frame-src'), undefined)
    assert.equal(directive(policy, 'default-src'), "default-src 'none'")
    assert.match(directive(policy, 'media-src')!, /^media-src 'self'/)
  }
  await addOutside()
  await addOutside('https://vimeo.com/123456789', '')
  for (const policy of await read()) {
    const frames = 'frame-src https://www.youtube-nocookie.com https://player.vimeo.com'
    assert.equal(directive(policy, 'frame-src'), frames)
    assert.match(policy, /frame-ancestors 'none'/)
  }
  for (const path of ['/', '/search', `${listing.path}/press`, `${listing.path}/embed`])
    assert.equal(directive(policyOf(await visitor().open(path)), 'frame-src'), undefined, path)
})

test('trailers work without script, and search engines read them', async (t) => {
  const { listing, addOutside, visitor, clean, get } = await startTrailers(t)
  const { url } = await clean(listing, [captionsFile(VTT)], { language: 'de', title: '"Launch"' })
  await addOutside()
  const { body } = await visitor().open(listing.path)
  const path = new URL(url).pathname
  assert.match(body, /<video controls playsinline preload="none" width="1280" height="720"/)
  assert.match(body, new RegExp(`<source src="${path}" type="video/webm">`))
  assert.match(body, /<track kind="captions" srclang="de" label="German"\s+src="\/media\/trailers/)
  assert.match(body, /aria-label="&quot;Launch&quot;"/)
  assert.ok(body.includes(`<a class="outside-card" href="${YOUTUBE}"`))
  assert.ok(!/<iframe|\ssrc="https:/.test(body))
  const { trailer, image } = jsonLd(body)
  const [file, outside] = trailer
  assert.deepEqual(file, {
    '@type': 'VideoObject',
    name: '"Launch"',
    description: 'Low water, high stakes',
    thumbnailUrl: image,
    uploadDate: file.uploadDate,
    contentUrl: url,
    duration: 'PT2S',
  })
  assert.equal(outside.embedUrl, EMBED.split('?')[0])
  assert.equal(outside.contentUrl, undefined)
  const { trailers } = must(await get(`/api/v1/public/games/${listing.uid}`))
  assert.equal(trailers.length, 2)
  const lines: string[] = (await get('/api/v1/public/export')).body.trim().split('\n')
  const line = lines.find((text) => text.includes(listing.uid))!
  assert.deepEqual(JSON.parse(line).trailers, trailers)
})

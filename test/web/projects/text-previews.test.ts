import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCopy, must } from '../../support/builders.ts'
import { needs } from '../../support/system-packages.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'
import { startDashboard } from '../dashboard-fixtures.ts'

const TEXT = 'Row **out**. <script>alert(1)</script> [x](javascript:alert(2))'
const previewIn = (body: string) => body.match(/<article class="preview">.*?<\/article>/s)![0]

async function startWithReview(t: Parameters<typeof startDashboard>[0]) {
  const app = await startDashboard(t)
  const { a, sql, put, listing } = app
  const player = await a.verified()
  await addCopy(sql, listing.uid, player.uid, 'grant')
  await sql`update listings set visibility = 'public' where uid = ${listing.uid}`
  const review = { enjoyed: true, quality: 4, text: 'It floats.' }
  const { uid } = must(await put(`/api/v1/private/games/${listing.uid}/review`, review, player))
  return { ...app, review_uid: uid as string }
}

test('press kits and replies to reviews are previewed without saving them', async (t) => {
  const { owner, at, get, listing, review_uid } = await startWithReview(t)
  const kit = await owner.send(at('press/preview'), { history: TEXT, features: 'Tides\nBoats' })
  assert.equal(kit.status, 200)
  const history = previewIn(kit.body)
  assert.match(history, /Row <strong>out<\/strong>/)
  assert.match(history, /<li>Tides<\/li>\s*<li>Boats<\/li>/)
  assert.doesNotMatch(history, /<script|href="javascript/)
  const api = `/api/v1/private/games/${listing.uid}`
  assert.equal(must(await get(`${api}/press`, listing.owner)).history, '')
  const path = at(`reviews/${review_uid}/reply/preview`)
  const reply = previewIn((await owner.send(path, { [`text-${review_uid}`]: TEXT })).body)
  assert.match(reply, /class="reply">.*Row <strong>out<\/strong>/s)
  assert.doesNotMatch(reply, /<script|href="javascript/)
  assert.match(previewIn((await owner.send(path, {})).body), /class="soft"/, 'nothing was typed')
  const { items } = must(await get(`${api}/reviews`, listing.owner))
  assert.equal(items[0].reply, undefined)
})

test('with script, the preview of a reply opens in a dialog', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, at, listing, review_uid } = await startWithReview(t)
  const chromium = await startChromium(t)
  const { page, problems } = await openTab(chromium, url, { token: listing.owner.token })
  await page.goto(at('reviews'))
  await page.getByText('Reply', { exact: true }).first().click()
  await page.locator(`#f-text-${review_uid}`).fill('Thank **you**.')
  await page.getByRole('button', { name: 'Preview' }).click()
  const dialog = page.getByRole('dialog', { name: 'Preview' })
  await dialog.locator('strong', { hasText: 'you' }).waitFor()
  assert.deepEqual(await axeViolations(page), [])
  await dialog.getByRole('button', { name: 'Close' }).click()
  assert.equal(await page.locator(`#f-text-${review_uid}`).inputValue(), 'Thank **you**.')
  await page.goto(at('press'))
  await page.locator('#f-history').fill('Built **by hand**.')
  await page.getByRole('button', { name: 'Preview' }).click()
  await dialog.locator('strong', { hasText: 'by hand' }).waitFor()
  assert.deepEqual(problems, [])
})

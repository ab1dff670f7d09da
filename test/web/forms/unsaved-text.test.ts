import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, PASSWORD } from '../../support/builders.ts'
import { needs } from '../../support/system-packages.ts'
import { errorsOf, formsOf } from '../browser.ts'
import { openTab, startChromium } from '../chromium.ts'
import { startDashboard } from '../dashboard-fixtures.ts'
import { startStore } from '../fixtures.ts'

test('saving the page editor keeps what was typed in every part of it', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, at, listing, read } = await startDashboard(t, { name: 'Night Boat' })
  const browser = await startChromium(t)
  const { page, problems } = await openTab(browser, url, { token: listing.owner.token })
  await page.goto(url + at('page'))
  await page.getByLabel('Tagline optional').fill('Row by night')
  await page.getByLabel(/^Tags/).fill('one\ntwo\nthree')
  await page.getByLabel('Engine 1').fill('svc-engine')
  assert.equal(await page.locator('.field-changed').count(), 3)
  assert.equal(await page.locator('.save-state').textContent(), '3 unsaved changes')
  await page.keyboard.press('Control+s')
  await page.getByText('Changes saved').waitFor()
  const { tagline, tags, engine_compat } = await read()
  assert.deepEqual(
    [tagline, tags, engine_compat[0]?.engine],
    ['Row by night', ['one', 'two', 'three'], 'svc-engine'],
  )
  assert.equal(await page.locator('.field-changed').count(), 0)
  assert.deepEqual(problems, [])
})

test('leaving the page editor with unsaved text warns, and saving does not', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, at, listing } = await startDashboard(t)
  const browser = await startChromium(t)
  const { page, problems } = await openTab(browser, url, { token: listing.owner.token })
  await page.goto(url + at('page'))
  await page.getByLabel('Tagline optional').fill('x'.repeat(255))
  await Promise.all([
    page.waitForEvent('dialog'),
    page.getByRole('link', { name: 'Images and trailers', exact: true }).click(),
  ])
  assert.equal(problems.length, 1, 'the warning is the only dialog')
  assert.equal(await page.getByLabel('Tagline optional').inputValue(), 'x'.repeat(255))
  // A refused form is still unsaved.
  await page.getByLabel(/^Tags/).fill('one')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByText('2 unsaved changes').waitFor()
  assert.equal(await page.getByLabel('Tagline optional').inputValue(), 'x'.repeat(255))
  await page.getByLabel(/^Tags/).fill('')
  await page.getByText('1 unsaved change').waitFor()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Changes saved').waitFor()
  assert.equal(problems.length, 1)
})

test('a form sent after the session ended is kept and sent after signing in', async (t) => {
  const { published, a, signedIn, get, sql, url } = await startStore(t)
  const listing = await published()
  const player = await a.verified()
  const browser = signedIn(player)
  const game = `/games/${listing.uid}`
  await browser.send(`${game}/claim`)
  await sql`delete from sessions where user_uid = ${player.uid}`
  browser.as(`svc_sess_${'0'.repeat(43)}`)
  const text = 'Long & <b>careful</b>\nthoughts'
  const review = { enjoyed: 'yes', quality: '4', text }
  const refused = await browser.send(`${game}/review`, review)
  assert.equal(refused.status, 401)
  assert.match(refused.headers['cache-control']!, /no-store/)
  assert.match(refused.body, /Your session has ended/)
  const sign_in = formsOf(refused.body).find(({ action }) => action === '/login')!.fields
  const wrong = await browser.send('/login', { ...sign_in, login: player.email, password: 'no' })
  assert.equal(wrong.status, 401)
  assert.equal(errorsOf(wrong.body).length, 1)
  const again = formsOf(wrong.body).find(({ action }) => action === '/login')!.fields
  const resumed = await browser.send('/login', {
    ...again,
    login: player.email,
    password: PASSWORD,
  })
  assert.equal(resumed.status, 200)
  assert.match(resumed.body, new RegExp(`You are signed in as ${player.username}`))
  const { action, fields } = formsOf(resumed.body).find((form) => form.action.endsWith('/review'))!
  await browser.submit(action, fields)
  const { items } = must(await get(`/api/v1/public/games/${listing.uid}/reviews`))
  assert.deepEqual([items[0].text, items[0].quality], [text, 4])
  // Another site cannot use the form of a session that ended, and a program gets the refusal.
  const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  const stranger = signedIn({ ...player, token: `svc_sess_${'1'.repeat(43)}` })
  assert.equal((await stranger.send(`${game}/review`, review, foreign)).status, 403)
  const program = await stranger.send(`${game}/review`, review, { accept: 'application/json' })
  assert.deepEqual([program.status, program.body.error.code], [401, 4010])
  const elsewhere = JSON.stringify({ action: 'https://evil.example/', summary: '', fields: {} })
  const sent = { pending_form: elsewhere, login: player.email, password: PASSWORD }
  assert.equal((await signedIn(player).send('/login', sent)).status, 303, url)
})

test('a secret of a form is not kept when the session has ended', async (t) => {
  const { owner, at, sql, listing } = await startDashboard(t)
  await sql`delete from sessions where user_uid = ${listing.owner.uid}`
  owner.as(`svc_sess_${'0'.repeat(43)}`)
  const answer = await owner.send(at('external-store/import'), {
    app_id: '480',
    import_key: 'PRIVATE0123',
  })
  assert.equal(answer.status, 401)
  assert.match(answer.body, /480/)
  assert.doesNotMatch(answer.body, /PRIVATE0123/)
})

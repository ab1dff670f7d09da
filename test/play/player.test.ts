import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Frame, Page } from 'playwright-core'
import { eventually } from '../support/app.ts'
import { addCopy } from '../support/builders.ts'
import { needs } from '../support/system-packages.ts'
import { axeViolations, openTab, startChromium } from '../web/chromium.ts'
import { gameFiles, sharePlayApp } from './fixtures.ts'

/** A game that reports what its page may do. */
const prober = `<!doctype html>
<html lang="en"><title>Prober</title><body><p id="out">starting</p>
<script type="module">
const outcome = async (run) => { try { return await run() } catch (error) { return error.name } }
const worker = (text) => new Promise((resolve, reject) => {
  const thread = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })))
  thread.onmessage = ({ data }) => resolve(data)
  thread.onerror = () => reject(new Error('worker'))
  thread.postMessage(globalThis.SharedArrayBuffer ? new SharedArrayBuffer(4) : new ArrayBuffer(2))
})
localStorage.setItem('save', '1')
const report = {
  isolated: crossOriginIsolated,
  shared: await outcome(() => new SharedArrayBuffer(8).byteLength),
  thread: await outcome(() => worker('onmessage = ({ data }) => postMessage(data.byteLength)')),
  cookie: document.cookie,
  stored: localStorage.getItem('save'),
  parent: await outcome(() => parent.document.title),
  opener: String(opener),
  own: await outcome(async () => (await fetch('game.js')).status),
  elsewhere: await outcome(async () => (await fetch('https://other.example/')).status),
  top: await outcome(() => { top.location.href = 'https://other.example/'; return 'moved' }),
}
document.getElementById('out').textContent = JSON.stringify(report)
</script>`
const files = gameFiles.map((file) =>
  file.name === 'index.html' ? { ...file, body: prober } : file,
)

type Report = Record<string, unknown>

async function playedFrame(page: Page, host: string): Promise<Frame> {
  await page.getByRole('button', { name: 'Play' }).click()
  await page.locator('iframe').waitFor()
  const frame = await (await page.locator('iframe').elementHandle())!.contentFrame()
  await frame!.waitForSelector('#out')
  assert.ok(frame!.url().includes(host))
  return frame!
}

async function reportOf(frame: Frame): Promise<Report> {
  await frame.waitForFunction("document.getElementById('out').textContent.startsWith('{')")
  return JSON.parse((await frame.textContent('#out'))!)
}

test('a game plays in a frame with threads, and without anything of the store', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await sharePlayApp(t, files)
  const path = `/${app.game.owner.username}/${app.game.vanity_name}`
  const browser = await startChromium(t)
  const { page } = await openTab(browser, app.url, { token: app.game.owner.token })
  await page.goto(path)
  await page.getByRole('link', { name: 'Play in the browser' }).click()
  await page.waitForURL(`**${path}/play`)
  assert.deepEqual(await axeViolations(page), [])
  const frame = await playedFrame(page, app.host)
  assert.deepEqual(await reportOf(frame), {
    isolated: true,
    shared: 8,
    thread: 4,
    cookie: '',
    stored: '1',
    parent: 'SecurityError',
    opener: 'null',
    own: 200,
    elsewhere: 'TypeError',
    top: 'SecurityError',
  })
  assert.ok(page.url().endsWith('/play'))
})

test('a build that opts out plays without isolation', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await sharePlayApp(t, files)
  await app.sql`insert into play_unisolated_builds (build_uid) values (${app.build_id})`
  const browser = await startChromium(t)
  const { page } = await openTab(browser, app.url)
  await page.goto(`/${app.game.owner.username}/${app.game.vanity_name}/play`)
  assert.ok(await page.getByText('This game runs without threads').isVisible())
  const { isolated, shared, thread } = await reportOf(await playedFrame(page, app.host))
  assert.deepEqual([isolated, shared, thread], [false, 'ReferenceError', 2])
})

test('a paid game plays for people who have a copy, in all its files', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await sharePlayApp(t, files)
  await app.sql`update listings set price_cents = 500 where uid = ${app.game.uid}`
  const path = `/${app.game.owner.username}/${app.game.vanity_name}/play`
  const player = await app.a.verified()
  const browser = await startChromium(t)
  const signed_out = await openTab(browser, app.url)
  await signed_out.page.goto(path)
  assert.ok(await signed_out.page.getByText('Sign in to play this game').isVisible())
  const { page } = await openTab(browser, app.url, { token: player.token })
  await page.goto(path)
  assert.ok(await page.getByText('You need a copy of this game').isVisible())
  await addCopy(app.sql, app.game.uid, player.uid, 'purchase')
  await eventually('the copy counts', async () => {
    await page.reload()
    return page.getByRole('button', { name: 'Play' }).isVisible()
  })
  const { own } = await reportOf(await playedFrame(page, app.host))
  assert.equal(own, 200)
  assert.equal((await app.file('game.js')).status, 404)
})

test('a link that has expired since the page was opened is replaced before the game starts', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await sharePlayApp(t, files)
  await app.sql`update listings set price_cents = 500 where uid = ${app.game.uid}`
  const player = await app.a.verified()
  await addCopy(app.sql, app.game.uid, player.uid, 'purchase')
  const browser = await startChromium(t)
  const { page } = await openTab(browser, app.url, { token: player.token })
  await page.clock.install()
  await page.goto(`/${app.game.owner.username}/${app.game.vanity_name}/play`)
  // A mark, because two links of the same second are equal.
  const opened: string = await page.locator('play-frame').evaluate((element: any) => {
    element.dataset.url += '&opened'
    return element.dataset.url
  })
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  await page.clock.fastForward('06:00')
  const { own } = await reportOf(await playedFrame(page, app.host))
  assert.equal(own, 200)
  const starts = requested.filter((url) => url.includes('/.start/'))
  assert.equal(starts.length, 1)
  assert.notEqual(starts[0], opened)
})

test('the page does not scroll while the game has the focus, and gives it back its keys', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await sharePlayApp(t, files)
  const browser = await startChromium(t)
  const { page } = await openTab(browser, app.url)
  await page.goto(`/${app.game.owner.username}/${app.game.vanity_name}/play`)
  const frame = await playedFrame(page, app.host)
  const isTrapped = () =>
    page.evaluate("getComputedStyle(document.documentElement).overflow === 'hidden'")
  await frame.locator('#out').click()
  await eventually('the scroll is trapped', isTrapped)
  await page.locator('h1').click()
  await eventually('the scroll is free', async () => !(await isTrapped()))
  await page.keyboard.press('ArrowDown')
  await eventually('the game has the focus', () =>
    page.evaluate("document.activeElement?.localName === 'iframe'"),
  )
})

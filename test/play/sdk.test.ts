import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Frame, Page } from 'playwright-core'
import { isPlayerToken } from '../../src/accounts/sessions/player-tokens.ts'
import { updateHealth } from '../../src/telemetry/health/jobs.ts'
import { eventually, runJob } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { picture } from '../support/images.ts'
import { needs } from '../support/system-packages.ts'
import { openTab, startChromium } from '../web/chromium.ts'
import { sharePlayApp } from './fixtures.ts'
import { startGame, whenTrue } from './frames.ts'

/** A game that includes the SDK and waits for what the test makes it do. */
const game = `<!doctype html><html lang="en"><title>Game</title>
<script src="play.js"></script>
<body><p id="out">starting</p>
<script type="module">
globalThis.players = []
slipway.onPlayer((player) => players.push(player))
const { connected, reason = '' } = await slipway.ready
document.getElementById('out').textContent = connected ? 'connected' : reason
</script>`

async function startSdkApp(t: TestContext) {
  const app = await sharePlayApp(t, (sdk) => [sdk, { name: 'index.html', body: game, method: 0 }])
  const path = `/${app.game.owner.username}/${app.game.vanity_name}/play`
  const browser = await startChromium(t)
  return { ...app, path, browser }
}

async function connectedGame(page: Page): Promise<Frame> {
  const frame = await startGame(page)
  await whenTrue(frame, "document.getElementById('out')?.textContent === 'connected'")
  return frame
}

/** Runs a call of the SDK in the game and returns what it resolves to. */
const run = async (frame: Frame, code: string): Promise<any> => frame.evaluate(code)

test('a store serves the SDK with its own address in it', async (t) => {
  const app = await sharePlayApp(t)
  const { status, headers, body } = await app.get('/sdk/play.js')
  assert.equal(status, 200)
  assert.match(headers['content-type']!, /^text\/javascript/)
  const source = readFileSync(join(import.meta.dirname, '../../sdk/play.js'), 'utf8')
  assert.ok(source.includes("const STORE = 'http://localhost:8080'\n"))
  assert.equal(body, source.replace('http://localhost:8080', app.url))
})

test('a game learns who plays only while the player shares it', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startSdkApp(t)
  const person = await app.a.verified()
  const { page } = await openTab(app.browser, app.url, { token: person.token })
  await page.goto(app.path)
  const frame = await connectedGame(page)
  assert.equal((await run(frame, 'slipway.ready')).player, null)
  assert.equal(await run(frame, 'slipway.token()'), null)
  const closed = await run(frame, `slipway.saves.write('auto', 'level 1')`)
  assert.deepEqual(closed, { ok: false, reason: 'not_shared' })

  const box = page.getByLabel('Let this game know who you are')
  await box.check()
  await page.getByText('This game now knows who you are').waitFor()
  await whenTrue(frame, 'Boolean(players.at(-1))')
  const player = await run(frame, 'players.at(-1)')
  assert.deepEqual(player, { uid: person.uid, username: person.username })
  const token = await run(frame, 'slipway.token()')
  assert.ok(isPlayerToken(app.core, token, new Date()))
  const written = await run(frame, `slipway.saves.write('auto', 'level 1')`)
  assert.equal(written.ok, true)
  const conflict = await run(frame, `slipway.saves.write('auto', 'level 2', '"another"')`)
  assert.deepEqual([conflict.ok, conflict.status, conflict.code], [false, 412, 4219])
  const text = await run(
    frame,
    `slipway.saves.read('auto').then(({ bytes }) => new TextDecoder().decode(bytes))`,
  )
  assert.equal(text, 'level 1')
  const list = await run(frame, 'slipway.saves.list()')
  assert.deepEqual(
    list.data.items.map(({ slot, etag }: { slot: string; etag: string }) => [slot, etag]),
    [['auto', written.etag]],
  )
  // Another visit needs no new choice.
  await page.reload()
  assert.ok(await box.isChecked())
  const again = await connectedGame(page)
  assert.equal((await run(again, 'slipway.ready')).player.username, person.username)

  await box.uncheck()
  await page.getByText('no longer learns who you are').waitFor()
  await whenTrue(again, 'players.at(-1) === null')
  assert.equal(await run(again, 'slipway.token()'), null)
  const path = `/api/v1/private/games/${app.game.uid}/play-token`
  assert.deepEqual(refused(await app.post(path, undefined, person)), [403, 4221])
})

test('only the frame of the game itself gets an answer from the page', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startSdkApp(t)
  const { page } = await openTab(app.browser, app.url)
  await page.goto(app.path)
  const frame = await connectedGame(page)
  const ask = `new Promise((resolve) => {
    const channel = new MessageChannel()
    channel.port1.onmessage = () => resolve('answered')
    page.postMessage({ type: 'slipway-connect', version: 1 }, '*', [channel.port2])
    setTimeout(resolve, 500, 'ignored')
  })`
  const from = (place: Frame | Page, target: string) =>
    place.evaluate(`((page) => ${ask})(${target})`)
  assert.equal(await from(frame, 'parent'), 'answered')
  // The page itself, and a frame inside the game, whose messages have its origin.
  assert.equal(await from(page, 'window'), 'ignored')
  await frame.evaluate(`document.body.append(Object.assign(document.createElement('iframe'), {
    src: 'index.html', id: 'inner' }))`)
  const inner = (await (await frame.waitForSelector('#inner')).contentFrame())!
  await whenTrue(inner, "document.getElementById('out') !== null")
  assert.equal(await from(inner, 'parent.parent'), 'ignored')
})

test('a token that expires soon is renewed by the page', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startSdkApp(t)
  const person = await app.a.verified()
  must(
    await app.put(
      `/api/v1/private/games/${app.game.uid}/play-sharing`,
      { shared: true },
      { token: person.token },
    ),
  )
  const { page } = await openTab(app.browser, app.url, { token: person.token })
  await page.clock.install()
  await page.goto(app.path)
  const frame = await connectedGame(page)
  const first = await run(frame, 'slipway.token()')
  assert.equal(await run(frame, 'slipway.token()'), first)
  await page.clock.fastForward('09:30')
  const second = await run(frame, 'slipway.token()')
  assert.notEqual(second, first)
  assert.ok(isPlayerToken(app.core, second, new Date()))
})

test('events, crashes and the start of a web build arrive, also of nobody', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startSdkApp(t)
  const { page } = await openTab(app.browser, app.url)
  await page.goto(app.path)
  assert.ok(await page.getByText('to keep your saves in your account').isVisible())
  const frame = await connectedGame(page)
  assert.equal((await run(frame, 'slipway.bootOk()')).ok, true)
  assert.equal((await run(frame, `slipway.event('level_done', { level: 2 })`)).ok, true)
  await run(frame, `void setTimeout(() => { throw new Error('the door is stuck') })`)
  await run(frame, `void Promise.reject(new Error('no more keys'))`)
  const counts = async () => {
    const path = `/api/v1/private/games/${app.game.uid}/event-analytics?days=1`
    const { totals } = must(await app.get(path, app.game.owner))
    return new Map(totals.map(({ event, count }: any) => [event, count]))
  }
  await eventually('the events', async () => {
    const totals = await counts()
    return ['session_start', 'boot_ok', 'level_done'].every((name) => totals.get(name) === 1)
  })
  await eventually('the crashes', async () => {
    const rows = await app.sql`
      select metadata ->> 'message' as message from crashes where game_uid = ${app.game.uid}
      order by 1`
    return rows.length === 2 && /door/.test(rows[1]!.message)
  })
  await runJob(app, updateHealth)
  const path = `/api/v1/private/games/${app.game.uid}/builds/${app.build_id}/health`
  assert.equal(must(await app.get(path, app.game.owner)).boot_ok, 1)
})

test('the page shows what has been loaded until the game has started', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startSdkApp(t)
  const { page } = await openTab(app.browser, app.url)
  await page.goto(app.path)
  const frame = await connectedGame(page)
  const bar = page.locator('progress')
  await run(frame, 'void slipway.progress(300000, 1200000)')
  await page.getByText('293.0 KiB of 1.1 MiB loaded').waitFor()
  assert.deepEqual(
    await bar.evaluate((element: any) => [element.value, element.max]),
    [300_000, 1_200_000],
  )
  for (const wrong of ['"<b>"', 'NaN', '-1', 'null', '{}'])
    await run(frame, `void slipway.progress(${wrong}, ${wrong})`)
  assert.equal(await bar.evaluate((element: any) => element.value), 300_000)
  await run(frame, 'void slipway.bootOk()')
  await bar.waitFor({ state: 'hidden' })
  await page.evaluate(`{
    const stage = document.querySelector('play-frame')
    const receive = stage.receive.bind(stage)
    stage.receive = (message) => {
      receive(message)
      stage.dataset.received = message.done
    }
  }`)
  await run(frame, 'void slipway.progress(600000, 1200000)')
  await page.locator('play-frame[data-received="600000"]').waitFor()
  assert.equal(await bar.isVisible(), false, 'the bar stays away after the start')
})

test('errors of the start are reported, also where the browser blocks storage', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const body = `<!doctype html><html lang="en"><title>Game</title>
<script>
Object.defineProperty(window, 'localStorage', {
  get() { throw new DOMException('blocked', 'SecurityError') },
})
</script>
<script src="play.js"></script>
<script>slipway.bootOk(); throw new Error('no first level')</script>`
  const app = await sharePlayApp(t, (sdk) => [sdk, { name: 'index.html', body, method: 0 }])
  const browser = await startChromium(t)
  const { page } = await openTab(browser, app.url)
  await page.goto(`/${app.game.owner.username}/${app.game.vanity_name}/play`)
  await startGame(page)
  await eventually('the crash', async () => {
    const rows = await app.sql`
      select metadata ->> 'message' as message from crashes where game_uid = ${app.game.uid}`
    return rows.length === 1 && rows[0]!.message === 'no first level'
  })
  await page.locator('progress').waitFor({ state: 'hidden' })
})

test('outside of the store every call says why it does nothing', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startSdkApp(t)
  const { port } = new URL(app.url)
  const { page } = await openTab(app.browser, app.url)
  await page.goto(`http://${app.host}:${port}/${app.file_uid}/`)
  await page.waitForFunction("document.getElementById('out')?.textContent === 'not_in_store'")
  const refusal = { ok: false, reason: 'not_in_store' }
  for (const call of [
    'slipway.bootOk()',
    `slipway.event('x')`,
    `slipway.crash('x')`,
    `slipway.reportBug('x')`,
    `slipway.saves.read('a')`,
    `slipway.saves.write('a', 'b')`,
  ])
    assert.deepEqual(await page.evaluate(call), refusal, call)
  assert.equal((await app.sql`select from crashes where game_uid = ${app.game.uid}`).length, 0)
})

test('a player reports a bug from the page, with a screenshot they choose', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startSdkApp(t)
  const person = await app.a.verified()
  const { page } = await openTab(app.browser, app.url, { token: person.token })
  await page.goto(app.path)
  const link = page.getByRole('link', { name: 'Report a bug' })
  assert.equal(await link.getAttribute('href'), `/games/${app.game.uid}/bug`)
  const reporter = `/api/v1/private/games/${app.game.uid}/bug-reporter`
  must(await app.put(reporter, { enabled: true }, app.game.owner))
  await page.reload()
  const frame = await connectedGame(page)
  await run(frame, `void slipway.reportBug('The door <b>is</b> stuck')`)
  const field = page.getByLabel('What happened?')
  await field.waitFor()
  assert.equal(await field.inputValue(), 'The door <b>is</b> stuck')
  await field.fill('The door is stuck')
  await page.getByLabel('Screenshot').setInputFiles({
    name: 'a.png',
    mimeType: 'image/png',
    buffer: Buffer.from(await picture(64, 64)),
  })
  await page.getByRole('button', { name: 'Send report' }).click()
  await page.getByText('Your report was sent').waitFor()
  await page.getByRole('button', { name: 'Back to the game' }).click()
  await page.getByRole('button', { name: 'Report a bug' }).click()
  await field.fill('And the window too')
  await page.getByRole('button', { name: 'Send report' }).click()
  await page.getByText('Your report was sent').waitFor()
  const tickets = await app.sql`
    select message, user_uid, build_id, os, screenshot_type from bugs
    where game_uid = ${app.game.uid}
    order by created_at`
  const common = { user_uid: person.uid, build_id: app.build_id, os: 'web' }
  assert.deepEqual(
    [...tickets].map((ticket) => ({ ...ticket })),
    [
      { ...common, message: 'The door is stuck', screenshot_type: 'image/png' },
      { ...common, message: 'And the window too', screenshot_type: null },
    ],
  )
})

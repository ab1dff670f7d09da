import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import type { Frame, Page } from 'playwright-core'
import { random as seededRandom } from '../../demo/random.ts'
import { must } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { loopCount, SEED } from '../support/loop-count.ts'
import { needs } from '../support/system-packages.ts'
import { zip } from '../uploads/zips.ts'
import { openTab, startChromium } from '../web/chromium.ts'
import { type Attempt, attackPage, makeAttempt } from './attack-page.ts'
import { startPlayApp } from './fixtures.ts'
import { startGame, whenTrue } from './frames.ts'

/** A game that keeps a secret in every storage of its origin, and answers who asks for it. */
const keeper = (canary: string) => `<!doctype html><title>Keeper</title><p id="out"></p>
<script type="module">
localStorage.canary = sessionStorage.canary = '${canary}'
document.cookie = 'canary=${canary}'
await caches.open('${canary}')
await new Promise((done) => { indexedDB.open('${canary}').onsuccess = done })
new BroadcastChannel('canary').onmessage = ({ target }) => target.postMessage('${canary}')
document.getElementById('out').textContent = 'kept'
</script>`

const html = (name: string, body: string) => ({ name, body, method: 0 })

/** In parts, because a test has ten minutes. */
const PART = loopCount({ short: 12, full: 50 })
const TOTAL = loopCount({ short: 12, full: 1000 })

for (let first = 0; first < TOTAL; first += PART)
  test(`hostile pages ${first + 1} to ${first + PART} get hold of nothing`, (t) =>
    tryPages(t, first))

/** No page of a game gets hold of anything of the store, or of another game. */
async function tryPages(t: TestContext, first: number): Promise<void> {
  if (!needs(t, 'chromium-headless-shell')) return
  const canary = `canary-${randomUUID()}`
  const app = await startPlayApp(t, {
    files: [
      html('index.html', attackPage),
      html('attack.html', attackPage),
      html('sw.js', 'onfetch = () => {}'),
    ],
  })
  const other = await app.a.listing({ owner: app.game.owner })
  const other_build = await app.a.cleanBuild(other, {
    bytes: zip([html('index.html', keeper(canary)), html('secret.txt', canary)]),
    os: 'web',
    arch: 'wasm32',
  })
  await app.sql`
    update listings set visibility = 'public', anonymous_downloads = true where uid = ${other.uid}`
  const person = await app.a.verified()
  const [account] = await app.sql`select email from users where uid = ${person.uid}`
  const browser = await startChromium(t)
  const { page, context } = await openTab(browser, app.url, {
    token: person.token,
    context: { serviceWorkers: 'allow' },
  })
  await context.addCookies([{ name: 'canary', value: canary, url: app.url }])
  const kept = await context.newPage()
  await openGame(kept, `/${other.owner.username}/${other.vanity_name}/play`)
  await kept.evaluate(`localStorage.canary = '${canary}'`)

  const secrets = [canary, person.token, account!.email as string]
  const path = `/${app.game.owner.username}/${app.game.vanity_name}/play`
  const with_session = watchSessions(t, person.token)
  const addresses = {
    store: app.url,
    other: `http://${other.uid}.play.localhost:${new URL(app.url).port}`,
    other_file: other_build.file_uid,
  }
  let frame = await openGame(page, path)
  const base = new URL('attack.html', frame.url())
  t.diagnostic(`SEED=${SEED} chooses what the pages try`)
  const random = seededRandom(`${SEED} ${first}`)
  const escapes: string[] = []
  for (let number = first; number < first + PART; number++) {
    const attempt = makeAttempt(number, random)
    const url = `${base}?${new URLSearchParams({ ...attempt, ...addresses })}`
    const collected = await runAttempt(frame, url, attempt)
    const note = (what: string) => escapes.push(`${JSON.stringify(attempt)}: ${what}`)
    for (const line of collected)
      if (line.includes('ESCAPE') || secrets.some((secret) => line.includes(secret))) note(line)
    // A game may open windows, which keep its restrictions: a page of the store refuses to be there.
    for (const popup of context.pages().filter((tab) => tab !== page && tab !== kept)) {
      if (popup.url().startsWith(app.url)) note(`opened ${popup.url()}`)
      await popup.close()
    }
    if (new URL(page.url()).pathname !== path) {
      note(`led the page to ${page.url()}`)
      frame = await openGame(page, path)
    } else if (!(await isPageWhole(page))) note('changed the page')
    if (frame.isDetached()) frame = await openGame(page, path)
  }
  assert.deepEqual(escapes, [])
  assert.deepEqual(with_session, [])
  const { username } = must(await app.get('/api/v1/private/account', person))
  assert.equal(username, person.username)
  const cookies = await context.cookies(app.url)
  assert.deepEqual(
    cookies.filter(({ name }) => name === 'svc_session').map(({ value }) => value),
    [person.token],
  )
}

async function openGame(page: Page, path: string): Promise<Frame> {
  await page.goto(path)
  const frame = await startGame(page)
  await frame.waitForLoadState()
  return frame
}

/** Loads the page of an attempt in the frame of the game, and returns what it collected. */
async function runAttempt(frame: Frame, url: string, { family }: Attempt): Promise<string[]> {
  await frame.goto(url, { waitUntil: 'commit', timeout: 10_000 }).catch(() => {})
  const is_leaving = family === 'leave' || family === 'navigate'
  try {
    await whenTrue(frame, 'window.collected', is_leaving ? 1500 : 60_000)
    return (await frame.evaluate('window.collected')) as string[]
  } catch (error) {
    // It left its own page, and nothing of it is there any more.
    if (is_leaving) return []
    throw error
  }
}

const isPageWhole = async (page: Page) =>
  (await page.evaluate(
    `document.title !== '1' && globalThis.canary === undefined && ({}).polluted === undefined &&
      document.querySelectorAll('play-frame iframe').length === 1`,
  )) as boolean

/**
 * The requests of games that reached the store with the session of the person. A link that opens a
 * window may have it, as any link to the store does; the game cannot read what is in the window.
 */
function watchSessions(t: TestContext, token: string): string[] {
  const requests: string[] = []
  const check = (message: unknown) => {
    const { method, url, headers } = (message as { request: IncomingMessage }).request
    const { cookie = '', referer = '', origin = '', 'sec-fetch-dest': target } = headers
    const is_link = method === 'GET' && target === 'document'
    if (cookie.includes(token) && /\.play\.localhost/.test(`${referer} ${origin}`) && !is_link)
      requests.push(`${method} ${url}`)
  }
  subscribe('http.server.request.start', check)
  cleanup(t, () => void unsubscribe('http.server.request.start', check))
  return requests
}

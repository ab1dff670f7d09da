import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { PASSWORD } from '../../support/builders.ts'
import { browser, formsOf } from '../browser.ts'

const PAGE = '/account/sessions'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
  'Version/18.5 Safari/605.1.15'

test('sessions are listed and ended without script', async (t) => {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const { username } = await app.a.user()
  const login = { login: username, password: PASSWORD }
  const signIn = async (agent: string, address: string) => {
    const visitor = browser(app)
    const headers = { 'user-agent': agent, 'x-forwarded-for': address }
    assert.equal((await visitor.send('/login', login, headers)).status, 303)
    return visitor
  }
  const desk = await signIn(FIREFOX, '8.8.8.8')
  const laptop = await signIn(SAFARI, '10.0.0.1')
  for (const path of ['/settings', '/account/security'])
    assert.match((await desk.open(path)).body, new RegExp(`href="${PAGE}"`), path)
  const { body } = await desk.open(PAGE)
  assert.match(body, /Firefox on Linux<\/strong>\s*<span class="mark mark-ok">.*?This session/s)
  assert.match(body, /United States · network 8\.8\.8\.0\/24/)
  assert.match(body, /Safari on macOS/)
  assert.match(body, /Network 10\.0\.0\.0\/24/)
  assert.match(body, /Unknown device/)
  const ends = formsOf(body).filter(({ action }) => action.endsWith('/end'))
  assert.equal(ends.length, 2, 'every session but this one')
  const of_laptop = body.match(/Safari on macOS.*?action="([^"]+)"/s)![1]!
  assert.match((await desk.submit(of_laptop)).body, /The session is ended/)
  assert.equal((await laptop.open(PAGE)).status, 303)
  assert.equal((await desk.send(of_laptop)).status, 404)
  const rest = await desk.submit(`${PAGE}/end-others`)
  assert.match(rest.body, /All other sessions are ended/)
  assert.doesNotMatch(rest.body, /end-others"/)
  const german = await desk.open(PAGE, { 'accept-language': 'de' })
  assert.match(german.body, /Firefox auf Linux/)
  assert.match(german.body, /Vereinigte Staaten · Netz 8\.8\.8\.0\/24/)
})

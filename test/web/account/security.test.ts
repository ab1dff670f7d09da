import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clearIdentityCache } from '../../../src/accounts/sessions/identity.ts'
import { totpCode } from '../../accounts/second-factor/fixtures.ts'
import { startApp } from '../../support/app.ts'
import { PASSWORD } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { browser, errorsOf } from '../browser.ts'

const sharedApp = sharedInFile(startApp)

const SECURITY = '/account/security'
const TOTP = `${SECURITY}/totp`

const hiddenValue = (page: string, name: string) =>
  page
    .match(new RegExp(`type="hidden" name="${name}" value="([^"]*)"`))![1]!
    .replaceAll('&quot;', '"')

/** Turns an authenticator app on, with the pages alone. */
async function enroll(visitor: ReturnType<typeof browser>) {
  const { body: setup } = await visitor.open(TOTP)
  const secret = setup.match(/<code>([A-Z2-7 ]{30,})<\/code>/)![1]!.replaceAll(' ', '')
  assert.match(setup, /class="qr" role="img" aria-label="[^"]+"><svg /)
  assert.match(setup, /<a href="otpauth:\/\/totp\/[^"]+secret=/)
  const { status, body } = await visitor.send(TOTP, { code: totpCode(secret, -1) })
  assert.equal(status, 200)
  const codes = [...body.matchAll(/<li><code>([^<]+)<\/code>/g)].map(([, code]) => code!)
  return { secret, codes }
}

test('an authenticator app is set up, used and removed without script', async (t) => {
  const app = await sharedApp(t)
  const { username, token } = await app.a.user()
  const visitor = browser(app)
  visitor.as(token)
  assert.match((await visitor.open(SECURITY)).body, new RegExp(`href="${TOTP}"`))
  const wrong = await visitor.send(TOTP, { code: '000000' })
  assert.equal(wrong.status, 401)
  assert.match(errorsOf(wrong.body).join(), /wrong or was already used/)
  const { secret, codes } = await enroll(visitor)
  assert.equal(codes.length, 10)
  assert.match((await visitor.open(SECURITY)).body, /10 of 10 codes are left/)

  const other = browser(app)
  const login = { login: username, password: PASSWORD }
  const second = await other.send('/login?next=/settings', login)
  assert.equal(second.status, 200)
  assert.ok(!other.jar.has('svc_session'))
  const ticket = hiddenValue(second.body, 'ticket')
  const step = '/login/second-step?next=%2Fsettings'
  assert.ok(second.body.includes(step))
  const refused = await other.send(step, { ticket, code: '000000' })
  assert.deepEqual([refused.status, hiddenValue(refused.body, 'ticket')], [401, ticket])
  const done = await other.send(step, { ticket, code: totpCode(secret) })
  assert.deepEqual([done.status, done.headers.location], [303, '/settings'])
  const expired = await browser(app).send(step, { ticket: 'x', code: totpCode(secret, 1) })
  assert.match(errorsOf(expired.body).join(), /took too long/)

  const lost = browser(app)
  const { body } = await lost.send('/login', login)
  const by_code = { ticket: hiddenValue(body, 'ticket'), code: codes[0]! }
  assert.equal((await lost.send('/login/second-step', by_code)).status, 303)
  assert.equal((await lost.send(`${TOTP}/remove`)).status, 303)
  assert.equal((await browser(app).send('/login', login)).status, 303)
})

test('a form that needs a fresh proof goes on with what was typed', async (t) => {
  const app = await sharedApp(t)
  const { token } = await app.a.user()
  const visitor = browser(app)
  visitor.as(token)
  await enroll(visitor)
  await app.sql`update sessions set created_at = now() - interval '11 minutes'`
  const prompt = await visitor.send(`${TOTP}/remove`)
  assert.equal(prompt.status, 403)
  const pending_form = hiddenValue(prompt.body, 'pending_form')
  const wrong = await visitor.send('/account/confirm', { pending_form, password: 'wrong' })
  assert.deepEqual([wrong.status, hiddenValue(wrong.body, 'pending_form')], [401, pending_form])
  const proved = await visitor.send('/account/confirm', { pending_form, password: PASSWORD })
  assert.equal(proved.status, 200)
  assert.match(proved.body, new RegExp(`method="post" action="${TOTP}/remove"`))
  assert.equal((await visitor.send(`${TOTP}/remove`)).status, 303)
})

test('a page that needs a fresh proof leads to it and back', async (t) => {
  const app = await sharedApp(t)
  const { token } = await app.a.user()
  const visitor = browser(app)
  visitor.as(token)
  await app.sql`update sessions set created_at = now() - interval '11 minutes'`
  const prompt = await visitor.open(TOTP)
  const confirm = `/account/confirm?next=${encodeURIComponent(TOTP)}`
  assert.deepEqual([prompt.status, prompt.headers.location], [303, confirm])
  const proved = await visitor.send(confirm, { password: PASSWORD })
  assert.deepEqual([proved.status, proved.headers.location], [303, TOTP])
  assert.equal((await visitor.open(TOTP)).status, 200)
})

test('a form sent after the session ended survives the second step', async (t) => {
  const app = await sharedApp(t)
  const { username, token } = await app.a.user()
  const visitor = browser(app)
  visitor.as(token)
  const { secret } = await enroll(visitor)
  await app.sql`delete from sessions`
  clearIdentityCache()
  const ended = await visitor.send('/settings/developer', { accept_terms: 'yes' })
  assert.equal(ended.status, 401)
  const pending_form = hiddenValue(ended.body, 'pending_form')
  const login = { login: username, password: PASSWORD, pending_form }
  const { body } = await visitor.send('/login', login)
  const step = {
    ticket: hiddenValue(body, 'ticket'),
    pending_form: hiddenValue(body, 'pending_form'),
    code: totpCode(secret),
  }
  const resumed = await visitor.send('/login/second-step', step)
  assert.match(resumed.body, /action="\/settings\/developer"[\s\S]*name="accept_terms" value="yes"/)
})

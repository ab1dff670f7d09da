import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createSetupLink } from '../../../src/accounts/setup/setup-links.ts'
import { enrollTotp } from '../../accounts/second-factor/fixtures.ts'
import { outbox, startApp } from '../../support/app.ts'
import { PASSWORD } from '../../support/builders.ts'
import { needs } from '../../support/system-packages.ts'
import { browser, errorsOf } from '../browser.ts'
import { openTab, startChromium } from '../chromium.ts'
import { signedIn } from '../dashboard-fixtures.ts'
import { openPageProblems } from '../layouts.ts'

const account = {
  username: 'harbor-master',
  email: 'harbor-master@example.com',
  password: PASSWORD,
}

async function startSetup(t: TestContext) {
  const app = await startApp(t)
  const link = (await createSetupLink(app.core))!
  return { ...app, link, token: link.split('#')[1]! }
}

test('without script, a pasted link leads from the first operator to the console', async (t) => {
  const app = await startSetup(t)
  const visitor = browser(app)
  const opened = await visitor.open('/setup')
  assert.equal(opened.status, 200)
  assert.match(opened.headers['cache-control']!, /no-store/)
  assert.match(opened.body, /noindex/)
  const wrong = await visitor.send('/setup', { ...account, token: 'nothing' })
  assert.equal(wrong.status, 403)
  assert.match(errorsOf(wrong.body).join(), /used, has expired or is unknown/)
  const store = await visitor.submit('/setup', { ...account, token: ` ${app.link} ` })
  assert.match(store.body, /harbor-master is the operator/)
  assert.match(store.body, /Address of the mail server/)
  const mailed = await visitor.submit('/setup/mail/test')
  assert.match(mailed.body, /outbox/)
  assert.equal(outbox(app.data_dir).length, 1)
  const refused = await visitor.send('/setup/store', { store_name: 'x'.repeat(61) })
  assert.equal(refused.status, 400)
  const answer = await visitor.send('/setup/store', { store_name: 'Harbor' })
  assert.deepEqual([answer.status, answer.headers.location], [303, '/setup/second-factor'])
  assert.match((await app.get('/')).body, /Harbor/)
  assert.match(store.body, /<code>http:[^<]+<\/code>.*BASE_URL=/s)
  const offer = (await visitor.open('/setup/second-factor')).body
  assert.match(offer, /href="\/account\/security".*href="\/operator"/s)
  await enrollTotp(app, { token: visitor.jar.get('svc_session')! })
  const next = await visitor.open('/setup/second-factor')
  assert.deepEqual([next.status, next.headers.location], [303, '/operator'])
})

test('a required second factor is set up after the set-up, and before anything else', async (t) => {
  const app = await startApp(t, { REQUIRE_MFA: 'operators' })
  const link = (await createSetupLink(app.core))!
  const visitor = browser(app)
  const store = await visitor.submit('/setup', { ...account, token: link })
  assert.match(store.body, /Address of the mail server/)
  assert.match((await visitor.submit('/setup/mail/test')).body, /outbox/)
  const elsewhere = await visitor.open('/operator/people')
  assert.deepEqual([elsewhere.status, elsewhere.headers.location], [303, '/account/security'])
  const answer = await visitor.send('/setup/store', { store_name: 'Harbor' })
  assert.deepEqual([answer.status, answer.headers.location], [303, '/setup/second-factor'])
  const offer = (await visitor.open('/setup/second-factor')).body
  assert.match(offer, /This store requires it/)
  assert.doesNotMatch(offer, /Continue in the console/)
  const next = await visitor.open('/operator')
  assert.deepEqual([next.status, next.headers.location], [303, '/account/security'])
  assert.match((await visitor.open('/account/security')).body, /second/i)
  await app.sql`update operators set made_at = now() - interval '61 minutes'`
  const late = await visitor.open('/setup/store')
  assert.deepEqual([late.status, late.headers.location], [303, '/account/security'])

  // Another operator has no set-up to finish.
  const other = await app.a.verified()
  await app.sql`insert into operators (user_uid) values (${other.uid})`
  const second = await signedIn(app, other).open('/setup/store')
  assert.deepEqual([second.status, second.headers.location], [303, '/account/security'])
  const { status, body } = await app.get('/api/v1/private/operations/settings', other)
  assert.deepEqual([status, body.error.code], [403, 4292])
})

test('a signed-in person keeps their account', async (t) => {
  const app = await startSetup(t)
  const person = await app.a.user()
  const visitor = signedIn(app, person)
  assert.match((await visitor.open('/setup')).body, new RegExp(`signed in as ${person.username}`))
  const store = await visitor.submit('/setup', { token: app.token })
  assert.match(store.body, new RegExp(`${person.username} is the operator`))
})

test('once there is an operator, set-up says so and its other pages are missing', async (t) => {
  const app = await startSetup(t)
  const first = browser(app)
  await first.submit('/setup', { ...account, token: app.token })
  const { status, body } = await browser(app).open('/setup')
  assert.equal(status, 200)
  assert.match(body, /already set up/)
  const late = await browser(app).send('/setup', { ...account, token: app.token })
  assert.match(late.body, /already set up/)
  const other = signedIn(app, await app.a.user())
  assert.equal((await other.open('/setup/store')).status, 404)
  for (const form of ['', '/test', '/remove'])
    assert.equal((await other.send(`/setup/mail${form}`)).status, 404, form)
})

test('nothing is blocked without set-up', async (t) => {
  const app = await startSetup(t)
  for (const path of ['/', '/search', '/signup', '/api/v1/public/store-rules'])
    assert.equal((await app.get(path)).status, 200, path)
})

test('the link fills in its token by script, at two widths and in both themes', async (t) => {
  if (!needs(t, 'chromium')) return
  const app = await startSetup(t)
  const { page, problems } = await openTab(await startChromium(t), app.url)
  const assertLayout = async (name: string) =>
    assert.deepEqual(await openPageProblems(page, name), [])
  await page.goto(app.link)
  assert.equal(await page.inputValue('[name=token]'), app.token)
  assert.doesNotMatch(page.url(), /#/)
  await assertLayout('setup')
  for (const [name, value] of Object.entries(account)) await page.fill(`main [name=${name}]`, value)
  await page.click('main form button')
  await page.waitForURL('**/setup/store')
  await assertLayout('setup-store')
  await page.fill('[name=store_name]', 'Harbor')
  await page.click('form[action="/setup/store"] button')
  await page.waitForURL('**/setup/second-factor')
  await assertLayout('setup-second-factor')
  await page.getByRole('link', { name: 'Continue in the console' }).click()
  await page.waitForURL('**/operator')
  assert.deepEqual(problems, [])
})

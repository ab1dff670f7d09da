import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, startPolicies } from '../../accounts/policies/fixtures.ts'
import { must, PASSWORD } from '../../support/builders.ts'
import { needs } from '../../support/system-packages.ts'
import { browser, errorsOf, filledForm } from '../browser.ts'
import { openTab, startChromium } from '../chromium.ts'
import { signedIn } from '../dashboard-fixtures.ts'
import { layoutProblems } from '../layouts.ts'

const PAGE = '/settings/terms'
const account = (username: string) => ({
  username,
  email: `${username}@example.com`,
  password: PASSWORD,
})

test('the sign-up page asks to accept the terms while there are any', async (t) => {
  const app = await startPolicies(t)
  const visitor = browser(app)
  assert.doesNotMatch((await visitor.open('/signup')).body, /store_terms_version/)
  await app.published('terms')
  const { body } = await visitor.open('/signup')
  assert.match(body, /I accept the <a href="\/terms\?version=1">terms of use<\/a>/)
  const without = await visitor.send('/signup', account('person-one'))
  assert.equal(without.status, 400)
  assert.match(errorsOf(without.body).join(), /Accept the terms of use to continue/)
  await app.published('terms')
  const outdated = await visitor.send('/signup', {
    ...account('person-one'),
    store_terms_version: '1',
  })
  assert.match(errorsOf(outdated.body).join(), /have changed meanwhile/)
  assert.equal(filledForm(outdated.body, '/signup', {}).store_terms_version, undefined)
  const page = await visitor.submit('/signup', {
    ...account('person-one'),
    store_terms_version: '2',
  })
  assert.match(page.body, /Welcome aboard/)
  assert.doesNotMatch(page.body, /Read and accept/)
})

test('new terms are announced, and from their day pages lead to them', async (t) => {
  const app = await startPolicies(t)
  const person = await app.a.verified()
  const visitor = signedIn(app, person)
  assert.doesNotMatch((await visitor.open('/')).body, /Read and accept/)
  await app.published('terms', { summary: 'Kinder words.', effective_from: day(3) })
  for (const path of ['/', '/library', '/settings', '/missing/page'])
    assert.match((await visitor.open(path)).body, /Read and accept version 1/, path)
  assert.doesNotMatch((await browser(app).open('/')).body, /Read and accept/)
  await app.setDay('terms', 1, day(0))
  for (const path of ['/', '/library', '/settings', '/search?q=x']) {
    const { status, headers } = await visitor.open(path)
    const target = `${PAGE}?next=${encodeURIComponent(path)}`
    assert.deepEqual([status, headers.location], [303, target], path)
  }
  for (const path of ['/terms', '/settings/export', '/settings/delete', PAGE])
    assert.equal((await visitor.open(path)).status, 200, path)
  assert.equal((await browser(app).open('/')).status, 200)
  const { body } = await visitor.open(`${PAGE}?next=%2Flibrary`)
  assert.match(body, /Kinder words\./)
  const wrong = await visitor.send(PAGE, { store_terms_version: '9', next: '/library' })
  assert.equal(wrong.status, 400)
  const fields = filledForm(body, PAGE, {})
  assert.deepEqual(fields, { store_terms_version: ['1'], next: ['/library'] })
  const library = await visitor.submit(PAGE, fields)
  assert.match(library.body, /You accepted version 1/)
  assert.equal((await visitor.open('/')).status, 200)
  assert.match((await visitor.open(PAGE)).body, /You accepted <a/)
})

test('a form that was typed before the terms took effect is kept and sent after', async (t) => {
  const app = await startPolicies(t)
  const person = await app.a.verifiedDeveloper()
  const visitor = signedIn(app, person)
  await app.published('terms')
  const project = { name: 'Low Tide', asset_type: 'game' }
  const refused = await visitor.send('/dashboard/new', project)
  assert.equal(refused.status, 403)
  const form = filledForm(refused.body, PAGE, {})
  const resumed = await visitor.send(PAGE, form)
  assert.equal(resumed.status, 200)
  assert.deepEqual(filledForm(resumed.body, '/dashboard/new', {}), {
    name: ['Low Tide'],
    asset_type: ['game'],
  })
  await visitor.submit('/dashboard/new', project)
  const { items } = must(await app.get('/api/v1/private/games', person))
  assert.equal(items[0].name, 'Low Tide')
})

test('whoever does not accept the terms can sign out, or delete the account', async (t) => {
  const app = await startPolicies(t)
  const person = await app.a.user()
  await app.published('terms')
  const leaving = signedIn(app, person)
  const { username } = person
  const page = await leaving.submit('/settings/delete', { username, password: PASSWORD })
  assert.match(page.body, /deleted/)
  const other = signedIn(app, await app.a.user())
  assert.match((await other.submit('/logout')).body, /You are signed out/)
  const choice = signedIn(app, await app.a.user())
  assert.equal((await choice.send('/settings/theme', { theme: 'dark' })).status, 303)
})

test('the pages of the terms pass axe at two widths and in both themes', async (t) => {
  if (!needs(t, 'chromium')) return
  const app = await startPolicies(t, { STORE_NAME: 'Harbor' })
  await app.published('privacy')
  const { token } = await app.a.verified()
  const text = `# Scope\n\n${'Be kind to each other. '.repeat(150)}\n\n# Law\n\nOurs.`
  await app.published('terms', { text, summary: 'Kinder words.', effective_from: day(4) })
  const chromium = await startChromium(t)
  const signed_in = await openTab(chromium, app.url, { token })
  const visitor = await openTab(chromium, app.url)
  assert.deepEqual(await layoutProblems(visitor.page, '/signup'), [])
  assert.deepEqual(await layoutProblems(signed_in.page, '/'), [])
  assert.deepEqual(await layoutProblems(signed_in.page, PAGE), [])
  await app.setDay('terms', 1, day(0))
  assert.deepEqual(await layoutProblems(signed_in.page, '/library'), [])
  assert.deepEqual([...visitor.problems, ...signed_in.problems], [])
})

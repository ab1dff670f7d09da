import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startApp } from '../../support/app.ts'
import { must, refused } from '../../support/builders.ts'
import { day, OPERATIONS, PUBLIC, sharedPolicies } from './fixtures.ts'

const startShared = sharedPolicies()

test('a policy is missing until an operator publishes it', async (t) => {
  const { get, published } = await startShared(t)
  for (const kind of ['terms', 'privacy', 'rules', 'imprint', 'about']) {
    assert.deepEqual(refused(await get(`${PUBLIC}/${kind}`)), [404, 4040], kind)
    assert.equal((await get(`/${kind}`)).status, 404, kind)
  }
  assert.deepEqual(must(await get(PUBLIC)), { policies: [] })
  assert.doesNotMatch((await get('/')).body, /href="\/privacy"/)
  assert.deepEqual(await published('privacy', { summary: ' First. ' }), {
    kind: 'privacy',
    version: 1,
    effective_from: day(0),
  })
  const { policies } = must(await get(PUBLIC))
  assert.equal(policies.length, 1)
  assert.equal(policies[0].summary, 'First.')
  assert.match(policies[0].url, /^http.*\/privacy$/)
  const { text, in_effect, versions } = must(await get(`${PUBLIC}/privacy`))
  assert.deepEqual([text, in_effect, versions.length], ['# Scope\n\nBe kind.', true, 1])
  const { status, body } = await get('/privacy')
  assert.equal(status, 200)
  assert.match(body, /<h1>Privacy<\/h1>/)
  assert.match(body, /<h2>Scope<\/h2>\s*<p>Be kind\.<\/p>/)
  assert.match((await get('/')).body, /<a href="\/privacy">Privacy<\/a>/)
  assert.equal((await get('/terms')).status, 404)
})

test('older versions stay readable, and a later one waits for its day', async (t) => {
  const { get, published, setDay } = await startShared(t)
  await published('rules', { text: 'one' })
  await published('rules', { text: 'two' })
  await published('rules', { text: 'three', effective_from: day(10) })
  const texts = async () =>
    Promise.all(
      ['', '?version=1', '?version=2', '?version=3'].map(async (query) => {
        const { version, text, in_effect } = must(await get(`${PUBLIC}/rules${query}`))
        return [version, text, in_effect]
      }),
    )
  assert.deepEqual(await texts(), [
    [2, 'two', true],
    [1, 'one', false],
    [2, 'two', true],
    [3, 'three', false],
  ])
  const { body } = await get('/rules')
  assert.match(body, /two/)
  assert.match(body, /<a href="\/rules\?version=3">Version 3<\/a> takes effect on/)
  for (const version of [1, 2, 3]) assert.match(body, new RegExp(`/rules\\?version=${version}"`))
  const old = (await get('/rules?version=1')).body
  assert.match(old, /Version 1 is not in effect/)
  assert.match(old, /noindex/)
  assert.match((await get('/rules?version=3')).body, /Version 3 takes effect on/)
  assert.deepEqual(refused(await get(`${PUBLIC}/rules?version=4`)), [404, 4040])
  assert.equal((await get('/rules?version=4')).status, 404)
  assert.deepEqual(refused(await get(`${PUBLIC}/rules?version=0`)), [400, 4000])
  assert.deepEqual(refused(await get(`${PUBLIC}/other`)), [404, 4040])
  await setDay('rules', 3, day(0))
  assert.deepEqual((await texts())[0], [3, 'three', true])
})

test('a first version is shown before the day from which it applies', async (t) => {
  const { get, published } = await startShared(t)
  await published('imprint', { effective_from: day(1) })
  const { version, in_effect } = must(await get(`${PUBLIC}/imprint`))
  assert.deepEqual([version, in_effect], [1, false])
  assert.equal((await get('/imprint')).status, 200)
})

test('limits of a policy are refused beyond, and accepted at the bound', async (t) => {
  const { publish, published, get } = await startShared(t)
  for (const wrong of [
    { text: '' },
    { text: ' \n ' },
    { text: 'x'.repeat(200_001) },
    { text: 'Write to [[contact email]].' },
    { text: 'Over [[two\nlines]].' },
    { summary: 'x'.repeat(1001) },
    { effective_from: day(-1) },
    { effective_from: day(366) },
    { effective_from: '2027-02-30' },
    { effective_from: 'soon' },
    { effective_from: '' },
    { previous_version: -1 },
    { kind: 'other' },
    { more: 1 },
  ])
    assert.deepEqual(refused(await publish('about', wrong)), [400, 4000], JSON.stringify(wrong))
  assert.deepEqual(must(await get(PUBLIC)).policies, [])
  for (const right of [
    { text: 'x' },
    { text: '√'.repeat(200_000) },
    { text: 'A [link](https://example.com) and [1].' },
    { summary: 'x'.repeat(1000) },
    { effective_from: day(0) },
    { effective_from: day(365) },
  ])
    await published('about', right)
})

test('two operators who publish at once make two versions, or one if they name it', async (t) => {
  const { publish } = await startShared(t)
  const both = await Promise.all([1, 2, 3].map(() => publish('terms')))
  assert.deepEqual(both.map((answer) => must(answer).version).sort(), [1, 2, 3])
  const named = await Promise.all([1, 2, 3].map(() => publish('terms', { previous_version: 3 })))
  const outcomes = named.map(({ status }) => status).sort()
  assert.deepEqual(outcomes, [201, 409, 409])
  assert.equal(must(await publish('rules', { previous_version: 0 })).version, 1)
  assert.deepEqual(refused(await publish('rules', { previous_version: 0 })), [409, 4090])
})

test('only operators publish policies, and see who published which version', async (t) => {
  const { a, get, post, published, operator } = await startShared(t)
  const person = await a.verified()
  const policy = { kind: 'terms', text: 'Mine' }
  assert.deepEqual(refused(await post(OPERATIONS, policy, person)), [403, 4030])
  assert.deepEqual(refused(await get(OPERATIONS, person)), [403, 4030])
  assert.deepEqual(refused(await post(OPERATIONS, policy)), [401, 4010])
  await published('about')
  const { policies } = must(await get(OPERATIONS, operator))
  assert.equal(policies.length, 5)
  const about = policies.find(({ kind }: { kind: string }) => kind === 'about')
  assert.equal(about.versions[0].username, operator.username)
})

test('every process links a policy within a second of its publication', async (t) => {
  const { settings, published } = await startShared(t)
  const other = await startApp(t, { DATABASE_URL: settings.DATABASE_URL })
  assert.doesNotMatch((await other.get('/')).body, /href="\/imprint"/)
  await published('imprint')
  await eventually('the link', async () => /href="\/imprint"/.test((await other.get('/')).body))
})

test('a policy cannot bring script, foreign images or dangerous links to its page', async (t) => {
  const { get, published } = await startShared(t)
  const text = '<script>alert(1)</script> [x](javascript:alert(1)) ![y](https://evil.example/y.png)'
  await published('about', { text })
  const { body } = await get('/about')
  const article = body.slice(body.indexOf('<article'), body.indexOf('</article>'))
  assert.doesNotMatch(article, /<script|<img|href="javascript/)
})

test('the names of the pages cannot be usernames', async (t) => {
  const { post } = await startShared(t)
  for (const username of ['terms', 'privacy', 'rules', 'imprint', 'about']) {
    const account = { username, email: `${username}@example.com`, password: 'correct horse 9' }
    const answer = await post('/api/v1/private/account/register', account)
    assert.deepEqual(refused(answer), [400, 4000], username)
  }
})

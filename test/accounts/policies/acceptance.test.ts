import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pendingTerms } from '../../../src/accounts/policies/acceptance.ts'
import { routes } from '../../../src/routes.ts'
import { eventually, startApp } from '../../support/app.ts'
import { must, PASSWORD, refused } from '../../support/builders.ts'
import { day, sharedPolicies } from './fixtures.ts'

const startShared = sharedPolicies({ PROXY_HOPS: '1' })
const REGISTER = '/api/v1/private/account/register'
const TERMS = '/api/v1/private/account/store-terms'
const ACCOUNT = '/api/v1/private/account'
const THEME = '/api/v1/private/settings/theme'
const ADULT = '/api/v1/private/settings/adult'

let people = 0
const newAccount = (fields: object = {}) => {
  const username = `newcomer-${++people}`
  return { username, email: `${username}@example.com`, password: PASSWORD, ...fields }
}

test('the terms that a person must accept follow versions and days', () => {
  const terms = (version: number, effective_from: string) => ({
    kind: 'terms',
    version,
    effective_from,
  })
  const now = new Date('2027-03-10T00:00:00Z')
  const before = new Date('2027-03-09T23:59:59Z')
  const published = [terms(1, '2027-01-01'), terms(2, '2027-03-10')]
  const required = (accepted: number | null, at: Date) =>
    pendingTerms(published, accepted, at)?.required_version
  assert.equal(pendingTerms([], null, now), undefined)
  assert.equal(pendingTerms([{ ...terms(1, '2027-01-01'), kind: 'rules' }], null, now), undefined)
  assert.equal(required(null, before), 1)
  assert.equal(required(1, before), undefined)
  assert.equal(pendingTerms(published, 1, before)?.version, 2)
  assert.equal(required(1, now), 2)
  assert.equal(pendingTerms(published, 2, now), undefined)
  // A version that takes effect earlier replaces one that was announced for later.
  const replaced = [...published, terms(3, '2027-03-01')]
  assert.equal(pendingTerms(replaced, 2, before)?.required_version, 3)
})

test('registration asks for the newest terms only while there are any', async (t) => {
  const { post, published, sql } = await startShared(t)
  must(await post(REGISTER, newAccount()))
  must(await post(REGISTER, newAccount({ store_terms_version: 7 })))
  await published('privacy')
  must(await post(REGISTER, newAccount()))
  await published('terms')
  const missing = await post(REGISTER, newAccount())
  assert.deepEqual([...refused(missing), missing.body.data.version], [400, 4270, 1])
  const answer = must(await post(REGISTER, newAccount({ store_terms_version: 1 })))
  assert.equal(answer.user.store_terms_version, 1)
  await published('terms', { effective_from: day(30) })
  for (const store_terms_version of [0, 1, 3]) {
    const old = await post(REGISTER, newAccount({ store_terms_version }))
    assert.deepEqual([...refused(old), old.body.data.version], [400, 4270, 2])
  }
  const both = await post(REGISTER, newAccount({ username: 'x', store_terms_version: 1 }))
  assert.deepEqual(
    both.body.data.refusals.map(({ code }: { code: number }) => code),
    [4000, 4270],
  )
  const newest = must(await post(REGISTER, newAccount({ store_terms_version: 2 })))
  const [row] = await sql`
    select version, accepted_at > now() - interval '1 minute' as recent
    from terms_acceptances where user_uid = ${newest.user.uid}`
  assert.deepEqual([row!.version, row!.recent], [2, true])
  const [{ count }] = (await sql`
    select count(*)::int as count from users where username like 'newcomer-%'`) as any
  assert.equal(count, 5)
})

test('a session changes nothing until its person accepted the terms in effect', async (t) => {
  const app = await startShared(t)
  const { a, get, put, post, published, setDay } = app
  const person = await a.verifiedDeveloper()
  const agent = await a.key('agent', person, ['mcp:write'])
  const change = () => put(ADULT, { show: true, confirm_18: true }, person)
  must(await change())
  await published('terms', { effective_from: day(1) })
  must(await change())
  await setDay('terms', 1, day(0))
  const answer = await change()
  assert.deepEqual([...refused(answer), answer.body.data.version], [403, 4271, 1])
  assert.deepEqual(
    refused(await post('/api/v1/private/games', { name: 'Sloop', asset_type: 'game' }, person)),
    [403, 4271],
  )
  // Reading, keys, and the way out are not affected.
  must(await get(ACCOUNT, person))
  must(
    await post(
      '/api/v1/private/games',
      { name: 'Sloop', asset_type: 'game' },
      { token: agent.key },
    ),
  )
  must(await put(THEME, { theme: 'dark' }, person))
  must(await post(`${ACCOUNT}/confirm-password`, { password: PASSWORD }, person))
  must(await post(`${ACCOUNT}/export`, { password: PASSWORD }, person))
  const wrong = await post(TERMS, { store_terms_version: 2 }, person)
  assert.deepEqual([...refused(wrong), wrong.body.data.version], [400, 4270, 1])
  const first = must(await post(TERMS, { store_terms_version: 1 }, person))
  assert.equal(first.version, 1)
  assert.deepEqual(must(await post(TERMS, { store_terms_version: 1 }, person)), first)
  must(await change())
  assert.equal(must(await get(ACCOUNT, person)).store_terms_version, 1)
})

test('the acceptance is refused without terms, for keys and without a session', async (t) => {
  const { a, post, published } = await startShared(t)
  const person = await a.verified()
  assert.deepEqual(refused(await post(TERMS, { store_terms_version: 1 }, person)), [404, 4040])
  const { key } = await a.key('player', person, ['player:write'])
  await published('terms')
  const body = { store_terms_version: 1 }
  assert.deepEqual(refused(await post(TERMS, body, { token: key })), [403, 4033])
  assert.deepEqual(refused(await post(TERMS, body)), [401, 4010])
  for (const wrong of [{}, { store_terms_version: '1' }, { store_terms_version: -1 }])
    assert.deepEqual(refused(await post(TERMS, wrong, person)), [400, 4000])
})

test('every private route that changes something waits for the terms of a session', async (t) => {
  const app = await startShared(t)
  const person = await app.a.verified()
  await app.published('terms')
  const open = `setup logout store-terms confirm-password second-factor-reset export delete language
    theme`.split(/\s+/)
  const wrong: string[] = []
  const sent = routes.filter(
    ({ url, method, auth }) =>
      url.startsWith('/api/v1/private/') && method !== 'GET' && auth.name !== 'anyone',
  )
  for (const [i, { method, url }] of sent.entries()) {
    const path = url.replace(/:\w+/g, '01900000-0000-7000-8000-000000000000')
    if (open.includes(path.split('/').at(-1)!) && !path.includes('/games/')) continue
    const headers = { 'x-forwarded-for': `10.1.${i >> 8}.${i & 255}` }
    const answer = await app.call(method, path, { token: person.token, body: {}, headers })
    if (answer.body.error?.code !== 4271)
      wrong.push(`${method} ${url}: ${answer.status} ${answer.body.error?.code}`)
  }
  assert.ok(sent.length > 80, `${sent.length}`)
  assert.deepEqual(wrong, [])
})

test('another process knows an acceptance at once', async (t) => {
  const { a, published, post, settings } = await startShared(t)
  const other = await startApp(t, { DATABASE_URL: settings.DATABASE_URL })
  const person = await a.verified()
  await published('terms')
  const change = () => other.put(ADULT, { show: false }, person)
  await eventually('the terms', async () => (await change()).status === 403)
  must(await post(TERMS, { store_terms_version: 1 }, person))
  must(await change())
})

test('whoever publishes terms has accepted them', async (t) => {
  const { operator, get, publish, published } = await startShared(t)
  await published('terms')
  await published('terms')
  assert.equal(must(await get(ACCOUNT, operator)).store_terms_version, 2)
  must(await publish('about'))
})

test('accepting at the same time stores one acceptance', async (t) => {
  const { a, post, published, sql } = await startShared(t)
  const person = await a.verified()
  await published('terms')
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post(TERMS, { store_terms_version: 1 }, person)),
  )
  assert.equal(new Set(answers.map((answer) => must(answer).accepted_at)).size, 1)
  const rows = await sql`select from terms_acceptances where user_uid = ${person.uid}`
  assert.equal(rows.length, 1)
})

test('the export of personal data has the acceptance, and deletion removes it', async (t) => {
  const { a, post, published, sql } = await startShared(t)
  const person = await a.user()
  await published('terms')
  must(await post(TERMS, { store_terms_version: 1 }, person))
  const { tables } = must(await post(`${ACCOUNT}/export`, { password: PASSWORD }, person))
  assert.deepEqual(
    tables.terms_acceptances.map(({ version }: { version: number }) => version),
    [1],
  )
  await published('terms')
  const deletion = { username: person.username, password: PASSWORD }
  must(await post(`${ACCOUNT}/delete`, deletion, person))
  const rows = await sql`select from terms_acceptances where user_uid = ${person.uid}`
  assert.equal(rows.length, 0)
})

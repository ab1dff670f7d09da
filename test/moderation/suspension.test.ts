import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, outbox, startApp } from '../support/app.ts'
import { makePublic, must, PASSWORD, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { browserHeaders, moderationTeam, sendForm } from './fixtures.ts'

const GAMES = '/api/v1/private/games'
const ACCOUNT = '/api/v1/private/account'

const startShared = sharedInFile((t) => startApp(t))

const suspended = (scope: string, days: number | null = null) => ({ suspension: { scope, days } })

test('a person who is suspended from publishing signs in and reads, but publishes nothing', async (t) => {
  const app = await startShared(t)
  const { decide } = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const { uid } = await app.a.listing({ owner })
  const ci = await app.a.deployer({ uid, owner, vanity_name: '' })
  const agent = { token: (await app.a.key('agent', owner, ['mcp:write'])).key }
  await decide('person', owner.username, 'suspend', suspended('publishing', 7))
  for (const who of [owner, agent]) {
    must(await app.get(`${GAMES}/${uid}`, who))
    assert.deepEqual(
      refused(await app.patch(`${GAMES}/${uid}`, { tagline: 'x' }, who)),
      [403, 4284],
    )
    const answer = await app.post(GAMES, { name: 'Another' }, who)
    assert.deepEqual(refused(answer), [403, 4284])
    assert.match(answer.body.error.message, /Your page is not about a game/)
    assert.equal(answer.body.data.suspension.scope, 'publishing')
  }
  assert.deepEqual(refused(await app.get('/api/v1/tool/builds', ci)), [403, 4284])
  const profile = await app.put('/api/v1/private/settings/profile', { bio: 'Buy' }, owner)
  assert.deepEqual(refused(profile), [403, 4284])
  const login = { login: owner.username, password: PASSWORD }
  must(await app.post(`${ACCOUNT}/login`, login))
  must(await app.get('/api/v1/private/moderation/statements', owner))
  await decide('person', owner.uid, 'restore')
  must(await app.patch(`${GAMES}/${uid}`, { tagline: 'y' }, owner))
  must(await app.get('/api/v1/tool/builds', ci))
})

test('nothing works for a person who is suspended from everything', async (t) => {
  const app = await startShared(t)
  const { decide } = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const { uid } = await app.a.listing({ owner })
  const ci = await app.a.deployer({ uid, owner, vanity_name: '' })
  const keys = [
    owner.token,
    (await app.a.key('agent', owner, ['mcp:read'])).key as string,
    (await app.a.key('player', owner, ['player:read'])).key as string,
  ]
  const cookie = { headers: { cookie: `svc_session=${owner.token}`, accept: 'text/html' } }
  await decide('person', owner.uid, 'suspend', suspended('everything'))
  for (const token of keys) {
    assert.deepEqual(refused(await app.get('/api/v1/private/token', { token })), [403, 4284])
    assert.deepEqual(refused(await app.get('/api/v1/public/store-rules', { token })), [403, 4284])
  }
  assert.deepEqual(refused(await app.get('/api/v1/tool/builds', ci)), [403, 4284])
  const login = { login: owner.username, password: PASSWORD }
  const answer = await app.post(`${ACCOUNT}/login`, login)
  assert.deepEqual(refused(answer), [403, 4284])
  assert.match(answer.body.error.message, /suspended: Your page is not about a game\.$/)
  const wrong = await app.post(`${ACCOUNT}/login`, { ...login, password: 'wrong horse battery' })
  assert.deepEqual(refused(wrong), [401, 4010], 'only the person learns it')
  assert.equal((await app.get('/dashboard', cookie)).status, 303)
  await decide('person', owner.uid, 'restore')
  const [session, ...others] = keys
  assert.deepEqual(
    refused(await app.get('/api/v1/private/token', { token: session! })),
    [401, 4010],
    'the session ended with the suspension',
  )
  for (const token of others) must(await app.get('/api/v1/private/token', { token }))
  must(await app.post(`${ACCOUNT}/login`, login))
})

test('a suspension ends by itself', async (t) => {
  const app = await startShared(t)
  const { decide } = await moderationTeam(app)
  const person = await app.a.verified()
  await decide('person', person.uid, 'suspend', suspended('everything', 1))
  assert.deepEqual(refused(await app.get(ACCOUNT, person)), [403, 4284])
  const [row] = await app.sql`
    select bool_and(s.expires_at = u.suspended_until) as ends
    from sessions s
    join users u on u.uid = s.user_uid
    where u.uid = ${person.uid}`
  assert.equal(row!.ends, true)
  await app.sql`update users set suspended_until = now() where uid = ${person.uid}`
  await app.sql`update sessions set expires_at = now() where user_uid = ${person.uid}`
  await eventually('the end', async () => (await app.get(ACCOUNT, person)).status === 401)
  const login = { login: person.username, password: PASSWORD }
  const { token } = must(await app.post(`${ACCOUNT}/login`, login)).session
  must(await app.get(ACCOUNT, { token }))
})

test('a suspension from publishing ends no session, unless it replaces a wider one', async (t) => {
  const app = await startShared(t)
  const { decide } = await moderationTeam(app)
  const person = await app.a.verified()
  await decide('person', person.uid, 'suspend', suspended('publishing'))
  await decide('person', person.uid, 'restore')
  must(await app.get(ACCOUNT, person))
  await decide('person', person.uid, 'suspend', suspended('everything'))
  assert.deepEqual(refused(await app.get(ACCOUNT, person)), [403, 4284])
  await decide('person', person.uid, 'suspend', suspended('publishing'))
  assert.deepEqual(refused(await app.get(ACCOUNT, person)), [401, 4010])
})

test('a suspension needs its scope and a number of days or null', async (t) => {
  const app = await startShared(t)
  const { moderator } = await moderationTeam(app)
  const person = await app.a.verified()
  const body = {
    target_type: 'person',
    target_id: person.uid,
    action: 'suspend',
    ground: 'rule-spam',
    facts: 'Spam',
  }
  const send = (suspension: unknown) =>
    app.post('/api/v1/private/moderation/actions', { ...body, suspension }, moderator)
  for (const wrong of [undefined, {}, { scope: 'reading', days: 1 }])
    assert.deepEqual(refused(await send(wrong)), [400, 4000])
  for (const days of [0, 3651])
    assert.deepEqual(refused(await send({ scope: 'publishing', days })), [400, 4000])
  for (const days of [1, 3650, null])
    assert.equal((await send({ scope: 'publishing', days })).status, 201)
})

test('the statement of reasons says from what somebody is suspended, and for how long', async (t) => {
  const app = await startShared(t)
  const { decide } = await moderationTeam(app)
  const person = await app.a.verified()
  await decide('person', person.uid, 'suspend', suspended('publishing', 3))
  const [statement] = must(await app.get('/api/v1/private/moderation/statements', person)).items
  assert.deepEqual(statement.suspension, { scope: 'publishing', days: 3 })
  const mail = await eventually('the mail', () =>
    outbox(app.data_dir).find(
      ({ to, text }) => to === person.email && text.includes('Result: Suspended'),
    ),
  )
  assert.match(mail.text, /Suspended from: Publishing\n\nSuspended for: 3 days/)
  const headers = browserHeaders(app, person)
  const page = (await app.get('/settings/moderation', { headers })).body
  assert.match(page, /3 days/)
})

test('a suspension whose days are over has ended, and a reversed warning is undone', async (t) => {
  const app = await startShared(t)
  const { decide, operator } = await moderationTeam(app)
  const person = await app.a.verified()
  await decide('person', person.uid, 'suspend', suspended('publishing', 1))
  await decide('person', person.uid, 'suspend', suspended('publishing', 2))
  const { statement_uid } = await decide('person', person.uid, 'warn')
  const statements = '/api/v1/public/statements'
  const appeal = await app.post(`${statements}/${statement_uid}/appeal`, { text: 'No' }, person)
  must(
    await app.post(
      `/api/v1/private/moderation/appeals/${must(appeal).appeal_uid}/decision`,
      { outcome: 'reversed', reasons: 'Sorry' },
      operator,
    ),
  )
  const { items } = must(await app.get('/api/v1/private/moderation/statements', person))
  assert.deepEqual(
    items.map(({ action, in_force, undone }: any) => [action, in_force, undone]),
    [
      ['warn', false, true],
      ['suspend', true, false],
      ['suspend', false, false],
    ],
  )
  const headers = browserHeaders(app, person)
  const { body } = await app.get('/settings/moderation', { headers })
  const [warning, second, first] = body.split('<article').slice(1)
  assert.match(warning, /Undone/)
  assert.doesNotMatch(second, /Undone|Ended/)
  assert.match(first, /Ended/)
  assert.doesNotMatch(first, /Undone/)
})

test('a number of days that is none is refused in the console, not taken for good', async (t) => {
  const app = await startShared(t)
  const { moderator } = await moderationTeam(app)
  const person = await app.a.verified()
  const send = (days: string) =>
    sendForm(app, `/operator/moderation/person/${person.uid}/decision`, {
      fields: { action: 'suspend', ground: 'rule-spam', facts: 'Spam', scope: 'everything', days },
      who: moderator,
    })
  for (const days of ['abc', '0', '1.5']) assert.equal((await send(days)).status, 400, days)
  must(await app.get(ACCOUNT, person))
  assert.equal((await send('')).status, 303)
  assert.deepEqual(refused(await app.get(ACCOUNT, person)), [403, 4284])
})

test('what a suspended person published stays, and nothing says that they are suspended', async (t) => {
  const app = await startShared(t)
  const { decide } = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner })
  await makePublic(app.sql, listing.uid)
  const profile = { bio: 'I make games', is_public: true }
  must(await app.put('/api/v1/private/settings/profile', profile, owner))
  const paths = [
    `/${owner.username}`,
    `/${owner.username}/${listing.vanity_name}`,
    `/api/v1/public/games/${listing.uid}`,
  ]
  const open = async (path: string) => {
    const { status, body } = await app.get(path, { headers: { accept: '*/*' } })
    const text = typeof body === 'string' ? body : JSON.stringify(body.data)
    // Addresses of assets and times differ.
    return [path, status, /I make games/.test(text), /suspen/i.test(text)]
  }
  const before = await Promise.all(paths.map(open))
  assert.ok(
    before.every(([, status]) => status === 200),
    JSON.stringify(before),
  )
  await decide('person', owner.uid, 'suspend', suspended('everything'))
  assert.deepEqual(await Promise.all(paths.map(open)), before)
  assert.ok(before.every(([, , , is_marked]) => !is_marked))
})

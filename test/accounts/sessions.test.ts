import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { checkUsername } from '../../src/accounts/people/usernames.ts'
import { routes } from '../../src/routes.ts'
import { eventually, startApp } from '../support/app.ts'
import { must, PASSWORD, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'

const REGISTER = '/api/v1/private/account/register'
const LOGIN = '/api/v1/private/account/login'
const ACCOUNT = '/api/v1/private/account'

const startShared = sharedInFile((t) => startApp(t, { PROXY_HOPS: '1' }))

test('registering signs in, and the account can be read with the token', async (t) => {
  const { post, get } = await startShared(t)
  const answer = await post(REGISTER, {
    username: 'Ada-Lovelace',
    email: 'Ada@Example.com',
    password: PASSWORD,
  })
  assert.equal(answer.status, 201)
  const { user, session } = answer.body.data
  assert.match(session.token, /^svc_sess_/)
  const days = (Date.parse(session.expires_at) - Date.now()) / 86_400_000
  assert.ok(days > 89.9 && days <= 90)
  const account = must(await get(ACCOUNT, { token: session.token }))
  assert.deepEqual(account, user)
  assert.deepEqual(account, {
    uid: user.uid,
    username: 'Ada-Lovelace',
    email: 'Ada@Example.com',
    email_verified: false,
    developer: false,
    show_adult: false,
  })
  assert.match(user.uid, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
})

test('every first path segment of a route is a reserved username', () => {
  const segments = new Set(
    routes.map(({ url }) => url.split('/')[1]!).filter((part) => part && !part.startsWith(':')),
  )
  assert.ok(segments.has('dashboard') && segments.size > 20)
  for (const name of segments) assert.throws(() => checkUsername(name), /body\.username/, name)
})

test('checks usernames, emails and passwords at both sides of every limit', async (t) => {
  const { post } = await startShared(t)
  let from = 0
  const attempt = (over: object) =>
    post(
      REGISTER,
      { username: `name${from}`, email: `mail${from}@example.com`, password: PASSWORD, ...over },
      { headers: { 'x-forwarded-for': `10.1.${from >> 8}.${from++ & 255}` } },
    )
  for (const username of ['abcd', 'a-b-c', 'x'.repeat(32), '1234'])
    assert.equal((await attempt({ username })).status, 201, username)
  for (const username of [
    'abc',
    'x'.repeat(33),
    '-abcd',
    'abcd-',
    'ab cd',
    'ab_cd',
    'ab.cd',
    'ünïcode',
    '',
    'admin',
    'Slipway',
    'press',
  ]) {
    const answer = await attempt({ username })
    assert.deepEqual(refused(answer), [400, 4000], username)
    assert.match(answer.body.error.message, /body\.username/)
  }
  for (const email of ['a@b.co', 'first.last+tag@sub.example.com', `${'x'.repeat(64)}@example.com`])
    assert.equal((await attempt({ email })).status, 201, email)
  for (const email of [
    '',
    'a',
    'a@b',
    '@b.co',
    'a@',
    'a b@c.de',
    'a@b..c',
    'a@-b.co',
    'a@b.co\r\nBcc: x@y.z',
    `${'x'.repeat(65)}@example.com`,
    `a@${'b'.repeat(250)}.com`,
  ]) {
    const answer = await attempt({ email })
    assert.deepEqual(refused(answer), [400, 4000], email)
    assert.match(answer.body.error.message, /body\.email/)
  }
  for (const password of [
    `${'x'.repeat(9)}y`,
    'ä'.repeat(128),
    'with spaces are fine',
    'slipway 6chars',
  ])
    assert.equal((await attempt({ password })).status, 201, password)
  for (const over of [
    { password: 'x'.repeat(9) },
    { password: 'ä'.repeat(129) },
    { password: 'Password123' },
    { password: '1234567890' },
    { password: 'WonderWoman' },
    { username: 'long-username', password: 'Long-Username' },
    { email: 'me@example.com', password: 'ME@example.com' },
    { username: 'lighthouse', password: 'Lighthouse-2026' },
    { email: 'keeper.of.light@example.com', password: 'keeper.of.light1' },
    { username: 'lighthouse', password: 'slipway-lighthouse' },
    { password: 'SlipwaySlipway!' },
    { password: 'Slipway12345' },
  ]) {
    const answer = await attempt(over)
    assert.deepEqual(refused(answer), [400, 4000], JSON.stringify(over))
    assert.match(answer.body.error.message, /body\.password/)
    assert.doesNotMatch(answer.body.error.message, /Password123/, 'a password is never repeated')
  }
})

test('rejects a username or email that differs from an existing one only in case', async (t) => {
  const { post, a } = await startShared(t)
  const { username, email } = await a.user()
  const taken = await post(REGISTER, {
    username: username.toUpperCase(),
    email: 'other@example.com',
    password: PASSWORD,
  })
  assert.deepEqual([...refused(taken), taken.body.data.field], [409, 4090, 'username'])
  const mail = await post(REGISTER, {
    username: 'someone-else',
    email: email.toUpperCase(),
    password: PASSWORD,
  })
  assert.deepEqual([...refused(mail), mail.body.data.field], [409, 4090, 'email'])
})

test('concurrent registrations of one username create one account', async (t) => {
  const { post } = await startShared(t)
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      post(REGISTER, { username: 'only-one', email: `n${i}@example.com`, password: PASSWORD }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409])
})

test('signing in accepts the username or the email in any case', async (t) => {
  const { post, a } = await startShared(t)
  const person = await a.user()
  for (const login of [
    person.username,
    person.email,
    person.username.toUpperCase(),
    person.email.toUpperCase(),
  ]) {
    const answer = await post(LOGIN, { login, password: PASSWORD })
    assert.equal(answer.status, 200)
    assert.equal(answer.body.data.user.uid, person.uid)
  }
})

test('an unknown account and a wrong password answer with the same bytes', async (t) => {
  const { post, a } = await startShared(t)
  const { username } = await a.user()
  const rejected = await post(LOGIN, { login: username, password: 'not the password' })
  assert.deepEqual(refused(rejected), [401, 4010])
  assert.deepEqual(
    await post(LOGIN, { login: 'nobody-of-that-name', password: 'not the password' }),
    rejected,
  )
})

test('an unknown account costs the same work as a wrong password', async (t) => {
  // Count the argon2 verifications instead of measuring time, because they dominate it.
  const { passwordMatches } = await import('../../src/accounts/credentials/passwords.ts')
  assert.equal(
    await passwordMatches(undefined, 'nobody has this password'),
    false,
    'the decoy hash matched a password',
  )
  const { post, a } = await startShared(t)
  const { username } = await a.user()
  const cpu = async (login: string) => {
    const before = process.cpuUsage().user
    for (let i = 0; i < 4; i++) await post(LOGIN, { login, password: 'not the password' })
    return process.cpuUsage().user - before
  }
  await cpu('warm-up')
  const known = await cpu(username)
  const unknown = await cpu('nobody-of-that-name')
  assert.ok(
    unknown > known / 3,
    `an unknown account took ${unknown} µs of work, a wrong password ${known} µs`,
  )
})

test('ten failures in 15 minutes lock a name in a network, even when they race', async (t) => {
  const { post, a } = await startShared(t)
  const { username } = await a.user()
  for (const login of [username, 'nobody-to-lock-out']) {
    const attempts = await Promise.all(
      Array.from({ length: 14 }, (_, i) =>
        post(
          LOGIN,
          { login, password: 'wrong password' },
          { headers: { 'x-forwarded-for': `10.0.0.${i}` } },
        ),
      ),
    )
    assert.equal(attempts.filter(({ status }) => status === 401).length, 10, login)
    const locked = attempts.find(({ status }) => status === 429)!
    assert.equal(locked.body.error.code, 4290)
    assert.ok(Number(locked.headers['retry-after']) > 0)
  }
  assert.equal(
    (
      await post(
        LOGIN,
        { login: username, password: PASSWORD },
        { headers: { 'x-forwarded-for': '10.0.0.99' } },
      )
    ).status,
    429,
    'even with the right password',
  )
})

test('a successful sign-in does not count as a failure', async (t) => {
  const { post, a } = await startShared(t)
  const { username } = await a.user()
  for (let i = 0; i < 12; i++)
    assert.equal((await post(LOGIN, { login: username, password: PASSWORD })).status, 200)
})

test('sixty failures from one address lock that address and no other', async (t) => {
  const { core, post, a } = await startShared(t)
  const { username } = await a.user()
  for (let i = 0; i < 60; i++)
    await core.limiter.take('login address', '10.9.9.9', { points: 60, seconds: 900 })
  assert.deepEqual(
    refused(
      await post(
        LOGIN,
        { login: username, password: PASSWORD },
        { headers: { 'x-forwarded-for': '10.9.9.9' } },
      ),
    ),
    [429, 4290],
  )
  assert.equal(
    (
      await post(
        LOGIN,
        { login: username, password: PASSWORD },
        { headers: { 'x-forwarded-for': '10.9.9.8' } },
      )
    ).status,
    200,
  )
})

test('allows 60 registrations an hour from one address', async (t) => {
  const { post } = await startApp(t)
  const statuses: number[] = []
  for (let i = 0; i < 61; i++)
    statuses.push((await post(REGISTER, { username: 'x', email: 'x', password: 'x' })).status)
  assert.deepEqual([statuses[59], statuses[60]], [400, 429])
})

test('signing out ends the session at once', async (t) => {
  const { post, get, a } = await startShared(t)
  const { token, username } = await a.user()
  const other = must(await post(LOGIN, { login: username, password: PASSWORD })).session.token
  assert.equal((await get(ACCOUNT, { token })).status, 200)
  assert.deepEqual((await post('/api/v1/private/account/logout', undefined, { token })).body, {
    success: true,
    data: {},
  })
  assert.deepEqual(refused(await get(ACCOUNT, { token })), [401, 4010])
  assert.equal((await get(ACCOUNT, { token: other })).status, 200, 'other sessions stay')
})

test('an expired session is refused', async (t) => {
  const { get, sql, a } = await startShared(t)
  const { token, uid } = await a.user()
  await sql`update sessions set expires_at = now() where user_uid = ${uid}`
  assert.deepEqual(refused(await get(ACCOUNT, { token })), [401, 4010])
})

test('no credential is stored or logged in a readable form', async (t) => {
  const { sql, a } = await startShared(t)
  const person = await a.developer()
  const { key } = await a.key('player', person, ['player:read'])
  const [row] = await sql`
    select coalesce(string_agg(r::text, ' '), '') as everything
    from (
      select u::text r from users u
      union all select s::text from sessions s
      union all select k::text from access_keys k) all_rows`
  for (const secret of [PASSWORD, person.token, key]) assert.ok(!row!.everything.includes(secret))
})

test('the session cookie works on private routes, but not from other sites', async (t) => {
  const { url, get, call, a } = await startShared(t)
  const { username } = await a.user()
  const answer = await fetch(new URL(LOGIN, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: username, password: PASSWORD }),
  })
  const [set = ''] = answer.headers.getSetCookie()
  assert.match(
    set,
    /^svc_session=svc_sess_\w+; Expires=.+; Path=\/; HttpOnly; SameSite=Lax$/,
    'no Secure on plain http',
  )
  const cookie = set.split(';')[0]!
  assert.equal((await get(ACCOUNT, { headers: { cookie } })).status, 200)
  assert.equal(
    (await get(ACCOUNT, { headers: { cookie: `theme=dark; ${cookie}; x=y` } })).status,
    200,
  )
  const change = (headers: Record<string, string>) =>
    call('PUT', '/api/v1/private/settings/adult', {
      body: { show: false },
      headers: { cookie, ...headers },
    })
  for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: url }])
    assert.equal((await change(headers as any)).status, 200, JSON.stringify(headers))
  for (const headers of [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site', origin: url },
  ])
    assert.deepEqual(refused(await change(headers as any)), [403, 4030], JSON.stringify(headers))
  assert.deepEqual(
    refused(await get(ACCOUNT, { headers: { cookie: 'svc_session=svc_sess_nonsense' } })),
    [401, 4010],
  )
  assert.deepEqual(
    refused(await get(ACCOUNT, { token: 'nonsense', headers: { cookie } })),
    [401, 4010],
    'a valid cookie does not excuse an invalid token',
  )
})

test('the session cookie of an https site is bound to its host', async (t) => {
  const { url, get, a } = await startApp(t, { BASE_URL: 'https://store.example' })
  const { username } = await a.user()
  const { token } = await a.user()
  const answer = await fetch(new URL(LOGIN, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: username, password: PASSWORD }),
  })
  const [session, old, device] = answer.headers.getSetCookie()
  const attributes = 'Path=/; HttpOnly; SameSite=Lax; Secure'
  assert.match(session!, /^__Host-svc_session=svc_sess_\w+; Expires=/)
  assert.ok(session!.endsWith(`; ${attributes}`) && device!.endsWith(`; ${attributes}`))
  assert.equal(old, `svc_session=; Max-Age=0; ${attributes}`)
  const cookie = session!.split(';')[0]!
  const read = (value: string) => get(ACCOUNT, { headers: { cookie: value } })
  for (const accepted of [cookie, `svc_session=${token}; ${cookie}`])
    assert.equal(must(await read(accepted)).username, username)
  assert.deepEqual(refused(await read(`svc_session=${token}`)), [401, 4010])
  const open = (value: string) =>
    fetch(new URL('/settings', url), { headers: { cookie: value, accept: 'text/html' } })
  for (const other of [cookie, `${cookie}; svc_session=${token}`])
    assert.deepEqual((await open(other)).headers.getSetCookie(), [], other)
  const out = await fetch(new URL('/api/v1/private/account/logout', url), {
    method: 'POST',
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  })
  assert.deepEqual(out.headers.getSetCookie(), [
    `__Host-svc_session=; Max-Age=0; ${attributes}`,
    old,
  ])
})

test('the sweep removes expired sessions only', async (t) => {
  const { sql, core, get, a } = await startApp(t)
  const active = await a.user()
  const expired = await a.user()
  await sql`
    update sessions set expires_at = now() - interval '1 second'
    where user_uid = ${expired.uid}`
  await core.jobs.send(sql, 'accounts.sweep')
  await eventually('the sweep', async () => (await sql`select from sessions`).length === 1)
  assert.equal((await get(ACCOUNT, active)).status, 200)
})

test('rejects an email address that cannot receive mail', async (t) => {
  const { post } = await startShared(t)
  for (const email of [
    '\u001ba@x.com',
    'a\u200bb@x.com',
    'a\u202eb@x.com',
    '.a@x.com',
    'a..b@x.com',
    'a.@x.com',
  ])
    assert.deepEqual(
      refused(await post(REGISTER, { username: 'someone', email, password: PASSWORD })),
      [400, 4000],
      JSON.stringify(email),
    )
})

test('over plain http, an origin that matches the host is accepted', async (t) => {
  const { url, a } = await startShared(t)
  const { token } = await a.user()
  const change = (origin: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = {
        cookie: `svc_session=${token}`,
        host: 'store.lan:8080',
        origin,
        'content-type': 'application/json',
      }
      const outgoing = request(
        new URL('/api/v1/private/settings/adult', url),
        { method: 'PUT', headers },
        (answer) => resolve(answer.resume().statusCode!),
      )
      outgoing.on('error', reject).end('{"show":false}')
    })
  assert.deepEqual(
    [
      await change('http://store.lan:8080'),
      await change('http://store.lan:1'),
      await change('http://evil.lan:8080'),
      await change('null'),
    ],
    [200, 403, 403, 403],
  )
})

test('the cookie accepts only a complete session token', async (t) => {
  const { get, a } = await startShared(t)
  const person = await a.developer()
  const { key } = await a.key('agent', person, ['mcp:read', 'mcp:write'])
  const { uid } = await a.listing({ owner: person })
  const read = (cookie: string) => get(`/api/v1/private/games/${uid}`, { headers: { cookie } })
  assert.equal((await read(`svc_session=${person.token}`)).status, 200)
  for (const cookie of [
    `svc_session=${key}`,
    `svc_session=${person.token}-foo`,
    `xsvc_session=${person.token}`,
  ])
    assert.deepEqual(refused(await read(cookie)), [401, 4010], cookie)
})

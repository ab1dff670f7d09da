import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resetPassword, whileBlocked } from '../accounts/reset-fixtures.ts'
import { must, PASSWORD, type Person, refused } from '../support/builders.ts'
import { claimsOf, sharedExtstoreApp } from './fixtures.ts'

const startApp = sharedExtstoreApp()
const ACCOUNT = '/api/v1/private/account'
const LINK = `${ACCOUNT}/extstore/link`

type ExtstoreApp = Awaited<ReturnType<typeof startApp>>

/** Goes to the store and back, and returns the callback URL that the browser would open next. */
async function callback(
  { get }: ExtstoreApp,
  person: Pick<Person, 'token'>,
  extstore_id: string,
  change: (loginUrl: URL) => void = () => {},
): Promise<URL> {
  const { status, headers, body } = await get(LINK, { token: person.token })
  assert.deepEqual([status, headers.location], [302, body.data.url])
  const loginUrl = new URL(body.data.url)
  change(loginUrl)
  loginUrl.searchParams.set('sim_account', extstore_id)
  const back = await fetch(loginUrl, { redirect: 'manual' })
  assert.equal(back.status, 302)
  return new URL(back.headers.get('location')!)
}

const open = ({ get }: ExtstoreApp, person: Pick<Person, 'token'>, url: URL) =>
  get(url.pathname + url.search, { token: person.token })

test('links an account by OpenID, and sign-in then names the user', async () => {
  const app = await startApp()
  const { a, game, player, signIn, refresh, verify, get, del, sql } = app
  const linkedGame = await game()
  const [person, extstore_id] = [await a.user(), player(linkedGame)]
  const before = await signIn(linkedGame, extstore_id)
  assert.equal(before.svc_user_uid, undefined)
  assert.deepEqual(must(await open(app, person, await callback(app, person, extstore_id))), {
    extstore_id,
  })
  assert.equal(must(await get(ACCOUNT, person)).extstore_id, extstore_id)

  const session = await signIn(linkedGame, extstore_id)
  assert.deepEqual([session.svc_user_uid, claimsOf(session.token).buid], [person.uid, person.uid])
  const svc_user = { uid: person.uid, username: person.username }
  const seen = must(await verify(linkedGame, session.token))
  assert.deepEqual([seen.svc_user, seen.claims.buid], [svc_user, person.uid])
  assert.deepEqual(
    must(await verify(linkedGame, before.token)).svc_user,
    svc_user,
    'an older token has no user',
  )
  const renewed = must(await refresh(linkedGame, before.token))
  assert.equal(claimsOf(renewed.token).buid, person.uid)
  const [row] = await sql`select user_uid from extstore_sessions where jti = ${session.session_uid}`
  assert.equal(row!.user_uid, person.uid)

  assert.deepEqual(must(await del(`${ACCOUNT}/extstore`, person)), {})
  assert.equal(must(await get(ACCOUNT, person)).extstore_id, undefined)
  const after = must(await verify(linkedGame, session.token))
  assert.deepEqual([after.valid, after.svc_user, after.claims.buid], [true, undefined, undefined])
  assert.equal(claimsOf(must(await refresh(linkedGame, session.token)).token).buid, undefined)
  assert.equal((await signIn(linkedGame, extstore_id)).svc_user_uid, undefined)
  assert.equal(
    (await sql`select from extstore_sessions where user_uid = ${person.uid}`).length,
    0,
    'a session still names the user',
  )
  assert.deepEqual(must(await del(`${ACCOUNT}/extstore`, person)), {}, 'unlinking twice fails')
  const audit =
    await sql`select action from audit_entries where user_uid = ${person.uid} order by uid`
  assert.deepEqual(
    audit.map(({ action }) => action),
    ['extstore.link-account', 'extstore.unlink-account'],
  )
})

test('does not link an account if a new password ended the session meanwhile', async () => {
  const app = await startApp()
  const { a, game, player, sql } = app
  const [person, extstore_id] = [await a.user(), player(await game())]
  const back = await callback(app, person, extstore_id)
  const nonce = back.searchParams.get('openid.response_nonce')!
  let linking: ReturnType<typeof open>
  const undone = new Error('undone')
  const blocking = sql.begin(async (tx) => {
    await tx`
      insert into extstore_openid_nonces (nonce, expires_at)
      values (${nonce}, now() + interval '1 hour')`
    const { answer } = await whileBlocked(tx, () => open(app, person, back))
    linking = answer
    await sql.begin((other) => resetPassword(other, person.uid))
    throw undone
  })
  await assert.rejects(blocking, undone)
  assert.deepEqual(refused(await linking!), [401, 4010])
  const [user] = await sql`select extstore_id from users where uid = ${person.uid}`
  assert.equal(user!.extstore_id, null)
})

test('the redirect to the store is an OpenID 2.0 request with our return URL', async () => {
  const { a, get, url, store } = await startApp()
  const { body } = await get(LINK, await a.user())
  const loginUrl = new URL(body.data.url)
  assert.equal(loginUrl.origin + loginUrl.pathname, `${store.url}/openid/login`)
  const { 'openid.return_to': return_to, ...rest } = Object.fromEntries(loginUrl.searchParams)
  assert.match(return_to!, new RegExp(`^${url}${ACCOUNT}/extstore/callback\\?state=[0-9a-f-]{36}$`))
  const select = 'http://specs.openid.net/auth/2.0/identifier_select'
  assert.deepEqual(rest, {
    'openid.ns': 'http://specs.openid.net/auth/2.0',
    'openid.mode': 'checkid_setup',
    'openid.realm': url,
    'openid.identity': select,
    'openid.claimed_id': select,
  })
})

test('an account is linked to one user, and a user to one account', async () => {
  const app = await startApp()
  const { a, store, get, url } = app
  const [ada, bo] = [await a.user(), await a.user()]
  const [first, second] = [store.control.account({}).id, store.control.account({}).id]
  must(await open(app, ada, await callback(app, ada, first)))
  assert.deepEqual(refused(await open(app, bo, await callback(app, bo, first))), [409, 4090])
  assert.deepEqual(refused(await open(app, ada, await callback(app, ada, second))), [409, 4090])
  const taken = await callback(app, bo, first)
  const answer = await get(taken.pathname + taken.search, {
    token: bo.token,
    headers: { accept: 'text/html' },
  })
  assert.deepEqual(
    [answer.status, answer.headers.location],
    [303, `${url}/settings#linked`],
    'a browser is not redirected to the settings',
  )
  const notice = String(answer.headers['set-cookie']).match(/^svc_notice=[^;]+/)![0]
  const settings = await get('/settings', {
    headers: { accept: 'text/html', cookie: `svc_session=${bo.token}; ${notice}` },
  })
  assert.match(settings.body, /role="status">This account is linked to another user/)
  must(await open(app, ada, await callback(app, ada, first)))
  const both = await Promise.all([
    callback(app, bo, second),
    a.user().then(async (cy) => [cy, await callback(app, cy, second)] as const),
  ])
  const [cy, callbackUrl] = both[1]
  const raced = await Promise.all([open(app, bo, both[0]), open(app, cy, callbackUrl)])
  assert.deepEqual(raced.map(({ status }) => status).sort(), [200, 409])
})

test('a callback works once and only for the session that started the link', async () => {
  const app = await startApp()
  const { a, get, post, store } = app
  const [ada, mallory] = [await a.user(), await a.user()]
  const { id } = store.control.account({})
  const callbackUrl = await callback(app, mallory, id)
  assert.deepEqual(
    refused(await open(app, ada, callbackUrl)),
    [403, 4030],
    'accepted for another person',
  )
  const again = must(
    await post(`${ACCOUNT}/login`, { login: mallory.username, password: PASSWORD }),
  )
  assert.deepEqual(
    refused(await open(app, { token: again.session.token }, callbackUrl)),
    [403, 4030],
    'accepted for another session',
  )
  must(await open(app, mallory, callbackUrl))
  assert.deepEqual(refused(await open(app, mallory, callbackUrl)), [403, 4030], 'accepted twice')
  assert.deepEqual(
    refused(await get(callbackUrl.pathname + callbackUrl.search)),
    [401, 4010],
    'accepted without a session',
  )
})

test('rejects a repeated nonce also with a new state', async () => {
  const app = await startApp()
  const { a, get, store } = app
  const ada = await a.user()
  const { id } = store.control.account({})
  const used = await callback(app, ada, id)
  must(await open(app, ada, used))
  const { body } = await get(LINK, ada)
  const fresh = new URL(new URL(body.data.url).searchParams.get('openid.return_to')!)
  const replayed = new URL(used)
  replayed.searchParams.set('state', fresh.searchParams.get('state')!)
  assert.deepEqual(refused(await open(app, ada, replayed)), [403, 4030])
  replayed.searchParams.set('openid.return_to', fresh.href)
  assert.deepEqual(refused(await open(app, ada, replayed)), [403, 4030])
})

test('rejects an assertion with changed, missing or unconfirmed fields', async () => {
  const app = await startApp()
  const { store, sql } = app
  const { id } = store.control.account({})
  const victim = store.control.account({}).id
  const set = (name: string, value: string) => (url: URL) => url.searchParams.set(name, value)
  const changes: ((url: URL) => void)[] = [
    set('openid.claimed_id', `${store.url}/openid/id/${victim}`),
    (url) => {
      for (const name of ['openid.claimed_id', 'openid.identity'])
        url.searchParams.set(name, `${store.url}/openid/id/${victim}`)
    },
    set('openid.mode', 'cancel'),
    set('openid.mode', 'check_authentication'),
    set('openid.ns', 'http://openid.net/signon/1.1'),
    set('openid.op_endpoint', 'https://evil.example/openid/login'),
    set('openid.claimed_id', `https://evil.example/openid/id/${id}`),
    set('openid.claimed_id', `${store.url}/openid/id/1`),
    set('openid.return_to', 'https://evil.example/'),
    set('openid.signed', 'signed,mode'),
    set('openid.signed', 'signed,op_endpoint,identity,return_to,response_nonce,assoc_handle'),
    set('openid.response_nonce', 'soon'),
    set('openid.response_nonce', '2020-01-01T00:00:00Zabc'),
    set('openid.sig', 'AAAA'),
    set('state', '01890000-0000-7000-8000-000000000000'),
    set('state', 'x'),
    (url) => url.searchParams.delete('openid.sig'),
    (url) => url.searchParams.append('openid.claimed_id', `${store.url}/openid/id/${victim}`),
  ]
  let person: Person = await app.a.user()
  for (const [i, change] of changes.entries()) {
    if (i % 8 === 7) person = await app.a.user()
    const callbackUrl = await callback(app, person, id)
    change(callbackUrl)
    assert.deepEqual(refused(await open(app, person, callbackUrl)), [403, 4030], callbackUrl.search)
  }
  assert.equal((await sql`select from users where extstore_id in (${id}, ${victim})`).length, 0)
})

test('redirects a browser without a session to sign in; programs get 4010', async () => {
  const app = await startApp()
  const { a, get, post, del, store, url } = app
  const ada = await a.user()
  const callbackUrl = await callback(app, ada, store.control.account({}).id)
  must(await post(`${ACCOUNT}/logout`, {}, ada))
  const back = callbackUrl.pathname + callbackUrl.search
  const browser = { accept: 'text/html', cookie: `svc_session=${ada.token}` }
  for (const from of [LINK, back]) {
    const redirect = await get(from, { headers: browser })
    assert.deepEqual(
      [redirect.status, redirect.headers.location],
      [303, `/login?next=${encodeURIComponent(from)}`],
    )
    assert.deepEqual(refused(await get(from, { token: ada.token })), [401, 4010])
  }
  // A callback belongs to the session that started it, so after signing in the user must start
  // again.
  const { session } = must(
    await post(`${ACCOUNT}/login`, { login: ada.username, password: PASSWORD }),
  )
  const answer = await get(back, {
    headers: { accept: 'text/html', cookie: `svc_session=${session.token}` },
  })
  assert.deepEqual([answer.status, answer.headers.location], [303, `${url}/settings#linked`])
  assert.match(
    decodeURIComponent(String(answer.headers['set-cookie'])),
    /start again from your account settings/,
  )
  const begun = await get(LINK, {
    headers: { accept: 'text/html', cookie: `svc_session=${session.token}` },
  })
  assert.equal(begun.status, 302)
  // A browser also gets a page when the rate limit is reached.
  for (let i = 0; i < 30; i++) await del(`${ACCOUNT}/extstore`, { token: session.token })
  const slower = await get(LINK, {
    headers: { accept: 'text/html', cookie: `svc_session=${session.token}` },
  })
  assert.equal(slower.status, 429)
  assert.match(String(slower.body), /Too many requests/)
})

test('linking is 4243 while the store is unreachable', async () => {
  const app = await startApp()
  const person = await app.a.user()
  const callbackUrl = await callback(app, person, app.store.control.account({}).id)
  app.store.control.fault({ on: 'openid', mode: 'reset' })
  assert.deepEqual(refused(await open(app, person, callbackUrl)), [502, 4243])
  app.store.control.clearFaults()
})

test('a state expires after exactly 20 minutes', async (t) => {
  const app = await startApp()
  const person = await app.a.user()
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const late = await callback(app, person, app.store.control.account({}).id, () =>
    t.mock.timers.tick(20 * 60_000),
  )
  assert.deepEqual(refused(await open(app, person, late)), [403, 4030])
  const quick = await callback(app, person, app.store.control.account({}).id, () =>
    t.mock.timers.tick(20 * 60_000 - 1),
  )
  assert.equal((await open(app, person, quick)).status, 200)
})

test('linking with an API key is 4033', async () => {
  const { a, get, del } = await startApp()
  const person = await a.developer()
  for (const { key } of [
    await a.key('agent', person, ['mcp:write']),
    await a.key('player', person, ['player:read']),
  ]) {
    assert.deepEqual(refused(await get(LINK, { token: key })), [403, 4033])
    assert.deepEqual(
      refused(await get(`${ACCOUNT}/extstore/callback?state=x`, { token: key })),
      [403, 4033],
    )
    assert.deepEqual(refused(await del(`${ACCOUNT}/extstore`, { token: key })), [403, 4033])
  }
})

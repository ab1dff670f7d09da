import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resetPassword, whileBlocked } from '../accounts/reset-fixtures.ts'
import { must, PASSWORD, type Person } from '../support/builders.ts'
import { claimsOf, code, sharedExtstoreApp } from './fixtures.ts'

const startApp = sharedExtstoreApp()
const ACCOUNT = '/api/v1/private/account'
const LINK = `${ACCOUNT}/extstore/link`

type ExtstoreApp = Awaited<ReturnType<typeof startApp>>

/** Goes to the store and back, and returns the callback URL that the browser would open next. */
async function callback(
  { get }: ExtstoreApp,
  person: Pick<Person, 'token'>,
  extstore_id: string,
  change: (asked: URL) => void = () => {},
): Promise<URL> {
  const { status, headers, body } = await get(LINK, { token: person.token })
  assert.deepEqual([status, headers.location], [302, body.data.url])
  const asked = new URL(body.data.url)
  change(asked)
  asked.searchParams.set('sim_account', extstore_id)
  const back = await fetch(asked, { redirect: 'manual' })
  assert.equal(back.status, 302)
  return new URL(back.headers.get('location')!)
}

const open = ({ get }: ExtstoreApp, person: Pick<Person, 'token'>, url: URL) =>
  get(url.pathname + url.search, { token: person.token })

test('links an account by OpenID, and sign-in then names the user', async () => {
  const world = await startApp()
  const { a, game, player, signIn, refresh, verify, get, del, sql } = world
  const keep = await game()
  const [person, extstore_id] = [await a.user(), player(keep)]
  const before = await signIn(keep, extstore_id)
  assert.equal(before.svc_user_uid, undefined)
  assert.deepEqual(must(await open(world, person, await callback(world, person, extstore_id))), {
    extstore_id,
  })
  assert.equal(must(await get(ACCOUNT, person)).extstore_id, extstore_id)

  const session = await signIn(keep, extstore_id)
  assert.deepEqual([session.svc_user_uid, claimsOf(session.token).buid], [person.uid, person.uid])
  const svc_user = { uid: person.uid, username: person.username }
  const seen = must(await verify(keep, session.token))
  assert.deepEqual([seen.svc_user, seen.claims.buid], [svc_user, person.uid])
  assert.deepEqual(must(await verify(keep, before.token)).svc_user, svc_user, 'older tokens, too')
  const renewed = must(await refresh(keep, before.token))
  assert.equal(claimsOf(renewed.token).buid, person.uid)
  const [row] = await sql`select user_uid from extstore_sessions where jti = ${session.session_uid}`
  assert.equal(row!.user_uid, person.uid)

  assert.deepEqual(must(await del(`${ACCOUNT}/extstore`, person)), {})
  assert.equal(must(await get(ACCOUNT, person)).extstore_id, undefined)
  const after = must(await verify(keep, session.token))
  assert.deepEqual([after.valid, after.svc_user, after.claims.buid], [true, undefined, undefined])
  assert.equal(claimsOf(must(await refresh(keep, session.token)).token).buid, undefined)
  assert.equal((await signIn(keep, extstore_id)).svc_user_uid, undefined)
  assert.equal(
    (await sql`select from extstore_sessions where user_uid = ${person.uid}`).length,
    0,
    'the records forget it',
  )
  assert.deepEqual(
    must(await del(`${ACCOUNT}/extstore`, person)),
    {},
    'nothing to unlink is no mistake',
  )
  const audit =
    await sql`select action from audit_entries where user_uid = ${person.uid} order by uid`
  assert.deepEqual(
    audit.map(({ action }) => action),
    ['extstore.link-account', 'extstore.unlink-account'],
  )
})

test('does not link an account if a new password ended the session meanwhile', async () => {
  const world = await startApp()
  const { a, game, player, sql } = world
  const [person, extstore_id] = [await a.user(), player(await game())]
  const back = await callback(world, person, extstore_id)
  const nonce = back.searchParams.get('openid.response_nonce')!
  let linking: ReturnType<typeof open>
  const undone = new Error('undone')
  const held = sql.begin(async (tx) => {
    await tx`insert into extstore_openid_nonces (nonce, expires_at) values (${nonce}, now() + interval '1 hour')`
    const { answer } = await whileBlocked(sql, tx, () => open(world, person, back))
    linking = answer
    await sql.begin((other) => resetPassword(other, person.uid))
    throw undone
  })
  await assert.rejects(held, undone)
  assert.deepEqual(code(await linking!), [401, 4010])
  const [user] = await sql`select extstore_id from users where uid = ${person.uid}`
  assert.equal(user!.extstore_id, null)
})

test('the redirect to the store is an OpenID 2.0 request with our return URL and realm', async () => {
  const { a, get, url, store } = await startApp()
  const { body } = await get(LINK, await a.user())
  const asked = new URL(body.data.url)
  assert.equal(asked.origin + asked.pathname, `${store.url}/openid/login`)
  const { 'openid.return_to': return_to, ...rest } = Object.fromEntries(asked.searchParams)
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
  const world = await startApp()
  const { a, store, get, url } = world
  const [ada, bo] = [await a.user(), await a.user()]
  const [one, two] = [store.control.account({}).id, store.control.account({}).id]
  must(await open(world, ada, await callback(world, ada, one)))
  assert.deepEqual(code(await open(world, bo, await callback(world, bo, one))), [409, 4090])
  assert.deepEqual(code(await open(world, ada, await callback(world, ada, two))), [409, 4090])
  const taken = await callback(world, bo, one)
  const told = await get(taken.pathname + taken.search, {
    token: bo.token,
    headers: { accept: 'text/html' },
  })
  assert.deepEqual(
    [told.status, told.headers.location],
    [303, `${url}/settings#linked`],
    'a browser goes back to where it came from',
  )
  const notice = String(told.headers['set-cookie']).match(/^svc_notice=[^;]+/)![0]
  const settings = await get('/settings', {
    headers: { accept: 'text/html', cookie: `svc_session=${bo.token}; ${notice}` },
  })
  assert.match(settings.body, /role="status">This account is linked to another user/)
  must(await open(world, ada, await callback(world, ada, one)))
  const both = await Promise.all([
    callback(world, bo, two),
    a.user().then(async (cy) => [cy, await callback(world, cy, two)] as const),
  ])
  const [cy, way] = both[1]
  const raced = await Promise.all([open(world, bo, both[0]), open(world, cy, way)])
  assert.deepEqual(raced.map(({ status }) => status).sort(), [200, 409])
})

test('a callback works once and only for the session that started the link', async () => {
  const world = await startApp()
  const { a, get, post, store } = world
  const [ada, mallory] = [await a.user(), await a.user()]
  const { id } = store.control.account({})
  const way = await callback(world, mallory, id)
  assert.deepEqual(code(await open(world, ada, way)), [403, 4030], 'somebody else’s')
  const again = must(
    await post(`${ACCOUNT}/login`, { login: mallory.username, password: PASSWORD }),
  )
  assert.deepEqual(
    code(await open(world, { token: again.session.token }, way)),
    [403, 4030],
    'another session of the same person',
  )
  must(await open(world, mallory, way))
  assert.deepEqual(code(await open(world, mallory, way)), [403, 4030], 'twice')
  assert.deepEqual(code(await get(way.pathname + way.search)), [401, 4010], 'nobody’s')
})

test('rejects a repeated nonce also with a new state', async () => {
  const world = await startApp()
  const { a, get, store } = world
  const ada = await a.user()
  const { id } = store.control.account({})
  const used = await callback(world, ada, id)
  must(await open(world, ada, used))
  const { body } = await get(LINK, ada)
  const fresh = new URL(new URL(body.data.url).searchParams.get('openid.return_to')!)
  const replayed = new URL(used)
  replayed.searchParams.set('state', fresh.searchParams.get('state')!)
  assert.deepEqual(code(await open(world, ada, replayed)), [403, 4030])
  replayed.searchParams.set('openid.return_to', fresh.href)
  assert.deepEqual(code(await open(world, ada, replayed)), [403, 4030])
})

test('rejects an assertion with changed, missing or unconfirmed fields', async () => {
  const world = await startApp()
  const { store, sql } = world
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
  let person: Person = await world.a.user()
  for (const [i, change] of changes.entries()) {
    if (i % 8 === 7) person = await world.a.user()
    const way = await callback(world, person, id)
    change(way)
    assert.deepEqual(code(await open(world, person, way)), [403, 4030], way.search)
  }
  assert.equal((await sql`select from users where extstore_id in (${id}, ${victim})`).length, 0)
})

test('redirects a browser without a session to log in, and answers a program with 4010', async () => {
  const world = await startApp()
  const { a, get, post, del, store, url } = world
  const ada = await a.user()
  const way = await callback(world, ada, store.control.account({}).id)
  must(await post(`${ACCOUNT}/logout`, {}, ada))
  const back = way.pathname + way.search
  const browser = { accept: 'text/html', cookie: `svc_session=${ada.token}` }
  for (const from of [LINK, back]) {
    const led = await get(from, { headers: browser })
    assert.deepEqual(
      [led.status, led.headers.location],
      [303, `/login?next=${encodeURIComponent(from)}`],
    )
    assert.deepEqual(code(await get(from, { token: ada.token })), [401, 4010])
  }
  // A callback belongs to the session that started it, so after logging in the user must start
  // again.
  const { session } = must(
    await post(`${ACCOUNT}/login`, { login: ada.username, password: PASSWORD }),
  )
  const told = await get(back, {
    headers: { accept: 'text/html', cookie: `svc_session=${session.token}` },
  })
  assert.deepEqual([told.status, told.headers.location], [303, `${url}/settings#linked`])
  assert.match(
    decodeURIComponent(String(told.headers['set-cookie'])),
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
  const world = await startApp()
  const person = await world.a.user()
  const way = await callback(world, person, world.store.control.account({}).id)
  world.store.control.fault({ on: 'openid', mode: 'reset' })
  assert.deepEqual(code(await open(world, person, way)), [502, 4243])
  world.store.control.clearFaults()
})

test('a state expires after exactly 20 minutes', async (t) => {
  const world = await startApp()
  const person = await world.a.user()
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const late = await callback(world, person, world.store.control.account({}).id, () =>
    t.mock.timers.tick(20 * 60_000),
  )
  assert.deepEqual(code(await open(world, person, late)), [403, 4030])
  const quick = await callback(world, person, world.store.control.account({}).id, () =>
    t.mock.timers.tick(20 * 60_000 - 1),
  )
  assert.equal((await open(world, person, quick)).status, 200)
})

test('linking with an API key is 4033', async () => {
  const { a, get, del } = await startApp()
  const person = await a.developer()
  for (const { key } of [
    await a.key('agent', person, ['mcp:write']),
    await a.key('player', person, ['player:read']),
  ]) {
    assert.deepEqual(code(await get(LINK, { token: key })), [403, 4033])
    assert.deepEqual(
      code(await get(`${ACCOUNT}/extstore/callback?state=x`, { token: key })),
      [403, 4033],
    )
    assert.deepEqual(code(await del(`${ACCOUNT}/extstore`, { token: key })), [403, 4033])
  }
})

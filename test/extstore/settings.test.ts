import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetKeys } from '../../src/extstore/sign-in/sign-in.ts'
import { must } from '../support/builders.ts'
import { claimsOf, code, from, type Game, sharedExtstoreApp } from './fixtures.ts'

const startApp = sharedExtstoreApp()
const at = (uid: string, more = '') => `/api/v1/private/games/${uid}/steam${more}`
const KEY = '0123456789ABCDEF0123456789ABCDEF'

/** Every route of the settings: method, path suffix and a valid body. */
const routes = [
  ['GET', '', undefined],
  ['DELETE', '', undefined],
  ['POST', '/auth', { web_api_key: KEY }],
  ['DELETE', '/auth', undefined],
  ['GET', '/auth-key', undefined],
  ['POST', '/auth-key', undefined],
  ['POST', '/ticket-key', undefined],
  ['PUT', '/web-api-key', { web_api_key: KEY }],
] as const

test('a listing that is not linked is 4244 on every settings route', async () => {
  const { a, call } = await startApp()
  const { uid, owner } = await a.listing()
  for (const [method, more, body] of routes)
    assert.deepEqual(
      code(await call(method, at(uid, more), { body, token: owner.token })),
      [404, 4244],
      more,
    )
})

test('only the owner and accepted admins see the settings; others get the 404 of a missing listing', async () => {
  const { a, game, call, post } = await startApp()
  const keep = await game()
  const [admin, invited, stranger] = [await a.developer(), await a.developer(), await a.developer()]
  const { owner } = keep.listing
  for (const { username } of [admin, invited])
    must(await post(`/api/v1/private/games/${keep.uid}/admins`, { username }, owner))
  must(await post(`/api/v1/private/invites/${keep.uid}/accept`, undefined, admin))
  for (const [method, more, body] of routes)
    for (const { token } of [invited, stranger])
      assert.deepEqual(
        code(await call(method, at(keep.uid, more), { body, token })),
        [404, 4040],
        more,
      )
  assert.equal(must(await call('GET', at(keep.uid, '/auth-key'), admin)).auth_key, keep.auth_key)
  assert.deepEqual(code(await call('GET', at(keep.uid))), [401, 4010])
})

test('agent tokens and player keys are 4033 on every settings route', async () => {
  const { a, game, call } = await startApp()
  const keep = await game()
  const { owner } = keep.listing
  const keys = [
    await a.key('agent', owner, ['mcp:write', 'mcp:money']),
    await a.key('player', owner, ['player:read']),
  ]
  for (const [method, more, body] of routes)
    for (const { key } of keys) {
      const answer = await call(method, at(keep.uid, more), { body, token: key })
      assert.deepEqual(code(answer), [403, 4033], more)
      assert.ok(!JSON.stringify(answer.body).includes(keep.auth_key))
    }
})

test('the settings show the app, the URLs, the ticket key and the last four characters of the auth key', async () => {
  const { linked, game, get, url } = await startApp()
  const off = await linked()
  const base = (uid: string) => `${url}/api/v1/extstore/${uid}`
  const shownOff = must(await get(at(off.listing.uid), off.listing.owner))
  assert.deepEqual([shownOff.app_id, shownOff.app_name], [off.app_id, `App ${off.app_id}`])
  assert.ok(Date.parse(shownOff.linked_at) && Date.parse(shownOff.last_synced_at))
  const urls = (uid: string) => ({
    auth: `${base(uid)}/auth`,
    refresh: `${base(uid)}/refresh`,
    verify: `${base(uid)}/server/verify`,
    revoke: `${base(uid)}/server/revoke`,
    ownership: `${base(uid)}/server/ownership/{extstore_id}`,
  })
  assert.deepEqual(shownOff.auth, {
    enabled: false,
    web_api_key_set: false,
    urls: urls(off.listing.uid),
  })
  const keep = await game()
  const answer = await get(at(keep.uid), keep.listing.owner)
  const auth = {
    enabled: true,
    ticket_key: keep.ticket_key,
    auth_key_last4: keep.auth_key.slice(-4),
    web_api_key_set: true,
    urls: urls(keep.uid),
  }
  assert.deepEqual(must(answer).auth, auth)
  assert.ok(
    !JSON.stringify(answer.body).includes(keep.auth_key) &&
      !JSON.stringify(answer.body).includes(keep.web_api_key),
  )
})

test('turning sign-in on creates an auth key of 128 characters and a ticket key of svc_ and 32 hex digits', async () => {
  const { game } = await startApp()
  const [one, two] = [await game(), await game()]
  for (const { auth_key, ticket_key } of [one, two]) {
    assert.match(auth_key, /^[0-9A-Za-z]{128}$/)
    assert.match(ticket_key, /^svc_[0-9a-f]{32}$/)
  }
  assert.notEqual(one.auth_key, two.auth_key)
  assert.notEqual(one.ticket_key, two.ticket_key)
})

test('a malformed Web API key is 4240 (400) and is not sent to the store', async () => {
  const { linked, game, post, put, store } = await startApp()
  const off = await linked()
  const keep = await game()
  store.control.clearCalls()
  for (const web_api_key of [
    '',
    KEY.slice(1),
    `${KEY}0`,
    KEY.replace('A', 'G'),
    KEY.toLowerCase(),
  ]) {
    assert.deepEqual(
      code(await post(at(off.listing.uid, '/auth'), { web_api_key }, off.listing.owner)),
      [400, 4240],
    )
    assert.deepEqual(
      code(await put(at(keep.uid, '/web-api-key'), { web_api_key }, keep.listing.owner)),
      [400, 4240],
    )
  }
  assert.deepEqual(store.world.calls, [])
})

test('a key that does not cover the app is 4241, and an app that is not a game is 4240 (422)', async () => {
  const { linked, game, post, put, store } = await startApp()
  const off = await linked()
  const keep = await game()
  const other = store.control.key({ apps: [keep.app_id] }).key
  const none = store.control.key({ apps: [] }).key
  for (const web_api_key of [KEY, other, none])
    assert.deepEqual(
      code(await post(at(off.listing.uid, '/auth'), { web_api_key }, off.listing.owner)),
      [403, 4241],
    )
  assert.deepEqual(
    code(await put(at(keep.uid, '/web-api-key'), { web_api_key: none }, keep.listing.owner)),
    [403, 4241],
  )
  const covering = store.control.key({ apps: [off.app_id] }).key
  store.control.app({ app_id: off.app_id, type: 'demo' })
  assert.deepEqual(
    code(await post(at(off.listing.uid, '/auth'), { web_api_key: covering }, off.listing.owner)),
    [422, 4240],
  )
  store.control.app({ app_id: off.app_id, type: 'Game' })
  assert.equal(
    (await post(at(off.listing.uid, '/auth'), { web_api_key: covering }, off.listing.owner)).status,
    200,
  )
  assert.deepEqual(
    code(await post(at(off.listing.uid, '/auth'), { web_api_key: covering }, off.listing.owner)),
    [409, 4090],
    'once',
  )
})

test('turning on and replacing a key are 4243 while the store is unreachable, and change nothing', async () => {
  const { linked, post, get, store } = await startApp()
  const off = await linked()
  const web_api_key = store.control.key({ apps: [off.app_id] }).key
  for (const mode of ['reset', 'garbage'] as const) {
    store.control.fault({ on: 'apps', mode })
    assert.deepEqual(
      code(await post(at(off.listing.uid, '/auth'), { web_api_key }, off.listing.owner)),
      [502, 4243],
    )
    store.control.clearFaults()
  }
  assert.equal(must(await get(at(off.listing.uid), off.listing.owner)).auth.enabled, false)
})

test('of two concurrent requests to turn sign-in on exactly one succeeds', async () => {
  const { linked, post, get, store } = await startApp()
  const off = await linked()
  const web_api_key = store.control.key({ apps: [off.app_id] }).key
  const both = await Promise.all(
    [1, 2, 3].map(() => post(at(off.listing.uid, '/auth'), { web_api_key }, off.listing.owner)),
  )
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409, 409])
  const { auth_key } = must(await get(at(off.listing.uid, '/auth-key'), off.listing.owner))
  assert.equal(
    must(await get(at(off.listing.uid), off.listing.owner)).auth.auth_key_last4,
    auth_key.slice(-4),
  )
})

test('a new auth key invalidates the old one and revokes all tokens at once', async () => {
  const { game, signIn, verify, refresh, post, get, player, ticket, auth } = await startApp()
  const keep = await game()
  const session = await signIn(keep)
  const { auth_key } = must(await post(at(keep.uid, '/auth-key'), undefined, keep.listing.owner))
  assert.match(auth_key, /^[0-9A-Za-z]{128}$/)
  assert.notEqual(auth_key, keep.auth_key)
  assert.equal(must(await get(at(keep.uid, '/auth-key'), keep.listing.owner)).auth_key, auth_key)
  assert.deepEqual(code(await verify(keep, session.token)), [401, 4249], 'the old key')
  assert.deepEqual(code(await verify({ ...keep, auth_key }, session.token)), [422, 4248])
  assert.deepEqual(code(await refresh(keep, session.token)), [401, 4248])
  const next = must(await auth(keep, ticket(keep, player(keep))))
  assert.equal(
    must(await verify({ ...keep, auth_key }, next.token)).valid,
    true,
    'the ticket key is as it was',
  )
})

test('a new ticket key keeps tokens and the auth key, and rejects tickets made with the old one', async () => {
  const { game, signIn, verify, player, ticket, auth, post } = await startApp()
  const keep = await game()
  const session = await signIn(keep)
  const { ticket_key } = must(
    await post(at(keep.uid, '/ticket-key'), undefined, keep.listing.owner),
  )
  assert.match(ticket_key, /^svc_[0-9a-f]{32}$/)
  assert.notEqual(ticket_key, keep.ticket_key)
  assert.equal(must(await verify(keep, session.token)).valid, true)
  assert.deepEqual(code(await auth(keep, ticket(keep, player(keep)))), [401, 4246])
  assert.equal((await auth(keep, ticket({ ...keep, ticket_key }, player(keep)))).status, 200)
})

test('a replaced Web API key is used for the store, and keeps the other keys and tokens', async () => {
  const { game, signIn, verify, put, get, refresh, store } = await startApp()
  const keep = await game()
  const session = await signIn(keep)
  const fresh = store.control.key({ apps: [keep.app_id] }).key
  const answer = await put(
    at(keep.uid, '/web-api-key'),
    { web_api_key: ` ${fresh} ` },
    keep.listing.owner,
  )
  assert.equal(must(answer).auth.ticket_key, keep.ticket_key)
  assert.ok(!JSON.stringify(answer.body).includes(fresh))
  store.control.revoke({ key: keep.web_api_key })
  assert.equal(
    must(await get(at(keep.uid, '/auth-key'), keep.listing.owner)).auth_key,
    keep.auth_key,
  )
  assert.equal(must(await verify(keep, session.token)).valid, true)
  assert.equal((await refresh(keep, session.token)).status, 200)
})

test('turning sign-in off revokes all tokens and deletes all keys; turning it on creates new ones', async () => {
  const { game, signIn, verify, refresh, del, get, post, put, sql } = await startApp()
  const keep = await game()
  const session = await signIn(keep)
  const { owner } = keep.listing
  const off = must(await del(at(keep.uid, '/auth'), owner))
  assert.deepEqual(
    [
      off.app_id,
      off.auth.enabled,
      off.auth.web_api_key_set,
      off.auth.ticket_key,
      off.auth.auth_key_last4,
    ],
    [keep.app_id, false, false, undefined, undefined],
  )
  assert.equal((await sql`select from secrets where game_uid = ${keep.uid}`).length, 0)
  assert.equal((await sql`select from extstore_sign_in where game_uid = ${keep.uid}`).length, 0)
  assert.deepEqual(code(await verify(keep, session.token)), [404, 4245])
  assert.deepEqual(code(await refresh(keep, session.token)), [404, 4245])
  for (const answer of [
    await del(at(keep.uid, '/auth'), owner),
    await get(at(keep.uid, '/auth-key'), owner),
    await post(at(keep.uid, '/auth-key'), undefined, owner),
    await post(at(keep.uid, '/ticket-key'), undefined, owner),
    await put(at(keep.uid, '/web-api-key'), { web_api_key: keep.web_api_key }, owner),
  ])
    assert.deepEqual(code(answer), [404, 4245])
  must(await post(at(keep.uid, '/auth'), { web_api_key: keep.web_api_key }, owner))
  const { auth_key } = must(await get(at(keep.uid, '/auth-key'), owner))
  assert.notEqual(auth_key, keep.auth_key)
  assert.deepEqual(code(await refresh(keep, session.token)), [401, 4248])
  assert.deepEqual(code(await verify({ ...keep, auth_key }, session.token)), [422, 4248])
})

test('unlinking removes the link and keeps the listing', async () => {
  const { game, signIn, verify, del, get, sql } = await startApp()
  const keep = await game()
  const session = await signIn(keep)
  const { owner } = keep.listing
  assert.deepEqual(must(await del(at(keep.uid), owner)), {})
  assert.deepEqual(code(await get(at(keep.uid), owner)), [404, 4244])
  assert.deepEqual(code(await del(at(keep.uid), owner)), [404, 4244])
  assert.deepEqual(code(await verify(keep, session.token)), [404, 4245])
  for (const left of [
    await sql`select from secrets where game_uid = ${keep.uid}`,
    await sql`select from extstore_sign_in where game_uid = ${keep.uid}`,
    await sql`select from extstore_links where game_uid = ${keep.uid}`,
  ])
    assert.equal(left.length, 0)
  assert.equal(must(await get(`/api/v1/private/games/${keep.uid}`, owner)).uid, keep.uid)
})

test('the database contains no readable keys, tickets or tokens', async () => {
  const { game, player, ticket, auth, sql } = await startApp()
  const keep = await game()
  const sent = ticket(keep, player(keep))
  const { token } = must(await auth(keep, sent))
  const tables =
    await sql`select table_name from information_schema.tables where table_schema = 'public'`
  for (const { table_name } of tables) {
    const rows = await sql`select t::text as text from ${sql(table_name)} t`
    const everything = rows.map(({ text }) => text).join('\n')
    for (const secret of [
      keep.auth_key,
      keep.web_api_key,
      sent.slice(0, 64),
      sent.slice(8, 48),
      token.split('.')[2]!,
    ])
      assert.ok(!everything.includes(secret), table_name)
  }
})

test('every change of a key is recorded in the audit log without secrets', async () => {
  const { game, post, put, del, get, sql } = await startApp()
  const keep = await game()
  const { owner } = keep.listing
  const { auth_key } = must(await post(at(keep.uid, '/auth-key'), undefined, owner))
  const { ticket_key } = must(await post(at(keep.uid, '/ticket-key'), undefined, owner))
  must(await put(at(keep.uid, '/web-api-key'), { web_api_key: keep.web_api_key }, owner))
  must(await del(at(keep.uid, '/auth'), owner))
  must(await del(at(keep.uid), owner))
  await get(at(keep.uid), owner)
  const rows =
    await sql`select user_uid, action, detail from audit_entries where game_uid = ${keep.uid} order by uid`
  assert.deepEqual(
    rows.map(({ action }) => action),
    [
      'turn-on',
      'reveal-auth-key',
      'new-auth-key',
      'new-ticket-key',
      'replace-web-api-key',
      'turn-off',
      'unlink',
    ].map((verb) => `extstore.${verb}`),
  )
  assert.ok(
    rows.every(({ user_uid, detail }) => user_uid === owner.uid && detail.app_id === keep.app_id),
  )
  const text = JSON.stringify(rows)
  for (const secret of [keep.auth_key, auth_key, ticket_key, keep.web_api_key])
    assert.ok(!text.includes(secret))
})

test('a token issued while the auth key is replaced is revoked with the key', async () => {
  const { game, player, ticket, auth, verify, post, store } = await startApp()
  const keep = await game()
  store.control.fault({ on: 'ownership', mode: 'delay', ms: 300, times: 1 })
  const slow = auth(keep, ticket(keep, player(keep)))
  while (
    !store.world.calls.some(
      ({ call, query }) => call === 'ownership' && query.appid === String(keep.app_id),
    )
  )
    await new Promise(setImmediate)
  const { auth_key } = must(await post(at(keep.uid, '/auth-key'), undefined, keep.listing.owner))
  const { token } = must(await slow)
  assert.equal(claimsOf(token).gid, keep.uid)
  assert.deepEqual(code(await verify({ ...keep, auth_key }, token)), [422, 4248])
})

test('deleting a listing deletes its link and keys and frees its app', async () => {
  const { game, verify, signIn, del, sql, a } = await startApp()
  const keep = await game()
  const { token } = await signIn(keep)
  must(await del(`/api/v1/private/games/${keep.uid}`, keep.listing.owner))
  assert.deepEqual(code(await verify(keep, token)), [404, 4245])
  assert.equal((await sql`select from secrets where game_uid = ${keep.uid}`).length, 0)
  const { uid } = await a.listing()
  await sql`insert into extstore_links (game_uid, app_id, app_name) values (${uid}, ${keep.app_id}, 'again')`
})

test('limits changes of the settings to 60 an hour per account', async () => {
  const { a, game, call } = await startApp()
  const keep = await game(await a.listing())
  // Creating the game used two changes.
  for (let i = 2; i < 60; i++)
    assert.equal(
      (
        await call('GET', at(keep.uid, '/auth-key'), {
          token: keep.listing.owner.token,
          headers: from(),
        })
      ).status,
      200,
    )
  assert.deepEqual(
    code(
      await call('POST', at(keep.uid, '/auth-key'), {
        token: keep.listing.owner.token,
        headers: from(),
      }),
    ),
    [429, 4290],
  )
})

test('removes keys from memory when they are replaced, turned off or unlinked', async () => {
  const { game, signIn, post, put, del, core } = await startApp()
  for (const change of [
    ({ uid, listing }: Game) => del(`/api/v1/private/games/${uid}/steam/auth`, listing.owner),
    ({ uid, listing }: Game) => del(`/api/v1/private/games/${uid}/steam`, listing.owner),
    ({ uid, listing }: Game) =>
      post(`/api/v1/private/games/${uid}/steam/auth-key`, undefined, listing.owner),
    ({ uid, listing, web_api_key }: Game) =>
      put(`/api/v1/private/games/${uid}/steam/web-api-key`, { web_api_key }, listing.owner),
    ({ uid, listing, app_id, web_api_key }: Game) =>
      post(
        '/api/v1/private/steam/import',
        { app_id, web_api_key, game_uid: uid, groups: ['status'], enable_auth: true },
        listing.owner,
      ),
  ]) {
    const unchanged = await game()
    const changed = await game()
    for (const made of [unchanged, changed]) await signIn(made)
    assert.equal(forgetKeys(core, unchanged.uid), 2)
    must(await change(changed))
    assert.equal(forgetKeys(core, changed.uid), 0)
  }
})

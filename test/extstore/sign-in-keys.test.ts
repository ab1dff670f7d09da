import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetKeys } from '../../src/extstore/sign-in/sign-in.ts'
import { must, refused } from '../support/builders.ts'
import { claimsOf, type Game, settingsPath, sharedExtstoreApp, WEB_API_KEY } from './fixtures.ts'

const sharedApp = sharedExtstoreApp()

/** The shared service, with the two requests that send a Web API key. */
async function startApp() {
  const app = await sharedApp()
  const { post, put } = app
  type Linked = Pick<Game, 'listing'>
  return {
    ...app,
    turnOn: ({ listing }: Linked, web_api_key: string) =>
      post(settingsPath(listing.uid, '/auth'), { web_api_key }, listing.owner),
    replaceKey: ({ listing }: Linked, web_api_key: string) =>
      put(settingsPath(listing.uid, '/web-api-key'), { web_api_key }, listing.owner),
  }
}

test('turning sign-in on creates an auth key and a ticket key in their formats', async () => {
  const { game } = await startApp()
  const [first, second] = [await game(), await game()]
  for (const { auth_key, ticket_key } of [first, second]) {
    assert.match(auth_key, /^[0-9A-Za-z]{128}$/)
    assert.match(ticket_key, /^svc_[0-9a-f]{32}$/)
  }
  assert.notEqual(first.auth_key, second.auth_key)
  assert.notEqual(first.ticket_key, second.ticket_key)
})

test('a malformed Web API key is 4240 (400) and is not sent to the store', async () => {
  const { linked, game, turnOn, replaceKey, store } = await startApp()
  const off = await linked()
  const linkedGame = await game()
  store.control.clearCalls()
  for (const web_api_key of [
    '',
    WEB_API_KEY.slice(1),
    `${WEB_API_KEY}0`,
    WEB_API_KEY.replace('A', 'G'),
    WEB_API_KEY.toLowerCase(),
  ]) {
    assert.deepEqual(refused(await turnOn(off, web_api_key)), [400, 4240])
    assert.deepEqual(refused(await replaceKey(linkedGame, web_api_key)), [400, 4240])
  }
  assert.deepEqual(store.world.calls, [])
})

test('a key that does not cover the app is 4241, an app that is not a game is 4240', async () => {
  const { linked, game, turnOn, replaceKey, store } = await startApp()
  const off = await linked()
  const linkedGame = await game()
  const other = store.control.key({ apps: [linkedGame.app_id] }).key
  const none = store.control.key({ apps: [] }).key
  for (const web_api_key of [WEB_API_KEY, other, none])
    assert.deepEqual(refused(await turnOn(off, web_api_key)), [403, 4241])
  assert.deepEqual(refused(await replaceKey(linkedGame, none)), [403, 4241])
  const covering = store.control.key({ apps: [off.app_id] }).key
  store.control.app({ app_id: off.app_id, type: 'demo' })
  assert.deepEqual(refused(await turnOn(off, covering)), [422, 4240])
  store.control.app({ app_id: off.app_id, type: 'Game' })
  assert.equal((await turnOn(off, covering)).status, 200)
  assert.deepEqual(refused(await turnOn(off, covering)), [409, 4090], 'sign-in was turned on twice')
})

test('turning on and replacing a key are 4243 while the store is unreachable', async () => {
  const { linked, turnOn, get, store } = await startApp()
  const off = await linked()
  const web_api_key = store.control.key({ apps: [off.app_id] }).key
  for (const mode of ['reset', 'garbage'] as const) {
    store.control.fault({ on: 'apps', mode })
    assert.deepEqual(refused(await turnOn(off, web_api_key)), [502, 4243])
    store.control.clearFaults()
  }
  assert.equal(
    must(await get(settingsPath(off.listing.uid), off.listing.owner)).auth.enabled,
    false,
  )
})

test('of two concurrent requests to turn sign-in on exactly one succeeds', async () => {
  const { linked, turnOn, get, store } = await startApp()
  const off = await linked()
  const web_api_key = store.control.key({ apps: [off.app_id] }).key
  const both = await Promise.all([1, 2, 3].map(() => turnOn(off, web_api_key)))
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409, 409])
  const { auth_key } = must(
    await get(settingsPath(off.listing.uid, '/auth-key'), off.listing.owner),
  )
  assert.equal(
    must(await get(settingsPath(off.listing.uid), off.listing.owner)).auth.auth_key_last4,
    auth_key.slice(-4),
  )
})

test('a new auth key invalidates the old one and revokes all tokens at once', async () => {
  const { game, signIn, verify, refresh, post, get, player, ticket, auth } = await startApp()
  const linkedGame = await game()
  const session = await signIn(linkedGame)
  const { auth_key } = must(
    await post(settingsPath(linkedGame.uid, '/auth-key'), undefined, linkedGame.listing.owner),
  )
  assert.match(auth_key, /^[0-9A-Za-z]{128}$/)
  assert.notEqual(auth_key, linkedGame.auth_key)
  assert.equal(
    must(await get(settingsPath(linkedGame.uid, '/auth-key'), linkedGame.listing.owner)).auth_key,
    auth_key,
  )
  assert.deepEqual(
    refused(await verify(linkedGame, session.token)),
    [401, 4249],
    'the old key was accepted',
  )
  assert.deepEqual(refused(await verify({ ...linkedGame, auth_key }, session.token)), [422, 4248])
  assert.deepEqual(refused(await refresh(linkedGame, session.token)), [401, 4248])
  const next = must(await auth(linkedGame, ticket(linkedGame, player(linkedGame))))
  assert.equal(
    must(await verify({ ...linkedGame, auth_key }, next.token)).valid,
    true,
    'the ticket key changed',
  )
})

test('a new ticket key keeps tokens and auth key, and rejects tickets of the old one', async () => {
  const { game, signIn, verify, player, ticket, auth, post } = await startApp()
  const linkedGame = await game()
  const session = await signIn(linkedGame)
  const { ticket_key } = must(
    await post(settingsPath(linkedGame.uid, '/ticket-key'), undefined, linkedGame.listing.owner),
  )
  assert.match(ticket_key, /^svc_[0-9a-f]{32}$/)
  assert.notEqual(ticket_key, linkedGame.ticket_key)
  assert.equal(must(await verify(linkedGame, session.token)).valid, true)
  assert.deepEqual(
    refused(await auth(linkedGame, ticket(linkedGame, player(linkedGame)))),
    [401, 4246],
  )
  assert.equal(
    (await auth(linkedGame, ticket({ ...linkedGame, ticket_key }, player(linkedGame)))).status,
    200,
  )
})

test('a replaced Web API key is used for the store, and keeps other keys and tokens', async () => {
  const { game, signIn, verify, replaceKey, get, refresh, store } = await startApp()
  const linkedGame = await game()
  const session = await signIn(linkedGame)
  const fresh = store.control.key({ apps: [linkedGame.app_id] }).key
  const answer = await replaceKey(linkedGame, ` ${fresh} `)
  assert.equal(must(answer).auth.ticket_key, linkedGame.ticket_key)
  assert.ok(!JSON.stringify(answer.body).includes(fresh))
  store.control.revoke({ key: linkedGame.web_api_key })
  assert.equal(
    must(await get(settingsPath(linkedGame.uid, '/auth-key'), linkedGame.listing.owner)).auth_key,
    linkedGame.auth_key,
  )
  assert.equal(must(await verify(linkedGame, session.token)).valid, true)
  assert.equal((await refresh(linkedGame, session.token)).status, 200)
})

test('turning sign-in off deletes keys and tokens; turning it on creates new keys', async () => {
  const { game, signIn, verify, refresh, del, get, post, turnOn, replaceKey, sql } =
    await startApp()
  const linkedGame = await game()
  const session = await signIn(linkedGame)
  const { owner } = linkedGame.listing
  const off = must(await del(settingsPath(linkedGame.uid, '/auth'), owner))
  assert.deepEqual(
    [
      off.app_id,
      off.auth.enabled,
      off.auth.web_api_key_set,
      off.auth.ticket_key,
      off.auth.auth_key_last4,
    ],
    [linkedGame.app_id, false, false, undefined, undefined],
  )
  assert.equal((await sql`select from secrets where game_uid = ${linkedGame.uid}`).length, 0)
  assert.equal(
    (await sql`select from extstore_sign_in where game_uid = ${linkedGame.uid}`).length,
    0,
  )
  assert.deepEqual(refused(await verify(linkedGame, session.token)), [404, 4245])
  assert.deepEqual(refused(await refresh(linkedGame, session.token)), [404, 4245])
  for (const answer of [
    await del(settingsPath(linkedGame.uid, '/auth'), owner),
    await get(settingsPath(linkedGame.uid, '/auth-key'), owner),
    await post(settingsPath(linkedGame.uid, '/auth-key'), undefined, owner),
    await post(settingsPath(linkedGame.uid, '/ticket-key'), undefined, owner),
    await replaceKey(linkedGame, linkedGame.web_api_key),
  ])
    assert.deepEqual(refused(answer), [404, 4245])
  must(await turnOn(linkedGame, linkedGame.web_api_key))
  const { auth_key } = must(await get(settingsPath(linkedGame.uid, '/auth-key'), owner))
  assert.notEqual(auth_key, linkedGame.auth_key)
  assert.deepEqual(refused(await refresh(linkedGame, session.token)), [401, 4248])
  assert.deepEqual(refused(await verify({ ...linkedGame, auth_key }, session.token)), [422, 4248])
})

test('the database contains no readable keys, tickets or tokens', async () => {
  const { game, player, ticket, auth, sql } = await startApp()
  const linkedGame = await game()
  const sent = ticket(linkedGame, player(linkedGame))
  const { token } = must(await auth(linkedGame, sent))
  const tables =
    await sql`select table_name from information_schema.tables where table_schema = 'public'`
  for (const { table_name } of tables) {
    const rows = await sql`select t::text as text from ${sql(table_name)} t`
    const everything = rows.map(({ text }) => text).join('\n')
    for (const secret of [
      linkedGame.auth_key,
      linkedGame.web_api_key,
      sent.slice(0, 64),
      sent.slice(8, 48),
      token.split('.')[2]!,
    ])
      assert.ok(!everything.includes(secret), table_name)
  }
})

test('a token issued while the auth key is replaced is revoked with the key', async () => {
  const { game, player, ticket, auth, verify, post, store } = await startApp()
  const linkedGame = await game()
  store.control.fault({ on: 'ownership', mode: 'delay', ms: 300, times: 1 })
  const slow = auth(linkedGame, ticket(linkedGame, player(linkedGame)))
  while (
    !store.world.calls.some(
      ({ call, query }) => call === 'ownership' && query.appid === String(linkedGame.app_id),
    )
  )
    await new Promise(setImmediate)
  const { auth_key } = must(
    await post(settingsPath(linkedGame.uid, '/auth-key'), undefined, linkedGame.listing.owner),
  )
  const { token } = must(await slow)
  assert.equal(claimsOf(token).gid, linkedGame.uid)
  assert.deepEqual(refused(await verify({ ...linkedGame, auth_key }, token)), [422, 4248])
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

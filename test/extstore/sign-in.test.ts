import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { HOUR_MS } from '../../src/core/runtime/units.ts'
import { must, refused } from '../support/builders.ts'
import { claimsOf, headerOf, ISSUER, sharedExtstoreApp } from './fixtures.ts'

const startApp = sharedExtstoreApp()

test('signs in with a ticket and issues a token with all claims, signed HS512', async () => {
  const { game, player, ticket, auth } = await startApp()
  const linkedGame = await game()
  const account = player(linkedGame)
  const before = Math.floor(Date.now() / 1000)
  const answer = await auth(linkedGame, ticket(linkedGame, account))
  assert.equal(answer.status, 200)
  const { token, expires_at, session_uid, ...rest } = must(answer)
  assert.deepEqual(rest, { extstore_id: account, family_shared: false })
  assert.deepEqual(headerOf(token), { alg: 'HS512', typ: 'JWT' })
  const { iat, exp, jti, ...claims } = claimsOf(token)
  assert.deepEqual(claims, {
    iss: ISSUER,
    aud: `extstore:${linkedGame.app_id}`,
    gid: linkedGame.uid,
    sub: account,
    own: true,
    vac: false,
  })
  assert.equal(exp - iat, 3600)
  assert.ok(iat >= before && iat <= before + 5)
  assert.equal(new Date(exp * 1000).toISOString(), expires_at)
  assert.equal(session_uid, jti)
  const [head, payload, signature] = token.split('.')
  assert.equal(
    signature,
    createHmac('sha512', linkedGame.auth_key).update(`${head}.${payload}`).digest('base64url'),
  )
})

test('the claim osid names the owner of a shared copy, also after a refresh', async () => {
  const { game, player, store, signIn, refresh } = await startApp()
  const linkedGame = await game()
  const owner = player(linkedGame)
  const { id: borrower } = store.control.account({})
  store.control.lend({ owner, account: borrower, app_id: linkedGame.app_id })
  const session = await signIn(linkedGame, borrower)
  assert.equal(session.family_shared, true)
  assert.deepEqual([claimsOf(session.token).sub, claimsOf(session.token).osid], [borrower, owner])
  const next = must(await refresh(linkedGame, session.token))
  assert.deepEqual([next.family_shared, claimsOf(next.token).osid], [true, owner])
  store.control.own({ account: borrower, app_id: linkedGame.app_id })
  const bought = must(await refresh(linkedGame, next.token))
  assert.deepEqual([bought.family_shared, claimsOf(bought.token).osid], [false, undefined])
})

test('the claim vac states an anti-cheat ban and does not prevent sign-in', async () => {
  const { game, player, store, signIn, refresh } = await startApp()
  const linkedGame = await game()
  const account = player(linkedGame)
  store.control.ban({ account, vac: true })
  const session = await signIn(linkedGame, account)
  assert.equal(claimsOf(session.token).vac, true)
  assert.equal(claimsOf(must(await refresh(linkedGame, session.token)).token).vac, true)
})

test('an account that does not own the game or is banned by its publisher gets 4247', async () => {
  const { game, player, ticket, auth, store, sql } = await startApp()
  const linkedGame = await game()
  const { id: stranger } = store.control.account({})
  const banned = player(linkedGame)
  store.control.ban({ account: banned, publisher: [linkedGame.app_id] })
  assert.deepEqual(refused(await auth(linkedGame, ticket(linkedGame, stranger))), [403, 4247])
  assert.deepEqual(refused(await auth(linkedGame, ticket(linkedGame, banned))), [403, 4247])
  assert.equal(
    (await sql`select from extstore_sessions where game_uid = ${linkedGame.uid}`).length,
    0,
  )
})

test('a malformed ticket is 4246 (400) and is not sent to the store', async () => {
  const { game, player, ticket, auth, store } = await startApp()
  const linkedGame = await game()
  const callCount = store.world.calls.length
  for (const bad of ['', 'a', 'xyz0', 'ab cd', '0x12', 'ab'.repeat(4097), 'abc', 'ab\n'])
    assert.deepEqual(refused(await auth(linkedGame, bad)), [400, 4246], bad.slice(0, 9))
  assert.equal(store.world.calls.length, callCount)
  assert.deepEqual(
    refused(await auth(linkedGame, 'ab'.repeat(4096))),
    [401, 4246],
    'the longest ticket was not sent to the store',
  )
  const longest = ticket(linkedGame, player(linkedGame), { bytes: 4096 })
  assert.equal(longest.length, 8192)
  assert.equal((await auth(linkedGame, longest.toUpperCase())).status, 200)
})

test('a ticket that the store rejects for any reason is 4246 (401)', async () => {
  const { game, player, ticket, auth, store } = await startApp()
  const [linkedGame, other] = [await game(), await game()]
  const account = player(linkedGame)
  store.control.own({ account, app_id: other.app_id })
  const offline = player(linkedGame)
  store.control.ban({ account: offline, offline: true })
  const rejected = [
    'abcd',
    ticket(other, account),
    ticket(linkedGame, account, { identity: other.ticket_key }),
    ticket(linkedGame, account, { identity: '' }),
    ticket(linkedGame, account, { ttl_ms: -1 }),
    ticket(linkedGame, offline),
  ]
  for (const bad of rejected) assert.deepEqual(refused(await auth(linkedGame, bad)), [401, 4246])
})

test('a repeated ticket is 4246 (401), with other padding or case or concurrently', async () => {
  const { game, player, ticket, auth, store } = await startApp()
  const linkedGame = await game()
  const account = player(linkedGame)
  const used = ticket(linkedGame, account)
  assert.equal((await auth(linkedGame, used)).status, 200)
  // Reset the store, because the service itself must detect a replay.
  const resetTickets = () => {
    for (const known of store.world.tickets.values()) known.used = false
  }
  for (const again of [
    used,
    `${used}00ff`,
    used.toUpperCase(),
    `${used.slice(0, 56)}${'00'.repeat(40)}`,
  ]) {
    resetTickets()
    assert.deepEqual(refused(await auth(linkedGame, again)), [401, 4246])
  }
  const callCount = store.world.calls.length
  await auth(linkedGame, used)
  assert.equal(store.world.calls.length, callCount, 'a replay was sent to the store')

  const fresh = ticket(linkedGame, account)
  const resetting = setInterval(resetTickets, 0)
  const both = await Promise.all([
    auth(linkedGame, fresh),
    auth(linkedGame, fresh),
    auth(linkedGame, fresh),
  ])
  clearInterval(resetting)
  assert.deepEqual(both.map(({ body }) => body.error?.code ?? 200).sort(), [200, 4246, 4246])
})

test('a copy is shared if either the ticket or the ownership says so', async () => {
  const { game, player, store, signIn } = await startApp()
  const linkedGame = await game()
  const [owner, borrower] = [player(linkedGame), player(linkedGame)]
  const ownedBy = (owner: string) => ({
    appownership: { ownsapp: true, permanent: true, ownersteamid: owner, result: 'OK' },
  })
  store.control.fault({ on: 'ownership', mode: 'answer', answer: ownedBy(owner), times: 1 })
  assert.equal(
    claimsOf((await signIn(linkedGame, borrower)).token).osid,
    owner,
    'not the owner of the response',
  )
  store.control.lend({ owner, account: borrower, app_id: linkedGame.app_id })
  store.control.fault({ on: 'ownership', mode: 'answer', answer: ownedBy(borrower), times: 1 })
  assert.equal(
    claimsOf((await signIn(linkedGame, borrower)).token).osid,
    owner,
    'not the owner of the ticket',
  )
})

test('sends the ticket key as identity and the Web API key in a header', async () => {
  const { game, signIn, store } = await startApp()
  const linkedGame = await game()
  store.control.clearCalls()
  await signIn(linkedGame)
  const { calls } = store.world
  assert.deepEqual(
    calls.map(({ call }) => call),
    ['authenticate', 'ownership'],
  )
  assert.ok(
    store.world.calls.every(({ key_in_header, key_in_url }) => key_in_header && !key_in_url),
  )
  assert.equal(calls[0]!.query.identity, linkedGame.ticket_key)
})

test('the session record has player, owner, user, expiry and address, and no ticket', async () => {
  const { game, player, ticket, auth, sql } = await startApp()
  const linkedGame = await game()
  const account = player(linkedGame)
  const sent = ticket(linkedGame, account)
  const { token, expires_at } = must(
    await auth(linkedGame, sent, { 'x-forwarded-for': '203.0.113.9' }),
  )
  const [row] = await sql`
    select jti, game_uid, generation, extstore_id, owner_extstore_id, user_uid, ip, expires_at,
      revoked_at, ticket_hash
    from extstore_sessions
    where game_uid = ${linkedGame.uid}`
  assert.deepEqual(
    { ...row, generation: 'g', ticket_hash: 'h' },
    {
      jti: claimsOf(token).jti,
      game_uid: linkedGame.uid,
      generation: 'g',
      extstore_id: account,
      owner_extstore_id: null,
      user_uid: null,
      ip: '203.0.113.9',
      expires_at: new Date(expires_at),
      revoked_at: null,
      ticket_hash: 'h',
    },
  )
  const [{ text } = assert.fail()] = await sql<{ text: string }[]>`
    select extstore_sessions::text as text from extstore_sessions where game_uid = ${linkedGame.uid}`
  assert.ok(!text.includes(sent.slice(8, 40)) && !text.includes(token.slice(-40)))
})

test('sign-in works for every visibility, by vanity name, and without an account', async () => {
  const { game, player, ticket, auth, sql } = await startApp()
  const linkedGame = await game()
  for (const visibility of ['draft', 'owner', 'invisible', 'public']) {
    await sql`update listings set visibility = ${visibility} where uid = ${linkedGame.uid}`
    const { token } = must(
      await auth({ uid: linkedGame.listing.vanity_name }, ticket(linkedGame, player(linkedGame))),
    )
    assert.equal(claimsOf(token).gid, linkedGame.uid)
  }
})

test('sign-in off, no link and no such game all return the same 4245', async () => {
  const { linked, auth, refresh, a } = await startApp()
  const off = await linked()
  const plain = await a.listing()
  for (const uid of [
    off.listing.uid,
    plain.uid,
    'no-such-game',
    '01890000-0000-7000-8000-000000000000',
  ]) {
    assert.deepEqual(refused(await auth({ uid }, 'abcd')), [404, 4245])
    assert.deepEqual(refused(await refresh({ uid }, 'abcd')), [404, 4245])
  }
})

test('a refresh issues a new token, checks ownership again and revokes the old token', async () => {
  const { game, signIn, refresh, verify, store } = await startApp()
  const linkedGame = await game()
  const session = await signIn(linkedGame)
  const callCount = store.world.calls.length
  const next = must(await refresh(linkedGame, session.token))
  assert.deepEqual(
    store.world.calls.slice(callCount).map(({ call }) => call),
    ['ownership'],
  )
  assert.deepEqual(Object.keys(next).sort(), Object.keys(session).sort())
  assert.notEqual(claimsOf(next.token).jti, claimsOf(session.token).jti)
  assert.equal(must(await verify(linkedGame, next.token)).valid, true)
  assert.deepEqual(must(await verify(linkedGame, session.token)), {
    valid: false,
    expired: false,
    revoked: true,
  })
  assert.deepEqual(refused(await refresh(linkedGame, session.token)), [401, 4248])
})

test('of concurrent refreshes one succeeds and the others are 4248', async () => {
  const { game, signIn, refresh, sql } = await startApp()
  const linkedGame = await game()
  for (let round = 0; round < 5; round++) {
    const { token } = await signIn(linkedGame)
    const all = await Promise.all(Array.from({ length: 8 }, () => refresh(linkedGame, token)))
    assert.equal(all.filter(({ status }) => status === 200).length, 1)
    assert.ok(all.every((answer) => answer.status === 200 || answer.body.error.code === 4248))
  }
  const active =
    await sql`select from extstore_sessions where game_uid = ${linkedGame.uid} and revoked_at is null`
  assert.equal(active.length, 5)
})

test('a refresh works until exactly 24 hours after expiry', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { game, signIn, refresh, verify } = await startApp()
  const linkedGame = await game()
  const [first, second, third] = [
    await signIn(linkedGame),
    await signIn(linkedGame),
    await signIn(linkedGame),
  ]
  const at = (moment: number) => t.mock.timers.setTime(moment)
  const expiry = claimsOf(first.token).exp * 1000
  at(expiry - 1)
  assert.equal(must(await verify(linkedGame, first.token)).valid, true)
  at(expiry)
  assert.deepEqual(must(await verify(linkedGame, first.token)), {
    valid: false,
    expired: true,
    revoked: false,
  })
  assert.equal((await refresh(linkedGame, first.token)).status, 200)
  at(claimsOf(second.token).exp * 1000 + 24 * HOUR_MS - 1)
  assert.equal((await refresh(linkedGame, second.token)).status, 200)
  at(claimsOf(third.token).exp * 1000 + 24 * HOUR_MS)
  assert.deepEqual(refused(await refresh(linkedGame, third.token)), [401, 4248])
})

test('a refresh without ownership is 4247 and keeps the old token', async () => {
  const { game, player, signIn, refresh, verify, store } = await startApp()
  const linkedGame = await game()
  const account = player(linkedGame)
  const { token } = await signIn(linkedGame, account)
  store.control.disown({ account, app_id: linkedGame.app_id })
  assert.deepEqual(refused(await refresh(linkedGame, token)), [403, 4247])
  assert.equal(must(await verify(linkedGame, token)).valid, true)
})

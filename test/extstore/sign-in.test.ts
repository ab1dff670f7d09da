import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { HOUR_MS } from '../../src/core/runtime/units.ts'
import { must, refused } from '../support/builders.ts'
import { claimsOf, headerOf, ISSUER, sharedExtstoreApp } from './fixtures.ts'

const startApp = sharedExtstoreApp()

test('signs in with a ticket and issues a token with all claims, signed HS512', async () => {
  const { game, player, ticket, auth } = await startApp()
  const keep = await game()
  const account = player(keep)
  const before = Math.floor(Date.now() / 1000)
  const answer = await auth(keep, ticket(keep, account))
  assert.equal(answer.status, 200)
  const { token, expires_at, session_uid, ...rest } = must(answer)
  assert.deepEqual(rest, { extstore_id: account, family_shared: false })
  assert.deepEqual(headerOf(token), { alg: 'HS512', typ: 'JWT' })
  const { iat, exp, jti, ...claims } = claimsOf(token)
  assert.deepEqual(claims, {
    iss: ISSUER,
    aud: `extstore:${keep.app_id}`,
    gid: keep.uid,
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
    createHmac('sha512', keep.auth_key).update(`${head}.${payload}`).digest('base64url'),
  )
})

test('the claim osid names the owner of a shared copy, also after a refresh', async () => {
  const { game, player, store, signIn, refresh } = await startApp()
  const keep = await game()
  const owner = player(keep)
  const { id: borrower } = store.control.account({})
  store.control.lend({ owner, account: borrower, app_id: keep.app_id })
  const session = await signIn(keep, borrower)
  assert.equal(session.family_shared, true)
  assert.deepEqual([claimsOf(session.token).sub, claimsOf(session.token).osid], [borrower, owner])
  const next = must(await refresh(keep, session.token))
  assert.deepEqual([next.family_shared, claimsOf(next.token).osid], [true, owner])
  store.control.own({ account: borrower, app_id: keep.app_id })
  const bought = must(await refresh(keep, next.token))
  assert.deepEqual([bought.family_shared, claimsOf(bought.token).osid], [false, undefined])
})

test('the claim vac states an anti-cheat ban and does not prevent sign-in', async () => {
  const { game, player, store, signIn, refresh } = await startApp()
  const keep = await game()
  const account = player(keep)
  store.control.ban({ account, vac: true })
  const session = await signIn(keep, account)
  assert.equal(claimsOf(session.token).vac, true)
  assert.equal(claimsOf(must(await refresh(keep, session.token)).token).vac, true)
})

test('an account that does not own the game or is banned by its publisher gets 4247', async () => {
  const { game, player, ticket, auth, store, sql } = await startApp()
  const keep = await game()
  const { id: stranger } = store.control.account({})
  const banned = player(keep)
  store.control.ban({ account: banned, publisher: [keep.app_id] })
  assert.deepEqual(refused(await auth(keep, ticket(keep, stranger))), [403, 4247])
  assert.deepEqual(refused(await auth(keep, ticket(keep, banned))), [403, 4247])
  assert.equal((await sql`select from extstore_sessions where game_uid = ${keep.uid}`).length, 0)
})

test('a malformed ticket is 4246 (400) and is not sent to the store', async () => {
  const { game, player, ticket, auth, store } = await startApp()
  const keep = await game()
  const callCount = store.world.calls.length
  for (const bad of ['', 'a', 'xyz0', 'ab cd', '0x12', 'ab'.repeat(4097), 'abc', 'ab\n'])
    assert.deepEqual(refused(await auth(keep, bad)), [400, 4246], bad.slice(0, 9))
  assert.equal(store.world.calls.length, callCount)
  assert.deepEqual(
    refused(await auth(keep, 'ab'.repeat(4096))),
    [401, 4246],
    'the longest ticket was not sent to the store',
  )
  const longest = ticket(keep, player(keep), { bytes: 4096 })
  assert.equal(longest.length, 8192)
  assert.equal((await auth(keep, longest.toUpperCase())).status, 200)
})

test('a ticket that the store rejects for any reason is 4246 (401)', async () => {
  const { game, player, ticket, auth, store } = await startApp()
  const [keep, other] = [await game(), await game()]
  const account = player(keep)
  store.control.own({ account, app_id: other.app_id })
  const offline = player(keep)
  store.control.ban({ account: offline, offline: true })
  const rejected = [
    'abcd',
    ticket(other, account),
    ticket(keep, account, { identity: other.ticket_key }),
    ticket(keep, account, { identity: '' }),
    ticket(keep, account, { ttl_ms: -1 }),
    ticket(keep, offline),
  ]
  for (const bad of rejected) assert.deepEqual(refused(await auth(keep, bad)), [401, 4246])
})

test('a repeated ticket is 4246 (401), with other padding or case or concurrently', async () => {
  const { game, player, ticket, auth, store } = await startApp()
  const keep = await game()
  const account = player(keep)
  const used = ticket(keep, account)
  assert.equal((await auth(keep, used)).status, 200)
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
    assert.deepEqual(refused(await auth(keep, again)), [401, 4246])
  }
  const callCount = store.world.calls.length
  await auth(keep, used)
  assert.equal(store.world.calls.length, callCount, 'a replay was sent to the store')

  const fresh = ticket(keep, account)
  const resetting = setInterval(resetTickets, 0)
  const both = await Promise.all([auth(keep, fresh), auth(keep, fresh), auth(keep, fresh)])
  clearInterval(resetting)
  assert.deepEqual(both.map(({ body }) => body.error?.code ?? 200).sort(), [200, 4246, 4246])
})

test('a copy is shared if either the ticket or the ownership says so', async () => {
  const { game, player, store, signIn } = await startApp()
  const keep = await game()
  const [owner, borrower] = [player(keep), player(keep)]
  const ownedBy = (owner: string) => ({
    appownership: { ownsapp: true, permanent: true, ownersteamid: owner, result: 'OK' },
  })
  store.control.fault({ on: 'ownership', mode: 'answer', answer: ownedBy(owner), times: 1 })
  assert.equal(
    claimsOf((await signIn(keep, borrower)).token).osid,
    owner,
    'not the owner of the response',
  )
  store.control.lend({ owner, account: borrower, app_id: keep.app_id })
  store.control.fault({ on: 'ownership', mode: 'answer', answer: ownedBy(borrower), times: 1 })
  assert.equal(
    claimsOf((await signIn(keep, borrower)).token).osid,
    owner,
    'not the owner of the ticket',
  )
})

test('sends the ticket key as identity and the Web API key in a header', async () => {
  const { game, signIn, store } = await startApp()
  const keep = await game()
  store.control.clearCalls()
  await signIn(keep)
  const { calls } = store.world
  assert.deepEqual(
    calls.map(({ call }) => call),
    ['authenticate', 'ownership'],
  )
  assert.ok(
    store.world.calls.every(({ key_in_header, key_in_url }) => key_in_header && !key_in_url),
  )
  assert.equal(calls[0]!.query.identity, keep.ticket_key)
})

test('the session record has player, owner, user, expiry and address, and no ticket', async () => {
  const { game, player, ticket, auth, sql } = await startApp()
  const keep = await game()
  const account = player(keep)
  const sent = ticket(keep, account)
  const { token, expires_at } = must(await auth(keep, sent, { 'x-forwarded-for': '203.0.113.9' }))
  const [row] = await sql`
    select jti, game_uid, generation, extstore_id, owner_extstore_id, user_uid, ip, expires_at,
      revoked_at, ticket_hash
    from extstore_sessions
    where game_uid = ${keep.uid}`
  assert.deepEqual(
    { ...row, generation: 'g', ticket_hash: 'h' },
    {
      jti: claimsOf(token).jti,
      game_uid: keep.uid,
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
    select extstore_sessions::text as text from extstore_sessions where game_uid = ${keep.uid}`
  assert.ok(!text.includes(sent.slice(8, 40)) && !text.includes(token.slice(-40)))
})

test('sign-in works for every visibility, by vanity name, and without an account', async () => {
  const { game, player, ticket, auth, sql } = await startApp()
  const keep = await game()
  for (const visibility of ['draft', 'owner', 'invisible', 'public']) {
    await sql`update listings set visibility = ${visibility} where uid = ${keep.uid}`
    const { token } = must(
      await auth({ uid: keep.listing.vanity_name }, ticket(keep, player(keep))),
    )
    assert.equal(claimsOf(token).gid, keep.uid)
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
  const keep = await game()
  const session = await signIn(keep)
  const callCount = store.world.calls.length
  const next = must(await refresh(keep, session.token))
  assert.deepEqual(
    store.world.calls.slice(callCount).map(({ call }) => call),
    ['ownership'],
  )
  assert.deepEqual(Object.keys(next).sort(), Object.keys(session).sort())
  assert.notEqual(claimsOf(next.token).jti, claimsOf(session.token).jti)
  assert.equal(must(await verify(keep, next.token)).valid, true)
  assert.deepEqual(must(await verify(keep, session.token)), {
    valid: false,
    expired: false,
    revoked: true,
  })
  assert.deepEqual(refused(await refresh(keep, session.token)), [401, 4248])
})

test('of concurrent refreshes one succeeds and the others are 4248', async () => {
  const { game, signIn, refresh, sql } = await startApp()
  const keep = await game()
  for (let round = 0; round < 5; round++) {
    const { token } = await signIn(keep)
    const all = await Promise.all(Array.from({ length: 8 }, () => refresh(keep, token)))
    assert.equal(all.filter(({ status }) => status === 200).length, 1)
    assert.ok(all.every((answer) => answer.status === 200 || answer.body.error.code === 4248))
  }
  const active =
    await sql`select from extstore_sessions where game_uid = ${keep.uid} and revoked_at is null`
  assert.equal(active.length, 5)
})

test('a refresh works until exactly 24 hours after expiry', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { game, signIn, refresh, verify } = await startApp()
  const keep = await game()
  const [first, second, third] = [await signIn(keep), await signIn(keep), await signIn(keep)]
  const at = (moment: number) => t.mock.timers.setTime(moment)
  const expiry = claimsOf(first.token).exp * 1000
  at(expiry - 1)
  assert.equal(must(await verify(keep, first.token)).valid, true)
  at(expiry)
  assert.deepEqual(must(await verify(keep, first.token)), {
    valid: false,
    expired: true,
    revoked: false,
  })
  assert.equal((await refresh(keep, first.token)).status, 200)
  at(claimsOf(second.token).exp * 1000 + 24 * HOUR_MS - 1)
  assert.equal((await refresh(keep, second.token)).status, 200)
  at(claimsOf(third.token).exp * 1000 + 24 * HOUR_MS)
  assert.deepEqual(refused(await refresh(keep, third.token)), [401, 4248])
})

test('a refresh without ownership is 4247 and keeps the old token', async () => {
  const { game, player, signIn, refresh, verify, store } = await startApp()
  const keep = await game()
  const account = player(keep)
  const { token } = await signIn(keep, account)
  store.control.disown({ account, app_id: keep.app_id })
  assert.deepEqual(refused(await refresh(keep, token)), [403, 4247])
  assert.equal(must(await verify(keep, token)).valid, true)
})

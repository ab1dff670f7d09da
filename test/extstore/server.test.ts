import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/core/runtime/config.ts'
import { startService } from '../../src/service.ts'
import { client, eventually } from '../support/app.ts'
import { lockWaits, must, newAddress, refused } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { claimsOf, sharedExtstoreApp } from './fixtures.ts'

const startApp = sharedExtstoreApp()

test('verify returns valid, expired, revoked and the claims', async () => {
  const { game, signIn, verify } = await startApp()
  const linkedGame = await game()
  const { token } = await signIn(linkedGame)
  assert.deepEqual(must(await verify(linkedGame, token)), {
    valid: true,
    expired: false,
    revoked: false,
    claims: claimsOf(token),
  })
})

test('verify with recheck_ownership includes the current ownership', async () => {
  const { game, player, signIn, verify, store } = await startApp()
  const linkedGame = await game()
  const account = player(linkedGame)
  const { token } = await signIn(linkedGame, account)
  const before = Date.now()
  const { ownership } = must(await verify(linkedGame, token, { recheck_ownership: true }))
  const checked_at = Date.parse(ownership.checked_at)
  assert.ok(checked_at >= before && checked_at <= Date.now())
  assert.deepEqual(
    { ...ownership, checked_at: 0 },
    { owns_app: true, permanent: true, owner_extstore_id: account, checked_at: 0 },
  )
  store.control.disown({ account, app_id: linkedGame.app_id })
  const lost = must(await verify(linkedGame, token, { recheck_ownership: true }))
  assert.deepEqual(
    [lost.valid, lost.ownership.owns_app, lost.ownership.owner_extstore_id],
    [true, false, null],
  )
  assert.equal(
    must(await verify(linkedGame, token, { recheck_ownership: false })).ownership,
    undefined,
  )
})

test('the ownership of any account can be read without a token', async () => {
  const { game, player, store, get } = await startApp()
  const linkedGame = await game()
  const owner = player(linkedGame)
  const { id: borrower } = store.control.account({})
  store.control.lend({ owner, account: borrower, app_id: linkedGame.app_id })
  const readOwnership = (id: string) =>
    get(`/api/v1/extstore/${linkedGame.uid}/server/ownership/${id}`, {
      token: linkedGame.auth_key,
      headers: newAddress(),
    })
  const { checked_at, ...rest } = must(await readOwnership(borrower))
  assert.deepEqual(rest, { owns_app: true, permanent: false, owner_extstore_id: owner })
  assert.ok(Date.parse(checked_at))
  assert.deepEqual(
    { ...must(await readOwnership('76561202255233023')), checked_at: 0 },
    { owns_app: false, permanent: false, owner_extstore_id: null, checked_at: 0 },
  )
})

test('an account ID outside the range of personal accounts is 4240 (400)', async () => {
  const { game, get, revoke } = await startApp()
  const linkedGame = await game()
  const readOwnership = (id: string) =>
    get(`/api/v1/extstore/${linkedGame.uid}/server/ownership/${id}`, {
      token: linkedGame.auth_key,
      headers: newAddress(),
    })
  for (const id of [
    '76561197960265728',
    '76561202255233024',
    '7656119796026572',
    '765611979602657290',
    'abc',
    '76561197960265729x',
    '-7656119796026572',
  ]) {
    assert.deepEqual(refused(await readOwnership(id)), [400, 4240], id)
    assert.deepEqual(refused(await revoke(linkedGame, { extstore_id: id })), [400, 4240], id)
  }
  for (const id of ['76561197960265729', '76561202255233023']) {
    assert.equal((await readOwnership(id)).status, 200)
    assert.equal((await revoke(linkedGame, { extstore_id: id })).status, 200)
  }
  assert.deepEqual(
    refused(await revoke(linkedGame, { extstore_id: Number('76561198000000001') })),
    [400, 4240],
    'a number with rounded digits was accepted',
  )
})

test('revokes a token by jti or all tokens of a player, and counts them', async () => {
  const { game, player, signIn, verify, revoke, refresh } = await startApp()
  const linkedGame = await game()
  const [ada, bo] = [player(linkedGame), player(linkedGame)]
  const tokens = [
    await signIn(linkedGame, ada),
    await signIn(linkedGame, ada),
    await signIn(linkedGame, ada),
    await signIn(linkedGame, bo),
  ].map(({ token }) => token)
  const areValid = async () =>
    (await Promise.all(tokens.map((token) => verify(linkedGame, token)))).map(
      (answer) => must(answer).valid,
    )
  assert.deepEqual(must(await revoke(linkedGame, { jti: claimsOf(tokens[0]!).jti })), {
    revoked: 1,
  })
  assert.deepEqual(await areValid(), [false, true, true, true])
  assert.deepEqual(
    must(await revoke(linkedGame, { jti: claimsOf(tokens[0]!).jti })),
    { revoked: 0 },
    'a token was revoked twice',
  )
  assert.deepEqual(must(await revoke(linkedGame, { extstore_id: ada })), { revoked: 2 })
  assert.deepEqual(await areValid(), [false, false, false, true])
  assert.deepEqual(must(await verify(linkedGame, tokens[1]!)), {
    valid: false,
    expired: false,
    revoked: true,
  })
  assert.deepEqual(
    refused(await refresh(linkedGame, tokens[1]!)),
    [401, 4248],
    'a revoked token was refreshed',
  )
  for (const jti of ['no-such-token', '01890000-0000-7000-8000-000000000000'])
    assert.deepEqual(must(await revoke(linkedGame, { jti })), { revoked: 0 })
})

test('revoke with neither jti nor extstore_id is 4240 (400)', async () => {
  const { game, revoke } = await startApp()
  const linkedGame = await game()
  for (const body of [{}, { jti: '' }, { extstore_id: '' }])
    assert.deepEqual(refused(await revoke(linkedGame, body)), [400, 4240])
})

test('a server cannot verify or revoke tokens of another game', async () => {
  const { game, player, signIn, verify, revoke, store } = await startApp()
  const [linkedGame, other] = [await game(), await game()]
  const account = player(linkedGame)
  store.control.own({ account, app_id: other.app_id })
  const { token } = await signIn(linkedGame, account)
  assert.deepEqual(refused(await verify(other, token)), [422, 4248])
  assert.deepEqual(
    refused(await verify({ uid: linkedGame.uid, auth_key: other.auth_key }, token)),
    [401, 4249],
  )
  assert.deepEqual(must(await revoke(other, { jti: claimsOf(token).jti })), { revoked: 0 })
  assert.deepEqual(must(await revoke(other, { extstore_id: account })), { revoked: 0 })
  assert.equal(must(await verify(linkedGame, token)).valid, true)
})

test('a missing or wrong auth key is 4249, and only a bearer header counts', async () => {
  const { game, call } = await startApp()
  const linkedGame = await game()
  const base = `/api/v1/extstore/${linkedGame.uid}/server`
  const routes = [
    ['POST', `${base}/verify`, { token: 'x' }],
    ['POST', `${base}/revoke`, { jti: 'x' }],
    ['GET', `${base}/ownership/76561198000000001`, undefined],
  ] as const
  const invalidHeaders = [
    undefined,
    'Bearer',
    `Basic ${linkedGame.auth_key}`,
    linkedGame.auth_key,
    `Bearer ${linkedGame.auth_key.slice(0, -1)}`,
    `Bearer ${linkedGame.auth_key}x`,
    `Bearer ${linkedGame.auth_key.toLowerCase()}`,
    `Bearer ${linkedGame.ticket_key}`,
    `Bearer ${linkedGame.web_api_key}`,
    `Bearer ${linkedGame.listing.owner.token}`,
  ]
  for (const [method, path, body] of routes)
    for (const authorization of invalidHeaders) {
      const headers = {
        ...newAddress(),
        ...(authorization ? { authorization } : {}),
        svc_games: linkedGame.auth_key,
      }
      const answer = await call(method, path, { body, headers })
      assert.deepEqual(refused(answer), [401, 4249], `${path} ${authorization}`)
      assert.equal(answer.headers['www-authenticate'], 'Bearer')
    }
})

test('every server route is 4245 while sign-in is off', async () => {
  const { game, signIn, verify, revoke, get, del } = await startApp()
  const linkedGame = await game()
  const { token } = await signIn(linkedGame)
  must(await del(`/api/v1/private/games/${linkedGame.uid}/steam/auth`, linkedGame.listing.owner))
  assert.deepEqual(refused(await verify(linkedGame, token)), [404, 4245])
  assert.deepEqual(refused(await revoke(linkedGame, { jti: claimsOf(token).jti })), [404, 4245])
  const ownership = await get(
    `/api/v1/extstore/${linkedGame.uid}/server/ownership/76561198000000001`,
    {
      token: linkedGame.auth_key,
      headers: newAddress(),
    },
  )
  assert.deepEqual(refused(ownership), [404, 4245])
})

test('revocations, refreshes and new keys take effect at once in another process', async (t) => {
  const { game, signIn, revoke, refresh, settings, post } = await startApp()
  const linkedGame = await game()
  const second = await startService(readConfig(settings), { strict: true })
  cleanup(t, () => second.stop())
  const secondClient = client(second.url)
  const verifyInSecond = (token: string, auth_key = linkedGame.auth_key) =>
    secondClient.post(
      `/api/v1/extstore/${linkedGame.uid}/server/verify`,
      { token },
      { token: auth_key, headers: newAddress() },
    )
  for (let round = 0; round < 5; round++) {
    const { token } = await signIn(linkedGame)
    assert.equal(must(await verifyInSecond(token)).valid, true)
    await revoke(linkedGame, { jti: claimsOf(token).jti })
    assert.equal(must(await verifyInSecond(token)).valid, false)
  }
  const { token } = await signIn(linkedGame)
  const next = must(await refresh(linkedGame, token))
  assert.deepEqual(
    [must(await verifyInSecond(token)).revoked, must(await verifyInSecond(next.token)).valid],
    [true, true],
  )
  must(
    await post(
      `/api/v1/private/games/${linkedGame.uid}/steam/auth-key`,
      undefined,
      linkedGame.listing.owner,
    ),
  )
  assert.deepEqual(refused(await verifyInSecond(next.token)), [401, 4249])
})

test('revoking a player includes the token of a concurrent refresh', async () => {
  const { game, player, signIn, verify, revoke, refresh, sql } = await startApp()
  const linkedGame = await game()
  const account = player(linkedGame)
  const { token } = await signIn(linkedGame, account)
  const [refreshed, revoked] = await sql.begin(async (tx) => {
    const waiting = (count: number) =>
      eventually(`${count} waiting statements`, async () => (await lockWaits(tx)) === count)
    await tx`select from extstore_sessions where jti = ${claimsOf(token).jti} for update`
    const refreshing = refresh(linkedGame, token)
    await waiting(1)
    const revoking = revoke(linkedGame, { extstore_id: account })
    await waiting(2)
    return [{ refreshing }, { revoking }] as const
  })
  const made = must(await refreshed.refreshing)
  assert.deepEqual(must(await revoked.revoking), { revoked: 1 })
  assert.equal(must(await verify(linkedGame, made.token)).revoked, true)
})

test('rejects a game name with invalid characters before any lookup', async () => {
  const { post } = await startApp()
  for (const path of ['server/verify', 'auth', 'refresh'])
    assert.deepEqual(
      refused(
        await post(
          `/api/v1/extstore/%00/${path}`,
          {},
          { headers: { ...newAddress(), authorization: 'Bearer x' } },
        ),
      ),
      [400, 4000],
      path,
    )
})

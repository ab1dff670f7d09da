import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fault } from '../../sim/extstore-world.ts'
import { timeBudget } from '../../src/extstore/client/store.ts'
import { must, refused } from '../support/builders.ts'
import { sharedExtstoreApp } from './fixtures.ts'

const startApp = sharedExtstoreApp()
const OK = {
  result: 'OK',
  steamid: '76561198000000001',
  ownersteamid: '76561198000000001',
  vacbanned: false,
  publisherbanned: false,
}
const OWNED = { ownsapp: true, permanent: true, ownersteamid: '76561198000000001', result: 'OK' }
const answer = (value: unknown): Partial<Fault> => ({ mode: 'answer', answer: value })
const params = (changed: object) => answer({ response: { params: { ...OK, ...changed } } })
const owned = (changed: object) => answer({ appownership: { ...OWNED, ...changed } })

/** Invalid responses of the store to each of the two requests. */
const badResponses: Record<'authenticate' | 'ownership', Partial<Fault>[]> = {
  authenticate: [
    answer({}),
    answer([]),
    answer(null),
    answer('OK'),
    answer({ response: {} }),
    answer({ response: null }),
    answer({ response: { params: [] } }),
    answer({ params: OK }),
    params({ result: 'Fail' }),
    params({ result: undefined }),
    params({ steamid: 76561198000000 }),
    params({ steamid: '' }),
    params({ steamid: '76561197960265728' }),
    params({ steamid: undefined }),
    params({ ownersteamid: undefined }),
    params({ ownersteamid: '0' }),
    params({ vacbanned: 'false' }),
    params({ vacbanned: undefined }),
    params({ publisherbanned: 0 }),
    params({ publisherbanned: undefined }),
  ],
  ownership: [
    answer({}),
    answer([]),
    answer({ appownership: null }),
    answer({ appownership: [OWNED] }),
    answer(OWNED),
    owned({ ownsapp: 'true' }),
    owned({ ownsapp: 1 }),
    owned({ ownsapp: undefined }),
    owned({ result: 'Fail' }),
    owned({ ownersteamid: '0' }),
    owned({ ownersteamid: 76561198000000 }),
    owned({ permanent: 'yes' }),
  ],
}

const broken: Partial<Fault>[] = [
  { mode: 'reset' },
  { mode: 'garbage' },
  { mode: 'truncated' },
  { mode: 'endless' },
  { mode: 'forbidden' },
  { mode: 'status', status: 401 },
  { mode: 'status', status: 403 },
  { mode: 'status', status: 404 },
  { mode: 'status', status: 429 },
  { mode: 'status', status: 500 },
  { mode: 'status', status: 503 },
  { mode: 'status', status: 302, headers: { location: 'http://127.0.0.1:1/' } },
  { mode: 'status', status: 204 },
]

for (const on of ['authenticate', 'ownership'] as const)
  test(`an invalid response to ${on} is 4243, and no token is issued`, async () => {
    const { game, player, ticket, auth, store, sql } = await startApp()
    for (const fault of [...broken, ...badResponses[on]]) {
      // Use one game per fault, so that a fault does not affect the circuit of the next key.
      const linkedGame = await game()
      const sent = ticket(linkedGame, player(linkedGame))
      store.control.fault({ on, ...fault } as Fault)
      assert.deepEqual(refused(await auth(linkedGame, sent)), [502, 4243], JSON.stringify(fault))
      store.control.clearFaults()
      assert.equal(
        (await sql`select from extstore_sessions where game_uid = ${linkedGame.uid}`).length,
        0,
      )
    }
  })

test('any error in the response rejects the ticket, whatever its format', async () => {
  const { game, player, ticket, auth, store } = await startApp()
  const linkedGame = await game()
  for (const error of [
    { errorcode: 101, errordesc: 'Invalid ticket' },
    { errorcode: 7 },
    {},
    'no',
    null,
  ]) {
    store.control.fault({
      on: 'authenticate',
      mode: 'answer',
      answer: { response: { error, params: OK } },
      times: 1,
    })
    assert.deepEqual(
      refused(await auth(linkedGame, ticket(linkedGame, player(linkedGame)))),
      [401, 4246],
    )
  }
})

test('a stalled store is 4243 after three attempts, without delaying other routes', async () => {
  const { game, player, ticket, auth, store, get, verify, signIn } = await startApp()
  const linkedGame = await game()
  const { token } = await signIn(linkedGame)
  const sent = ticket(linkedGame, player(linkedGame))
  store.control.clearCalls()
  store.control.fault({ on: 'authenticate', mode: 'stall' })
  const stalled = auth(linkedGame, sent)
  const others = await Promise.all([get('/health'), verify(linkedGame, token)])
  assert.deepEqual(
    others.map(({ status }) => status),
    [200, 200],
  )
  assert.deepEqual(refused(await stalled), [502, 4243])
  assert.equal(store.world.calls.length, 3)
  store.control.clearFaults()
  assert.equal((await auth(linkedGame, sent)).status, 200, 'the ticket was used up')
})

test('a ticket that an unanswered attempt may have spent is 4243, not rejected', async () => {
  const { game, player, ticket, auth, store, signIn, sql } = await startApp()
  const linkedGame = await game()
  // The response is lost, and the retry finds the ticket used.
  store.control.fault({ on: 'authenticate', mode: 'lost', times: 1 })
  assert.deepEqual(
    refused(await auth(linkedGame, ticket(linkedGame, player(linkedGame)))),
    [502, 4243],
  )
  // The same with a reused connection that breaks.
  await signIn(linkedGame)
  store.control.clearCalls()
  store.control.fault({ on: 'authenticate', mode: 'dropped', times: 1 })
  assert.deepEqual(
    refused(await auth(linkedGame, ticket(linkedGame, player(linkedGame)))),
    [502, 4243],
  )
  assert.equal(store.world.calls.filter(({ call }) => call === 'authenticate').length, 2)
  assert.equal(
    (await sql`select from extstore_sessions where game_uid = ${linkedGame.uid}`).length,
    1,
  )
  // An invalid ticket is still rejected as such.
  assert.deepEqual(refused(await auth(linkedGame, 'ab'.repeat(64))), [401, 4246])
})

test('one time budget of under five seconds covers ticket and ownership together', async () => {
  const { game, player, ticket, auth, store } = await startApp()
  const linkedGame = await game()
  assert.ok(timeBudget().remaining() < 5000)
  store.control.clearCalls()
  store.control.fault({ on: 'authenticate', mode: 'delay', ms: 1500 })
  store.control.fault({ on: 'ownership', mode: 'stall' })
  assert.deepEqual(
    refused(await auth(linkedGame, ticket(linkedGame, player(linkedGame)))),
    [502, 4243],
  )
  // With a budget of its own, ownership would get three attempts.
  const attempts = store.world.calls.filter(({ call }) => call === 'ownership')
  assert.ok(attempts.length < 3, `${attempts.length} attempts`)
  store.control.clearFaults()
})

test('retries after two 503 responses or one stall', async () => {
  const { game, player, ticket, auth, store } = await startApp()
  const linkedGame = await game()
  store.control.fault({ on: 'authenticate', mode: 'status', status: 503, times: 2 })
  store.control.fault({ on: 'ownership', mode: 'stall', times: 1 })
  assert.equal((await auth(linkedGame, ticket(linkedGame, player(linkedGame)))).status, 200)
  store.control.fault({ on: 'authenticate', mode: 'status', status: 503, times: 3 })
  assert.deepEqual(
    refused(await auth(linkedGame, ticket(linkedGame, player(linkedGame)))),
    [502, 4243],
  )
  store.control.clearCalls()
  store.control.fault({ on: 'authenticate', mode: 'forbidden', times: 1 })
  assert.deepEqual(
    refused(await auth(linkedGame, ticket(linkedGame, player(linkedGame)))),
    [502, 4243],
  )
  assert.equal(store.world.calls.length, 1, 'a refused key was tried again')
})

test('a refresh is 4243 while the store is unreachable, and the token stays valid', async () => {
  const { game, signIn, refresh, verify, store } = await startApp()
  const linkedGame = await game()
  const { token } = await signIn(linkedGame)
  store.control.fault({ on: 'ownership', mode: 'garbage' })
  assert.deepEqual(refused(await refresh(linkedGame, token)), [502, 4243])
  assert.deepEqual(
    refused(await verify(linkedGame, token, { recheck_ownership: true })),
    [502, 4243],
  )
  store.control.clearFaults()
  assert.equal(must(await verify(linkedGame, token)).valid, true)
  assert.equal((await refresh(linkedGame, token)).status, 200)
})

test('a rejected key opens only its own circuit, until replaced or for a minute', async (t) => {
  const { game, player, ticket, auth, store, put } = await startApp()
  const [bad, good] = [await game(), await game()]
  store.control.revoke({ key: bad.web_api_key })
  const account = player(bad)
  for (let i = 0; i < 3; i++)
    assert.deepEqual(refused(await auth(bad, ticket(bad, account))), [502, 4243])
  store.control.clearCalls()
  for (let i = 0; i < 3; i++)
    assert.deepEqual(refused(await auth(bad, ticket(bad, account))), [502, 4243])
  assert.deepEqual(store.world.calls, [], 'the store was called with an open circuit')
  assert.equal((await auth(good, ticket(good, player(good)))).status, 200)

  const fresh = store.control.key({ apps: [bad.app_id] }).key
  must(
    await put(
      `/api/v1/private/games/${bad.uid}/steam/web-api-key`,
      { web_api_key: fresh },
      bad.listing.owner,
    ),
  )
  assert.equal((await auth(bad, ticket(bad, account))).status, 200)

  store.control.revoke({ key: fresh })
  for (let i = 0; i < 5; i++) await auth(bad, ticket(bad, account))
  store.control.key({ key: fresh, apps: [bad.app_id] })
  assert.deepEqual(
    refused(await auth(bad, ticket(bad, account))),
    [502, 4243],
    'the circuit closed early',
  )
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 })
  assert.equal((await auth(bad, ticket(bad, account))).status, 200)
})

test('a key without access to ownership opens its circuit before it spends tickets', async () => {
  const { game, player, ticket, auth, store } = await startApp()
  const linkedGame = await game()
  const account = player(linkedGame)
  store.control.clearCalls()
  store.control.fault({ on: 'ownership', mode: 'forbidden' })
  for (let i = 0; i < 5; i++)
    assert.deepEqual(refused(await auth(linkedGame, ticket(linkedGame, account))), [502, 4243])
  store.control.clearFaults()
  assert.equal(store.world.calls.length, 6, 'more than three tickets were spent')
})

test('logs contain no keys, tickets or tokens, whatever fails', async (t) => {
  const lines: string[] = []
  const { game, player, ticket, auth, refresh, signIn, store, core } = await startApp()
  for (const level of ['warn', 'error', 'info'] as const)
    t.mock.method(core.log, level, (...entry: unknown[]) => void lines.push(JSON.stringify(entry)))
  const linkedGame = await game()
  const { token } = await signIn(linkedGame)
  const sent = ticket(linkedGame, player(linkedGame))
  for (const fault of broken) {
    store.control.fault({ on: 'any', ...fault } as Fault)
    for (const answer of [await auth(linkedGame, sent), await refresh(linkedGame, token)])
      lines.push(JSON.stringify(answer.body))
    store.control.clearFaults()
  }
  assert.ok(lines.some((line) => line.includes('the external store failed')))
  const everything = lines.join('\n')
  for (const secret of [
    linkedGame.auth_key,
    linkedGame.web_api_key,
    sent,
    sent.slice(0, 40),
    token,
    linkedGame.ticket_key,
  ])
    assert.ok(!everything.includes(secret))
})

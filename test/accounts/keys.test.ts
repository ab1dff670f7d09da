import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { scopesCover } from '../../src/accounts/keys/scopes.ts'
import { type Answer, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'

const KEYS = '/api/v1/private/account/player-keys'
const AGENTS = '/api/v1/private/account/agent-keys'
const startShared = sharedInFile(startApp)

test('a player key is returned once and listed by its prefix', async (t) => {
  const { post, get, a } = await startShared(t)
  const person = await a.user()
  const created = await post(
    KEYS,
    { name: 'Launcher', scopes: ['player:read', 'player:write'] },
    person,
  )
  assert.equal(created.status, 201)
  const { key, ...row } = created.body.data
  assert.match(key, /^svc_play_\w{49}$/)
  assert.equal(row.prefix, key.slice(0, 17))
  assert.deepEqual(must(await get(KEYS, person)), { keys: [row] })
})

test('rejects a key without a valid name or with no, unknown or repeated scopes', async (t) => {
  const { post, a } = await startShared(t)
  const person = await a.developer()
  for (const body of [
    { name: '', scopes: ['player:read'] },
    { name: 'x'.repeat(81), scopes: ['player:read'] },
    { name: 'x', scopes: [] },
    { name: 'x', scopes: ['player:everything'] },
    { name: 'x', scopes: ['mcp:read'] },
    { name: 'x', scopes: ['player:read', 'player:read'] },
    { name: 'x' },
    { name: 'x', scopes: ['player:read'], game_uid: randomUUID() },
  ])
    assert.deepEqual(refused(await post(KEYS, body, person)), [400, 4000], JSON.stringify(body))
  assert.equal(
    (await post(KEYS, { name: 'x'.repeat(80), scopes: ['player:read'] }, person)).status,
    201,
  )
  assert.deepEqual(
    refused(await post(AGENTS, { name: 'x', scopes: ['player:read'] }, person)),
    [400, 4000],
  )
})

test('an account has at most 50 keys of a kind, even when requests race', async (t) => {
  const { post, a } = await startShared(t)
  const person = await a.user()
  for (let i = 0; i < 48; i++) await a.key('player', person, ['player:read'])
  const race = await Promise.all(
    Array.from({ length: 4 }, () => post(KEYS, { name: 'x', scopes: ['player:read'] }, person)),
  )
  assert.deepEqual(race.map(({ status }) => status).sort(), [201, 201, 409, 409])
})

test('a revoked key is refused at once, and only its owner can revoke it', async (t) => {
  const { get, del, a } = await startShared(t)
  const ann = await a.user()
  const bob = await a.user()
  const { key, uid } = await a.key('player', ann, ['player:read'])
  const LISTING = `/api/v1/public/games/${randomUUID()}`
  assert.deepEqual(refused(await get(LISTING, { token: key })), [404, 4040], 'the key is accepted')
  assert.deepEqual(refused(await del(`${KEYS}/${uid}`, bob)), [404, 4040])
  assert.deepEqual(
    refused(await del(`${AGENTS}/${uid}`, ann)),
    [404, 4040],
    'it is not a key of the other kind',
  )
  assert.deepEqual(refused(await del(`${KEYS}/nonsense`, ann)), [404, 4040])
  assert.equal((await del(`${KEYS}/${uid}`, ann)).status, 200)
  assert.deepEqual(refused(await get(LISTING, { token: key })), [401, 4010])
  assert.deepEqual(refused(await del(`${KEYS}/${uid}`, ann)), [404, 4040])
})

test('an agent key needs developer mode and binds only to a managed project', async (t) => {
  const { post, a } = await startShared(t)
  const player = await a.user()
  const refusal = await post(AGENTS, { name: 'x', scopes: ['mcp:read'] }, player)
  assert.deepEqual(
    [...refused(refusal), refusal.body.data.error],
    [403, 4105, 'developer_mode_required'],
  )
  const { uid, owner } = await a.listing()
  const bound = must(await post(AGENTS, { name: 'x', scopes: ['mcp:read'], game_uid: uid }, owner))
  assert.equal(bound.game_uid, uid)
  assert.match(bound.key, /^svc_mcp_/)
  const other = await a.developer()
  assert.deepEqual(
    refused(await post(AGENTS, { name: 'x', scopes: ['mcp:read'], game_uid: uid }, other)),
    [404, 4040],
  )
})

test('every auth scheme refuses credentials that are not meant for it', async (t) => {
  const { get, post, call, a } = await startShared(t)
  const person = await a.developer()
  const { uid } = await a.listing({ owner: person })
  const tokens = {
    none: undefined,
    session: person.token,
    'player key': (await a.key('player', person, ['player:read'])).key,
    'player key without player:read': (await a.key('player', person, ['player:write'])).key,
    'agent key': (await a.key('agent', person, ['mcp:read', 'mcp:write'])).key,
    'agent key, bugs only': (await a.key('agent', person, ['mcp:bugs.read'])).key,
    unknown: `${person.token.slice(0, -1)}${person.token.endsWith('x') ? 'y' : 'x'}`,
    nonsense: 'hello',
  }
  const routes = {
    viewer: (token?: string) => get(`/api/v1/public/games/${uid}`, { token }),
    website: (token?: string) => get('/api/v1/private/account', { token }),
    developer: (token?: string) => get(`/api/v1/private/games/${uid}`, { token }),
    'developer, writing': (token?: string) =>
      post('/api/v1/private/games', { name: 'Another' }, { token }),
  }
  const expected: Record<keyof typeof routes, Record<keyof typeof tokens, [number, number?]>> = {
    viewer: {
      none: [404, 4040],
      session: [200],
      'player key': [200],
      'player key without player:read': [403, 4031],
      'agent key': [403, 4033],
      'agent key, bugs only': [403, 4033],
      unknown: [401, 4010],
      nonsense: [401, 4010],
    },
    website: {
      none: [401, 4010],
      session: [200],
      'player key': [403, 4033],
      'player key without player:read': [403, 4033],
      'agent key': [403, 4033],
      'agent key, bugs only': [403, 4033],
      unknown: [401, 4010],
      nonsense: [401, 4010],
    },
    developer: {
      none: [401, 4010],
      session: [200],
      'player key': [403, 4033],
      'player key without player:read': [403, 4033],
      'agent key': [200],
      'agent key, bugs only': [403, 4031],
      unknown: [401, 4010],
      nonsense: [401, 4010],
    },
    'developer, writing': {
      none: [401, 4010],
      session: [201],
      'player key': [403, 4033],
      'player key without player:read': [403, 4033],
      'agent key': [201],
      'agent key, bugs only': [403, 4031],
      unknown: [401, 4010],
      nonsense: [401, 4010],
    },
  }
  for (const [scheme, send] of Object.entries(routes) as [
    keyof typeof routes,
    (token?: string) => Promise<Answer>,
  ][])
    for (const [kind, token] of Object.entries(tokens) as [
      keyof typeof tokens,
      string | undefined,
    ][]) {
      const { status, body } = await send(token)
      assert.deepEqual(
        body.error ? [status, body.error.code] : [status],
        expected[scheme][kind],
        `${kind} on a ${scheme} route`,
      )
    }
  const unauthorized = await call('GET', '/api/v1/private/account')
  assert.equal(unauthorized.headers['www-authenticate'], 'Bearer')
})

test('SVC_GAMES works like a bearer token, and public routes ignore cookies', async (t) => {
  const { get, a } = await startShared(t)
  const { uid, owner } = await a.listing()
  const PAGE = `/api/v1/public/games/${uid}`
  const { key } = await a.key('player', owner, ['player:read'])
  assert.equal((await get(PAGE, { headers: { svc_games: key } })).status, 200)
  assert.deepEqual(refused(await get(PAGE, { headers: { svc_games: 'nonsense' } })), [401, 4010])
  assert.deepEqual(
    refused(await get(PAGE, { headers: { authorization: 'Basic abc' } })),
    [401, 4010],
  )
  assert.deepEqual(refused(await get(PAGE, { headers: { authorization: 'Bearer' } })), [401, 4010])
  assert.deepEqual(
    refused(await get(PAGE, { headers: { cookie: `svc_session=${owner.token}` } })),
    [404, 4040],
  )
})

test('a key bound to one project reaches no other project and creates none', async (t) => {
  const { get, post, a } = await startShared(t)
  const bound = await a.listing()
  const other = await a.listing({ owner: bound.owner })
  const { key: token } = await a.key('agent', bound.owner, ['mcp:read', 'mcp:write'], {
    game_uid: bound.uid,
  })
  assert.equal((await get(`/api/v1/private/games/${bound.uid}`, { token })).status, 200)
  assert.deepEqual(refused(await get(`/api/v1/private/games/${other.uid}`, { token })), [404, 4040])
  assert.deepEqual(
    refused(await post('/api/v1/private/games', { name: 'Third' }, { token })),
    [403, 4030],
  )
})

test('wide scopes cover narrow ones, and only the bug scopes cover bug reports', () => {
  assert.ok(
    scopesCover(['mcp:write'], 'mcp:catalog.write') &&
      scopesCover(['mcp:read'], 'mcp:crash.read') &&
      scopesCover(['mcp:write'], 'mcp:read'),
  )
  assert.ok(
    !scopesCover(['mcp:read'], 'mcp:catalog.write') &&
      !scopesCover(['mcp:catalog.write'], 'mcp:build.write'),
  )
  assert.ok(
    !scopesCover(['mcp:crash.read', 'mcp:read', 'mcp:write'], 'mcp:bugs.read') &&
      !scopesCover(['mcp:bugs.read'], 'mcp:bugs.write'),
  )
  assert.ok(
    scopesCover(['mcp:bugs.write'], 'mcp:bugs.write') &&
      !scopesCover(['player:write'], 'player:read'),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../src/routes.ts'
import { startApp } from '../support/app.ts'
import { addAdmin, must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { connect } from './mcp-client.ts'

const sharedApp = sharedInFile(startApp)

const OWN_CALLS = '/api/v1/private/account/agent-calls'

test('the call log has every call by key, also refused ones, and no website calls', async (t) => {
  const { a, get, put, post, url } = await sharedApp(t)
  const listing = await a.listing()
  const { key: token } = await a.key('agent', listing.owner, ['mcp:read'], {})
  const base = `/api/v1/private/games/${listing.uid}`
  await get(base, listing.owner)
  must(await get(`/api/v1/private/games/${listing.vanity_name}/lint`, { token }))
  assert.deepEqual(refused(await put(`${base}/taxonomy`, { genres: [] }, { token })), [403, 4031])
  assert.deepEqual(refused(await post(`${base}/deploy-keys`, undefined, { token })), [403, 4033])
  const { call } = await connect(t, url, '/mcp', token)
  await call('list_game_builds', { uid: listing.vanity_name, version: 'a secret word' })
  await call('get_game', { uid: 'elsewhere' })
  await get('/api/v1/private/games', { token: `${token}x` })
  const { calls, total } = must(await get(OWN_CALLS, listing.owner))
  assert.deepEqual(
    calls.map(({ tool, method, path, status, code, game_uid }: any) => [
      tool,
      `${method} ${path}`,
      status,
      code,
      game_uid,
    ]),
    [
      ['get_game', 'GET /api/v1/private/games/:uid', 404, 4040, null],
      ['list_game_builds', 'GET /api/v1/private/games/:uid/builds', 200, null, listing.uid],
      [null, 'POST /api/v1/private/games/:uid/deploy-keys', 403, 4033, listing.uid],
      [null, 'PUT /api/v1/private/games/:uid/taxonomy', 403, 4031, listing.uid],
      [null, 'GET /api/v1/private/games/:uid/lint', 200, null, listing.uid],
    ],
  )
  assert.deepEqual(
    [total, calls[0].kind, calls[0].credential_name, calls[0].username],
    [5, 'agent', 'test', listing.owner.username],
  )
  assert.ok(!JSON.stringify(calls).includes('a secret word'), 'the log contains an argument')
  assert.deepEqual(refused(await get(OWN_CALLS, { token })), [403, 4033], 'a key can read the log')
})

test('the call log has refused tool calls and public routes; a batch runs nothing', async (t) => {
  const { a, get, post } = await sharedApp(t)
  const person = await a.developer()
  const [{ key: agent }, { key: player }] = [
    await a.key('agent', person, ['mcp:read']),
    await a.key('player', person, ['player:read']),
  ]
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_games', arguments: {} },
  }
  const list = await post('/mcp', [message, message], { token: agent })
  assert.deepEqual(
    [...refused(list), list.body.error?.message, list.body.error?.data],
    [400, -32600, 'Send one message at a time', { code: 4000 }],
  )
  assert.deepEqual(refused(await post('/mcp', message, { token: player })), [403, 4033])
  must(await get('/api/v1/public/search', { token: player }))
  assert.deepEqual(refused(await get('/api/v1/public/search', { token: agent })), [403, 4033])
  must(await get('/api/v1/public/search', person))
  must(await get('/api/v1/public/search'))
  const { calls } = must(await get(OWN_CALLS, person))
  assert.deepEqual(
    calls.map(({ kind, tool, method, path, status, code }: any) => [
      kind,
      tool,
      `${method} ${path}`,
      status,
      code,
    ]),
    [
      ['agent', null, 'GET /api/v1/public/search', 403, 4033],
      ['player', null, 'GET /api/v1/public/search', 200, null],
      ['player', null, 'POST /mcp', 403, 4033],
      ['agent', null, 'POST /mcp', 400, 4000],
    ],
  )
})

test('only owner and admins see the agent calls of a listing', async (t) => {
  const { a, get, put, sql, post } = await sharedApp(t)
  const listing = await a.listing()
  const admin = await a.developer()
  await addAdmin(sql, listing.uid, admin.uid)
  const stranger = await a.developer()
  const url = `/api/v1/private/games/${listing.uid}/agent-calls`
  for (const person of [admin, stranger]) {
    const { key: token } = await a.key('agent', person, ['mcp:read'])
    await get(`/api/v1/private/games/${listing.uid}`, { token })
    if (person === stranger)
      await put(`/api/v1/private/games/${listing.uid}/taxonomy`, { genres: [] }, { token })
  }
  const { key: player } = await a.key('player', stranger, ['player:write'])
  await post(`/api/v1/private/games/${listing.uid}/library`, undefined, { token: player })
  const { calls } = must(await get(url, listing.owner))
  assert.deepEqual(
    calls.map(({ username, status }: any) => [username, status]),
    [[admin.username, 200]],
  )
  assert.equal(must(await get(url, admin)).total, 1)
  assert.deepEqual(refused(await get(url, stranger)), [404, 4040])
})

test('no answer to an agent contains a secret key', async (t) => {
  const { a, get, call, put, sql, core, url } = await startApp(t)
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner })
  must(
    await put(
      `/api/v1/private/games/${listing.uid}/bug-reporter`,
      { enabled: true, webhook_urls: [] },
      owner,
    ),
  )
  const { signing_key } = must(
    await get(`/api/v1/private/games/${listing.uid}/bug-reporter`, owner),
  )
  assert.ok(signing_key.length > 10)
  const planted = ['PLANTEDWEBAPIKEYPLANTEDWEBAPIKEY', 'PLANTED-AUTH-KEY', 'PLANTED-TICKET-KEY']
  for (const [i, field] of ['web_api_key', 'auth_key', 'ticket_key'].entries())
    await core.secrets.put(sql, listing.uid, field, planted[i]!)
  const { key: token } = await a.key('agent', owner, [
    'mcp:read',
    'mcp:write',
    'mcp:bugs.read',
    'mcp:bugs.write',
    'mcp:money',
    'mcp:keys.manage',
  ])
  const answers: string[] = []
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    const path = route.url.replace(/:(game_id|game_uid|uid)\b/, listing.uid).replace(/:\w+/g, 'x')
    answers.push(JSON.stringify(await call('GET', path, { token })))
  }
  const agent = await connect(t, url, '/mcp', token)
  for (const tool of await agent.list())
    answers.push(JSON.stringify(await agent.raw(tool.name, { uid: listing.uid })))
  const all = answers.join('\n')
  assert.ok(
    all.includes(listing.vanity_name) && all.includes('"daily_cap"'),
    'the answers lack the expected content',
  )
  for (const secret of [signing_key, ...planted]) assert.ok(!all.includes(secret), secret)
})

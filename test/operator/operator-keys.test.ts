import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { must, refused, suspendPerson } from '../support/builders.ts'
import { errorsOf } from '../web/browser.ts'
import { OPERATIONS, SETTINGS, startConsole } from './fixtures.ts'

const KEYS = '/api/v1/private/account/agent-keys'

test('keys of operators read with operator:read and change with operator:write', async (t) => {
  const { a, operator, get, patch, put } = await startConsole(t)
  const key = async (scope: string) => ({
    token: (await a.key('agent', operator, [scope])).key as string,
  })
  const [reader, writer] = [await key('operator:read'), await key('operator:write')]
  for (const path of [`${OPERATIONS}/overview`, SETTINGS, '/api/v1/private/moderation/queue'])
    for (const holder of [reader, writer]) must(await get(path, holder))
  const change = { store_name: 'Harbor' }
  const refusal = await patch(SETTINGS, change, reader)
  assert.deepEqual(refused(refusal), [403, 4031])
  assert.equal(refusal.body.data.scope, 'operator:write')
  const { settings, changes } = must(await patch(SETTINGS, change, writer))
  assert.deepEqual([settings.store_name, changes[0].username], ['Harbor', operator.username])
  const person = await a.verified()
  must(await put(`/api/v1/private/moderation/team/${person.username}`, undefined, writer))
  // The scopes of operators open nothing else, and other scopes nothing of operators.
  assert.deepEqual(refused(await get('/api/v1/private/games', writer)), [403, 4031])
  const developer = await a.developer()
  const agent = { token: (await a.key('agent', developer, ['mcp:write'])).key as string }
  assert.deepEqual(refused(await get(SETTINGS, agent)), [403, 4031])
})

test('only operators issue keys with scopes of operators, for the whole store', async (t) => {
  const { a, operator, post } = await startConsole(t)
  const developer = await a.developer()
  const request = { name: 'night watch', scopes: ['operator:read'] }
  assert.deepEqual(refused(await post(KEYS, request, developer)), [403, 4030])
  assert.deepEqual(refused(await post(KEYS, request, await a.user())), [403, 4030])
  // Developer mode is needed for the scopes of developers only.
  must(await post(KEYS, request, operator))
  const mixed = { name: 'both', scopes: ['operator:read', 'mcp:read'] }
  assert.deepEqual(refused(await post(KEYS, mixed, operator)), [403, 4105])
  const { uid: game_uid } = await a.listing({ owner: developer })
  const bound = await post(KEYS, { ...request, game_uid }, operator)
  assert.deepEqual(refused(bound), [400, 4000])
  assert.equal(bound.body.data.field, 'game_uid')
})

test('a key stops at once in every process when its operator is removed or suspended', async (t) => {
  const app = await startConsole(t)
  const { DATABASE_URL } = app.settings
  const other = await startApp(t, { DATABASE_URL })
  const [removed, suspended] = [await app.a.verified(), await app.a.verified()]
  const holders: { token: string }[] = []
  for (const person of [removed, suspended]) {
    must(await app.put(`${OPERATIONS}/people/${person.uid}/operator`, undefined, app.operator))
    holders.push({ token: (await app.a.key('agent', person, ['operator:write'])).key })
  }
  const paths = [`${OPERATIONS}/overview`, '/api/v1/private/moderation/queue']
  for (const { get } of [app, other])
    for (const path of paths) for (const holder of holders) must(await get(path, holder))
  must(await app.del(`${OPERATIONS}/people/${removed.uid}/operator`, app.operator))
  await suspendPerson(app.sql, suspended.uid)
  for (const { get } of [app, other])
    for (const path of paths)
      for (const holder of holders) assert.equal((await get(path, holder)).status, 403, path)
})

test('the page of keys offers the scopes of operators to operators only', async (t) => {
  const { a, operator, console, signedIn, get } = await startConsole(t)
  const developer = signedIn(await a.developer())
  assert.doesNotMatch((await developer.open('/account/keys')).body, /operator:/)
  const forged = await developer.send('/account/keys/agent', {
    name: 'night watch',
    scopes: 'operator:read',
  })
  assert.equal(forged.status, 403)
  assert.match(errorsOf(forged.body).join(), /Only operators of the store can create a key/)
  const { body } = await console.open('/account/keys')
  assert.match(body, /value="operator:read"[\s\S]*value="operator:write"/)
  // This operator has no developer mode.
  assert.doesNotMatch(body, /value="mcp:/)
  const made = await console.send('/account/keys/agent', {
    name: 'night watch',
    scopes: ['operator:read'],
  })
  const token = made.body.match(/svc_mcp_\w{20,}/)![0]
  must(await get(`${OPERATIONS}/overview`, { token }))
  const { calls } = must(await get('/api/v1/private/account/agent-calls', operator))
  assert.equal(calls[0].path, `${OPERATIONS}/overview`)
})

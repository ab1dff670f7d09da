import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConsentRequest, requestMark } from '../../src/agents/oauth/consent.ts'
import { connect } from '../agents/mcp-client.ts'
import {
  authorizeUrl,
  browser,
  CALLBACK,
  consent,
  consentMark,
  token as exchange,
  grantedTokens,
  pkce,
  register,
} from '../agents/oauth-flow.ts'
import { startApp } from '../support/app.ts'
import { must, PASSWORD, refused, suspendPerson } from '../support/builders.ts'
import { errorsOf } from '../web/browser.ts'
import { OPERATIONS, SETTINGS, sharedConsole } from './fixtures.ts'

const KEYS = '/api/v1/private/account/agent-keys'
const startShared = sharedConsole()

test('keys of operators read with operator:read and change with operator:write', async (t) => {
  const { a, operator, get, patch, put } = await startShared(t)
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
  const { a, operator, post } = await startShared(t)
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
  const app = await startShared(t)
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
  const { a, operator, console, signedIn, get } = await startShared(t)
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

test('an app gets the scopes of operators from an operator only, who is warned', async (t) => {
  const { a, operator, url, get, patch, sql } = await startShared(t)
  const scope = 'operator:read operator:write'
  const app = await grantedTokens(url, operator, { parameters: { scope } })
  assert.equal(app.scope, scope)
  const holder = { token: app.access_token }
  must(await patch(SETTINGS, { store_name: 'Harbor' }, holder))
  const listed = await (await connect(t, url, '/mcp', app.access_token)).list()
  assert.ok(listed.some(({ name }) => name === 'list_people'))
  const { grants } = must(await get('/api/v1/private/account/agent-access', operator))
  assert.deepEqual(grants[0].scopes, ['operator:read', 'operator:write'])

  const reader = await grantedTokens(url, operator, { parameters: { scope: 'operator:read' } })
  must(await get(SETTINGS, { token: reader.access_token }))
  const change = await patch(SETTINGS, { store_name: null }, { token: reader.access_token })
  assert.deepEqual(refused(change), [403, 4031])

  const { client_id } = (await register(url)).body
  const path = authorizeUrl(client_id, pkce().challenge, { scope: 'operator:read mcp:read' })
  const own = browser(url, operator.token)
  const { text } = await own.go((await own.go(path)).location)
  assert.match(text, /asks for the rights of an operator/)
  assert.match(text, /See what operators see/)
  assert.ok(!text.includes('value="mcp:read"'), 'this operator has no developer mode')
  assert.ok(!text.includes('name="game_uid"'), 'the scopes are for the whole store')

  const developer = await a.developer()
  const granted = await consent(url, developer, path)
  assert.deepEqual(granted.offered, ['mcp:read'])
  assert.doesNotMatch(granted.page.text, /rights of an operator/)
  for (const person of [developer, await a.user()]) {
    const only = authorizeUrl(client_id, pkce().challenge, { scope: 'operator:read' })
    const stranger = browser(url, person.token)
    const { location } = await stranger.go(only)
    const page = await stranger.go(location)
    assert.match(page.text, /which only operators can grant/)
    const uid = location.split('/').at(-1)!
    const mark = requestMark({ uid, client_id, redirect_uri: CALLBACK } as ConsentRequest)
    const forged = await stranger.go(location, { mark, scopes: 'operator:read', allow: 'yes' })
    assert.equal(forged.status, 403)
    assert.match(forged.text, /Only operators of the store/)
  }
  const rows = await sql`
    select from oauth_records where kind = 'Grant' and user_uid = ${developer.uid}`
  assert.equal(rows.length, 1, 'only the grant without scopes of operators')

  const card = await get('/.well-known/oauth-protected-resource/mcp')
  assert.doesNotMatch(JSON.stringify(card.body), /operator:/)
})

test('granting the scopes of operators takes a fresh proof and no project', async (t) => {
  const { a, url, sql } = await startShared(t)
  const operator = await a.verifiedDeveloper()
  await sql`insert into operators (user_uid) values (${operator.uid})`
  const listing = await a.listing({ owner: operator })
  const { client_id } = (await register(url)).body
  const own = browser(url, operator.token)
  const scope = 'operator:read mcp:read'
  const { location } = await own.go(authorizeUrl(client_id, pkce().challenge, { scope }))
  const page = await own.go(location)
  const form = { mark: consentMark(page.text), scopes: scope.split(' '), allow: 'yes' }
  const bound = await own.go(location, { ...form, game_uid: listing.uid })
  assert.equal(bound.status, 400)
  assert.match(bound.text, /aria-invalid="true"/)
  assert.ok(bound.text.includes(`value="${listing.uid}" selected`), 'the choice is kept')
  assert.equal(consentMark(bound.text), form.mark, 'the form can be sent again')
  await sql`update sessions set created_at = now() - interval '11 minutes', proved_at = null`
  const prompt = await own.go(location, form)
  assert.equal(prompt.status, 403)
  assert.match(prompt.text, /name="pending_form"/)
  assert.equal((await own.go('/account/confirm', { password: PASSWORD })).status, 303)
  assert.equal((await own.go(location, form)).status, 303)
})

test('the access of an app ends at once with the role, in every process', async (t) => {
  const app = await startShared(t)
  const { DATABASE_URL } = app.settings
  const other = await startApp(t, { DATABASE_URL })
  const person = await app.a.verified()
  must(await app.put(`${OPERATIONS}/people/${person.uid}/operator`, undefined, app.operator))
  const parameters = { scope: 'operator:write' }
  const grant = await grantedTokens(app.url, person, { parameters })
  const holder = { token: grant.access_token }
  for (const { get } of [app, other]) must(await get(`${OPERATIONS}/overview`, holder))
  must(await app.del(`${OPERATIONS}/people/${person.uid}/operator`, app.operator))
  for (const { get } of [app, other])
    assert.deepEqual(refused(await get(`${OPERATIONS}/overview`, holder)), [403, 4030])
  const { client_id, refresh_token } = grant
  const fields = { grant_type: 'refresh_token', refresh_token, client_id }
  const { body } = await exchange(app.url, fields)
  const refreshed = { token: body.access_token }
  assert.deepEqual(refused(await app.get(`${OPERATIONS}/overview`, refreshed)), [403, 4030])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweepRecords } from '../../src/agents/oauth/queries.ts'
import { startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import {
  authorizedFields,
  authorizeUrl,
  browser,
  grantedTokens,
  pkce,
  register,
  token,
} from './oauth-flow.ts'

const sharedApp = sharedInFile(startApp)

const refresh = (
  url: string,
  { client_id, refresh_token }: { client_id: string; refresh_token: string },
  more = {},
) => token(url, { grant_type: 'refresh_token', refresh_token, client_id, ...more })

test('a registered client gets a token with the consented scopes', async (t) => {
  const { a, url, get, sql } = await sharedApp(t)
  const person = await a.developer()
  const { client_id, ...tokens } = await grantedTokens(url, person)
  assert.match(tokens.access_token, /^svc_oat_/)
  assert.match(tokens.refresh_token, /^svc_ort_/)
  assert.deepEqual(
    [tokens.token_type, tokens.expires_in, tokens.scope],
    ['Bearer', 3600, 'mcp:read mcp:write'],
  )
  const { body } = await get('/api/v1/private/token', { token: tokens.access_token })
  assert.deepEqual(
    [body.data.kind, body.data.name, body.data.scopes],
    ['agent', 'A helpful app', ['mcp:read', 'mcp:write']],
  )
  assert.equal(body.data.user.uid, person.uid)
  const stored = JSON.stringify(
    await sql`select kind, payload, encode(id_hash, 'escape') as id from oauth_records`,
  )
  assert.ok(
    !stored.includes(tokens.access_token) && !stored.includes(tokens.refresh_token),
    'a token is stored in a readable form',
  )
})

test('a reused refresh token ends the whole grant', async (t) => {
  const { a, url, get } = await sharedApp(t)
  const person = await a.developer()
  const first = await grantedTokens(url, person)
  const second = await refresh(url, first)
  assert.equal(second.status, 200)
  assert.notEqual(second.body.refresh_token, first.refresh_token)
  assert.equal(second.body.scope, 'mcp:read mcp:write')
  const works = async (access_token: string) =>
    (await get('/api/v1/private/token', { token: access_token })).status
  assert.deepEqual(
    [await works(first.access_token), await works(second.body.access_token)],
    [200, 200],
  )
  const stolen = await refresh(url, first)
  assert.deepEqual([stolen.status, stolen.body.error], [400, 'invalid_grant'])
  assert.deepEqual(
    [await works(first.access_token), await works(second.body.access_token)],
    [401, 401],
  )
  assert.equal(
    (await refresh(url, { ...first, refresh_token: second.body.refresh_token })).body.error,
    'invalid_grant',
  )

  const raced = await grantedTokens(url, person)
  const all = await Promise.all(Array.from({ length: 4 }, () => refresh(url, raced)))
  assert.ok(all.filter(({ status }) => status === 200).length <= 1)
  for (const { body } of all.filter(({ status }) => status === 200))
    assert.equal(
      await works(body.access_token),
      401,
      'the token of a grant with a reused refresh token works',
    )
})

test('a grant ends 30 days after consent, and refreshing cannot widen its scopes', async (t) => {
  const { a, url, sql } = await startApp(t)
  const person = await a.developer()
  const first = await grantedTokens(url, person, { parameters: { scope: 'mcp:read' } })
  const daysOf = async () => {
    const [row] = await sql`
      select extract(epoch from max(expires_at) - now()) / 86400 as days
      from oauth_records
      where kind = 'RefreshToken' and consumed_at is null`
    return Number(row!.days)
  }
  assert.ok(Math.abs((await daysOf()) - 30) < 0.01)
  await sql`
    update oauth_records
    set
      expires_at = expires_at - interval '10 days',
      payload = payload || jsonb_build_object(
        'exp', (payload ->> 'exp')::int - 864000,
        'iiat', (payload ->> 'iat')::int - 864000)
    where kind = 'RefreshToken'`
  assert.equal(
    (await refresh(url, first, { scope: 'mcp:read mcp:write' })).body.error,
    'invalid_scope',
  )
  const second = await refresh(url, first)
  assert.equal(second.status, 200)
  assert.ok(Math.abs((await daysOf()) - 20) < 0.01, String(await daysOf()))
  await sql`update oauth_records set expires_at = now() where kind = 'Grant'`
  assert.equal(
    (await refresh(url, { ...first, refresh_token: second.body.refresh_token })).body.error,
    'invalid_grant',
  )
})

test('a reused authorization code ends the grant', async (t) => {
  const { a, url, get, sql } = await sharedApp(t)
  const person = await a.user()
  const { client_id } = (await register(url)).body
  const parameters = { scope: 'player:read' }
  const fields = await authorizedFields(url, person, client_id, { parameters })
  const late = await sql`
    select from oauth_records
    where kind = 'AuthorizationCode' and expires_at > now() + interval '10 minutes'`
  assert.equal(late.length, 0, 'a code ends after ten minutes')
  const { body } = await token(url, fields)
  assert.equal((await get('/api/v1/private/token', { token: body.access_token })).status, 200)
  assert.equal((await token(url, fields)).body.error, 'invalid_grant')
  assert.equal((await get('/api/v1/private/token', { token: body.access_token })).status, 401)
})

test('tokens are valid for one server only', async (t) => {
  const { a, url, post, get } = await sharedApp(t)
  const person = await a.developer()
  const { client_id } = (await register(url)).body
  const { go } = browser(url, person.token)
  const request = (resource: string) => authorizeUrl(client_id, pkce().challenge, { resource })
  for (const path of [
    request('https://elsewhere.example/mcp'),
    request(`${url}/mcp/`),
    `${authorizeUrl(client_id, pkce().challenge)}&resource=${url}/mcp&resource=${url}/player`,
  ]) {
    const { status, text } = await go(path)
    assert.equal(status, 400)
    assert.match(text, /invalid_target/)
  }

  const player = await grantedTokens(url, person, {
    parameters: { resource: `${url}/player`, scope: 'player:read mcp:write' },
  })
  assert.equal(player.scope, 'player:read', 'a scope of the other server was granted')
  const agent = await grantedTokens(url, person, { parameters: { resource: `${url}/mcp` } })
  const discover = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  assert.deepEqual(
    refused(await post('/mcp', discover, { token: player.access_token })),
    [403, 4033],
  )
  assert.deepEqual(
    refused(await post('/player', discover, { token: agent.access_token })),
    [403, 4033],
  )
  assert.deepEqual(
    refused(await get('/api/v1/private/games', { token: player.access_token })),
    [403, 4033],
  )
  assert.deepEqual(
    refused(await get('/api/v1/private/library', { token: agent.access_token })),
    [403, 4033],
  )
  assert.equal(
    (await refresh(url, player, { resource: `${url}/mcp` })).body.error,
    'invalid_target',
  )
})

test('a player token opens the asset library like a player key', async (t) => {
  const { a, url, get } = await sharedApp(t)
  const person = await a.user()
  const scoped = async (scope: string) =>
    (await grantedTokens(url, person, { parameters: { scope } })).access_token
  const keyed = async (scope: string) => (await a.key('player', person, [scope])).key as string
  const paths = ['/configure', '/asset', '/asset/1', '/asset/1/download'].map(
    (path) => `/api/v1/public/asset-library${path}`,
  )
  for (const scope of ['player:read', 'player:write', 'player:buy']) {
    const granted = await scoped(scope)
    const key = await keyed(scope)
    for (const path of paths) {
      const with_token = await get(path, { token: granted })
      const with_key = await get(path, { token: key })
      assert.deepEqual(with_token, with_key, `${path} ${scope}`)
      assert.deepEqual(await get(path, { headers: { svc_games: granted } }), with_key)
      assert.equal(with_key.body.error?.code === 4031, scope !== 'player:read')
    }
  }
  assert.deepEqual(refused(await get(paths[1]!, { token: 'svc_oat_x' })), [401, 4010])
})

test('connected apps are listed and can be disconnected by person and client', async (t) => {
  const { a, url, get, del } = await sharedApp(t)
  const person = await a.developer()
  const access = '/api/v1/private/account/agent-access'
  const grantTo = (scope: string) => grantedTokens(url, person, { parameters: { scope } })
  const first = await grantTo('mcp:read')
  const second = await grantTo('player:read')
  const { grants } = must(await get(access, person))
  assert.deepEqual(
    grants.map(({ client_name, server, scopes }: any) => [client_name, server, scopes]),
    [
      ['A helpful app', '/player', ['player:read']],
      ['A helpful app', '/mcp', ['mcp:read']],
    ],
  )
  const other = await a.user()
  const { go } = browser(url, person.token)
  const third = await grantTo('mcp:read')
  await get('/api/v1/private/games', { token: third.access_token })
  const keys = await go('/account/keys')
  const forms = [...keys.text.matchAll(/action="(\/account\/apps\/[\w-]+\/delete)"/g)].map(
    (match) => match[1]!,
  )
  assert.equal(forms.length, 3, 'a connected app is missing on the page of keys')
  assert.match(keys.text, /A helpful app<\/td><td><code>GET \/api\/v1\/private\/games</)
  assert.equal((await browser(url, other.token).go(forms[0]!, {})).status, 404)
  assert.equal((await go(forms[0]!, {})).location, '/account/keys#apps')
  assert.equal((await get('/api/v1/private/token', { token: third.access_token })).status, 401)
  assert.deepEqual(refused(await del(`${access}/${grants[1].uid}`, other)), [404, 4040])
  assert.deepEqual(refused(await get(access, { token: first.access_token })), [403, 4033])
  must(await del(`${access}/${grants[1].uid}`, person))
  assert.equal((await get('/api/v1/private/token', { token: first.access_token })).status, 401)
  assert.equal((await refresh(url, first)).body.error, 'invalid_grant')
  assert.equal((await get('/api/v1/private/token', { token: second.access_token })).status, 200)
  const revoked = await fetch(`${url}/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token: second.refresh_token, client_id: second.client_id }),
  })
  assert.equal(revoked.status, 200)
  assert.equal((await get('/api/v1/private/token', { token: second.access_token })).status, 401)
})

test('an expired token is refused, and expired records are deleted', async (t) => {
  const { a, url, get, sql } = await startApp(t)
  const { access_token } = await grantedTokens(url, await a.developer())
  await sql`update oauth_records set expires_at = now() where kind = 'AccessToken'`
  assert.deepEqual(
    refused(await get('/api/v1/private/token', { token: access_token })),
    [401, 4010],
  )
  await sql`update oauth_records set created_at = now() - interval '91 days' where kind = 'Client'`
  await register(url)
  const kinds = async () =>
    (await sql`select kind from oauth_records order by kind`).map(({ kind }) => kind)
  await sql.begin((tx) => sweepRecords(tx, 90))
  assert.deepEqual(
    await kinds(),
    ['AuthorizationCode', 'Client', 'Client', 'Grant', 'RefreshToken', 'Session'],
    'a record that is still valid was deleted',
  )
  await sql`update oauth_records set expires_at = now() where expires_at is not null`
  await sql.begin((tx) => sweepRecords(tx, 90))
  assert.deepEqual(await kinds(), ['Client'], 'a client without grants was not deleted')
})

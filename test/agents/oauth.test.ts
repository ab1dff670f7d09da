import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweepRecords } from '../../src/agents/oauth/queries.ts'
import { duringReset } from '../accounts/reset-fixtures.ts'
import { startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import {
  authorizeUrl,
  browser,
  CALLBACK,
  consent,
  grantedTokens,
  pkce,
  register,
  token,
} from './oauth-flow.ts'

const refresh = (
  url: string,
  { client_id, refresh_token }: { client_id: string; refresh_token: string },
  more = {},
) => token(url, { grant_type: 'refresh_token', refresh_token, client_id, ...more })

test('a registered client gets a token with the consented scopes', async (t) => {
  const { a, url, get, sql } = await startApp(t)
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
  const kept = JSON.stringify(
    await sql`select kind, payload, encode(id_hash, 'escape') as id from oauth_records`,
  )
  assert.ok(
    !kept.includes(tokens.access_token) && !kept.includes(tokens.refresh_token),
    'what is kept opens nothing',
  )
})

test('the consent page names host and scopes and works only in its own browser', async (t) => {
  const { a, url } = await startApp(t)
  const person = await a.developer({ username: 'maker' })
  const { client_id } = (
    await register(url, { client_name: '<b>Evil</b>', redirect_uris: ['https://app.example/back'] })
  ).body
  const { challenge } = pkce()
  const path = authorizeUrl(client_id, challenge, {
    scope: 'mcp:read mcp:bugs.read openid',
    redirect_uri: 'https://app.example/back',
  })
  const stranger = browser(url)
  const sent_to = await stranger.go((await stranger.go(path)).location)
  assert.match(sent_to.location, /\/login\?next=%2Foauth%2Fconsent%2F/, 'log-in is the website’s')

  const own = browser(url, person.token)
  const { location } = await own.go(path)
  const page = await own.go(location)
  assert.equal(page.status, 200)
  assert.ok(
    page.text.includes('app.example') &&
      page.text.includes('mcp:bugs.read') &&
      page.text.includes('maker'),
  )
  assert.match(page.text, /answers go to <strong>app\.example</)
  assert.ok(!page.text.includes('a program on this device') && !page.text.includes('described at'))
  assert.ok(!page.text.includes('<b>Evil') && !page.text.includes('openid'))
  const policy = page.headers.get('content-security-policy')!
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.match(policy, /form-action 'self' https:\/\/app\.example(;|$)/)

  const mark = page.text.match(/name="mark" value="([^"]+)"/)![1]!
  const form = { mark, scopes: 'mcp:read', allow: 'yes' }
  assert.equal(
    (await browser(url, person.token).go(location)).status,
    404,
    'another browser of the same person',
  )
  assert.equal((await browser(url, person.token).go(location, form)).status, 404)
  assert.equal(
    (await own.go(location, form, { 'sec-fetch-site': 'cross-site' })).status,
    403,
    'not from another site',
  )
  assert.equal(
    (await own.go(location, { ...form, mark: 'other' })).status,
    403,
    'not a question that was not shown',
  )
  assert.equal((await own.go(location, form)).status, 303)
})

test('the redirect has code, state and issuer, or access_denied', async (t) => {
  const { a, url } = await startApp(t)
  const person = await a.developer()
  const { client_id } = (await register(url)).body
  const yes = await consent(url, person, authorizeUrl(client_id, pkce().challenge))
  assert.deepEqual([yes.answer.state, yes.answer.iss], ['the state', url])
  assert.ok(yes.answer.code)
  const no = await consent(url, person, authorizeUrl(client_id, pkce().challenge), { allow: false })
  assert.deepEqual(
    [no.answer.error, no.answer.state, no.answer.iss, no.answer.code],
    ['access_denied', 'the state', url, undefined],
  )
  const nothing = await consent(url, person, authorizeUrl(client_id, pkce().challenge), {
    scopes: [],
  })
  assert.equal(nothing.answer.error, 'access_denied')
})

test('a consent during a password change grants nothing', async (t) => {
  const { a, url, sql } = await startApp(t)
  const person = await a.developer()
  const { client_id } = (await register(url)).body
  const own = browser(url, person.token)
  const { location } = await own.go(authorizeUrl(client_id, pkce().challenge))
  const page = await own.go(location)
  const form = {
    mark: page.text.match(/name="mark" value="([^"]+)"/)![1]!,
    scopes: 'mcp:read',
    allow: 'yes',
  }
  const answer = await duringReset(sql, person.uid, () => own.go(location, form))
  assert.equal(answer.location, '/login')
  assert.equal((await sql`select from oauth_records where kind = 'Grant'`).length, 0)
})

test('a person can grant fewer scopes and limit them to one project', async (t) => {
  const { a, url, get } = await startApp(t)
  const listing = await a.listing()
  const other = await a.listing({ owner: listing.owner })
  const asked = { scope: 'mcp:read mcp:catalog.write mcp:bugs.read' }
  const given = await grantedTokens(url, listing.owner, asked, {
    scopes: ['mcp:read', 'mcp:money'],
    game_uid: listing.uid,
  })
  assert.equal(given.scope, 'mcp:read', 'and never more')
  assert.equal(
    (await get(`/api/v1/private/games/${listing.uid}`, { token: given.access_token })).status,
    200,
  )
  assert.deepEqual(
    refused(await get(`/api/v1/private/games/${other.uid}`, { token: given.access_token })),
    [404, 4040],
  )
  const { body } = await get('/api/v1/private/token', { token: given.access_token })
  assert.deepEqual([body.data.game_uid, body.data.scopes], [listing.uid, ['mcp:read']])
})

test('the developer server needs developer mode', async (t) => {
  const { a, url } = await startApp(t)
  const person = await a.user()
  const { client_id } = (await register(url)).body
  const own = browser(url, person.token)
  const { location } = await own.go(authorizeUrl(client_id, pkce().challenge))
  const page = await own.go(location)
  assert.match(page.text, /developer mode/)
  assert.ok(!page.text.includes('name="allow"'))
  const player = await grantedTokens(url, person, { scope: 'player:read' })
  assert.equal(player.scope, 'player:read', 'the one for players is for everyone')
})

test('PKCE with S256 is required, and redirect URIs match except for loopback ports', async (t) => {
  const { a, url } = await startApp(t)
  const person = await a.developer()
  const { client_id } = (
    await register(url, { redirect_uris: [CALLBACK, 'https://app.example/back', 'myapp://back'] })
  ).body
  const { go } = browser(url, person.token)
  const { challenge, verifier } = pkce()
  const errorOf = async (path: string) => {
    const { status, location, text } = await go(path)
    return location.startsWith(CALLBACK)
      ? new URL(location).searchParams.get('error')
      : location
        ? location.split('/')[2]
        : `${status} ${text}`
  }
  const without = authorizeUrl(client_id, challenge).replace(
    /&code_challenge=[^&]+&code_challenge_method=S256/,
    '',
  )
  assert.equal(await errorOf(without), 'invalid_request')
  assert.equal(
    await errorOf(authorizeUrl(client_id, verifier, { code_challenge_method: 'plain' })),
    'invalid_request',
  )
  for (const redirect_uri of [
    'http://127.0.0.1:4567/other',
    'http://127.0.0.2:4567/callback',
    'https://app.example/back/',
    'https://app.example:444/back',
    'https://evil.example/back',
    'myapp://else',
  ])
    assert.match(
      (await errorOf(authorizeUrl(client_id, challenge, { redirect_uri })))!,
      /^400 .*redirect_uri/s,
      redirect_uri,
    )
  for (const redirect_uri of [
    'http://127.0.0.1:9999/callback',
    'https://app.example/back',
    'myapp://back',
  ])
    assert.equal(
      await errorOf(authorizeUrl(client_id, challenge, { redirect_uri })),
      'consent',
      redirect_uri,
    )
  assert.match((await errorOf(authorizeUrl('nobody', challenge)))!, /^400 .*client/s)

  const { answer } = await consent(url, person, authorizeUrl(client_id, challenge))
  const fields = {
    grant_type: 'authorization_code',
    code: answer.code!,
    redirect_uri: CALLBACK,
    client_id,
  }
  assert.deepEqual(
    (await token(url, { ...fields, code_verifier: 'x'.repeat(43) })).body.error,
    'invalid_grant',
  )
  assert.equal((await token(url, fields)).status, 400)
})

test('clients may register https, loopback and app-scheme redirect URIs', async (t) => {
  const { url, sql, core } = await startApp(t)
  for (const uri of [
    'http://app.example/',
    'http://10.0.0.1/x',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://a.example/#x',
    'https://u:p@a.example/',
    'no address',
  ])
    assert.equal(
      (await register(url, { redirect_uris: [uri] })).body.error?.slice(0, 7),
      'invalid',
      uri,
    )
  assert.equal((await register(url, { redirect_uris: [] })).status, 400)
  const { status, body } = await register(url, {
    scope: 'anything',
    grant_types: ['implicit'],
    token_endpoint_auth_method: 'client_secret_post',
  })
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual(body.grant_types, ['authorization_code', 'refresh_token'])
  assert.ok(body.client_secret.length >= 43)
  const [row] =
    await sql`select payload, secret_version, secret_sealed from oauth_records where client_id = ${body.client_id}`
  assert.ok(!JSON.stringify(row!.payload).includes(body.client_secret))
  assert.equal(
    core.secrets.open(body.client_id, 'oauth client secret', {
      key_version: row!.secret_version,
      sealed: row!.secret_sealed,
    }),
    body.client_secret,
  )
  const public_one = await register(url)
  assert.equal(public_one.body.client_secret, undefined)
})

test('a client with a secret needs it to get tokens', async (t) => {
  const { a, url } = await startApp(t)
  const person = await a.user()
  const { client_id, client_secret } = (
    await register(url, { token_endpoint_auth_method: 'client_secret_post' })
  ).body
  const { challenge, verifier } = pkce()
  const { answer } = await consent(
    url,
    person,
    authorizeUrl(client_id, challenge, { scope: 'player:read' }),
  )
  const fields = {
    grant_type: 'authorization_code',
    code: answer.code!,
    redirect_uri: CALLBACK,
    client_id,
    code_verifier: verifier,
  }
  assert.equal((await token(url, fields)).status, 401)
  assert.equal((await token(url, { ...fields, client_secret: `${client_secret}x` })).status, 401)
  assert.equal((await token(url, { ...fields, client_secret })).status, 200)
})

test('a reused refresh token ends the whole grant', async (t) => {
  const { a, url, get } = await startApp(t)
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
    assert.equal(await works(body.access_token), 401, 'two spent it: nobody has it')
})

test('a grant ends 30 days after consent, and refreshing cannot widen its scopes', async (t) => {
  const { a, url, sql } = await startApp(t)
  const person = await a.developer()
  const first = await grantedTokens(url, person, { scope: 'mcp:read' })
  const daysOf = async () => {
    const [row] = await sql`
      select extract(epoch from max(expires_at) - now()) / 86400 as days
      from oauth_records
      where kind = 'RefreshToken' and consumed_at is null`
    return Number(row!.days)
  }
  assert.ok(Math.abs((await daysOf()) - 30) < 0.01)
  await sql`
    update oauth_records set expires_at = expires_at - interval '10 days',
      payload = payload || jsonb_build_object('exp', (payload ->> 'exp')::int - 864000, 'iiat', (payload ->> 'iat')::int - 864000)
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
  const { a, url, get } = await startApp(t)
  const person = await a.user()
  const { client_id } = (await register(url)).body
  const { challenge, verifier } = pkce()
  const { answer } = await consent(
    url,
    person,
    authorizeUrl(client_id, challenge, { scope: 'player:read' }),
  )
  const fields = {
    grant_type: 'authorization_code',
    code: answer.code!,
    redirect_uri: CALLBACK,
    client_id,
    code_verifier: verifier,
  }
  const { body } = await token(url, fields)
  assert.equal((await get('/api/v1/private/token', { token: body.access_token })).status, 200)
  assert.equal((await token(url, fields)).body.error, 'invalid_grant')
  assert.equal((await get('/api/v1/private/token', { token: body.access_token })).status, 401)
})

test('tokens are valid for one server only', async (t) => {
  const { a, url, post, get } = await startApp(t)
  const person = await a.developer()
  const { client_id } = (await register(url)).body
  const { go } = browser(url, person.token)
  const target = async (resource: string) =>
    new URL(
      (await go(authorizeUrl(client_id, pkce().challenge, { resource }))).location,
    ).searchParams.get('error')
  assert.equal(await target('https://elsewhere.example/mcp'), 'invalid_target')
  assert.equal(await target(`${url}/mcp/`), 'invalid_target')
  const two = await go(
    `${authorizeUrl(client_id, pkce().challenge)}&resource=${url}/mcp&resource=${url}/player`,
  )
  assert.equal(new URL(two.location).searchParams.get('error'), 'invalid_target')

  const player = await grantedTokens(url, person, {
    resource: `${url}/player`,
    scope: 'player:read mcp:write',
  })
  assert.equal(player.scope, 'player:read', 'scopes of the other server are not given')
  const agent = await grantedTokens(url, person, { resource: `${url}/mcp` })
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
  const { a, url, get } = await startApp(t)
  const person = await a.user()
  const scoped = async (scope: string) => (await grantedTokens(url, person, { scope })).access_token
  const keyed = async (scope: string) => (await a.key('player', person, [scope])).key as string
  const paths = ['/configure', '/asset', '/asset/1', '/asset/1/download'].map(
    (path) => `/api/v1/public/asset-library${path}`,
  )
  for (const scope of ['player:read', 'player:write', 'player:buy']) {
    const [granted, key] = [await scoped(scope), await keyed(scope)]
    for (const path of paths) {
      const [with_token, with_key] = [
        await get(path, { token: granted }),
        await get(path, { token: key }),
      ]
      assert.deepEqual(with_token, with_key, `${path} ${scope}`)
      assert.deepEqual(await get(path, { headers: { svc_games: granted } }), with_key)
      assert.equal(with_key.body.error?.code === 4031, scope !== 'player:read')
    }
  }
  assert.deepEqual(refused(await get(paths[1]!, { token: 'svc_oat_x' })), [401, 4010])
})

test('connected apps are listed and can be disconnected by person and client', async (t) => {
  const { a, url, get, del } = await startApp(t)
  const person = await a.developer()
  const access = '/api/v1/private/account/agent-access'
  const first = await grantedTokens(url, person, { scope: 'mcp:read' })
  const second = await grantedTokens(url, person, { scope: 'player:read' })
  const { grants } = must(await get(access, person))
  assert.deepEqual(
    grants.map((one: any) => [one.client_name, one.server, one.scopes]),
    [
      ['A helpful app', '/player', ['player:read']],
      ['A helpful app', '/mcp', ['mcp:read']],
    ],
  )
  const other = await a.user()
  const { go } = browser(url, person.token)
  const third = await grantedTokens(url, person, { scope: 'mcp:read' })
  await get('/api/v1/private/games', { token: third.access_token })
  const keys = await go('/account/keys')
  const forms = [...keys.text.matchAll(/action="(\/account\/apps\/[\w-]+\/delete)"/g)].map(
    (match) => match[1]!,
  )
  assert.equal(forms.length, 3, 'what the consent page promises is on a page')
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
    'what counts stays',
  )
  await sql`update oauth_records set expires_at = now() where expires_at is not null`
  await sql.begin((tx) => sweepRecords(tx, 90))
  assert.deepEqual(
    await kinds(),
    ['Client'],
    'the one that nobody uses any more went with its grant',
  )
})

test('a request without a valid token is told where to get one', async (t) => {
  const { url, post, get } = await startApp(t)
  for (const [path, scope] of [
    ['/mcp', 'mcp:read mcp:write mcp:bugs.read mcp:bugs.write'],
    ['/player', 'player:read player:write'],
  ] as const) {
    const metadata = `${url}/.well-known/oauth-protected-resource${path}`
    const none = await post(path, {})
    assert.deepEqual(
      [none.status, none.headers['www-authenticate']],
      [401, `Bearer resource_metadata="${metadata}", scope="${scope}"`],
    )
    const bad = await post(path, {}, { token: 'svc_oat_nonsense' })
    assert.equal(
      bad.headers['www-authenticate'],
      `Bearer error="invalid_token", resource_metadata="${metadata}", scope="${scope}"`,
    )
    const { body: resource } = await get(metadata)
    assert.deepEqual([resource.resource, resource.authorization_servers], [`${url}${path}`, [url]])
    const { body: beside } = await get(`/.well-known/oauth-authorization-server${path}`)
    assert.deepEqual(
      [beside.issuer, beside.authorization_response_iss_parameter_supported],
      [`${url}${path}`, false],
    )
  }
  const { body: server } = await get('/.well-known/oauth-authorization-server')
  assert.deepEqual(
    [
      server.issuer,
      server.code_challenge_methods_supported,
      server.authorization_response_iss_parameter_supported,
    ],
    [url, ['S256'], true],
  )
  assert.ok(server.client_id_metadata_document_supported)
  assert.equal((await get('/.well-known/openid-configuration')).body.issuer, url)
  for (const card of ['mcp/server-card.json', 'mcp.json', 'mcp/player-server-card.json'])
    assert.ok((await get(`/.well-known/${card}`)).body.tools.length > 10, card)
})

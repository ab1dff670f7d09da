import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { rotateSecrets } from '../../src/core/security/rotate-secrets.ts'
import { addKey, createSecrets, loadKeyring, retireKeys } from '../../src/core/security/secrets.ts'
import { loggedIds } from '../core/runtime/logged-ids.ts'
import { startApp } from '../support/app.ts'
import { sharedInFile } from '../support/shared.ts'
import {
  authorizedFields,
  authorizeUrl,
  browser,
  CALLBACK,
  codeFields,
  consent,
  pkce,
  register,
  token,
} from './oauth-flow.ts'

const sharedApp = sharedInFile(startApp)

const APP_SCHEME = 'com.example.app://back'

test('PKCE with S256 is required, and redirect URIs match except for loopback ports', async (t) => {
  const { a, url } = await sharedApp(t)
  const person = await a.developer()
  const { client_id } = (
    await register(url, { redirect_uris: [CALLBACK, 'https://app.example/back', APP_SCHEME] })
  ).body
  const { go } = browser(url, person.token)
  const { challenge, verifier } = pkce()
  const errorOf = async (path: string) => {
    const { status, location, text } = await go(path)
    return location ? location.split('/')[2] : `${status} ${text}`
  }
  const without = authorizeUrl(client_id, challenge).replace(
    /&code_challenge=[^&]+&code_challenge_method=S256/,
    '',
  )
  const plain = authorizeUrl(client_id, verifier, { code_challenge_method: 'plain' })
  for (const path of [without, plain])
    assert.match((await errorOf(path))!, /^400 .*invalid_request: .*(PKCE|code_challenge)/s)
  for (const redirect_uri of [
    'http://127.0.0.1:4567/other',
    'http://127.0.0.2:4567/callback',
    'https://app.example/back/',
    'https://app.example:444/back',
    'https://evil.example/back',
    'com.example.app://else',
  ])
    assert.match(
      (await errorOf(authorizeUrl(client_id, challenge, { redirect_uri })))!,
      /^400 .*redirect_uri/s,
      redirect_uri,
    )
  for (const redirect_uri of [
    'http://127.0.0.1:9999/callback',
    'https://app.example/back',
    APP_SCHEME,
  ])
    assert.equal(
      await errorOf(authorizeUrl(client_id, challenge, { redirect_uri })),
      'consent',
      redirect_uri,
    )
  assert.match((await errorOf(authorizeUrl('nobody', challenge)))!, /^400 .*client/s)

  const { answer } = await consent(url, person, authorizeUrl(client_id, challenge))
  const fields = codeFields(client_id, answer.code!)
  assert.deepEqual(
    (await token(url, { ...fields, code_verifier: 'x'.repeat(43) })).body.error,
    'invalid_grant',
  )
  assert.equal((await token(url, fields)).status, 400)
})

test('clients may register https, loopback and app-scheme redirect URIs', async (t) => {
  const { url, sql, core } = await sharedApp(t)
  for (const uri of [
    'http://app.example/',
    'http://10.0.0.1/x',
    'javascript:alert(1)',
    'myapp://back',
    'ms-settings:privacy',
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
  const [row] = await sql`
    select payload, secret_version, secret_sealed
    from oauth_records
    where client_id = ${body.client_id}`
  assert.ok(!JSON.stringify(row!.payload).includes(body.client_secret))
  assert.equal(
    core.secrets.open(body.client_id, 'oauth client secret', {
      key_version: row!.secret_version,
      sealed: row!.secret_sealed,
    }),
    body.client_secret,
  )
  const public_client = await register(url)
  assert.equal(public_client.body.client_secret, undefined)
})

test('errors before the consent are shown, and never redirect to the client', async (t) => {
  const { a, url } = await sharedApp(t)
  const person = await a.developer()
  const redirect_uri = 'https://app.example/back'
  const { client_id } = (await register(url, { redirect_uris: [redirect_uri, CALLBACK] })).body
  const { challenge } = pkce()
  for (const [parameters, error] of [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_mode: 'nonsense' }, 'unsupported_response_mode'],
    [{ prompt: 'none' }, 'login_required'],
    [{ prompt: 'nonsense' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ resource: 'https://other.example/' }, 'invalid_target'],
    [{ max_age: '-1' }, 'invalid_request'],
    [{ request: 'x' }, 'request_not_supported'],
  ] as const)
    for (const address of [redirect_uri, CALLBACK])
      for (const session of [undefined, person.token]) {
        const more = { redirect_uri: address, ...parameters }
        const answer = await browser(url, session).go(authorizeUrl(client_id, challenge, more))
        assert.deepEqual([answer.status, answer.location], [400, ''], error)
        assert.match(answer.text, new RegExp(`could not be connected[^]*${error}`))
        assert.ok(!answer.text.includes('app.example'), answer.text)
      }

  const path = authorizeUrl(client_id, challenge, { redirect_uri })
  const { answer, location } = await consent(url, person, path, { allow: false })
  assert.ok(location.startsWith(`${redirect_uri}?`), 'a refusal of the person reaches the client')
  assert.equal(answer.error, 'access_denied')
})

test('clients that registered another scheme in an earlier version keep working', async (t) => {
  const { a, url, sql } = await sharedApp(t)
  const person = await a.developer()
  const { client_id } = (await register(url)).body
  await sql`
    update oauth_records
    set payload = jsonb_set(payload, '{redirect_uris}', '["myapp://back"]')
    where kind = 'Client' and client_id = ${client_id}`
  const path = authorizeUrl(client_id, pkce().challenge, { redirect_uri: 'myapp://back' })
  const { location } = await consent(url, person, path)
  assert.match(location, /^myapp:\/\/back\?code=/)
})

test('a client with a secret needs it to get tokens', async (t) => {
  const { a, url } = await sharedApp(t)
  const person = await a.user()
  const { client_id, client_secret } = (
    await register(url, { token_endpoint_auth_method: 'client_secret_post' })
  ).body
  const parameters = { scope: 'player:read' }
  const fields = await authorizedFields(url, person, client_id, { parameters })
  assert.equal((await token(url, fields)).status, 401)
  assert.equal((await token(url, { ...fields, client_secret: `${client_secret}x` })).status, 401)
  assert.equal((await token(url, { ...fields, client_secret })).status, 200)
})

test('a client with a secret works after a rotation that removes the old key', async (t) => {
  const { a, url, core, sql } = await startApp(t)
  const person = await a.user()
  const { client_id, client_secret } = (
    await register(url, { token_endpoint_auth_method: 'client_secret_post' })
  ).body
  await register(url, { redirect_uris: ['https://app.example/back'] })
  const { data_dir } = core.config
  await addKey(data_dir)
  await assert.rejects(retireKeys(sql, data_dir), /2 secrets are still encrypted/)
  assert.equal(await rotateSecrets(sql, createSecrets(await loadKeyring(core.config))), 2)
  assert.deepEqual(await retireKeys(sql, data_dir), { current: 2, removed: 1 })
  const parameters = { scope: 'player:read' }
  const fields = await authorizedFields(url, person, client_id, { parameters })
  assert.equal((await token(url, { ...fields, client_secret: `${client_secret}x` })).status, 401)
  assert.equal((await token(url, { ...fields, client_secret })).status, 200)
})

test('a request without a valid token gets the address of the authorization server', async (t) => {
  const { url, post, get } = await sharedApp(t)
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

test('an unexpected error is logged with the id of its request', async (t) => {
  const { call, core, sql } = await startApp(t)
  const ids = loggedIds(t, core)
  await sql`alter table oauth_records add constraint broken check (kind = '') not valid`
  const answer = await call('POST', '/oauth/register', {
    body: { redirect_uris: [CALLBACK] },
    headers: { 'x-request-id': 'client-1234' },
  })
  assert.deepEqual([answer.status, answer.body.error], [500, 'server_error'])
  assert.deepEqual(ids, ['client-1234'])
})

test('errors of a body have the form of OAuth, and a long body is refused at once', async (t) => {
  const { call, url } = await sharedApp(t)
  const { port } = new URL(url)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/register']) {
    const encoded = await call('POST', path, {
      raw: 'token=x',
      headers: { ...form, 'content-encoding': 'gzip' },
    })
    const large = await call('POST', path, { raw: 'a'.repeat(70_000), headers: form })
    for (const [answer, status] of [
      [encoded, 415],
      [large, 413],
    ] as const) {
      assert.equal(answer.status, status, path)
      assert.equal(answer.body.error, 'invalid_request')
      assert.ok(answer.body.error_description)
    }
    assert.match(encoded.body.error_description, /without Content-Encoding/)
    const started = performance.now()
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${form['content-type']}\r\n` +
        `content-length: 5000000000\r\n\r\n${'a'.repeat(1024)}`,
    )
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    assert.match(chunk.toString(), /^HTTP\/1.1 413 /, path)
    assert.ok(performance.now() - started < 30_000, 'it does not wait for the rest of the body')
  }
})

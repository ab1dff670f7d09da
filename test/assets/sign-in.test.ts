import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizeUrl, browser, grantedTokens, pkce, register } from '../agents/oauth-flow.ts'
import { startApp } from '../support/app.ts'
import { LIBRARY } from './fixtures.ts'

/** Every public address of the service is another one. */
const addresses = {
  BASE_URL: 'http://api.example',
  UPLOAD_URL: 'http://upload.example',
  WEB_URL: 'http://www.example',
  MCP_AUTH_URL: 'http://auth.example',
  ISSUER: 'the issuer of session tokens',
}

test('the sign-in details lead to a token that the asset library accepts', async (t) => {
  const { get, a, url } = await startApp(t, addresses)
  const { auth, login_url } = (await get(`${LIBRARY}/configure`)).body
  assert.deepEqual(
    [login_url, auth.keys_url, auth.authorization_server],
    ['http://www.example/login', 'http://www.example/account/keys', 'http://auth.example'],
  )
  const { body: metadata } = await get('/.well-known/oauth-authorization-server')
  assert.equal(metadata.issuer, auth.authorization_server)

  const person = await a.user()
  const parameters = { resource: auth.resource, scope: auth.scope }
  const { access_token, scope } = await grantedTokens(url, person, { parameters })
  assert.equal(scope, 'player:read')
  const headers = { [auth.header]: `Bearer ${access_token}` }
  const signed_in = (await get(`${LIBRARY}/configure`, { headers })).body.auth
  assert.deepEqual([signed_in.signed_in, signed_in.username], [true, person.username])
})

test('the authorization server refuses a resource that is none of its servers', async (t) => {
  const { a, url } = await startApp(t, addresses)
  const { token } = await a.user()
  const { client_id } = (await register(url)).body
  for (const resource of [`http://api.example${LIBRARY}`, 'http://www.example/player']) {
    const path = authorizeUrl(client_id, pkce().challenge, { resource, scope: 'player:read' })
    const { status, text } = await browser(url, token).go(path)
    assert.equal(status, 400, resource)
    assert.match(text, /invalid_target/, resource)
  }
})

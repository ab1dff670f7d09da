import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientMetadata, documentFetch, redirectProblem } from '../../src/agents/oauth/clients.ts'
import { createOutbound, type OutboundRequest } from '../../src/core/security/outbound.ts'
import { startApp } from '../support/app.ts'
import { authorizeUrl, browser, CALLBACK, grantedTokens, pkce } from './oauth-flow.ts'

const ID = 'https://agent.example/client.json'
const document = {
  client_id: ID,
  client_name: 'Documented',
  redirect_uris: [CALLBACK],
  scope: 'openid',
  token_endpoint_auth_method: 'none',
}

test('a client metadata document is fetched once through the outbound guard', async (t) => {
  const { a, url, core, get } = await startApp(t)
  const requests: OutboundRequest[] = []
  core.outbound = {
    async request(request) {
      requests.push(request)
      return {
        status: 200,
        headers: {},
        body: Buffer.from(JSON.stringify(document)),
        url: request.url,
        resent: false,
      }
    },
  }
  const person = await a.user()
  const { access_token } = await grantedTokens(url, person, {
    parameters: { scope: 'player:read' },
    client_id: ID,
  })
  const { body } = await get('/api/v1/private/token', { token: access_token })
  assert.equal(body.data.name, 'Documented')
  assert.deepEqual(
    requests.map(({ url, max_redirects, max_bytes }) => [url, max_redirects, max_bytes]),
    [[ID, 0, 16 * 1024]],
  )
  const own = browser(url, person.token)
  const page = await own.go(
    (await own.go(authorizeUrl(ID, pkce().challenge, { scope: 'player:read' }))).location,
  )
  const sentences = [
    'described at <strong>agent\\.example<',
    'answers go to <strong>127\\.0\\.0\\.1:4567<',
    'a program on your device',
  ]
  assert.match(page.text, new RegExp(sentences.join('.*'), 's'))
})

test('client documents in private networks and invalid ones are refused', async (t) => {
  const { a, url, core } = await startApp(t)
  const person = await a.developer()
  const { go } = browser(url, person.token)
  const authorize = async (id: string) => (await go(authorizeUrl(id, pkce().challenge))).status
  for (const id of [
    'https://127.0.0.1/c.json',
    'https://10.0.0.1/c.json',
    'https://[::1]/c.json',
    'https://169.254.169.254/c.json',
    'http://agent.example/c.json',
  ])
    assert.ok((await authorize(id)) >= 400, id)
  const answerWith = (status: number, body: string) => {
    core.outbound.request = async ({ url }) => ({
      status,
      headers: {},
      body: Buffer.from(body),
      url,
      resent: false,
    })
  }
  for (const broken of [
    '"nonsense"',
    '{',
    '[]',
    JSON.stringify({ ...document, client_id: 'https://other.example/' }),
    JSON.stringify({ ...document, redirect_uris: ['http://evil.example/'] }),
    JSON.stringify({ ...document, redirect_uris: ['https://evil.example/'] }),
    JSON.stringify({ ...document, token_endpoint_auth_method: 'client_secret_post' }),
  ]) {
    answerWith(200, broken)
    assert.ok((await authorize(ID)) >= 400, broken)
  }
  answerWith(404, JSON.stringify(document))
  assert.ok((await authorize(`${ID}?other`)) >= 400)
  const good = 'https://good.example/client.json'
  answerWith(200, JSON.stringify({ ...document, client_id: good }))
  assert.equal(await authorize(good), 303, 'a valid document was refused')
  await assert.rejects(
    documentFetch(createOutbound({ lookup: async () => [{ address: '192.168.0.1' }] }))(
      'https://agent.example/',
    ),
    /not public/,
  )
})

test('client metadata keeps only the supported fields', () => {
  const metadata = clientMetadata({
    client_name: `A\u202e\n\tname ${'x'.repeat(200)}`,
    redirect_uris: ['x'],
    scope: 'all',
    jwks_uri: 'https://x',
    software_id: 'y',
  })
  assert.deepEqual(Object.keys(metadata).sort(), [
    'application_type',
    'client_name',
    'grant_types',
    'redirect_uris',
    'response_types',
    'token_endpoint_auth_method',
  ])
  const name = String(metadata.client_name)
  assert.ok(!/[\p{C}]/u.test(name) && name.length <= 100)
  assert.equal(
    redirectProblem([
      'https://a.example/x',
      'http://localhost:1/',
      'http://[::1]/',
      'com.example.app:/x',
      'com.example.app://x/y?z',
      'cursor://anysphere.cursor-mcp/oauth/callback',
    ]),
    undefined,
  )
  for (const uri of [
    'http://a.example/',
    'javascript:1',
    'myapp://x/y',
    'myapp:x',
    '.example:/x',
    'com..example:/x',
    'com.example.:/x',
    'cursor://x/y',
    'cursor://anysphere.cursor-mcp/oauth/callback?x',
    'view-source:https://a.example/',
    'intent://a.example/',
    'ms-settings:x',
    'https://a.example/#',
    'https://a.example/#x',
    'https://u@a.example/',
    'x',
    7,
    `https://a.example/${'x'.repeat(2000)}`,
  ])
    assert.ok(redirectProblem([uri]) || uri === 'https://a.example/#', String(uri))
  assert.ok(
    redirectProblem([]) &&
      redirectProblem('x') &&
      redirectProblem(Array.from({ length: 21 }, () => 'https://a.example/')),
  )
})

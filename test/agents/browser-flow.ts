import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { TestContext } from 'node:test'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import { PASSWORD } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { listen } from '../support/listen.ts'
import { openPage } from '../web/chromium.ts'
import { clientCalls } from './mcp-client.ts'

/** What the client stores between the steps of the flow. */
type ClientState = {
  client?: any
  tokens?: any
  verifier?: string
  authorization_url?: URL
  discovered?: unknown
}
type Steps = {
  path: '/mcp' | '/player'
  username: string
  consent?: (page: Page, port: number) => Promise<void>
}

/**
 * Connects the official client with a person in a real browser: discovery, registration, sign-in,
 * consent and token.
 */
export async function signIn(t: TestContext, url: string, { path, username, consent }: Steps) {
  let redirected: URL | undefined
  const callback = createServer((request, reply) => {
    if (request.url?.startsWith('/callback')) redirected = new URL(request.url, 'http://127.0.0.1')
    reply
      .setHeader('content-type', 'text/html')
      .end('<title>back</title><h1>You may close this window</h1>')
  })
  const port = await listen(t, callback)

  const state: ClientState = {}
  const save = (more: ClientState) => void Object.assign(state, more)
  const authProvider = {
    redirectUrl: `http://127.0.0.1:${port}/callback`,
    clientMetadata: {
      client_name: 'Deck hand',
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => state.client,
    saveClientInformation: (client: unknown) => save({ client }),
    tokens: () => state.tokens,
    saveTokens: (tokens: unknown) => save({ tokens }),
    redirectToAuthorization: (authorization_url: URL) => save({ authorization_url }),
    saveCodeVerifier: (verifier: string) => save({ verifier }),
    codeVerifier: () => state.verifier!,
    saveDiscoveryState: (discovered: unknown) => save({ discovered }),
    discoveryState: () => state.discovered,
  }
  const open = () =>
    new StreamableHTTPClientTransport(new URL(path, url), { authProvider: authProvider as never })
  const transport = open()
  await assert.rejects(
    new Client({ name: 'test', version: '1' }).connect(transport),
    UnauthorizedError,
  )
  assert.equal(state.authorization_url?.origin, url)
  assert.equal(state.authorization_url?.searchParams.get('resource'), `${url}${path}`)

  const page = await openPage(t)
  const errors: string[] = []
  page.on('console', (line) => void (line.type() === 'error' && errors.push(line.text())))
  await page.goto(state.authorization_url!.href)
  assert.match(page.url(), /\/login\?next=/)
  await page.fill('[name=login]', username)
  await page.fill('[name=password]', PASSWORD)
  await page.click('main form button')
  await page.waitForSelector('h1:has-text("Deck hand")')
  await consent?.(page, port)
  await page.click('button[name=allow]')
  await page.waitForSelector('h1:has-text("You may close")')
  assert.deepEqual(errors, [])
  assert.equal(redirected?.searchParams.get('iss'), url)

  await transport.finishAuth(redirected!.searchParams)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(open())
  cleanup(t, () => client.close())
  return { ...clientCalls(client), state }
}

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { type Browser, chromium, type Page } from 'playwright-core'
import { eventually } from '../support/app.ts'
import { PASSWORD } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { clientCalls } from './mcp-client.ts'

export async function openBrowser(t: TestContext): Promise<Browser> {
  const chrome = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  cleanup(t, () => chrome.close())
  return chrome
}

type Kept = { client?: any; tokens?: any; verifier?: string; asked?: URL; discovered?: unknown }
type Steps = {
  path: '/mcp' | '/player'
  username: string
  consent?: (page: Page, port: number) => Promise<void>
}

/**
 * Connects the official client with a person in a real browser: discovery, registration, log-in,
 * consent and token.
 */
export async function signIn(t: TestContext, url: string, { path, username, consent }: Steps) {
  let answered: URL | undefined
  const callback = createServer((request, reply) => {
    if (request.url?.startsWith('/callback')) answered = new URL(request.url, 'http://127.0.0.1')
    reply
      .setHeader('content-type', 'text/html')
      .end('<title>back</title><h1>You may close this window</h1>')
  }).listen(0, '127.0.0.1')
  cleanup(t, () => void callback.close())
  const port = await eventually(
    'the callback',
    () => (callback.address() as AddressInfo | null)?.port,
  )

  const kept: Kept = {}
  const keep = (more: Kept) => void Object.assign(kept, more)
  const authProvider = {
    redirectUrl: `http://127.0.0.1:${port}/callback`,
    clientMetadata: {
      client_name: 'Deck hand',
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => keep({ client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => keep({ tokens }),
    redirectToAuthorization: (asked: URL) => keep({ asked }),
    saveCodeVerifier: (verifier: string) => keep({ verifier }),
    codeVerifier: () => kept.verifier!,
    saveDiscoveryState: (discovered: unknown) => keep({ discovered }),
    discoveryState: () => kept.discovered,
  }
  const open = () =>
    new StreamableHTTPClientTransport(new URL(path, url), { authProvider: authProvider as never })
  const transport = open()
  await assert.rejects(
    new Client({ name: 'test', version: '1' }).connect(transport),
    UnauthorizedError,
  )
  assert.equal(kept.asked?.origin, url)
  assert.equal(kept.asked?.searchParams.get('resource'), `${url}${path}`)

  const page = await (await openBrowser(t)).newPage()
  const complaints: string[] = []
  page.on('console', (line) => void (line.type() === 'error' && complaints.push(line.text())))
  await page.goto(kept.asked!.href)
  assert.match(page.url(), /\/login\?next=/)
  await page.fill('[name=login]', username)
  await page.fill('[name=password]', PASSWORD)
  await page.click('main form button')
  await page.waitForSelector('h1:has-text("Deck hand")')
  await consent?.(page, port)
  await page.click('button[name=allow]')
  await page.waitForSelector('h1:has-text("You may close")')
  assert.deepEqual(complaints, [])
  assert.equal(answered?.searchParams.get('iss'), url)

  await transport.finishAuth(answered!.searchParams)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(open())
  cleanup(t, () => client.close())
  return { ...clientCalls(client), kept }
}

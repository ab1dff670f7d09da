import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { chromium } from 'playwright-core'
import { forgetIdentities } from '../../src/accounts/identity.ts'
import { eventually, startApp } from '../app.ts'
import { must, PASSWORD } from '../builders.ts'
import { cleanup } from '../cleanup.ts'
import { clientCalls } from './mcp-client.ts'

test('the official client signs in through a real browser: discovery, registration, log-in, consent, tools, refresh', async (t) => {
  const { a, url, get, sql } = await startApp(t)
  const person = await a.developer({ username: 'skipper' })
  await a.listing({ owner: person, name: 'Tall Ship' })

  let answered: URL | undefined
  const callback = createServer((request, reply) => {
    if (request.url?.startsWith('/callback')) answered = new URL(request.url, 'http://127.0.0.1')
    reply.setHeader('content-type', 'text/html').end('<title>back</title><h1>You may close this window</h1>')
  }).listen(0, '127.0.0.1')
  cleanup(t, () => void callback.close())
  const port = await eventually('the callback', () => (callback.address() as AddressInfo | null)?.port)

  const kept: { client?: any; tokens?: any; verifier?: string; asked?: URL; discovered?: unknown } = {}
  const keep = (more: typeof kept) => void Object.assign(kept, more)
  const authProvider = {
    redirectUrl: `http://127.0.0.1:${port}/callback`,
    clientMetadata: { client_name: 'Deck hand', redirect_uris: [`http://127.0.0.1:${port}/callback`], token_endpoint_auth_method: 'none' },
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
  const open = () => new StreamableHTTPClientTransport(new URL('/mcp', url), { authProvider: authProvider as never })
  const transport = open()
  await assert.rejects(new Client({ name: 'test', version: '1' }).connect(transport), UnauthorizedError)
  assert.equal(kept.asked?.origin, url)
  assert.equal(kept.asked?.searchParams.get('resource'), `${url}/mcp`)

  const chrome = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  cleanup(t, () => chrome.close())
  const page = await chrome.newPage()
  const complaints: string[] = []
  page.on('console', (line) => void (line.type() === 'error' && complaints.push(line.text())))
  await page.goto(kept.asked!.href)
  assert.match(page.url(), /\/login\?next=/)
  await page.fill('[name=login]', 'skipper')
  await page.fill('[name=password]', PASSWORD)
  await page.click('main form button')
  await page.waitForSelector('h1:has-text("Deck hand")')
  const text = await page.textContent('main')
  assert.ok(text?.includes(`127.0.0.1:${port}`) && text.includes('skipper') && text.includes('mcp:write'))
  await page.uncheck('[value="mcp:write"]')
  await page.click('button[name=allow]')
  await page.waitForSelector('h1:has-text("You may close")')
  assert.deepEqual(complaints, [])
  assert.equal(answered?.searchParams.get('iss'), url)

  await transport.finishAuth(answered!.searchParams)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(open())
  cleanup(t, () => client.close())
  const agent = clientCalls(client)
  const { data } = await agent.call('list_games')
  assert.deepEqual(
    data.items.map((one: any) => one.name),
    ['Tall Ship'],
  )
  assert.equal((await agent.call('create_game', { name: 'No' })).refused?.code, 4031, 'what was not given')
  const names = (await agent.list()).map(({ name }) => name)
  assert.ok(names.includes('get_game') && !names.includes('create_game'))

  const before = kept.tokens.access_token
  await sql`update oauth_records set expires_at = now() where kind = 'AccessToken'`
  // Asking until it is so would fill the log that is read below.
  forgetIdentities()
  assert.equal((await get('/api/v1/private/token', { token: before })).status, 401)
  assert.equal((await agent.call('get_profile')).data.user.username, 'skipper', 'refreshed by itself')
  assert.notEqual(kept.tokens.access_token, before)

  const { calls } = must(await get('/api/v1/private/account/agent-calls', person))
  assert.deepEqual(
    calls.filter((one: any) => one.tool).map((one: any) => [one.tool, one.credential_name, one.code]),
    [
      ['get_profile', 'Deck hand', null],
      ['create_game', 'Deck hand', 4031],
      ['list_games', 'Deck hand', null],
    ],
  )
})

test('a person decides about an approval in the browser, by the link of the mail', async (t) => {
  const { a, url, put, get } = await startApp(t)
  const owner = await a.verifiedDeveloper({ username: 'owner-of-it' })
  const listing = await a.listing({ owner, name: 'Tall Ship' })
  const { build_id } = await a.cleanBuild(listing, { version: '3.1', channel: 'beta' })
  const { key: token } = await a.key('agent', owner, ['mcp:build.write'])
  const ask = () => put(`/api/v1/private/games/${listing.uid}/channels/stable`, { build_id }, { token })
  const { approval } = (await ask()).body.data
  const chrome = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  cleanup(t, () => chrome.close())
  const page = await chrome.newPage()
  await page.goto(approval.confirm_url)
  await page.fill('[name=login]', owner.username)
  await page.fill('[name=password]', PASSWORD)
  await page.click('main form button')
  await page.waitForSelector('h1:has-text("3.1")')
  assert.match((await page.textContent('main')) ?? '', /Tall Ship/)
  await page.click('button[value=approve]')
  await page.waitForSelector('text=You allowed it')
  assert.equal(must(await get(`/api/v1/private/approvals/${approval.uid}`, { token })).status, 'approved')
  assert.equal(must(await ask()).build_id, build_id)
  assert.equal(url, new URL(page.url()).origin)
})

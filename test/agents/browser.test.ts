import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clearIdentityCache } from '../../src/accounts/sessions/identity.ts'
import { startApp } from '../support/app.ts'
import { must, PASSWORD } from '../support/builders.ts'
import { openBrowser, signIn } from './browser-flow.ts'

test('the official client discovers, registers, signs in and refreshes in a browser', async (t) => {
  const { a, url, get, sql } = await startApp(t)
  const person = await a.developer({ username: 'skipper' })
  await a.listing({ owner: person, name: 'Tall Ship' })

  const agent = await signIn(t, url, {
    path: '/mcp',
    username: 'skipper',
    async consent(page, port) {
      const text = await page.textContent('main')
      assert.ok(
        text?.includes(`127.0.0.1:${port}`) &&
          text.includes('skipper') &&
          text.includes('mcp:write'),
      )
      await page.uncheck('[value="mcp:write"]')
    },
  })
  const { kept } = agent
  const { data } = await agent.call('list_games')
  assert.deepEqual(
    data.items.map((one: any) => one.name),
    ['Tall Ship'],
  )
  assert.equal(
    (await agent.call('create_game', { name: 'No' })).refused?.code,
    4031,
    'what was not given',
  )
  const names = (await agent.list()).map(({ name }) => name)
  assert.ok(names.includes('get_game') && !names.includes('create_game'))

  const before = kept.tokens.access_token
  await sql`update oauth_records set expires_at = now() where kind = 'AccessToken'`
  // Clear the cache instead of polling, because polling would fill the log that is read below.
  clearIdentityCache()
  assert.equal((await get('/api/v1/private/token', { token: before })).status, 401)
  assert.equal(
    (await agent.call('get_profile')).data.user.username,
    'skipper',
    'refreshed by itself',
  )
  assert.notEqual(kept.tokens.access_token, before)

  const { calls } = must(await get('/api/v1/private/account/agent-calls', person))
  assert.deepEqual(
    calls
      .filter((one: any) => one.tool)
      .map((one: any) => [one.tool, one.credential_name, one.code]),
    [
      ['get_profile', 'Deck hand', null],
      ['create_game', 'Deck hand', 4031],
      ['list_games', 'Deck hand', null],
    ],
  )
})

test('a person decides an approval in the browser by the emailed link', async (t) => {
  const { a, url, put, get } = await startApp(t)
  const owner = await a.verifiedDeveloper({ username: 'owner-of-it' })
  const listing = await a.listing({ owner, name: 'Tall Ship' })
  const { build_id } = await a.cleanBuild(listing, { version: '3.1', channel: 'beta' })
  const { key: token } = await a.key('agent', owner, ['mcp:build.write'])
  const ask = () =>
    put(`/api/v1/private/games/${listing.uid}/channels/stable`, { build_id }, { token })
  const { approval } = (await ask()).body.data
  const page = await (await openBrowser(t)).newPage()
  await page.goto(approval.confirm_url)
  await page.fill('[name=login]', owner.username)
  await page.fill('[name=password]', PASSWORD)
  await page.click('main form button')
  await page.waitForSelector('h1:has-text("3.1")')
  assert.match((await page.textContent('main')) ?? '', /Tall Ship/)
  await page.click('button[value=approve]')
  await page.waitForSelector('text=You allowed this')
  assert.equal(
    must(await get(`/api/v1/private/approvals/${approval.uid}`, { token })).status,
    'approved',
  )
  assert.equal(must(await ask()).build_id, build_id)
  assert.equal(url, new URL(page.url()).origin)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clearIdentityCache } from '../../src/accounts/sessions/identity.ts'
import { startApp } from '../support/app.ts'
import { must, PASSWORD } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { openPage } from '../web/chromium.ts'
import { signIn } from './browser-flow.ts'

const sharedApp = sharedInFile(startApp)

test('the official client discovers, registers, signs in and refreshes in a browser', async (t) => {
  const { a, url, get, sql } = await sharedApp(t)
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
  const { state } = agent
  const { data } = await agent.call('list_games')
  assert.deepEqual(
    data.items.map(({ name }: any) => name),
    ['Tall Ship'],
  )
  assert.equal(
    (await agent.call('create_game', { name: 'No' })).refused?.code,
    4031,
    'a scope that was not granted was accepted',
  )
  const names = (await agent.list()).map(({ name }) => name)
  assert.ok(names.includes('get_game') && !names.includes('create_game'))

  const before = state.tokens.access_token
  await sql`update oauth_records set expires_at = now() where kind = 'AccessToken'`
  // Clear the cache instead of polling, because polling would fill the log that is read below.
  clearIdentityCache()
  assert.equal((await get('/api/v1/private/token', { token: before })).status, 401)
  assert.equal(
    (await agent.call('get_profile')).data.user.username,
    'skipper',
    'the client did not refresh its token',
  )
  assert.notEqual(state.tokens.access_token, before)

  const { calls } = must(await get('/api/v1/private/account/agent-calls', person))
  assert.deepEqual(
    calls
      .filter(({ tool }: any) => tool)
      .map(({ tool, credential_name, code }: any) => [tool, credential_name, code]),
    [
      ['get_profile', 'Deck hand', null],
      ['create_game', 'Deck hand', 4031],
      ['list_games', 'Deck hand', null],
    ],
  )
})

test('a person decides an approval in the browser by the emailed link', async (t) => {
  const { a, url, put, get } = await sharedApp(t)
  const owner = await a.verifiedDeveloper({ username: 'owner-of-it' })
  const listing = await a.listing({ owner, name: 'Tall Ship' })
  const { build_id } = await a.cleanBuild(listing, { version: '3.1', channel: 'beta' })
  const { key: token } = await a.key('agent', owner, ['mcp:build.write'])
  const promote = () =>
    put(`/api/v1/private/games/${listing.uid}/channels/stable`, { build_id }, { token })
  const { approval } = (await promote()).body.data
  const page = await openPage(t)
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
  assert.equal(must(await promote()).build_id, build_id)
  assert.equal(url, new URL(page.url()).origin)
})

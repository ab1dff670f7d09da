import assert from 'node:assert/strict'
import { test } from 'node:test'
import { duringReset } from '../accounts/reset-fixtures.ts'
import { startApp } from '../support/app.ts'
import { refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import {
  authorizeUrl,
  browser,
  consent,
  consentMark,
  grantedTokens,
  pkce,
  register,
} from './oauth-flow.ts'

const sharedApp = sharedInFile(startApp)

test('the consent page names host and scopes and works only in its own browser', async (t) => {
  const { a, url } = await sharedApp(t)
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
  assert.match(
    sent_to.location,
    /\/login\?next=%2Foauth%2Fconsent%2F/,
    'the sign-in page is not that of the website',
  )

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

  const form = { mark: consentMark(page.text), scopes: 'mcp:read', allow: 'yes' }
  assert.equal(
    (await browser(url, person.token).go(location)).status,
    404,
    'the page opened in another browser of the same person',
  )
  assert.equal((await browser(url, person.token).go(location, form)).status, 404)
  assert.equal(
    (await own.go(location, form, { 'sec-fetch-site': 'cross-site' })).status,
    403,
    'a form of another site was accepted',
  )
  assert.equal(
    (await own.go(location, { ...form, mark: 'other' })).status,
    403,
    'a form with another mark was accepted',
  )
  assert.equal((await own.go(location, form)).status, 303)
})

test('the redirect has code, state and issuer, or access_denied', async (t) => {
  const { a, url } = await sharedApp(t)
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
  const { a, url, sql } = await sharedApp(t)
  const person = await a.developer()
  const { client_id } = (await register(url)).body
  const own = browser(url, person.token)
  const { location } = await own.go(authorizeUrl(client_id, pkce().challenge))
  const page = await own.go(location)
  const form = { mark: consentMark(page.text), scopes: 'mcp:read', allow: 'yes' }
  const answer = await duringReset(sql, person.uid, () => own.go(location, form))
  assert.equal(answer.location, '/login')
  assert.equal((await sql`select from oauth_records where user_uid = ${person.uid}`).length, 0)
})

test('a person can grant fewer scopes and limit them to one project', async (t) => {
  const { a, url, get } = await sharedApp(t)
  const listing = await a.listing()
  const other = await a.listing({ owner: listing.owner })
  const { scope, access_token } = await grantedTokens(url, listing.owner, {
    parameters: { scope: 'mcp:read mcp:catalog.write mcp:bugs.read' },
    choice: { scopes: ['mcp:read', 'mcp:money'], game_uid: listing.uid },
  })
  assert.equal(scope, 'mcp:read', 'a scope was granted that was not requested')
  const token = access_token
  assert.equal((await get(`/api/v1/private/games/${listing.uid}`, { token })).status, 200)
  assert.deepEqual(refused(await get(`/api/v1/private/games/${other.uid}`, { token })), [404, 4040])
  const { body } = await get('/api/v1/private/token', { token })
  assert.deepEqual([body.data.game_uid, body.data.scopes], [listing.uid, ['mcp:read']])
})

test('the developer server needs developer mode', async (t) => {
  const { a, url } = await sharedApp(t)
  const person = await a.user()
  const { client_id } = (await register(url)).body
  const own = browser(url, person.token)
  const { location } = await own.go(authorizeUrl(client_id, pkce().challenge))
  const page = await own.go(location)
  assert.match(page.text, /developer mode/)
  assert.ok(!page.text.includes('name="allow"'))
  const player = await grantedTokens(url, person, { parameters: { scope: 'player:read' } })
  assert.equal(player.scope, 'player:read', 'the server for players needs developer mode')
})

test('on https the cookies of a consent are accepted over https only', async (t) => {
  const { a, url } = await startApp(t, { BASE_URL: 'https://store.example' })
  const person = await a.developer()
  const { client_id } = (await register(url)).body
  const path = authorizeUrl(client_id, pkce().challenge)
  const started = await browser(url, person.token).go(path)
  const cookies = started.headers.getSetCookie()
  const names = new Set(cookies.map((cookie) => cookie.split('=')[0]!.replace(/\.sig$/, '')))
  assert.deepEqual(names, new Set(['__Secure-svc_oauth_interaction', '__Secure-svc_oauth_resume']))
  for (const cookie of cookies) assert.match(cookie, /; secure; httponly/i)
  const { answer } = await consent(url, person, path)
  assert.ok(answer.code)
})

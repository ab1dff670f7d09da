import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweepRecords } from '../../src/agents/oauth/queries.ts'
import type { Sql } from '../../src/core/database/sql.ts'
import { startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import {
  DEVICE_CLIENT,
  decide,
  deviceCodes,
  deviceTokens,
  poll,
  requestDevice,
} from './device-flow.ts'
import { browser, register, token } from './oauth-flow.ts'

const sharedApp = sharedInFile(startApp)

const errorOf = ({ status, body }: { status: number; body: any }) => [status, body.error]

/** As if the device had waited since its last request. */
const wait = (sql: Sql, seconds: number) =>
  sql`update oauth_records set polled_at = polled_at - ${seconds} * interval '1 second'`

test('a device gets tokens with the scope player:read after its person allowed it', async (t) => {
  const { a, url, get, sql } = await sharedApp(t)
  const person = await a.user()
  const codes = await deviceCodes(url, { device_name: 'Deck\u202e in\nthe attic' })
  assert.match(codes.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  assert.deepEqual([codes.expires_in, codes.interval], [600, 5])
  assert.equal(new URL(codes.verification_uri).pathname, '/device')
  assert.equal(
    codes.verification_uri_complete,
    `${codes.verification_uri}?user_code=${codes.user_code}`,
  )
  const stored = JSON.stringify(await sql`select payload from oauth_records`)
  assert.ok(!stored.includes(codes.user_code.replace('-', '')), 'the code is readable')
  assert.ok(!stored.includes(codes.device_code), 'the code of the device is readable')
  assert.deepEqual(errorOf(await poll(url, codes.device_code)), [400, 'authorization_pending'])

  const { go } = browser(url, person.token)
  const page = await go(codes.verification_uri_complete)
  assert.equal(page.status, 200)
  assert.match(page.text, new RegExp(codes.user_code))
  assert.match(page.text, /Sign in on Deck in the attic\?/)
  assert.match(page.text, /could not buy, review or change/)
  assert.doesNotMatch(page.text, /not in the network of your browser/)
  // Opening the page allows nothing; typing the code in another way opens it too.
  await wait(sql, 5)
  assert.deepEqual(errorOf(await poll(url, codes.device_code)), [400, 'authorization_pending'])
  const typed = ` ${codes.user_code.toLowerCase().replace('-', ' ')}`
  assert.match((await go('/device', { user_code: typed })).text, /Sign in on Deck/)

  assert.equal((await go('/device', { user_code: typed, decision: 'allow' })).status, 303)
  const { status, body } = await poll(url, codes.device_code)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.scope, body.expires_in], ['player:read', 3600])
  const { data } = (await get('/api/v1/private/token', { token: body.access_token })).body
  assert.deepEqual([data.kind, data.scopes], ['player', ['player:read']])
  assert.equal(data.name, 'Slipway (Deck in the attic)')
  // The code of a device is used once; a second use ends what it gave.
  assert.deepEqual(errorOf(await poll(url, codes.device_code)), [400, 'invalid_grant'])
  assert.equal((await get('/api/v1/private/token', { token: body.access_token })).status, 401)
})

test('a device that asks too often has to wait longer each time', async (t) => {
  const { url, sql } = await sharedApp(t)
  const { device_code } = await deviceCodes(url)
  const next = async (seconds: number) => {
    await wait(sql, seconds)
    return (await poll(url, device_code)).body.error
  }
  assert.equal(await next(0), 'authorization_pending')
  assert.equal(await next(0), 'slow_down')
  assert.equal(await next(5), 'slow_down', 'the wait is ten seconds after the first slow_down')
  assert.equal(await next(15), 'authorization_pending')
  const other = await deviceCodes(url)
  const all = await Promise.all(Array.from({ length: 5 }, () => poll(url, other.device_code)))
  const errors = all.map(({ body }) => body.error).sort()
  assert.deepEqual(errors, ['authorization_pending', ...Array(4).fill('slow_down')])
})

test('a device learns that it was denied, and that its code expired', async (t) => {
  const { a, url, sql } = await sharedApp(t)
  const person = await a.user()
  const denied = await deviceCodes(url)
  const answer = await decide(url, person, denied.user_code, 'deny')
  assert.deepEqual([answer.status, answer.location], [303, '/device'])
  assert.deepEqual(errorOf(await poll(url, denied.device_code)), [400, 'access_denied'])
  assert.equal((await decide(url, person, denied.user_code)).status, 404)

  const late = await deviceCodes(url)
  await sql`
    update oauth_records
    set expires_at = now() - interval '1 second',
      payload = payload || jsonb_build_object('exp', extract(epoch from now())::int - 1)
    where kind = 'DeviceCode' and payload -> 'error' is null`
  await sql.begin((tx) => sweepRecords(tx as never, 30))
  assert.deepEqual(errorOf(await poll(url, late.device_code)), [400, 'expired_token'])
  const page = await decide(url, person, late.user_code)
  assert.equal(page.status, 404)
  assert.match(page.text, /No device waits with this code/)
  await sql`update oauth_records set expires_at = now() - interval '2 hours'`
  await sql.begin((tx) => sweepRecords(tx as never, 30))
  assert.deepEqual(errorOf(await poll(url, late.device_code)), [400, 'invalid_grant'])
})

test('only one of several answers to a device counts', async (t) => {
  const { a, url, get, sql } = await sharedApp(t)
  const people = [await a.user(), await a.user(), await a.user()]
  const { device_code, user_code } = await deviceCodes(url)
  const answers = await Promise.all(people.map((person) => decide(url, person, user_code)))
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [303, 404, 404])
  const winner = people[answers.findIndex(({ status }) => status === 303)]!
  const { body } = await poll(url, device_code)
  const { data } = (await get('/api/v1/private/token', { token: body.access_token })).body
  assert.equal(data.user.uid, winner.uid)
  const grants = await sql`
    select user_uid
    from oauth_records
    where kind = 'Grant' and user_uid = any(${people.map(({ uid }) => uid)})`
  assert.deepEqual(
    grants.map(({ user_uid }) => user_uid),
    [winner.uid],
  )
})

test('of requests with the code of a device at the same time, at most one gets tokens', async (t) => {
  const { a, url } = await sharedApp(t)
  const person = await a.user()
  for (let round = 0; round < 3; round++) {
    const { device_code, user_code } = await deviceCodes(url)
    assert.equal((await decide(url, person, user_code)).status, 303)
    const answers = await Promise.all(Array.from({ length: 8 }, () => poll(url, device_code)))
    const given = answers.filter(({ status }) => status === 200)
    assert.ok(given.length <= 1, `${given.length} requests got tokens`)
    assert.ok(answers.every(({ status }) => status === 200 || status === 400))
  }
})

test('codes of devices cannot be guessed, nor sent from another site', async (t) => {
  const { a, url } = await sharedApp(t)
  const person = await a.user()
  const { user_code } = await deviceCodes(url)
  const signed_out = await browser(url).go(`/device?user_code=${user_code}`)
  assert.equal(signed_out.status, 303)
  assert.match(signed_out.location, /^\/login\?next=.*device/)
  const { go } = browser(url, person.token)
  const form = { user_code, decision: 'allow' }
  const foreign = await go('/device', form, { 'sec-fetch-site': 'cross-site' })
  assert.equal(foreign.status, 403)
  // Codes that a device shows do not count.
  for (let i = 0; i < 12; i++)
    assert.equal((await go(`/device?user_code=${user_code}`)).status, 200)
  const statuses: number[] = []
  for (let i = 0; i < 12; i++) statuses.push((await go('/device?user_code=BBBB-BBBB')).status)
  assert.deepEqual(statuses, [...Array(10).fill(404), 429, 429])
  assert.equal((await decide(url, person, user_code)).status, 429)
  assert.equal((await decide(url, await a.user(), user_code)).status, 303)
})

test('a device gets no other scope, and no other client gets codes', async (t) => {
  const { a, url, post } = await sharedApp(t)
  const person = await a.verifiedDeveloper()
  const tokens = await deviceTokens(url, person, {
    scope: 'player:write mcp:write player:read',
    resource: `${url}/mcp`,
  })
  assert.equal(tokens.scope, 'player:read')
  const game = await a.listing({ owner: person })
  const asDevice = { token: tokens.access_token }
  const claim = await post(`/api/v1/private/library/${game.uid}`, {}, asDevice)
  assert.ok([403, 404].includes(claim.status), String(claim.status))
  const create = await post('/api/v1/private/games', { name: 'New' }, asDevice)
  assert.deepEqual(refused(create), [403, 4033])
  const { client_id } = (await register(url)).body
  const other = await requestDevice(url, { client_id })
  assert.deepEqual(errorOf(other), [400, 'invalid_request'])
  assert.equal((await requestDevice(url, { client_id: 'nobody' })).body.error, 'invalid_client')
  const codes = await deviceCodes(url)
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  const stolen = await token(url, { grant_type, client_id, device_code: codes.device_code })
  assert.equal(stolen.status, 400)
})

test('a device stays signed in until it signs out or its person revokes it', async (t) => {
  const { a, url, get, del } = await sharedApp(t)
  const person = await a.user()
  const client_id = DEVICE_CLIENT
  const works = async (access_token: string) =>
    (await get('/api/v1/private/library', { token: access_token })).status
  const first = await deviceTokens(url, person, { device_name: 'desk' })
  const { grants } = must(await get('/api/v1/private/account/agent-access', person))
  assert.deepEqual(
    [grants[0].client_name, grants[0].scopes, grants[0].server],
    ['Slipway (desk)', ['player:read'], '/player'],
  )
  const days = (Date.parse(grants[0].expires_at) - Date.parse(grants[0].created_at)) / 86_400_000
  assert.equal(Math.round(days), 180)
  const keys = await browser(url, person.token).go('/account/keys')
  assert.match(keys.text, /Slipway \(desk\)/)
  const { refresh_token } = first
  const second = await token(url, { grant_type: 'refresh_token', refresh_token, client_id })
  assert.equal(second.status, 200)
  assert.equal(await works(second.body.access_token), 200)
  const revoked = await fetch(new URL('/oauth/revoke', url), {
    method: 'POST',
    body: new URLSearchParams({ token: second.body.refresh_token, client_id }),
  })
  assert.equal(revoked.status, 200)
  assert.equal(await works(second.body.access_token), 401)

  const third = await deviceTokens(url, person)
  assert.equal(await works(third.access_token), 200)
  const [grant] = must(await get('/api/v1/private/account/agent-access', person)).grants
  assert.equal(grant.client_name, 'Slipway')
  must(await del(`/api/v1/private/account/agent-access/${grant.uid}`, person))
  assert.equal(await works(third.access_token), 401)
})

test('the metadata of the authorization server names the endpoint for devices', async (t) => {
  const { url } = await sharedApp(t)
  for (const path of ['', '/player']) {
    const address = new URL(`/.well-known/oauth-authorization-server${path}`, url)
    const metadata = (await (await fetch(address)).json()) as Record<string, any>
    assert.equal(new URL(metadata.device_authorization_endpoint).pathname, '/oauth/device')
    assert.ok(
      metadata.grant_types_supported.includes('urn:ietf:params:oauth:grant-type:device_code'),
    )
  }
})

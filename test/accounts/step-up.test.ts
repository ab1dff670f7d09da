import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { agentScopes, playerScopes } from '../../src/accounts/keys/scopes.ts'
import { clearIdentityCache } from '../../src/accounts/sessions/identity.ts'
import { routes } from '../../src/routes.ts'
import { startApp } from '../support/app.ts'
import { must, newAddress, PASSWORD, refused } from '../support/builders.ts'
import { chooseCases } from '../support/loop-count.ts'
import { sessionFields, sessionRequest } from '../uploads/fixtures.ts'
import { type Upload, upload } from '../uploads/forms.ts'
import { zip } from '../uploads/zips.ts'
import { browser } from '../web/browser.ts'
import { ACCOUNT } from './second-factor/fixtures.ts'

/** What needs a fresh proof. Changing the password or the address takes the password itself. */
const listed = `
  POST /api/v1/private/account/totp
  POST /api/v1/private/account/totp/confirm
  DELETE /api/v1/private/account/totp
  POST /api/v1/private/account/recovery-codes
  POST /api/v1/private/account/passkeys
  POST /api/v1/private/account/passkeys/options
  DELETE /api/v1/private/account/passkeys/:uid
  POST /api/v1/private/account/player-keys
  DELETE /api/v1/private/account/player-keys/:uid
  POST /api/v1/private/account/agent-keys
  DELETE /api/v1/private/account/agent-keys/:uid
  POST /api/v1/private/games/:uid/deploy-keys
  DELETE /api/v1/private/games/:uid/deploy-keys
  GET /api/v1/private/games/:uid/bug-reporter/signing-key
  POST /api/v1/private/games/:uid/bug-reporter/signing-key
  POST /api/v1/private/games/:uid/shared-secrets/replace
  DELETE /api/v1/private/games/:uid/shared-secrets
  GET /api/v1/private/operations/reports-webhook/signing-key
  POST /api/v1/private/operations/reports-webhook/signing-key
  DELETE /api/v1/private/games/:game_id/steam
  POST /api/v1/private/games/:game_id/steam/auth
  DELETE /api/v1/private/games/:game_id/steam/auth
  GET /api/v1/private/games/:game_id/steam/auth-key
  POST /api/v1/private/games/:game_id/steam/auth-key
  POST /api/v1/private/games/:game_id/steam/ticket-key
  PUT /api/v1/private/games/:game_id/steam/web-api-key
  POST /api/v1/private/games/:uid/admins
  DELETE /api/v1/private/games/:uid/admins/:user_uid
  PUT /api/v1/private/moderation/team/:username
  DELETE /api/v1/private/moderation/team/:username
  POST /api/v1/private/operations/people/:uid/export
  POST /api/v1/private/operations/people/:uid/delete
  PUT /api/v1/private/operations/people/:uid/operator
  DELETE /api/v1/private/operations/people/:uid/operator
  PUT /api/v1/private/operations/people/:uid/second-factor-reset
  PATCH /api/v1/private/games/:uid
  PUT /api/v1/private/games/:uid/price
  POST /api/v1/private/steam/import
  POST /api/v1/private/games/:game_id/steam/resync
  POST /api/v1/private/games/:uid/editions
  PATCH /api/v1/private/games/:uid/editions/:edition_uid
  DELETE /api/v1/private/games/:uid/editions/:edition_uid
  PUT /api/v1/private/games/:uid/offers
  POST /api/v1/private/games/:uid/sales
  DELETE /api/v1/private/games/:uid/sales/:sale_uid
  POST /api/v1/private/games/:uid/coupons
  DELETE /api/v1/private/games/:uid/coupons/:coupon_uid
  POST /api/v1/private/games/:uid/key-batches
  DELETE /api/v1/private/games/:uid/key-batches/:batch_uid
  POST /api/v1/private/sales/:order_uid/refund
  POST /api/v1/private/operations/orders/:order_uid/transfer-back
  DELETE /api/v1/private/games/:uid
  DELETE /api/v1/private/games/:uid/builds/:build_id
  PUT /api/v1/private/games/:uid/builds/:build_id/withdrawal
  DELETE /api/v1/private/games/:uid/builds/:build_id/withdrawal
  POST /api/v1/private/games/:uid/builds
  PUT /api/v1/private/games/:uid/channels/:channel
  POST /api/v1/private/approvals/:uid/approve
  POST /api/v1/private/approvals/:uid/confirm`

const bodies: Record<string, object> = {
  'POST /api/v1/private/account/totp/confirm': { code: '123456' },
  'POST /api/v1/private/account/passkeys': { name: 'Phone', response: {} },
  'POST /api/v1/private/account/player-keys': { name: 'Key', scopes: ['player:read'] },
  'POST /api/v1/private/account/agent-keys': { name: 'Key', scopes: ['mcp:read'] },
  'POST /api/v1/private/games/:game_id/steam/auth': { web_api_key: 'A'.repeat(32) },
  'PUT /api/v1/private/games/:game_id/steam/web-api-key': { web_api_key: 'A'.repeat(32) },
  'POST /api/v1/private/games/:uid/admins': { username: 'someone' },
  'POST /api/v1/private/operations/people/:uid/delete': { username: 'someone' },
  'PATCH /api/v1/private/games/:uid': { price_cents: 999 },
  'PUT /api/v1/private/games/:uid/price': { price_cents: 999 },
  'POST /api/v1/private/steam/import': { enable_auth: true },
  'PUT /api/v1/private/games/:uid/builds/:build_id/withdrawal': { reason: 'It deletes saves' },
  'PUT /api/v1/private/games/:uid/channels/:channel': { build_id: randomUUID() },
  'POST /api/v1/private/games/:uid/coupons': { code: 'CODE', percent: 5 },
  'POST /api/v1/private/games/:uid/key-batches': { label: 'Keys', size: 1 },
  'POST /api/v1/private/approvals/:uid/confirm': { code: '123456' },
  'POST /api/v1/private/operations/orders/:order_uid/transfer-back': {
    how: 'sent',
    reference: 'X',
  },
}

const nameOf = ({ method, url }: { method: string; url: string }) => `${method} ${url}`
const pathOf = (url: string) =>
  url.replace(':channel', 'stable').replace(/:\w+/g, () => randomUUID())

test('exactly these routes need a fresh proof', () => {
  const names = routes.filter(({ step_up }) => step_up).map(nameOf)
  assert.deepEqual(
    names.sort(),
    listed
      .trim()
      .split(/\s*\n\s*/)
      .sort(),
  )
})

test('a session needs a fresh proof on these routes only; keys are not asked', async (t) => {
  const { a, sql, call } = await startApp(t, { PROXY_HOPS: '1' })
  const person = await a.developer()
  await sql`insert into operators (user_uid) values (${person.uid})`
  const agent = await a.key(
    'agent',
    person,
    agentScopes.filter((scope) => /^mcp/.test(scope)),
  )
  const player = await a.key('player', person, [...playerScopes])
  const wrong: string[] = []
  const ended = ['/logout', '/account/delete', '/account/password']
  const tried = routes.filter(
    ({ url }) => url.startsWith('/api/v1/private/') && !ended.some((end) => url.endsWith(end)),
  )
  // Keys are tried where a session is asked, and on some of the other routes.
  const others = tried.filter(({ step_up }) => !step_up)
  const with_keys = new Set([
    ...tried.filter(({ step_up }) => step_up),
    ...chooseCases(t, others, 20),
  ])
  for (const route of tried) {
    const name = nameOf(route)
    await sql`
      update sessions set created_at = now() - interval '11 minutes', proved_at = null`
    const codeFor = async (token: string) => {
      const body = route.method === 'GET' ? {} : { body: bodies[name] ?? {} }
      const headers = newAddress()
      const answer = await call(route.method, pathOf(route.url), { token, headers, ...body })
      return answer.body?.error?.code
    }
    const code = await codeFor(person.token)
    if ((code === 4032) !== Boolean(route.step_up)) wrong.push(`${name}: session ${code}`)
    for (const { key } of with_keys.has(route) ? [agent, player] : [])
      if ((await codeFor(key)) === 4032) wrong.push(`${name}: a key is asked`)
  }
  assert.deepEqual(wrong, [])
})

/** A listing whose owner signed in eleven minutes ago. */
async function startOldSession(t: TestContext) {
  const app = await startApp(t)
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const { uid, owner } = listing
  const key = await app.a.deployer(listing)
  await app.sql`update sessions set created_at = now() - interval '11 minutes'`
  return { ...app, uid, owner, key, GAME: `/api/v1/private/games/${uid}` }
}

test('only promoting to stable needs a fresh proof, however it is spelled', async (t) => {
  const { put, owner, GAME } = await startOldSession(t)
  const promote = (channel: string) =>
    put(`${GAME}/channels/${channel}`, { build_id: randomUUID() }, owner)
  for (const channel of ['stable', 'STABLE', 'Stable', '%20stable', 'stable%09'])
    assert.deepEqual(refused(await promote(channel)), [403, 4032], channel)
  assert.notEqual((await promote('beta')).body.error.code, 4032)
})

test('a build for stable is uploaded on the website with a fresh proof only', async (t) => {
  const { call, post, owner, key, GAME } = await startOldSession(t)
  const system = { version: '1.0', os: 'linux', arch: 'x86_64' }
  for (const channel of [undefined, '', 'stable', 'STABLE'])
    assert.deepEqual(
      refused(await post(`${GAME}/builds`, { ...system, channel }, owner)),
      [403, 4032],
      channel,
    )
  const { build_id } = must(await post(`${GAME}/builds`, { ...system, channel: 'beta' }, owner))
  const stable = must(await post('/api/v1/tool/upload/build', system, key)).build_id
  const file = zip([{ name: 'game', body: Buffer.from('stable'), method: 0 }])
  const headers = { authorization: `Bearer ${owner.token}` }
  const open = (fields: Upload) =>
    call('POST', `${GAME}/files/sessions`, sessionRequest(fields, { headers }))
  const send = (fields: Upload) => call('POST', `${GAME}/files`, upload(file, fields, { headers }))
  for (const [build, channel, is_refused] of [
    [build_id, '', false],
    [build_id, 'stable', true],
    [stable, '', true],
    [stable, 'beta', false],
  ] as const) {
    const expected = is_refused ? 4032 : undefined
    const fields = { ...sessionFields(file, build), channel }
    assert.equal((await open(fields)).body.error?.code, expected, `session, channel ${channel}`)
    const sent = await send({ build_id: build, channel })
    assert.equal(sent.body.error?.code, expected, `file, channel ${channel}`)
  }
  must(await post(`${ACCOUNT}/confirm-password`, { password: PASSWORD }, owner))
  must(await open(sessionFields(file, stable)))
})

test('a price changes with a fresh proof only, by an edit, an import or a sync', async (t) => {
  const { call, post, owner, uid, GAME } = await startOldSession(t)
  const edit = (body: object) => call('PATCH', GAME, { token: owner.token, body })
  assert.deepEqual(refused(await edit({ price_cents: 999 })), [403, 4032])
  assert.deepEqual(refused(await edit({ name: 'Free now', price_cents: 0 })), [403, 4032])
  must(await edit({ name: 'Another name' }))
  const importInto = (body: object) => post('/api/v1/private/steam/import', body, owner)
  const sync = (body: object) => post(`${GAME}/steam/resync`, body, owner)
  for (const groups of [undefined, null, ['price'], ['text', 'price']]) {
    assert.deepEqual(refused(await importInto({ game_uid: uid, groups })), [403, 4032])
    assert.deepEqual(refused(await sync({ groups })), [403, 4032])
  }
  assert.deepEqual(refused(await importInto({ enable_auth: true, groups: ['text'] })), [403, 4032])
  for (const answer of [
    await importInto({ game_uid: uid, groups: ['text'] }),
    await importInto({}),
    await sync({ groups: ['text'] }),
  ])
    assert.notEqual(answer.body.error.code, 4032)
})

test('signing in and registering are proofs for ten minutes', async (t) => {
  const { post, sql } = await startApp(t)
  const account = { username: 'newcomer', email: 'new@example.com', password: PASSWORD }
  const { session } = must(await post(`${ACCOUNT}/register`, account))
  const key = { name: 'Key', scopes: ['player:read'] }
  must(await post(`${ACCOUNT}/player-keys`, key, session))
  await sql`update sessions set created_at = now() - interval '11 minutes'`
  assert.deepEqual(refused(await post(`${ACCOUNT}/player-keys`, key, session)), [403, 4032])
  const login = { login: account.username, password: PASSWORD }
  const again = must(await post(`${ACCOUNT}/login`, login)).session
  must(await post(`${ACCOUNT}/player-keys`, key, again))
  assert.deepEqual(refused(await post(`${ACCOUNT}/player-keys`, key, session)), [403, 4032])
  must(await post(`${ACCOUNT}/confirm-password`, { password: PASSWORD }, session))
  must(await post(`${ACCOUNT}/player-keys`, key, session))
})

test('a page asks for the proof and sends what was typed', async (t) => {
  const app = await startApp(t)
  const { token } = await app.a.user()
  const visitor = browser(app)
  visitor.as(token)
  await app.sql`update sessions set created_at = now() - interval '11 minutes'`
  clearIdentityCache()
  const fields = { name: 'My key', scopes: ['player:read', 'player:write'] }
  const prompt = await visitor.send('/account/keys/player', fields)
  assert.equal(prompt.status, 403)
  const pending_form = prompt.body
    .match(/name="pending_form" value="([^"]*)"/)![1]!
    .replaceAll('&quot;', '"')
  const proved = await visitor.send('/account/confirm', { pending_form, password: PASSWORD })
  const sent = [...proved.body.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)]
  assert.deepEqual(
    sent.map(([, name, value]) => [name, value]),
    [
      ['name', 'My key'],
      ['scopes', 'player:read'],
      ['scopes', 'player:write'],
    ],
  )
  assert.match(proved.body, /action="\/account\/keys\/player"/)
  assert.match((await visitor.send('/account/keys/player', fields)).body, /svc_play_/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, newAddress, refused } from '../support/builders.ts'
import { settingsPath, sharedExtstoreApp, WEB_API_KEY } from './fixtures.ts'

const startApp = sharedExtstoreApp()

/** Every route of the settings: method, path suffix and a valid body. */
const routes = [
  ['GET', '', undefined],
  ['DELETE', '', undefined],
  ['POST', '/auth', { web_api_key: WEB_API_KEY }],
  ['DELETE', '/auth', undefined],
  ['GET', '/auth-key', undefined],
  ['POST', '/auth-key', undefined],
  ['POST', '/ticket-key', undefined],
  ['PUT', '/web-api-key', { web_api_key: WEB_API_KEY }],
] as const

test('a listing that is not linked is 4244 on every settings route', async () => {
  const { a, call } = await startApp()
  const { uid, owner } = await a.listing()
  for (const [method, more, body] of routes)
    assert.deepEqual(
      refused(await call(method, settingsPath(uid, more), { body, token: owner.token })),
      [404, 4244],
      more,
    )
})

test('only owner and accepted admins see the settings; others get the same 404', async () => {
  const { a, game, call, post } = await startApp()
  const linkedGame = await game()
  const [admin, invited, stranger] = [await a.developer(), await a.developer(), await a.developer()]
  const { owner } = linkedGame.listing
  for (const { username } of [admin, invited])
    must(await post(`/api/v1/private/games/${linkedGame.uid}/admins`, { username }, owner))
  must(await post(`/api/v1/private/invites/${linkedGame.uid}/accept`, undefined, admin))
  for (const [method, more, body] of routes)
    for (const { token } of [invited, stranger])
      assert.deepEqual(
        refused(await call(method, settingsPath(linkedGame.uid, more), { body, token })),
        [404, 4040],
        more,
      )
  assert.equal(
    must(await call('GET', settingsPath(linkedGame.uid, '/auth-key'), admin)).auth_key,
    linkedGame.auth_key,
  )
  assert.deepEqual(refused(await call('GET', settingsPath(linkedGame.uid))), [401, 4010])
})

test('agent tokens and player keys are 4033 on every settings route', async () => {
  const { a, game, call } = await startApp()
  const linkedGame = await game()
  const { owner } = linkedGame.listing
  const keys = [
    await a.key('agent', owner, ['mcp:write', 'mcp:money']),
    await a.key('player', owner, ['player:read']),
  ]
  for (const [method, more, body] of routes)
    for (const { key } of keys) {
      const answer = await call(method, settingsPath(linkedGame.uid, more), { body, token: key })
      assert.deepEqual(refused(answer), [403, 4033], more)
      assert.ok(!JSON.stringify(answer.body).includes(linkedGame.auth_key))
    }
})

test('the settings show app, URLs, ticket key and the end of the auth key', async () => {
  const { linked, game, get, url } = await startApp()
  const off = await linked()
  const base = (uid: string) => `${url}/api/v1/extstore/${uid}`
  const settings = must(await get(settingsPath(off.listing.uid), off.listing.owner))
  assert.deepEqual([settings.app_id, settings.app_name], [off.app_id, `App ${off.app_id}`])
  assert.ok(Date.parse(settings.linked_at) && Date.parse(settings.last_synced_at))
  const urls = (uid: string) => ({
    auth: `${base(uid)}/auth`,
    refresh: `${base(uid)}/refresh`,
    verify: `${base(uid)}/server/verify`,
    revoke: `${base(uid)}/server/revoke`,
    ownership: `${base(uid)}/server/ownership/{extstore_id}`,
  })
  assert.deepEqual(settings.auth, {
    enabled: false,
    web_api_key_set: false,
    urls: urls(off.listing.uid),
  })
  const linkedGame = await game()
  const answer = await get(settingsPath(linkedGame.uid), linkedGame.listing.owner)
  const auth = {
    enabled: true,
    ticket_key: linkedGame.ticket_key,
    auth_key_last4: linkedGame.auth_key.slice(-4),
    web_api_key_set: true,
    urls: urls(linkedGame.uid),
  }
  assert.deepEqual(must(answer).auth, auth)
  assert.ok(
    !JSON.stringify(answer.body).includes(linkedGame.auth_key) &&
      !JSON.stringify(answer.body).includes(linkedGame.web_api_key),
  )
})

test('unlinking removes the link and keeps the listing', async () => {
  const { game, signIn, verify, del, get, sql } = await startApp()
  const linkedGame = await game()
  const session = await signIn(linkedGame)
  const { owner } = linkedGame.listing
  assert.deepEqual(must(await del(settingsPath(linkedGame.uid), owner)), {})
  assert.deepEqual(refused(await get(settingsPath(linkedGame.uid), owner)), [404, 4244])
  assert.deepEqual(refused(await del(settingsPath(linkedGame.uid), owner)), [404, 4244])
  assert.deepEqual(refused(await verify(linkedGame, session.token)), [404, 4245])
  for (const rows of [
    await sql`select from secrets where game_uid = ${linkedGame.uid}`,
    await sql`select from extstore_sign_in where game_uid = ${linkedGame.uid}`,
    await sql`select from extstore_links where game_uid = ${linkedGame.uid}`,
  ])
    assert.equal(rows.length, 0)
  assert.equal(
    must(await get(`/api/v1/private/games/${linkedGame.uid}`, owner)).uid,
    linkedGame.uid,
  )
})

test('keys that were lost with the secrets key are replaced', async () => {
  const { game, signIn, verify, get, post, put, sql } = await startApp()
  const linkedGame = await game()
  const { owner } = linkedGame.listing
  const path = (more: string) => settingsPath(linkedGame.uid, more)
  // As `npm run admin -- secrets replace-lost` does.
  await sql`delete from secrets where game_uid = ${linkedGame.uid}`
  const lost = await get(path('/auth-key'), owner)
  assert.deepEqual(refused(lost), [404, 4245])
  assert.match(lost.body.error.message, /Make a new one/)
  must(await post(path('/auth-key'), undefined, owner))
  must(await put(path('/web-api-key'), { web_api_key: linkedGame.web_api_key }, owner))
  const { auth_key } = must(await get(path('/auth-key'), owner))
  const session = await signIn(linkedGame)
  must(await verify({ ...linkedGame, auth_key }, session.token))
})

test('every change of a key is recorded in the audit log without secrets', async () => {
  const { game, post, put, del, get, sql } = await startApp()
  const linkedGame = await game()
  const { owner } = linkedGame.listing
  const { auth_key } = must(await post(settingsPath(linkedGame.uid, '/auth-key'), undefined, owner))
  const { ticket_key } = must(
    await post(settingsPath(linkedGame.uid, '/ticket-key'), undefined, owner),
  )
  must(
    await put(
      settingsPath(linkedGame.uid, '/web-api-key'),
      { web_api_key: linkedGame.web_api_key },
      owner,
    ),
  )
  must(await del(settingsPath(linkedGame.uid, '/auth'), owner))
  must(await del(settingsPath(linkedGame.uid), owner))
  await get(settingsPath(linkedGame.uid), owner)
  const rows = await sql`
    select user_uid, action, detail
    from audit_entries
    where game_uid = ${linkedGame.uid}
    order by uid`
  assert.deepEqual(
    rows.map(({ action }) => action),
    [
      'turn-on',
      'reveal-auth-key',
      'new-auth-key',
      'new-ticket-key',
      'replace-web-api-key',
      'turn-off',
      'unlink',
    ].map((verb) => `extstore.${verb}`),
  )
  assert.ok(
    rows.every(
      ({ user_uid, detail }) => user_uid === owner.uid && detail.app_id === linkedGame.app_id,
    ),
  )
  const text = JSON.stringify(rows)
  for (const secret of [linkedGame.auth_key, auth_key, ticket_key, linkedGame.web_api_key])
    assert.ok(!text.includes(secret))
})

test('deleting a listing for good deletes its link and keys and frees its app', async () => {
  const { game, verify, signIn, del, sql, a } = await startApp()
  const linkedGame = await game()
  const { token } = await signIn(linkedGame)
  must(await del(`/api/v1/private/games/${linkedGame.uid}`, linkedGame.listing.owner))
  assert.deepEqual(refused(await verify(linkedGame, token)), [404, 4245])
  await sql`delete from all_listings where uid = ${linkedGame.uid}`
  assert.equal((await sql`select from secrets where game_uid = ${linkedGame.uid}`).length, 0)
  const { uid } = await a.listing()
  await sql`
    insert into extstore_links (game_uid, app_id, app_name)
    values (${uid}, ${linkedGame.app_id}, 'again')`
})

test('limits changes of the settings to 60 an hour per account', async () => {
  const { a, game, call } = await startApp()
  const linkedGame = await game(await a.listing())
  // Creating the game used two changes.
  for (let i = 2; i < 60; i++)
    assert.equal(
      (
        await call('GET', settingsPath(linkedGame.uid, '/auth-key'), {
          token: linkedGame.listing.owner.token,
          headers: newAddress(),
        })
      ).status,
      200,
    )
  assert.deepEqual(
    refused(
      await call('POST', settingsPath(linkedGame.uid, '/auth-key'), {
        token: linkedGame.listing.owner.token,
        headers: newAddress(),
      }),
    ),
    [429, 4290],
  )
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { newToken } from '../../src/core/security/crypto.ts'
import { startApp } from '../support/app.ts'
import { addAdmin, must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'

const sharedApp = sharedInFile(startApp)

const keys = (uid: string) => `/api/v1/private/games/${uid}/deploy-keys`
const BUILDS = '/api/v1/tool/builds'

type Pair = { access_token?: string; secret_key?: string }
const sending = ({ access_token, secret_key }: Pair) => ({
  headers: {
    ...(access_token && { 'x-access-token': access_token }),
    ...(secret_key && { 'x-secret-key': secret_key }),
  },
})

test('a deploy key pair is shown once, listed by its prefix, and opens its own game', async (t) => {
  const { post, get, a } = await sharedApp(t)
  const game = await a.listing()
  const made = await post(keys(game.uid), undefined, game.owner)
  assert.equal(made.status, 201)
  const { access_token, secret_key, prefix, uid } = made.body.data
  assert.match(access_token, /^svc_dat_\w{49}$/)
  assert.match(secret_key, /^svc_dsk_\w{49}$/)
  assert.equal(prefix, access_token.slice(0, 16))
  const listed = must(await get(keys(game.vanity_name), game.owner))
  assert.deepEqual(
    listed.keys.map(({ created_at, ...key }: { created_at: string }) => key),
    [{ uid, prefix }],
  )
  assert.equal(JSON.stringify(listed).includes(secret_key), false)
  assert.equal(must(await get('/api/v1/tool/info', sending(made.body.data))).game_uid, game.uid)
})

test('a deploy key pair is not stored in a readable form', async (t) => {
  const { post, sql, a } = await sharedApp(t)
  const game = await a.listing()
  const { access_token, secret_key } = must(await post(keys(game.uid), undefined, game.owner))
  const [row] = await sql`select k::text as text from deploy_keys k`
  for (const secret of [access_token, secret_key, access_token.slice(20), secret_key.slice(20)])
    assert.ok(!row!.text.includes(secret))
})

test('each kind of invalid key pair has its own error code', async (t) => {
  const { post, get, a } = await sharedApp(t)
  const [game, other] = [await a.listing(), await a.listing()]
  const pair = must(await post(keys(game.uid), undefined, game.owner))
  const others = must(await post(keys(other.uid), undefined, other.owner))
  const refusalOf = async (sent: Pair) => refused(await get(BUILDS, sending(sent)))
  assert.deepEqual(await refusalOf({}), [401, 4020])
  assert.deepEqual(await refusalOf({ secret_key: pair.secret_key }), [401, 4020])
  assert.deepEqual(await refusalOf({ access_token: pair.access_token }), [401, 4021])
  assert.deepEqual(await refusalOf({ ...pair, access_token: newToken('svc_dat_') }), [401, 4022])
  assert.deepEqual(await refusalOf({ ...pair, access_token: 'nonsense' }), [401, 4022])
  assert.deepEqual(await refusalOf({ ...pair, access_token: pair.secret_key }), [401, 4022])
  assert.deepEqual(await refusalOf({ ...pair, secret_key: newToken('svc_dsk_') }), [401, 4024])
  assert.deepEqual(await refusalOf({ ...pair, secret_key: others.secret_key }), [401, 4024])
  assert.deepEqual(await refusalOf({ ...pair, secret_key: `${pair.secret_key}x` }), [401, 4024])
  assert.equal((await get(BUILDS, sending(pair))).status, 200)
})

test('a new pair revokes the earlier pairs of its game only', async (t) => {
  const { post, get, a } = await sharedApp(t)
  const [game, other] = [await a.listing(), await a.listing()]
  const first = must(await post(keys(game.uid), undefined, game.owner))
  const elsewhere = must(await post(keys(other.uid), undefined, other.owner))
  const second = must(await post(keys(game.uid), undefined, game.owner))
  assert.deepEqual(refused(await get(BUILDS, sending(first))), [401, 4023])
  assert.deepEqual(
    refused(await get(BUILDS, sending({ ...first, secret_key: second.secret_key }))),
    [401, 4024],
  )
  assert.equal((await get(BUILDS, sending(second))).status, 200)
  assert.equal((await get(BUILDS, sending(elsewhere))).status, 200)
  assert.equal(must(await get(keys(game.uid), game.owner)).keys.length, 1)
})

test('of key pairs issued concurrently, exactly one works', async (t) => {
  const { post, get, a } = await sharedApp(t)
  const game = await a.listing()
  const pairs = (
    await Promise.all(Array.from({ length: 6 }, () => post(keys(game.uid), undefined, game.owner)))
  ).map(must)
  const answers = await Promise.all(pairs.map((pair) => get(BUILDS, sending(pair))))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401, 401])
})

test('deleting revokes the keys and returns how many', async (t) => {
  const { post, get, del, a } = await sharedApp(t)
  const game = await a.listing()
  const pair = must(await post(keys(game.uid), undefined, game.owner))
  assert.deepEqual(must(await del(keys(game.uid), game.owner)), { revoked: 1 })
  assert.deepEqual(must(await del(keys(game.uid), game.owner)), { revoked: 0 })
  assert.deepEqual(refused(await get(BUILDS, sending(pair))), [401, 4023])
  assert.deepEqual(must(await get(keys(game.uid), game.owner)), { keys: [] })
})

test('issuing needs developer mode, and the keys of others are 404', async (t) => {
  const { post, get, del, a } = await sharedApp(t)
  const game = await a.listing()
  assert.deepEqual(refused(await post(keys(game.uid), undefined, await a.user())), [403, 4105])
  const stranger = await a.developer()
  for (const answer of [
    await post(keys(game.uid), undefined, stranger),
    await get(keys(game.uid), stranger),
    await del(keys(game.uid), stranger),
  ])
    assert.deepEqual(refused(answer), [404, 4040])
  assert.deepEqual(refused(await post(keys(randomUUID()), undefined, stranger)), [404, 4040])
})

test('an accepted admin can issue keys, an invited one cannot', async (t) => {
  const { post, sql, a } = await sharedApp(t)
  const game = await a.listing()
  const admin = await a.developer()
  await addAdmin(sql, game.uid, admin.uid, false)
  assert.deepEqual(refused(await post(keys(game.uid), undefined, admin)), [404, 4040])
  await sql`update listing_admins set accepted_at = now()`
  assert.equal((await post(keys(game.uid), undefined, admin)).status, 201)
})

test('an agent key can list deploy keys, but neither issue nor revoke them', async (t) => {
  const { post, get, del, a } = await sharedApp(t)
  const game = await a.listing()
  const { key: token } = await a.key('agent', game.owner, ['mcp:write'])
  assert.deepEqual(must(await get(keys(game.uid), { token })), { keys: [] })
  assert.deepEqual(refused(await post(keys(game.uid), undefined, { token })), [403, 4033])
  assert.deepEqual(refused(await del(keys(game.uid), { token })), [403, 4033])
})

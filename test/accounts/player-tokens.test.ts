import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  jwtVerify,
  SignJWT,
} from 'jose'
import { issuePlayerToken, verifyPlayerToken } from '../../src/accounts/sessions/player-tokens.ts'
import { publicKeys } from '../../src/accounts/sessions/signing-keys.ts'
import { HOUR_MS } from '../../src/core/runtime/units.ts'
import { GAMES, startLibraryApp } from '../library/fixtures.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'

const startShared = sharedInFile(startLibraryApp)

const NOTICES = (uid: string) => `/api/v1/games/${uid}/bugs/notices`

test('a player token is signed with EdDSA for one game and one hour', async (t) => {
  const { url, post, game, player } = await startShared(t)
  const { uid } = await game()
  const someone = await player()
  const started_at = Math.floor(Date.now() / 1000)
  const { token, expires_at } = must(await post(`${GAMES}/${uid}/player-token`, undefined, someone))
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', url))
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer: url,
    audience: `game:${uid}`,
    algorithms: ['EdDSA'],
  })
  assert.equal(payload.sub, someone.uid)
  assert.equal(payload.exp! - payload.iat!, 3600)
  assert.ok(payload.iat! >= started_at && payload.iat! <= started_at + 60)
  assert.equal(Date.parse(expires_at), payload.exp! * 1000)
  assert.ok(protectedHeader.kid)
  await assert.rejects(jwtVerify(token, keys, { audience: `game:${someone.uid}` }))
})

test('published keys contain no private part and may be read by any site', async (t) => {
  const { get } = await startShared(t)
  const { body, headers } = await get('/.well-known/jwks.json')
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.ok(body.keys.length >= 2)
  for (const key of body.keys) {
    assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
    assert.deepEqual([key.alg, key.crv, key.kty, key.use], ['EdDSA', 'Ed25519', 'OKP', 'sig'])
  }
})

test('a token needs a visible page, or a copy of a listing that was hidden later', async (t) => {
  const { post, game, player, show, fan, admin } = await startShared(t)
  const { uid, vanity_name, owner } = await game('draft')
  const stranger = await player()
  const requestToken = (who: { token: string }, name = uid) =>
    post(`${GAMES}/${name}/player-token`, undefined, who)
  assert.deepEqual(refused(await requestToken(stranger)), [404, 4040])
  assert.equal((await requestToken(owner)).status, 200)
  assert.equal((await requestToken(await admin(uid))).status, 200)
  assert.deepEqual(refused(await requestToken(await admin(uid, false))), [404, 4040])
  await show(uid, 'invisible')
  assert.equal((await requestToken(stranger, vanity_name)).status, 200)
  const holder = await fan(uid)
  await show(uid, 'owner')
  assert.equal((await requestToken(holder)).status, 200)
  assert.equal((await requestToken(holder, vanity_name)).status, 200)
  assert.deepEqual(refused(await requestToken(stranger)), [404, 4040])
})

test('refuses a token to anonymous callers, agent keys and read-only player keys', async (t) => {
  const { post, game, player, a } = await startShared(t)
  const { uid, owner } = await game()
  const someone = await player()
  const requestToken = (token?: string) =>
    post(`${GAMES}/${uid}/player-token`, undefined, token ? { token } : {})
  assert.deepEqual(refused(await requestToken()), [401, 4010])
  assert.deepEqual(
    refused(await requestToken((await a.key('agent', owner, ['mcp:write'])).key)),
    [403, 4033],
  )
  assert.deepEqual(
    refused(await requestToken((await a.key('player', someone, ['player:read'])).key)),
    [403, 4031],
  )
  assert.equal(
    (await requestToken((await a.key('player', someone, ['player:write'])).key)).status,
    200,
  )
})

test('a valid player token is of the wrong kind elsewhere, an expired one is invalid', async (t) => {
  const { core, get, game, player } = await startShared(t)
  const { uid } = await game()
  const someone = await player()
  const issued = (ago_ms: number) =>
    issuePlayerToken(core, someone.uid, uid, new Date(Date.now() - ago_ms)).token
  const search = (token: string) => get('/api/v1/public/search', { token })
  assert.deepEqual(refused(await search(issued(0))), [403, 4033])
  assert.deepEqual(refused(await search(issued(HOUR_MS + 1000))), [401, 4010])
  assert.deepEqual(refused(await search(`${issued(0).slice(0, -4)}AAAA`)), [401, 4010])
  assert.equal((await get('/api/v1/public/store-rules', { token: issued(0) })).status, 200)
  assert.deepEqual(
    refused(await get('/api/v1/public/store-rules', { token: issued(HOUR_MS + 1000) })),
    [401, 4010],
  )
})

test('rejects a token that was altered, expired, or issued for another game', async (t) => {
  const { core, game, player } = await startShared(t)
  const { uid } = await game()
  const other = await game()
  const someone = await player()
  const now = new Date()
  const { token } = await issuePlayerToken(core, someone.uid, uid, now)
  const check = (text: string, game_uid = uid, at = now) =>
    verifyPlayerToken(core, text, game_uid, at)
  assert.equal(await check(token), someone.uid)
  assert.equal(await check(token, other.uid), undefined)
  assert.equal(await check(token, uid, new Date(now.getTime() + HOUR_MS - 2000)), someone.uid)
  assert.equal(await check(token, uid, new Date(now.getTime() + HOUR_MS + 1000)), undefined)
  const [head, claims, signature] = token.split('.') as [string, string, string]
  const forged = Buffer.from(
    JSON.stringify({
      ...JSON.parse(Buffer.from(claims, 'base64url').toString()),
      sub: other.owner.uid,
    }),
  )
  assert.equal(await check(`${head}.${forged.toString('base64url')}.${signature}`), undefined)
  assert.equal(
    await check(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`),
    undefined,
  )
  for (const junk of ['', 'a.b.c', '...', `${token}x`]) assert.equal(await check(junk), undefined)
})

test('rejects a token signed with another key or with the public key as secret', async (t) => {
  const { core, get, game, player } = await startShared(t)
  const { uid } = await game()
  const someone = await player()
  const [published] = publicKeys(core.secrets, new Date()).slice(1)
  const otherKey = generateKeyPairSync('ed25519')
  const forged = await new SignJWT()
    .setProtectedHeader({ alg: 'EdDSA', kid: published!.kid })
    .setIssuer(core.addresses.issuer)
    .setAudience(`game:${uid}`)
    .setSubject(someone.uid)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(otherKey.privateKey)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const header = { alg: 'HS256', kid: published!.kid }
  const claims = {
    iss: core.addresses.issuer,
    aud: `game:${uid}`,
    sub: someone.uid,
    exp: 9e9,
  }
  const text = `${part(header)}.${part(claims)}`
  const confused = `${text}.${createHmac('sha256', published!.x).update(text).digest('base64url')}`
  for (const token of [forged, confused])
    assert.deepEqual(refused(await get(NOTICES(uid), { token })), [401, 4010])
})

test('a key is published before it signs, and its tokens verify after rotation', async (t) => {
  const { core, game, player } = await startShared(t)
  const { uid } = await game()
  const someone = await player()
  const month = 30 * 24 * HOUR_MS
  const rotation = Math.ceil(Date.now() / month) * month
  const before = new Date(rotation - 60_000)
  const after = new Date(rotation + 60_000)
  const old = await issuePlayerToken(core, someone.uid, uid, before)
  const fresh = await issuePlayerToken(core, someone.uid, uid, after)
  assert.notEqual(decodeProtectedHeader(old.token).kid, decodeProtectedHeader(fresh.token).kid)
  assert.equal(await verifyPlayerToken(core, old.token, uid, after), someone.uid)
  await jwtVerify(fresh.token, createLocalJWKSet({ keys: publicKeys(core.secrets, before) }), {
    currentDate: after,
  })
  const late = new Date(rotation + 2 * month)
  assert.ok(
    !publicKeys(core.secrets, late).some(({ kid }) => kid === decodeProtectedHeader(old.token).kid),
  )
})

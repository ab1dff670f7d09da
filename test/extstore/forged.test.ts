import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, randomBytes, sign as signAsymmetric } from 'node:crypto'
import { test } from 'node:test'
import { must } from '../support/builders.ts'
import { loopCount } from '../support/loop-count.ts'
import { claimsOf, type Game, sharedExtstoreApp } from './fixtures.ts'

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Besides the forgeries of every kind, the rest is damaged at as many positions. */
const TOKENS = loopCount({ short: 150, full: 500 })

const startApp = sharedExtstoreApp()
const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const hmac = (hash: string, key: string | Buffer, header: unknown, claims: unknown) => {
  const signed = `${encode(header)}.${encode(claims)}`
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`
}
const HEADER = { alg: 'HS512', typ: 'JWT' }
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Plausible tokens with one defect each. */
function forgeries(game: Game, other: Game, token: string): string[] {
  const claims = claimsOf(token)
  const [head, payload, signature] = token.split('.') as [string, string, string]
  const pem = keys.publicKey.export({ type: 'spki', format: 'pem' })
  const rsa = `${encode({ alg: 'RS512', typ: 'JWT' })}.${payload}`
  const right = (header: unknown, changed: object) =>
    hmac('sha512', game.auth_key, header, { ...claims, ...changed })
  return [
    // Another key, or none.
    hmac('sha512', other.auth_key, HEADER, claims),
    hmac('sha512', '', HEADER, claims),
    hmac('sha512', game.ticket_key, HEADER, claims),
    hmac('sha512', game.web_api_key, HEADER, claims),
    hmac('sha512', game.uid, HEADER, claims),
    hmac('sha512', pem, HEADER, claims),
    hmac('sha512', Buffer.from(game.auth_key, 'base64'), HEADER, claims),
    // Another algorithm.
    hmac('sha256', game.auth_key, { alg: 'HS256', typ: 'JWT' }, claims),
    hmac('sha384', game.auth_key, { alg: 'HS384', typ: 'JWT' }, claims),
    hmac('sha256', game.auth_key, HEADER, claims),
    hmac('sha512', game.auth_key, { alg: 'HS256', typ: 'JWT' }, claims),
    hmac('sha512', game.auth_key, { alg: 'hs512', typ: 'JWT' }, claims),
    hmac('sha512', game.auth_key, { alg: 'none', typ: 'JWT' }, claims),
    hmac('sha512', game.auth_key, { typ: 'JWT' }, claims),
    hmac('sha512', game.auth_key, { alg: 'HS512', typ: 'JWT', crit: ['b64'], b64: false }, claims),
    `${encode({ alg: 'none' })}.${payload}.`,
    `${encode({ alg: 'none' })}.${payload}.${signature}`,
    `${rsa}.${signAsymmetric('sha512', Buffer.from(rsa), keys.privateKey).toString('base64url')}`,
    // Signed with the right key, but never issued or for another game or player.
    right(HEADER, { jti: '01890000-0000-7000-8000-000000000000' }),
    right(HEADER, { gid: other.uid }),
    right(HEADER, { aud: `extstore:${other.app_id}` }),
    right(HEADER, { aud: [claims.aud] }),
    right(HEADER, { jti: undefined }),
    right(HEADER, { jti: 'x' }),
    right(HEADER, { sub: undefined }),
    right(HEADER, { exp: undefined }),
    right(HEADER, { exp: '9999999999' }),
    right(HEADER, { exp: 1e300 }),
    right(HEADER, { own: false }),
    right(HEADER, { exp: claims.exp + 1 }),
    right(HEADER, { exp: claims.exp - 1 }),
    right(HEADER, { sub: '76561198000009999' }),
    right(HEADER, { osid: '76561198000009999' }),
    hmac('sha512', game.auth_key, HEADER, null),
    hmac('sha512', game.auth_key, HEADER, []),
    hmac('sha512', game.auth_key, HEADER, 'not json'),
    // Incomplete or concatenated tokens.
    head,
    `${head}.${payload}`,
    `${head}.${payload}.`,
    `.${payload}.${signature}`,
    `${head}..${signature}`,
    `${token}.${signature}`,
    `${token}A`,
    `${token}=`,
    ` ${token}`,
    `${token} `,
    `Bearer ${token}`,
    `${head}.${payload}.${signature.slice(0, -1)}`,
    // The last of 86 characters contains four unused bits.
    `${token.slice(0, -1)}${BASE64URL[BASE64URL.indexOf(token.at(-1)!) + 1] ?? 'B'}`,
    `${head}.${payload}.${signature.replaceAll('-', '+').replaceAll('_', '/')}==`,
    `${head}.${encode({ ...claims, vac: !claims.vac })}.${signature}`,
    `${head}.${encode({ ...claims, exp: claims.exp + 1 })}.${signature}`,
    `${head}.${payload}=.${signature}`,
    '',
    '..',
    'null',
    'x'.repeat(5000),
    randomBytes(200).toString('base64url'),
  ]
}

/** Copies of a token with one character changed or removed, at many positions. */
function damaged(token: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const at = Math.floor((i * token.length) / count)
    const other = token[at] === 'A' ? 'Q' : 'A'
    return i % 2 ? token.slice(0, at) : token.slice(0, at) + other + token.slice(at + 1)
  })
}

test(`rejects ${TOKENS} forged, foreign, truncated, expired and replayed tokens`, async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { game, player, signIn, verify, refresh, revoke, store, sql } = await startApp()
  const [linkedGame, other] = [await game(), await game()]
  const account = player(linkedGame)
  store.control.own({ account, app_id: other.app_id })
  const { token } = await signIn(linkedGame, account)
  const foreign = await signIn(other, account)
  const spent = await signIn(linkedGame, account)
  const renewed = must(await refresh(linkedGame, spent.token))
  const revoked = await signIn(linkedGame, account)
  await revoke(linkedGame, { jti: claimsOf(revoked.token).jti })
  const bad = [foreign.token, spent.token, revoked.token, ...forgeries(linkedGame, other, token)]
  assert.ok(bad.length > 60)
  bad.push(...damaged(token, TOKENS - bad.length))
  assert.equal(bad.length, TOKENS)
  const before = (await sql`select from extstore_sessions`).length
  for (const forged of bad) {
    if (forged === token) continue
    const seen = await verify(linkedGame, forged)
    assert.ok(
      seen.body.error?.code === 4248 || seen.body.data?.valid === false,
      `verify accepted ${forged}`,
    )
    assert.equal(seen.body.data?.claims, undefined)
    const answer = await refresh(linkedGame, forged)
    assert.deepEqual(
      [answer.status, answer.body.error?.code],
      [401, 4248],
      `refresh accepted ${forged}`,
    )
    // Advance the clock, to stay below the rate limits of the game but within the hour.
    t.mock.timers.tick(200)
  }
  assert.equal((await sql`select from extstore_sessions`).length, before)
  assert.equal(must(await verify(linkedGame, token)).valid, true, 'the valid token was rejected')
  assert.equal(must(await verify(linkedGame, renewed.token)).valid, true)
  t.mock.timers.tick(3_600_000)
  assert.equal(must(await verify(linkedGame, token)).expired, true)
  t.mock.timers.tick(24 * 3_600_000)
  assert.equal((await refresh(linkedGame, token)).body.error.code, 4248)
})

test('rejects 200 forged, cross-game, truncated and replayed tickets', async () => {
  const { game, player, ticket, auth, signIn, store, sql } = await startApp()
  const [linkedGame, other] = [await game(), await game()]
  const account = player(linkedGame)
  store.control.own({ account, app_id: other.app_id })
  await signIn(linkedGame, account)
  const good = ticket(linkedGame, account)
  const used = ticket(linkedGame, account)
  must(await auth(linkedGame, used))
  const bad = [
    used,
    `${used}00`,
    used.toUpperCase(),
    ticket(other, account),
    ticket(linkedGame, account, { identity: 'svc_' }),
    ticket(linkedGame, account, { ttl_ms: -1 }),
  ]
  // The first 24 bytes identify the ticket; the rest is padding with any content.
  for (let i = 0; i < 48; i++)
    bad.push(good.slice(0, i) + (good[i] === '0' ? '1' : '0') + good.slice(i + 1))
  for (let i = 0; i < 48; i++) bad.push(good.slice(0, i))
  while (bad.length < 200) bad.push(randomBytes(64).toString('hex'))
  const before = (await sql`select from extstore_sessions`).length
  for (const forged of bad) {
    const answer = await auth(linkedGame, forged)
    assert.equal(answer.body.error?.code, 4246, `${forged} ${JSON.stringify(answer.body)}`)
  }
  assert.equal((await sql`select from extstore_sessions`).length, before)
  assert.equal((await auth(linkedGame, good)).status, 200)
})

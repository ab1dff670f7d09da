import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { createVerifier, type Options, Unavailable } from '../../sdk/verify/index.js'
import { signToken } from '../../src/extstore/sign-in/tokens.ts'
import { claimsOf, sharedExtstoreApp } from '../extstore/fixtures.ts'
import { fc } from '../support/property.ts'

const extstoreApp = sharedExtstoreApp()
const KEY = 'k'.repeat(128)
const NOW = 1_800_000_000_000
const claims = {
  iss: 'https://issuer.example',
  aud: 'extstore:42',
  gid: 'game',
  sub: '76561198000000001',
  own: true,
  vac: false,
  jti: 'j',
  iat: NOW / 1000,
  exp: NOW / 1000 + 3600,
} as const
const options = { auth_key: KEY, game_uid: 'game', app_id: 42 }
const check = (token: string, now = NOW, more: Partial<Options> = {}) =>
  createVerifier({ ...options, ...more }).check(token, now)
const reason = (...args: Parameters<typeof check>) => {
  const result = check(...args)
  return result.valid ? 'valid' : result.reason
}
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signed = (header: unknown, payload: unknown, key = KEY, hash = 'sha512') => {
  const text = `${encode(header)}.${encode(payload)}`
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
}

test('local verification accepts a signed token and returns its claims', () => {
  assert.deepEqual(check(signToken(claims, KEY)), { valid: true, claims })
  assert.deepEqual(
    check(signed({ typ: 'JWT', alg: 'HS512', kid: 'x' }, claims)),
    { valid: true, claims },
    'a token with another header was rejected',
  )
})

test('local verification returns the reason of a rejection', () => {
  const good = signToken(claims, KEY)
  assert.equal(reason('x'), 'malformed')
  assert.equal(reason(`${good}A`), 'malformed')
  assert.equal(reason('x'.repeat(5000)), 'malformed')
  assert.equal(reason(signed({ alg: 'none' }, claims)), 'algorithm')
  assert.equal(reason(signed({ alg: 'HS512', crit: ['b64'] }, claims)), 'algorithm')
  assert.equal(reason(signed({ alg: 'HS512', typ: 'JWT' }, claims, 'z'.repeat(128))), 'signature')
  assert.equal(reason(signToken({ ...claims, gid: 'other' }, KEY)), 'game')
  assert.equal(reason(signToken({ ...claims, aud: 'extstore:43' }, KEY)), 'game')
  assert.equal(reason(signed({ alg: 'HS512', typ: 'JWT' }, { ...claims, own: false })), 'game')
  assert.equal(reason(signed({ alg: 'HS512', typ: 'JWT' }, { ...claims, exp: '9' })), 'malformed')
  assert.equal(reason(good, NOW, { issuer: 'https://other.example' }), 'issuer')
  assert.equal(reason(good, NOW, { issuer: claims.iss }), 'valid')
})

test('accepts clock skew up to the leeway, which is at most one minute', () => {
  const good = signToken(claims, KEY)
  const expiry = claims.exp * 1000
  assert.deepEqual(
    [reason(good, expiry + 29_999), reason(good, expiry + 30_000)],
    ['valid', 'expired'],
  )
  assert.deepEqual([reason(good, NOW - 30_000), reason(good, NOW - 30_001)], ['valid', 'not yet'])
  assert.deepEqual(
    [reason(good, expiry - 1, { leeway_seconds: 0 }), reason(good, expiry, { leeway_seconds: 0 })],
    ['valid', 'expired'],
  )
  assert.throws(() => check(good, NOW, { leeway_seconds: 61 }), TypeError)
  assert.throws(() => check(good, NOW, { auth_key: 'short' }), TypeError)
})

test('rejects a token with any character changed, removed or added', () => {
  const good = signToken(claims, KEY)
  fc.assert(
    fc.property(
      fc.nat(good.length - 1),
      fc.constantFrom(...'AZaz09-_.= '),
      fc.constantFrom('change', 'cut', 'add'),
      (at, character, how) => {
        const bad =
          good.slice(0, at) +
          (how === 'cut' ? '' : character) +
          good.slice(how === 'add' ? at : at + 1)
        assert.equal(check(bad).valid, bad === good)
      },
    ),
    { numRuns: 2000 },
  )
})

test('remote verification detects revocation and returns the player', async () => {
  const { game, player, signIn, revoke, url } = await extstoreApp()
  const ours = await game()
  const account = player(ours)
  const { token } = await signIn(ours, account)
  const verify_url = `${url}/api/v1/extstore/${ours.uid}/server/verify`
  const verifier = createVerifier({
    auth_key: ours.auth_key,
    game_uid: ours.uid,
    app_id: ours.app_id,
    verify_url,
  })
  assert.deepEqual(await verifier.verify(token), { valid: true, claims: claimsOf(token) })
  const checked = await verifier.verify(token, { recheck_ownership: true })
  assert.ok(checked.valid && checked.ownership?.owner_extstore_id === account)
  await revoke(ours, { jti: claimsOf(token).jti })
  assert.equal(verifier.check(token).valid, true)
  assert.deepEqual(await verifier.verify(token), { valid: false, reason: 'revoked' })
  assert.deepEqual(await verifier.verify(`${token}x`), { valid: false, reason: 'malformed' })
})

test('rejects players when the service is unreachable or the key is unknown', async () => {
  const { game, signIn, url, post } = await extstoreApp()
  const ours = await game()
  const { token } = await signIn(ours)
  const options = { auth_key: ours.auth_key, game_uid: ours.uid, app_id: ours.app_id }
  await assert.rejects(
    createVerifier({ ...options, verify_url: 'http://127.0.0.1:9/' }).verify(token),
    Unavailable,
  )
  await assert.rejects(
    createVerifier({ ...options, verify_url: `${url}/health` }).verify(token),
    Unavailable,
  )
  await assert.rejects(createVerifier(options).verify(token), TypeError)
  await post(`/api/v1/private/games/${ours.uid}/steam/auth-key`, undefined, ours.listing.owner)
  const verify_url = `${url}/api/v1/extstore/${ours.uid}/server/verify`
  await assert.rejects(createVerifier({ ...options, verify_url }).verify(token), Unavailable)
})

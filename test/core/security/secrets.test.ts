import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '../../support/property.ts'
import { assertCannotOpen, fromText, game, key1, key2, key3, other } from './secrets-fixtures.ts'

test('property: a sealed value opens again for the same game and field', async () => {
  const secrets = await fromText(key1)
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1 }), (text, field) => {
      assert.equal(secrets.open(game, field, secrets.seal(game, field, text)), text)
    }),
  )
  assert.equal(secrets.open(game.toUpperCase(), 'f', secrets.seal(game, 'f', 'hush')), 'hush')
})

test('sealing a value twice gives different bytes that reveal neither value nor key', async () => {
  const secrets = await fromText(key1)
  const [a, b] = [secrets.seal(game, 'f', 'hush'), secrets.seal(game, 'f', 'hush')]
  assert.notDeepEqual(a.sealed, b.sealed)
  assert.equal(a.sealed.length, 12 + 4 + 16)
  assert.ok(!a.sealed.includes('hush'))
})

test('a secret does not open for another game, field, key or version', async () => {
  const secrets = await fromText(`1:${key1},2:${key2}`)
  const made = secrets.seal(game, 'auth_key', 'hush')
  assert.equal(made.key_version, 1)
  assertCannotOpen(() => secrets.open(other, 'auth_key', made))
  assertCannotOpen(() => secrets.open(game, 'signing_key', made))
  assertCannotOpen(() => secrets.open(game, 'auth_key', { ...made, key_version: 2 }))
  assertCannotOpen(() => secrets.open(game, 'auth_key', { ...made, key_version: 3 }))
  const stranger = await fromText(key3)
  assertCannotOpen(() => stranger.open(game, 'auth_key', made))
})

test('detects every changed bit and every missing byte', async () => {
  const secrets = await fromText(key1)
  const { key_version, sealed } = secrets.seal(game, 'f', 'hush')
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const flipped = Buffer.from(sealed)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    assertCannotOpen(() => secrets.open(game, 'f', { key_version, sealed: flipped }))
  }
  for (let length = 0; length < sealed.length; length++)
    assertCannotOpen(() =>
      secrets.open(game, 'f', { key_version, sealed: sealed.subarray(0, length) }),
    )
  assertCannotOpen(() =>
    secrets.open(game, 'f', { key_version, sealed: Buffer.concat([sealed, Buffer.alloc(1)]) }),
  )
})

test('rejects a game that is not a uid, and an empty field', async () => {
  const secrets = await fromText(key1)
  for (const [uid, field] of [
    ['', 'f'],
    ['vanity-name', 'f'],
    [`${game}\nf`, 'f'],
    [game, ''],
  ] as const)
    assert.throws(() => secrets.seal(uid, field, 'hush'), TypeError)
})

test('the first key of a list seals, and every key of it opens', async () => {
  const old = (await fromText(key1)).seal(game, 'f', 'hush')
  const secrets = await fromText(` 2:${key2} , 1:${key1} `)
  assert.deepEqual(
    [old.key_version, secrets.current_version(), secrets.seal(game, 'f', 'x').key_version],
    [1, 2, 2],
  )
  assert.equal(secrets.open(game, 'f', old), 'hush')
})

test('invalid keys stop the start and are not repeated in the message', async () => {
  const short = randomBytes(31).toString('base64')
  const long = randomBytes(33).toString('base64')
  const invalidKeys = [
    '',
    ' ',
    ',',
    'password',
    short,
    long,
    key1.slice(0, 43),
    `0:${key1}`,
    `-1:${key1}`,
    `a:${key1}`,
    `1:${key1}:`,
    `1:${key1},1:${key2}`,
    `${key1},${key2}`,
    `2:${key2},${key1}`,
    `2:${key2},1:x`,
  ]
  for (const secrets_key of invalidKeys)
    await assert.rejects(fromText(secrets_key), (error: Error) => {
      assert.match(error.message, /^SECRETS_KEY/)
      for (const text of [key1, key2, short, long, 'password'])
        assert.ok(!error.message.includes(text))
      return true
    })
})

test('a MAC depends on purpose, text and the oldest key, and survives a rotation', async () => {
  const before = await fromText(key1)
  const rotated = await fromText(`2:${key2},1:${key1}`)
  const mac = before.mac('mail-code', '123456')
  assert.equal(mac.length, 32)
  assert.deepEqual(rotated.mac('mail-code', '123456'), mac)
  assert.deepEqual((await fromText(`1:${key1},2:${key2}`)).mac('mail-code', '123456'), mac)
  assert.notDeepEqual(before.mac('mail-code', '123457'), mac)
  assert.notDeepEqual(before.mac('other', '123456'), mac)
  assert.notDeepEqual((await fromText(key2)).mac('mail-code', '123456'), mac)
})

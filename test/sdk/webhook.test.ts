import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyWebhook } from '../../sdk/verify/webhook.js'
import { signBody } from '../../src/bugs/deliveries/signing.ts'
import { fc } from '../support/property.ts'

const KEY = 'a'.repeat(64)
const SENT = Date.UTC(2026, 10, 17, 8) // A whole second.
const body = '{"event":"bug.created","message":"Snow ☃"}'
const header = signBody(KEY, body, new Date(SENT))
const verify = (more: { body?: string; header?: string; key?: string; now?: number } = {}) =>
  verifyWebhook(more.body ?? body, more.header ?? header, more.key ?? KEY, {
    now: more.now ?? SENT,
  })
const refusal = (reason: string) => ({ valid: false, reason })

test('accepts a webhook as text and as bytes, with fields of later versions', () => {
  const valid = { valid: true, sent_at: new Date(SENT) }
  assert.deepEqual(verify(), valid)
  assert.deepEqual(verifyWebhook(Buffer.from(body), header, KEY, { now: SENT }), valid)
  assert.deepEqual(verify({ header: `${header},v2=abc,x` }), valid)
  assert.deepEqual(verify({ header: `v1=${'0'.repeat(64)},${header}` }), valid)
})

test('accepts five minutes of difference in both directions, and no more', () => {
  for (const now of [SENT - 300_000, SENT + 300_000]) assert.equal(verify({ now }).valid, true)
  for (const now of [SENT - 300_001, SENT + 300_001])
    assert.deepEqual(verify({ now }), refusal('expired'))
  const options = { now: SENT + 10_001, tolerance_seconds: 10 }
  assert.deepEqual(verifyWebhook(body, header, KEY, options), refusal('expired'))
  assert.equal(verifyWebhook(body, header, KEY, { ...options, now: SENT + 10_000 }).valid, true)
})

test('refuses another key, another body and another time', () => {
  const time = SENT / 1000
  for (const more of [
    { key: 'b'.repeat(64) },
    { body: `${body} ` },
    { header: header.replace(`t=${time}`, `t=${time + 1}`) },
  ])
    assert.deepEqual(verify(more), refusal('signature'))
})

test('refuses a malformed header, and throws without a key', () => {
  const [time, signature] = header.split(',') as [string, string]
  for (const malformed of [
    '',
    'nonsense',
    time,
    signature,
    `${time},${time},${signature}`,
    `t=,${signature}`,
    `t=-1,${signature}`,
    `t=1e9,${signature}`,
    `${time},v1=00`,
    `${header}${',x'.repeat(500)}`,
  ])
    assert.deepEqual(verify({ header: malformed }), refusal('malformed'), malformed)
  assert.deepEqual(verifyWebhook(body, undefined, KEY), refusal('malformed'))
  assert.throws(() => verifyWebhook(body, header, ''), TypeError)
  assert.throws(() => verifyWebhook(body, header, KEY, { tolerance_seconds: -1 }), TypeError)
})

test('refuses a signature or a body with any character changed', () => {
  const hex = '0123456789abcdef'
  fc.assert(
    fc.property(fc.nat(63), fc.constantFrom(...hex), (at, character) => {
      const start = header.indexOf('v1=') + 3 + at
      const changed = header.slice(0, start) + character + header.slice(start + 1)
      assert.equal(verify({ header: changed }).valid, changed === header)
    }),
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (other) => {
      assert.equal(verify({ body: other }).valid, other === body)
    }),
  )
})

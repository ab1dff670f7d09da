import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUuid, uuidv7 } from '../../../src/core/security/crypto.ts'

test('uuids of the same millisecond are different and in the order of their creation', () => {
  const now = Date.now()
  const uids = Array.from({ length: 3000 }, () => uuidv7(now))
  assert.deepEqual(uids, [...new Set(uids)].sort())
  for (const uid of uids) assert.ok(isUuid(uid) && uid[14] === '7' && /[89ab]/.test(uid[19]!), uid)
})

test('uuids of a later millisecond come after those of an earlier one', () => {
  const now = Date.now()
  const uids = Array.from({ length: 1000 }, (_, i) => uuidv7(now + i))
  assert.deepEqual(uids, [...uids].sort())
  assert.equal(parseInt(uids[0]!.replaceAll('-', '').slice(0, 12), 16), now)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { once } from '../../../src/core/runtime/once.ts'

test('a value that could not be made is made again at the next use, and then kept', async () => {
  let calls = 0
  const value = once(async () => {
    if (++calls === 1) throw new Error('too many open files')
    return calls
  })
  const [first, second] = await Promise.allSettled([value(), value()])
  assert.deepEqual([first.status, second.status, calls], ['rejected', 'rejected', 1])
  assert.equal(await value(), 2)
  assert.equal(await value(), 2)
})

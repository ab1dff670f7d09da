import assert from 'node:assert/strict'
import { test } from 'node:test'
import { singleFlight } from '../../../src/core/runtime/single-flight.ts'

test('calls with the same key share a run until it ends, and a failure is not kept', async () => {
  const share = singleFlight<number>()
  let runs = 0
  const run = async () => {
    if (++runs === 1) throw new Error('lost the connection')
    return runs
  }
  const failed = await Promise.allSettled([share('a', run), share('a', run)])
  assert.deepEqual([failed.map(({ status }) => status), runs], [['rejected', 'rejected'], 1])
  assert.deepEqual(
    await Promise.all([share('a', run), share('a', run), share('b', run)]),
    [2, 2, 3],
  )
  assert.equal(await share('a', run), 4)
})

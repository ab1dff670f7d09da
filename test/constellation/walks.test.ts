import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from '../../demo/random.ts'
import { startReceiver } from '../bugs/receivers.ts'
import { startExtstoreApp } from '../extstore/fixtures.ts'
import { walkAll } from './walks.ts'

test('the journey completes on a single process without a failed request', async (t) => {
  const { url, data_dir, store } = await startExtstoreApp(t)
  const steps: string[] = []
  const onStep = (name: string, disturbed: number) => {
    assert.equal(disturbed, 0, name)
    steps.push(name)
  }
  await walkAll({
    url,
    data_dir,
    store,
    receiver: await startReceiver(t),
    random: random('one'),
    onStep,
  })
  assert.ok(new Set(steps).size > 30, steps.join(', '))
})

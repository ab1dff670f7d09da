import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from '../../demo/random.ts'
import { startReceiver } from '../bugs/receivers.ts'
import { startExtstoreApp } from '../extstore/fixtures.ts'
import { runJourney } from './user-journey.ts'

test('the journey completes on a single process without a failed request', async (t) => {
  const { url, data_dir, store } = await startExtstoreApp(t)
  const receiver = await startReceiver(t)
  const steps: string[] = []
  const onStep = (name: string, retries: number) => {
    assert.equal(retries, 0, name)
    steps.push(name)
  }
  await runJourney({ url, data_dir, store, receiver, random: random('one'), onStep })
  assert.ok(new Set(steps).size > 30, steps.join(', '))
})

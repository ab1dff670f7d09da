import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  admits,
  closed,
  type FailureKind,
  failed,
  LONGEST_PAUSE,
  started,
} from '../../src/extstore/client/circuit-breaker.ts'
import { fc } from '../support/property.ts'

const after = (kinds: FailureKind[], now = 0) =>
  kinds.reduce((circuit, kind) => failed(circuit, kind, now), closed())

test('a circuit opens at once when the store is busy, at the third refused key, and at the fifth failure of another kind', () => {
  const most = { busy: 1, key_refused: 3, away: 5, strange: 5 } as const
  for (const [kind, count] of Object.entries(most) as [FailureKind, number][]) {
    assert.ok(admits(after(Array(count - 1).fill(kind)), 0), `${kind} ${count - 1}`)
    assert.ok(!admits(after(Array(count).fill(kind)), 0), `${kind} ${count}`)
  }
})

test('when the pause is over one request goes first and the others wait for it', () => {
  const open = after(['busy'])
  assert.ok(!admits(open, open.open_until - 1))
  assert.ok(admits(open, open.open_until))
  const probing = started(open)
  assert.ok(!admits(probing, open.open_until))
  const again = failed(probing, 'away', open.open_until)
  assert.ok(!admits(again, open.open_until) && admits(again, again.open_until))
  assert.ok(again.open_until - open.open_until > open.open_until, 'longer than before')
})

test('a closed circuit is not changed by a request that starts', () => {
  assert.deepEqual(started(closed()), closed())
})

test('the store’s own word counts for the pause', () => {
  assert.equal(failed(closed(), 'busy', 1000, 7000).open_until, 8000)
})

test('however it fails, the store is asked again within a minute', () => {
  const kind = fc.constantFrom<FailureKind>('busy', 'key_refused', 'away', 'strange')
  const failure = fc.record({
    kind,
    wait: fc.option(fc.integer({ min: 1, max: 10_000_000 }), { nil: undefined }),
    pass: fc.nat(100_000),
  })
  fc.assert(
    fc.property(fc.array(failure, { minLength: 1, maxLength: 40 }), (failures) => {
      let [circuit, now] = [closed(), 0]
      for (const one of failures) {
        now += one.pass
        if (admits(circuit, now)) circuit = failed(started(circuit), one.kind, now, one.wait)
      }
      assert.ok(admits(circuit, now + LONGEST_PAUSE))
    }),
  )
})

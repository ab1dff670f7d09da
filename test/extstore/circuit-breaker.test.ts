import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  allowsRequest,
  closedCircuit,
  type FailureKind,
  requestFailed,
  requestStarted,
} from '../../src/extstore/client/circuit-breaker.ts'
import { fc } from '../support/property.ts'

const after = (kinds: FailureKind[], now = 0) =>
  kinds.reduce((circuit, kind) => requestFailed(circuit, kind, now), closedCircuit())

test('a circuit opens after the number of failures of each kind', () => {
  const thresholds = { rate_limited: 1, key_rejected: 3, unreachable: 5, invalid_response: 5 }
  for (const [kind, count] of Object.entries(thresholds) as [FailureKind, number][]) {
    assert.ok(allowsRequest(after(Array(count - 1).fill(kind)), 0), `${kind} ${count - 1}`)
    assert.ok(!allowsRequest(after(Array(count).fill(kind)), 0), `${kind} ${count}`)
  }
})

test('an open circuit lets one probe through, and opens for longer if it fails', () => {
  const open = after(['rate_limited'])
  assert.ok(!allowsRequest(open, open.open_until - 1))
  assert.ok(allowsRequest(open, open.open_until))
  const probing = requestStarted(open)
  assert.ok(!allowsRequest(probing, open.open_until))
  const again = requestFailed(probing, 'unreachable', open.open_until)
  assert.ok(!allowsRequest(again, open.open_until) && allowsRequest(again, again.open_until))
  assert.ok(again.open_until - open.open_until > open.open_until, 'the second wait is not longer')
})

test('a request does not change a closed circuit', () => {
  assert.deepEqual(requestStarted(closedCircuit()), closedCircuit())
})

test('a Retry-After of the store sets how long the circuit is open', () => {
  assert.equal(requestFailed(closedCircuit(), 'rate_limited', 1000, 7000).open_until, 8000)
})

test('any sequence of failures allows a request within a minute', () => {
  const kind = fc.constantFrom<FailureKind>(
    'rate_limited',
    'key_rejected',
    'unreachable',
    'invalid_response',
  )
  const failure = fc.record({
    kind,
    retry_after_ms: fc.option(fc.integer({ min: 1, max: 10_000_000 }), { nil: undefined }),
    elapsed_ms: fc.nat(100_000),
  })
  fc.assert(
    fc.property(fc.array(failure, { minLength: 1, maxLength: 40 }), (failures) => {
      let circuit = closedCircuit()
      let now = 0
      for (const { kind, retry_after_ms, elapsed_ms } of failures) {
        now += elapsed_ms
        if (allowsRequest(circuit, now))
          circuit = requestFailed(requestStarted(circuit), kind, now, retry_after_ms)
      }
      assert.ok(allowsRequest(circuit, now + 60_000))
    }),
  )
})

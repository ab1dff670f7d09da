import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import {
  observeRequest,
  registerRequestDurations,
} from '../../../src/core/runtime/request-durations.ts'

test('response times are counted in cumulative buckets by method, route and status', async () => {
  const registry = new Registry()
  registerRequestDurations(registry)
  for (const seconds of [0.001, 0.0011, 5, 31]) observeRequest('GET', '/a/:id', 200, seconds)
  observeRequest('POST', '/a/:id', 200, 1)
  observeRequest('GET', '/a/:id', 404, 1)
  const text = await registry.metrics()
  const sample = (name: string, labels: string) => {
    const start = `slipway_http_request_seconds_${name}{${labels}} `
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(start))
        ?.slice(start.length),
    )
  }
  const labels = 'method="GET",route="/a/:id",status="200"'
  const bounds = ['0.001', '0.005', '1', '5', '30', '+Inf']
  assert.deepEqual(
    bounds.map((bound) => sample('bucket', `le="${bound}",${labels}`)),
    [1, 2, 2, 3, 3, 4],
  )
  assert.deepEqual([sample('count', labels), sample('sum', labels)], [4, 36.0021])
  assert.equal(sample('count', 'method="POST",route="/a/:id",status="200"'), 1)
  assert.equal(sample('count', 'method="GET",route="/a/:id",status="404"'), 1)
  assert.match(text, /^# TYPE slipway_http_request_seconds histogram$/m)
})

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type CollectedSpan, startCollector } from '../../../sim/otel-collector.ts'
import { readConfig } from '../../../src/core/runtime/config.ts'
import { createLog } from '../../../src/core/runtime/log.ts'
import { createSampler, traceEndpoint } from '../../../src/core/runtime/tracing.ts'
import { startBugApp } from '../../bugs/fixtures.ts'
import { startReceiver } from '../../bugs/receivers.ts'
import { eventually, startApp } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { cleanup } from '../../support/cleanup.ts'

async function collector(t: TestContext) {
  const running = await startCollector()
  cleanup(t, () => running.close())
  return running
}

/** Traces for a collector, soon after they end. */
const sendTo = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_BSP_SCHEDULE_DELAY: '50',
})

const newTrace = (flags = '01') => {
  const trace_id = randomBytes(16).toString('hex')
  const span_id = randomBytes(8).toString('hex')
  return { trace_id, span_id, headers: { traceparent: `00-${trace_id}-${span_id}-${flags}` } }
}

test('a traced request continues the trace of its caller, with its queries', async (t) => {
  const { url, spans, requests } = await collector(t)
  const { get, a } = await startApp(t, {
    ...sendTo(url),
    OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20b',
    OTEL_SERVICE_NAME: 'store',
  })
  const { uid, owner } = await a.listing({ name: 'Traced Secret' })
  const { trace_id, span_id, headers } = newTrace()
  const path = `/api/v1/private/games/${uid}?secret=hunter2`
  const { headers: answer } = await get(path, { token: owner.token, headers })
  assert.ok(answer)
  const request = await eventually('the span of the request', () =>
    spans.find((span) => span.traceId === trace_id && span.parentSpanId === span_id),
  )
  assert.deepEqual(
    [request.name, request.kind, request.service, request.attributes['http.response.status_code']],
    ['GET /api/v1/private/games/:uid', 2, 'store', 200],
  )
  assert.ok(BigInt(request.endTimeUnixNano) > BigInt(request.startTimeUnixNano))
  const seconds = Number(BigInt(request.startTimeUnixNano) / 1_000_000_000n)
  assert.ok(Math.abs(seconds - Date.now() / 1000) < 300)
  const queries = spans.filter((span) => span.parentSpanId === request.spanId)
  assert.ok(queries.length > 0, 'no query is a child of the request')
  for (const { kind, attributes, traceId } of queries) {
    assert.deepEqual([kind, traceId, attributes['db.system.name']], [3, trace_id, 'postgresql'])
    assert.match(String(attributes['db.query.text']), /^(select|with|update|insert)/i)
  }
  assert.doesNotMatch(JSON.stringify(spans), new RegExp(`hunter2|${owner.token}|Traced Secret`))
  const [{ path: sent_to, headers: sent }] = requests as [(typeof requests)[0]]
  assert.deepEqual(
    [sent_to, sent['content-type'], sent['x-token']],
    ['/v1/traces', 'application/json', 'a b'],
  )
})

test('a job is a trace of its own, and outbound calls carry it on', async (t) => {
  const { url, spans } = await collector(t)
  const app = await startBugApp(t, {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/own/path`,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  })
  const receiver = await startReceiver(t)
  const game = await app.buggyGame({ webhook_urls: [receiver.url] })
  const token = await app.tokenOf(game.uid, await app.player())
  must(await app.send(game.uid, token))
  await app.settled(game)
  const find = (isWanted: (span: CollectedSpan) => boolean) =>
    eventually('a span', () => spans.find(isWanted))
  const job = await find(({ name }) => name === 'job bugs.deliver')
  assert.deepEqual([job.kind, job.parentSpanId], [5, undefined])
  const call = await find(
    ({ traceId, attributes }) =>
      traceId === job.traceId && attributes['server.address'] === '127.0.0.1',
  )
  assert.equal(call.attributes['http.response.status_code'], 200)
  assert.equal(receiver.received[0]!.headers.traceparent, `00-${job.traceId}-${call.spanId}-01`)
  await find(({ traceId, attributes }) => traceId === job.traceId && 'db.query.text' in attributes)
})

test('a caller that is not sampled has no spans, and a failed request is marked', async (t) => {
  const { url, spans, requests, answer } = await collector(t)
  const { get, core } = await startApp(t, sendTo(url))
  const unsampled = newTrace('00')
  await get('/api/v1/public/tags/popular', { headers: unsampled.headers })
  const invalid = { traceparent: `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01` }
  await get('/health', { headers: invalid })
  await eventually('a trace of its own for the health check', () =>
    spans.some(({ name, parentSpanId }) => name === 'GET /health' && !parentSpanId),
  )
  assert.ok(!spans.some(({ traceId }) => traceId === unsampled.trace_id))
  // A collector that fails costs no request, and gets later spans.
  answer(503)
  const before = requests.length
  assert.equal((await get('/health', newTrace())).status, 200)
  await eventually('a failed export', () => requests.length > before)
  answer(200)
  core.checks.broken = () => Promise.reject(new Error('broken'))
  const { trace_id, headers } = newTrace()
  assert.equal((await get('/ready', { headers })).status, 503)
  const failed = await eventually('the failed request', () =>
    spans.find(({ traceId, kind }) => traceId === trace_id && kind === 2),
  )
  assert.equal(failed.status.code, 2)
})

test('the standard samplers follow a parent or the ratio', () => {
  const sampler = (name: string, arg = '1') =>
    createSampler(readConfig({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: arg }))
  const ids = Array.from({ length: 4000 }, () => randomBytes(16).toString('hex'))
  const share = (name: string, parent?: boolean) =>
    ids.filter((id) => sampler(name, '0.25')(id, parent)).length / ids.length
  assert.deepEqual([share('always_on', false), share('always_off', true)], [1, 0])
  assert.deepEqual(
    [share('parentbased_always_off', true), share('parentbased_always_on', false)],
    [1, 0],
  )
  for (const name of ['traceidratio', 'parentbased_traceidratio'])
    assert.ok(Math.abs(share(name) - 0.25) < 0.05, `${name}: ${share(name)}`)
})

test('traces are off by default and when disabled', async (t) => {
  const { url, requests } = await collector(t)
  const { get, core } = await startApp(t, {
    ...sendTo(url),
    OTEL_SDK_DISABLED: 'TRUE',
  })
  assert.equal(core.tracer, undefined)
  await get('/health', newTrace())
  assert.equal(requests.length, 0)
  const endpoint = (env: Record<string, string>) => traceEndpoint(readConfig(env))
  assert.equal(endpoint({}), undefined)
  assert.equal(endpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: url }), `${url}/v1/traces`)
  assert.equal(
    endpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_EXPORTER: 'none' }),
    undefined,
  )
})

test('unknown values of the standard variables are ignored with a warning', async (t) => {
  const { url, spans } = await collector(t)
  const log = createLog({ log_level: 'silent' })
  const logged = t.mock.method(log, 'warn')
  const { get } = await startApp(
    t,
    {
      ...sendTo(url),
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_EXPORTER: 'zipkin',
      OTEL_TRACES_SAMPLER: 'jaeger_remote',
      OTEL_TRACES_SAMPLER_ARG: '2',
      OTEL_RESOURCE_ATTRIBUTES: 'team=%',
      OTEL_SDK_DISABLED: 'perhaps',
    },
    { log },
  )
  await get('/health', newTrace())
  await eventually('a span', () => spans.some(({ service }) => service === 'slipway'))
  const lines = logged.mock.calls.map((call) => call.arguments[0] as { warning?: string })
  const variables = lines.flatMap(({ warning }) => warning?.split(' ')[0] ?? [])
  assert.deepEqual(variables.sort(), [
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'OTEL_RESOURCE_ATTRIBUTES',
    'OTEL_SDK_DISABLED',
    'OTEL_TRACES_EXPORTER',
    'OTEL_TRACES_SAMPLER',
    'OTEL_TRACES_SAMPLER_ARG',
  ])
})

test('attributes of the resource are sent, and a name of its own is stronger', async (t) => {
  const { url, spans } = await collector(t)
  const resource = 'deployment.environment.name=stage%20one,service.name=other'
  const { get } = await startApp(t, {
    ...sendTo(url),
    OTEL_RESOURCE_ATTRIBUTES: resource,
    OTEL_SERVICE_NAME: 'store',
  })
  await get('/health', newTrace())
  const span = await eventually('a span', () => spans[0])
  assert.equal(span.service, 'store')
  assert.equal(span.resource['deployment.environment.name'], 'stage one')
  const { otel_resource } = readConfig({ OTEL_RESOURCE_ATTRIBUTES: resource })
  assert.equal(otel_resource['service.name'], 'other')
})

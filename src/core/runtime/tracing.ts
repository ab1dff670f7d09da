import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { Outbound } from '../security/outbound.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { MINUTE_MS, SECOND_MS } from './units.ts'

/**
 * Traces in the format of OpenTelemetry, sent as OTLP over HTTP in JSON. Off unless an endpoint is
 * set: then nothing here runs. A request that is not sampled has no span, and neither has what it
 * does. Spans contain routes, statements without their values, and hosts, never addresses with
 * their queries: those have secrets.
 */
export type Tracer = {
  /** Begins the span of a request; undefined if it is not sampled. */
  startRequest: (name: string, traceparent: string | undefined) => Span | undefined
  /** Runs a job in a span of its own. */
  runJob: <T>(name: string, run: () => Promise<T>) => Promise<T>
  end: (span: Span, attributes: Attributes, failed: boolean) => void
  /** Sends what has ended. */
  close: () => Promise<void>
}

export type Attributes = Record<string, string | number | boolean>
type Kind = keyof typeof kinds
const kinds = { internal: 1, server: 2, client: 3, consumer: 5 } as const

export type Span = {
  tracer: Tracer
  trace_id: string
  id: string
  parent_id: string | undefined
  name: string
  kind: Kind
  started_ms: number
  attributes: Attributes
}

type EndedSpan = Span & { ended_ms: number; failed: boolean }

const MAX_BUFFERED = 2048
const BATCH = 512
const TIMEOUT_MS = 10 * SECOND_MS
const CLOSE_MS = 2 * SECOND_MS
const ID_BYTES = { trace: 16, span: 8 }
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const SAMPLED = 1

const active = new AsyncLocalStorage<Span>()
const now = () => performance.timeOrigin + performance.now()
const newId = (kind: keyof typeof ID_BYTES) => randomBytes(ID_BYTES[kind]).toString('hex')

/** Runs work in a span, so that queries and outbound calls become its children. */
export const inSpan = <T>(span: Span | undefined, run: () => T): T =>
  span ? active.run(span, run) : run()

/** Begins a child of the span that is active; undefined if there is none. */
export function startChild(
  name: string,
  kind: Kind,
  attributes: () => Attributes,
): Span | undefined {
  const parent = active.getStore()
  return parent && newSpan(parent.tracer, { name, kind, attributes: attributes(), parent })
}

export const endSpan = (span: Span, attributes: Attributes = {}, failed = false) =>
  span.tracer.end(span, attributes, failed)

/** The header that tells another service which span called it. */
export const traceparentOf = ({ trace_id, id }: Span) => `00-${trace_id}-${id}-01`

type Parent = Pick<Span, 'trace_id' | 'id'>
type NewSpan = Pick<Span, 'name' | 'kind' | 'attributes'> & {
  parent?: Parent | undefined
  trace_id?: string
}

const newSpan = (tracer: Tracer, { parent, trace_id, ...span }: NewSpan): Span => ({
  ...span,
  tracer,
  trace_id: parent?.trace_id ?? trace_id ?? newId('trace'),
  id: newId('span'),
  parent_id: parent?.id,
  started_ms: now(),
})

/** The address that traces are sent to; undefined if they are off. */
export function traceEndpoint(config: Config): string | undefined {
  if (config.otel_disabled || config.otel_exporter === 'none') return undefined
  return (
    config.otel_traces_endpoint ?? (config.otel_endpoint && `${config.otel_endpoint}/v1/traces`)
  )
}

export type Sampler = (trace_id: string, parent_sampled: boolean | undefined) => boolean

/** The standard samplers. A ratio looks at the trace, so that all services decide alike. */
export function createSampler({
  otel_sampler: name,
  otel_sampler_ratio: ratio,
}: Pick<Config, 'otel_sampler' | 'otel_sampler_ratio'>): Sampler {
  const byName: Record<string, (trace_id: string) => boolean> = {
    always_on: () => true,
    always_off: () => false,
    traceidratio: (trace_id) => Number.parseInt(trace_id.slice(18), 16) / 2 ** 56 < ratio,
  }
  const follows_parent = name.startsWith('parentbased_')
  const decide = byName[name.replace('parentbased_', '')]!
  return (trace_id, parent_sampled) =>
    follows_parent && parent_sampled !== undefined ? parent_sampled : decide(trace_id)
}

export type TracerOptions = {
  endpoint: string
  config: Config
  version: string
  outbound: Outbound
  log: Log
}

export function createTracer({ endpoint, config, version, outbound, log }: TracerOptions): Tracer {
  const isSampled = createSampler(config)
  const resource = resourceOf(config, version)
  let ended: EndedSpan[] = []
  let dropped = 0
  let warned_at = Number.NEGATIVE_INFINITY

  async function send(): Promise<void> {
    while (ended.length) {
      const batch = ended.splice(0, BATCH)
      await sendBatch(batch).catch((error: Error) => {
        dropped += batch.length
        if (performance.now() - warned_at < MINUTE_MS) return
        warned_at = performance.now()
        log.warn({ error: error.message, spans: dropped }, 'traces could not be sent')
        dropped = 0
      })
    }
  }

  async function sendBatch(batch: EndedSpan[]): Promise<void> {
    const { status } = await outbound.request({
      url: endpoint,
      method: 'POST',
      headers: { ...config.otel_headers, 'content-type': 'application/json' },
      body: JSON.stringify(toOtlp(batch, resource, version)),
      timeout_ms: TIMEOUT_MS,
    })
    if (status >= 300) throw new Error(`the collector answered ${status}`)
  }

  let sending: Promise<void> | undefined
  const sendAll = () => {
    sending ??= send().finally(() => {
      sending = undefined
    })
    return sending
  }
  // Started here and not with a span: a timer would keep the span that is active.
  const timer = setInterval(() => void sendAll(), config.otel_delay_ms).unref()

  const tracer: Tracer = {
    startRequest(name, traceparent) {
      const [, trace_id = newId('trace'), id, flags] = TRACEPARENT.exec(traceparent ?? '') ?? []
      const parent_sampled = flags && (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED
      if (!isSampled(trace_id, id ? Boolean(parent_sampled) : undefined)) return undefined
      const parent = id ? { trace_id, id } : undefined
      return newSpan(tracer, { name, kind: 'server', attributes: {}, parent, trace_id })
    },
    async runJob(name, run) {
      const trace_id = newId('trace')
      if (!isSampled(trace_id, undefined)) return run()
      const attributes = { 'messaging.operation.name': 'process', 'slipway.job': name }
      const span = newSpan(tracer, { name: `job ${name}`, kind: 'consumer', attributes, trace_id })
      try {
        const result = await active.run(span, run)
        tracer.end(span, {}, false)
        return result
      } catch (error) {
        tracer.end(span, {}, true)
        throw error
      }
    },
    end(span, attributes, failed) {
      if (ended.length >= MAX_BUFFERED) return void dropped++
      Object.assign(span.attributes, attributes)
      ended.push({ ...span, ended_ms: now(), failed })
    },
    async close() {
      clearInterval(timer)
      const { promise, resolve } = Promise.withResolvers<void>()
      const limit = setTimeout(resolve, CLOSE_MS)
      await Promise.race([sendAll(), promise])
      clearTimeout(limit)
      ended = []
    },
  }
  return tracer
}

const nanoseconds = (ms: number) => `${Math.round(ms * 1000)}000`

/** What sends the traces. The own variable of the name is stronger than the list. */
const resourceOf = (config: Config, version: string): Attributes => ({
  'service.name': 'slipway',
  'service.version': version,
  ...config.otel_resource,
  ...(config.otel_service_name && { 'service.name': config.otel_service_name }),
})

function toOtlp(spans: EndedSpan[], resource: Attributes, version: string) {
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope: { name: 'slipway', version }, spans: spans.map(toOtlpSpan) }],
      },
    ],
  }
}

const ERROR_STATUS = 2

const toOtlpSpan = (span: EndedSpan) => ({
  traceId: span.trace_id,
  spanId: span.id,
  ...(span.parent_id && { parentSpanId: span.parent_id }),
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: nanoseconds(span.started_ms),
  endTimeUnixNano: nanoseconds(span.ended_ms),
  attributes: toAttributes(span.attributes),
  status: span.failed ? { code: ERROR_STATUS } : {},
})

const toAttributes = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }))

function toValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

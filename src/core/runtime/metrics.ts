import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from './config.ts'
import type { Core } from './core.ts'
import { checkOutcomes } from './health.ts'
import type { Log } from './log.ts'

export const registry = new Registry()
const requests = new Histogram({
  name: 'slipway_http_request_seconds',
  help: 'Time to answer, by method, route and status',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
  registers: [registry],
})

/** Asked when somebody looks, and only then. */
let watched: Core | undefined

new Gauge({
  name: 'slipway_part_up',
  help: 'What /ready says of each part: 1 ok, 0.5 degraded, 0 failing or no answer',
  labelNames: ['part'],
  registers: [registry],
  async collect() {
    const worth: Record<string, number> = { ok: 1, degraded: 0.5 }
    for (const [part, state] of Object.entries(watched ? await checkOutcomes(watched) : {}))
      this.set({ part }, worth[state] ?? 0)
  },
})
const oldest = new Gauge({
  name: 'slipway_jobs_oldest_seconds',
  help: 'How long the oldest job that is due has waited',
  registers: [registry],
})
new Gauge({
  name: 'slipway_jobs',
  help: 'Jobs of all processes: waiting (due), later, running, dead',
  labelNames: ['state'],
  registers: [registry],
  async collect() {
    // Without the database there is nothing to tell; slipway_part_up says that it is away.
    const counts = await watched?.jobs.counts().catch(() => undefined)
    if (!counts) return this.reset()
    const { oldest_seconds, ...states } = counts
    for (const [state, count] of Object.entries(states)) this.set({ state }, count)
    oldest.set(oldest_seconds)
  },
})

const series = new Map<string, ReturnType<typeof requests.labels>>()

/** Routes, methods and statuses are few, so their series are looked up once and kept. */
export function observe(method: string, route: string, status: number, milliseconds: number) {
  const name = `${method} ${route} ${status}`
  let found = series.get(name)
  if (!found) {
    found = requests.labels(method, route, String(status))
    series.set(name, found)
  }
  found.observe(milliseconds / 1000)
}

/** Figures for the operator on a port of their own, never on the public one. A taken port costs the figures, not the service. */
export async function serveMetrics(
  { metrics_host, metrics_port }: Config,
  log: Log,
  core?: Core,
): Promise<Server | undefined> {
  if (metrics_port === undefined) return undefined
  watched = core
  if (!registry.getSingleMetric('process_cpu_seconds_total'))
    collectDefaultMetrics({ register: registry })
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics')
      return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics())
  })
  try {
    server.listen(metrics_port, metrics_host)
    await once(server, 'listening')
    return server
  } catch (error) {
    log.warn(
      { error: (error as Error).message },
      'metrics are off: their port is taken; set METRICS_PORT',
    )
    return undefined
  }
}

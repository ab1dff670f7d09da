import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Config } from './config.ts'
import type { Core } from './core.ts'
import { checkOutcomes } from './health.ts'
import type { Log } from './log.ts'
import { registerRequestDurations } from './request-durations.ts'

export const registry = new Registry()
registerRequestDurations(registry)

/** The core whose state is collected when the metrics are read. */
let observedCore: Core | undefined

new Gauge({
  name: 'slipway_part_up',
  help: 'Result of each check of /ready: 1 ok, 0.5 degraded, 0 failing or no answer',
  labelNames: ['part'],
  registers: [registry],
  async collect() {
    const values: Record<string, number> = { ok: 1, degraded: 0.5 }
    for (const [part, state] of Object.entries(
      observedCore ? await checkOutcomes(observedCore) : {},
    ))
      this.set({ part }, values[state] ?? 0)
  },
})
const oldest = new Gauge({
  name: 'slipway_jobs_oldest_seconds',
  help: 'Waiting time of the oldest due job',
  registers: [registry],
})
new Gauge({
  name: 'slipway_jobs',
  help: 'Jobs of all processes: waiting (due), later, running, dead',
  labelNames: ['state'],
  registers: [registry],
  async collect() {
    // Without the database there are no counts; slipway_part_up reports that it is unavailable.
    const counts = await observedCore?.jobs.counts().catch(() => undefined)
    if (!counts) return this.reset()
    const { oldest_seconds, ...states } = counts
    for (const [state, count] of Object.entries(states)) this.set({ state }, count)
    oldest.set(oldest_seconds)
  },
})

const figures = {
  search_lag_seconds: 'Time since the search index of this process had every change',
  search_skipped_listings: 'Listings that cannot be indexed; the log names them',
}
for (const [name, help] of Object.entries(figures))
  new Gauge({
    name: `slipway_${name}`,
    help,
    registers: [registry],
    collect() {
      const value = observedCore?.figures[name]?.()
      if (value === undefined) this.reset()
      else this.set(value)
    },
  })

/** Serves metrics on their own port. If that port is taken, the service runs without metrics. */
export async function serveMetrics(
  { metrics_host, metrics_port }: Config,
  log: Log,
  core?: Core,
): Promise<Server | undefined> {
  if (metrics_port === undefined) return undefined
  observedCore = core
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
      'metrics are off because their port is in use; set METRICS_PORT',
    )
    return undefined
  }
}

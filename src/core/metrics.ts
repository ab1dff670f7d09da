import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Config } from './config.ts'
import type { Log } from './log.ts'

export const registry = new Registry()
const requests = new Histogram({
  name: 'slipway_http_request_seconds',
  help: 'Time to answer, by method, route and status',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
  registers: [registry],
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
export async function serveMetrics({ metrics_host, metrics_port }: Config, log: Log): Promise<Server | undefined> {
  if (metrics_port === undefined) return undefined
  if (!registry.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics({ register: registry })
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics())
  })
  try {
    server.listen(metrics_port, metrics_host)
    await once(server, 'listening')
    return server
  } catch (error) {
    log.warn({ error: (error as Error).message }, 'metrics are off: their port is taken; set METRICS_PORT')
    return undefined
  }
}

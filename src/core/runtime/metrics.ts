import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { POOL_NAMES, readConnections } from '../database/sql.ts'
import { readDisk } from '../storage/free-disk.ts'
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

const waiting = new Gauge({
  name: 'slipway_job_waiting',
  help: 'Due jobs of all processes, by kind',
  labelNames: ['job'],
  registers: [registry],
})
new Gauge({
  name: 'slipway_job_oldest_seconds',
  help: 'Waiting time of the oldest due job of each kind; 0 without one',
  labelNames: ['job'],
  registers: [registry],
  async collect() {
    waiting.reset()
    this.reset()
    for (const kind of (await observedCore?.jobs.kinds().catch(() => [])) ?? []) {
      waiting.set({ job: kind.job }, kind.waiting)
      this.set({ job: kind.job }, kind.oldest_seconds)
    }
  },
})

const diskTotal = new Gauge({
  name: 'slipway_disk_total_bytes',
  help: 'Size of the disk of DATA_DIR',
  registers: [registry],
})
const uploadsStopped = new Gauge({
  name: 'slipway_uploads_stopped',
  help: '1 while uploads are refused because the disk is nearly full',
  registers: [registry],
})
new Gauge({
  name: 'slipway_disk_free_bytes',
  help: 'Free space on the disk of DATA_DIR',
  registers: [registry],
  async collect() {
    const disk = observedCore && (await readDisk(observedCore.config).catch(() => undefined))
    if (!disk) return this.reset()
    this.set(disk.free_bytes)
    diskTotal.set(disk.total_bytes)
    uploadsStopped.set(disk.uploads_stopped ? 1 : 0)
  },
})

const serverLimit = new Gauge({
  name: 'slipway_database_connections_limit',
  help: 'max_connections of the database',
  registers: [registry],
})
const poolSize = new Gauge({
  name: 'slipway_database_pool_size',
  help: 'Connections that this process may open, by pool',
  labelNames: ['pool'],
  registers: [registry],
})
new Gauge({
  name: 'slipway_database_connections',
  help: 'Connections of all processes, by pool: busy (in a statement or transaction) or idle',
  labelNames: ['pool', 'state'],
  registers: [registry],
  async collect() {
    this.reset()
    if (!observedCore) return
    for (const [pool, { options }] of Object.entries(databasePools(observedCore)))
      poolSize.set({ pool }, options.max)
    const use = await readConnections(observedCore.sql).catch(() => undefined)
    if (!use) return
    serverLimit.set(use.limit)
    for (const { pool, busy, idle } of use.pools) {
      this.set({ pool, state: 'busy' }, busy)
      this.set({ pool, state: 'idle' }, idle)
    }
  },
})

/** The pools by what is called `application_name` in the database. */
const databasePools = ({ sql, slow, events }: Core) => ({
  [POOL_NAMES.requests]: sql,
  [POOL_NAMES.slow]: slow,
  [POOL_NAMES.events]: events,
})

/** Figures that modules set in `core.figures`. Processes without the module have no value. */
const figures = {
  search_lag_seconds: 'Time since the search index of this process had every change',
  storage_cleanup_refused: '1 while objects are not removed because an operator must confirm it',
  search_skipped_listings: 'Listings that cannot be indexed; the log names them',
  event_buffer_events: 'Events that this process has received and not yet written',
  event_buffer_share: 'How full the event buffer of this process is, 0 to 1; full, it refuses',
  scan_queue_files: 'Files and trailers that wait for their scan, or are being scanned',
  webhook_queue_deliveries: 'Webhook messages that are not delivered yet',
  certificate_expiry_seconds: 'Time until the certificate of BASE_URL expires',
}
for (const [name, help] of Object.entries(figures))
  new Gauge({
    name: `slipway_${name}`,
    help,
    registers: [registry],
    async collect() {
      const read = observedCore?.figures[name]
      const value = read && (await Promise.try(read).catch(() => undefined))
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

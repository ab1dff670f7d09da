import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { connectionsInUse, poolSizes } from '../database/pools.ts'
import { readConnections } from '../database/sql.ts'
import { limitQueries } from '../database/timeouts.ts'
import { readDisk } from '../storage/free-disk.ts'
import type { Config } from './config.ts'
import type { Core } from './core.ts'
import { checkOutcomes } from './health.ts'
import type { Log } from './log.ts'
import { registerRequestDurations } from './request-durations.ts'
import { SECOND_MS } from './units.ts'

export const registry = new Registry()
registerRequestDurations(registry)

/** The core whose state is collected when the metrics are read. */
let observedCore: Core | undefined

// The first gauge, because the queries of the others would be counted.
new Gauge({
  name: 'slipway_database_pool_busy',
  help: 'Connections of this process in a statement or transaction, by pool',
  labelNames: ['pool'],
  registers: [registry],
  collect() {
    for (const [pool, sql] of Object.entries(observedCore?.pools ?? {}))
      this.set({ pool }, connectionsInUse(sql))
  },
})

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
/** How long gauges of the same source share what was read. */
const SHARED_MS = 500

/**
 * Reads once for all gauges of a source, because each collects by itself: a gauge that another one
 * sets would report the value of the scrape before. Undefined if it cannot be read;
 * slipway_part_up reports which part is unavailable.
 */
function shared<Value>(read: (core: Core) => Promise<Value>): () => Promise<Value | undefined> {
  let last: { core: Core; read_at: number; value: Promise<Value | undefined> } | undefined
  return async () => {
    const core = observedCore
    if (!core) return undefined
    const now = performance.now()
    if (last?.core !== core || now - last.read_at > SHARED_MS)
      last = { core, read_at: now, value: read(core).catch(() => undefined) }
    return last.value
  }
}

type Sample = { value: number; labels?: Record<string, string> }
type SharedGauge<Value> = {
  name: string
  help: string
  labels?: string[]
  read: () => Promise<Value | undefined>
  samples: (value: Value) => Sample[]
}

/**
 * A gauge of what was read from a shared source. It has no value while that cannot be read: one
 * without labels would be 0 after a reset, such as a disk without free space.
 */
function sharedGauge<Value>({ name, help, labels = [], read, samples }: SharedGauge<Value>) {
  new Gauge({
    name: `slipway_${name}`,
    help,
    labelNames: labels,
    registers: [registry],
    async collect() {
      const value = await read()
      this.reset()
      if (!labels.length) this.remove()
      if (value === undefined) return
      for (const sample of samples(value)) this.set(sample.labels ?? {}, sample.value)
    },
  })
}

const readJobs = shared(({ jobs }) => jobs.counts())
sharedGauge({
  name: 'jobs',
  help: 'Jobs of all processes: waiting (due), later, running, dead',
  labels: ['state'],
  read: readJobs,
  samples: ({ oldest_seconds: _, ...states }) =>
    Object.entries(states).map(([state, value]) => ({ labels: { state }, value })),
})
sharedGauge({
  name: 'jobs_oldest_seconds',
  help: 'Waiting time of the oldest due job',
  read: readJobs,
  samples: ({ oldest_seconds: value }) => [{ value }],
})

const readKinds = shared(({ jobs }) => jobs.kinds())
sharedGauge({
  name: 'job_waiting',
  help: 'Due jobs of all processes, by kind',
  labels: ['kind'],
  read: readKinds,
  samples: (kinds) => kinds.map(({ job: kind, waiting: value }) => ({ labels: { kind }, value })),
})
sharedGauge({
  name: 'job_oldest_seconds',
  help: 'Waiting time of the oldest due job of each kind; 0 without one',
  labels: ['kind'],
  read: readKinds,
  samples: (kinds) =>
    kinds.map(({ job: kind, oldest_seconds: value }) => ({ labels: { kind }, value })),
})

const readDataDisk = shared(({ config }) => readDisk(config))
sharedGauge({
  name: 'disk_free_bytes',
  help: 'Free space on the disk of DATA_DIR',
  read: readDataDisk,
  samples: ({ free_bytes: value }) => [{ value }],
})
sharedGauge({
  name: 'disk_total_bytes',
  help: 'Size of the disk of DATA_DIR',
  read: readDataDisk,
  samples: ({ total_bytes: value }) => [{ value }],
})
sharedGauge({
  name: 'uploads_stopped',
  help: '1 while uploads are refused because the disk is nearly full',
  read: readDataDisk,
  samples: ({ uploads_stopped }) => [{ value: uploads_stopped ? 1 : 0 }],
})

const readDatabase = shared(({ sql }) => readConnections(sql))
sharedGauge({
  name: 'database_connections_limit',
  help: 'max_connections of the database',
  read: readDatabase,
  samples: ({ limit: value }) => [{ value }],
})
sharedGauge({
  name: 'database_connections',
  help: 'Connections of all processes, by pool: busy (in a statement or transaction) or idle',
  labels: ['pool', 'state'],
  read: readDatabase,
  samples: ({ pools }) =>
    pools.flatMap(({ pool, busy, idle }) => [
      { labels: { pool, state: 'busy' }, value: busy },
      { labels: { pool, state: 'idle' }, value: idle },
    ]),
})
sharedGauge({
  name: 'database_pool_size',
  help: 'Connections that this process may open, by pool; slipway reads: to the replica',
  labels: ['pool'],
  read: async () => observedCore,
  samples: ({ config }) =>
    [...poolSizes(config)].map(([pool, value]) => ({ labels: { pool }, value })),
})

/** Figures that modules set in `core.figures`. Processes without the module have no value. */
const figures = {
  search_lag_seconds: 'Time since the search index of this process had every change',
  storage_cleanup_refused: '1 while objects are not removed because an operator must confirm it',
  search_skipped_listings: 'Listings that cannot be indexed; the log names them',
  event_buffer_events: 'Events that this process has received and not yet written',
  event_buffer_share: 'How full the event buffer of this process is, 0 to 1; full, it refuses',
  scan_queue_files: 'Files and trailers that wait for their scan, or are being scanned',
  scan_oldest_seconds:
    'Time since the upload of the oldest file or trailer without a scan result; 0 without one',
  webhook_queue_deliveries: 'Webhook messages that are not delivered yet',
  certificate_expiry_seconds: 'Time until the certificate of BASE_URL expires',
  backup_age_seconds:
    'Time since the last backup without damaged objects; absent if there was no backup',
  backups: 'Complete backups that were made so far',
  damaged_objects: 'Stored objects that are damaged or missing and could not be repaired',
  scrub_age_seconds: 'Time since the last pass over all stored objects began',
  scrub_period_seconds: 'Time in which each pass should end (SCRUB_DAYS); absent if there is none',
}
for (const [name, help] of Object.entries(figures))
  sharedGauge({
    name,
    help,
    read: async () => {
      const read = observedCore?.figures[name]
      return read && Promise.try(read).catch(() => undefined)
    },
    samples: (value) => [{ value }],
  })

/**
 * A copy of the store lacks what alerts are about, such as workers and backups. Its metrics say only
 * that it runs, so that it can have the same scrape configuration as the store.
 */
const drillRegistry = new Registry()
new Gauge({ name: 'slipway_drill', help: '1 in a drill', registers: [drillRegistry] }).set(1)

/** Serves metrics on their own port. If that port is taken, the service runs without metrics. */
export async function serveMetrics(
  { metrics_host, metrics_port, database_timeout }: Config,
  log: Log,
  core?: Core,
): Promise<Server | undefined> {
  if (metrics_port === undefined) return undefined
  observedCore = core
  const served = core?.config.drill ? drillRegistry : registry
  if (!registry.getSingleMetric('process_cpu_seconds_total'))
    collectDefaultMetrics({ register: registry })
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics')
      return void response.writeHead(404).end()
    // Metrics that need the database are left out while it does not answer.
    const metrics = await limitQueries(() => served.metrics(), database_timeout * SECOND_MS)
    response.writeHead(200, { 'content-type': served.contentType }).end(metrics)
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

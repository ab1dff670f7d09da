import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { countPendingDeliveries } from './bugs/deliveries/queries.ts'
import { isGamePlayer } from './bugs/reports/schemes.ts'
import { installSearch } from './catalog/search/search.ts'
import { startOwnDatabase } from './core/database/embedded/data-lock.ts'
import { explainFailure } from './core/database/embedded/postgres.ts'
import { migrate } from './core/database/migrate.ts'
import { createServer, type ServerOptions } from './core/http/server.ts'
import type { Job } from './core/jobs/index.ts'
import { addresses, type Config, type Role } from './core/runtime/config.ts'
import { type Core, createCore } from './core/runtime/core.ts'
import { createLog, type Log } from './core/runtime/log.ts'
import { serveMetrics } from './core/runtime/metrics.ts'
import { DAY } from './core/runtime/units.ts'
import { certificateExpiry } from './core/security/certificate.ts'
import { makeFolder } from './core/storage/durable-files.ts'
import { jobs } from './jobs.ts'
import { findUid } from './listings/listing/queries.ts'
import { followModeration } from './listings/moderated/epoch.ts'
import { followAdultSetting } from './listings/publishing/allowed-content.ts'
import { countBackups, readBackupAge } from './operator/backup/queries.ts'
import { refuseInterruptedRestore } from './operator/backup/restore-progress.ts'
import { countDamaged, readScrubAge } from './operator/storage/scrub-queries.ts'
import { servePlay } from './play/serve.ts'
import { routes } from './routes.ts'
import { scannerCheck } from './scan/check.ts'
import { countScanQueue, readOldestScanSeconds } from './scan/queries.ts'
import { scannerFor } from './scan/scanners.ts'
import { readBufferUse } from './telemetry/events/event-buffer.ts'
import { errorPage } from './web/components/error-page.ts'

export type Service = {
  url: string
  core: Core
  /** Serves until no new requests arrive, for about DRAIN_SECONDS; then `stop` fails no request. */
  drain: (hurry?: AbortSignal) => Promise<void>
  stop: () => Promise<void>
}

const INDEX_LOAD_MS = 10_000
const OWNER_CHECK_MS = 5_000

/** Starts all parts in order. `stop`, or a failure, stops those that run in reverse order. */
export async function startService(
  config: Config,
  options: ServerOptions & {
    log?: Log
    /** Loads the search index before the first search. */
    warm?: boolean
    /** The jobs that a worker runs, by default all. Others stay in the queue. */
    running_jobs?: Job[]
  } = {},
): Promise<Service> {
  const stops: (() => Promise<unknown> | unknown)[] = []
  const stop = async () => {
    for (const stopPart of stops.splice(0).reverse()) await stopPart()
  }
  try {
    await makeFolder(config.data_dir)
    refuseInterruptedRestore(config.data_dir)
    const log = options.log ?? createLog(config)
    const reportWait = (message: string) => log.warn(message)
    const database_url =
      config.database_url ?? (await startOwnDatabase(config.data_dir, stops, reportWait))
    await migrate(database_url, log)
    const core = await createCore(config, database_url, jobs, log)
    core.checks.scanner = scannerCheck(scannerFor(config), log)
    stops.push(() => core.close())
    // A failure is that of the storage, which /ready reports; the worker tries again.
    const owner_checked = core.owner.renew().catch((error: Error) => {
      log.warn({ error: error.message }, 'the owner of the object store could not be checked')
    })
    stops.push(() => owner_checked)
    await Promise.race([owner_checked, pause(OWNER_CHECK_MS, undefined, { ref: false })])
    await followAdultSetting(core)
    core.gameUid = (uid_or_name) => findUid(core.sql, uid_or_name)
    core.isPlayer = (token, game_uid) => isGamePlayer(core, token, game_uid)
    await followModeration(core)
    if (config.roles.includes('api') || config.roles.includes('web')) {
      const index = installSearch(core, database_url)
      stops.push(() => index.stop())
      core.checks.search = index.check
      core.figures.search_lag_seconds = () => index.progress()?.lag_seconds
      core.figures.search_skipped_listings = () => index.progress()?.skipped
    }
    setFigures(core)
    const loaded = options.warm ? core.checks.search?.() : undefined
    // A start that fails meanwhile ends the thread of the index.
    loaded?.catch(() => {})
    const app = await createServer(
      core,
      routes.filter(({ role = 'api' }) => isServed(role, config.roles)),
      { errorPage, otherHosts: servePlay, all_routes: routes, ...options },
    )
    stops.push(() => app.close())
    await app.listen({ host: config.host, port: config.port })
    const url = servedAt(config, app.server.address() as AddressInfo)
    // With port 0 the address is known only now. Links are built from here on.
    Object.assign(core.addresses, addresses(config, url))

    const metrics = await serveMetrics(config, log, core)
    if (metrics) stops.push(() => metrics.close())
    if (config.drill) log.warn('drill: no jobs run, nothing is sent, and objects are only read')
    else if (config.roles.includes('worker')) await core.jobs.start(core, options.running_jobs)
    // Loading a large catalog takes longer than the rest of the service should wait.
    await Promise.race([loaded, pause(INDEX_LOAD_MS, undefined, { ref: false })]).catch(() => {})
    const drain = async (hurry?: AbortSignal) => {
      core.checks.stopping = () => Promise.reject(new Error('stopping'))
      if (config.roles.some((role) => role !== 'worker'))
        await app.drain(config.drain_seconds, hurry)
    }
    return { url, core, drain, stop }
  } catch (error) {
    await stop()
    throw config.database_url ? error : explainFailure(error, config.data_dir)
  }
}

/** What the metrics show of the modules, besides the search index. */
function setFigures(core: Core) {
  const { config, figures, sql, addresses } = core
  figures.event_buffer_events = () => readBufferUse(core).events
  figures.event_buffer_share = () => readBufferUse(core).share
  figures.backups = () => countBackups(sql)
  figures.backup_age_seconds = () => readBackupAge(sql)
  figures.damaged_objects = () => countDamaged(sql)
  figures.scrub_age_seconds = () => readScrubAge(sql)
  if (config.scrub_days) figures.scrub_period_seconds = () => config.scrub_days * DAY
  // One kind of process is enough for what all of them share.
  if (!config.roles.includes('worker')) return
  figures.scan_queue_files = () => countScanQueue(sql)
  figures.scan_oldest_seconds = () => readOldestScanSeconds(sql)
  figures.webhook_queue_deliveries = () => countPendingDeliveries(sql)
  // A drill makes no outbound request.
  if (!config.drill)
    figures.certificate_expiry_seconds = certificateExpiry(() => addresses.base_url)
}

/** The website calls the API in its own process, so that both follow the same rules. */
const isServed = (role: Role | 'every', roles: readonly Role[]) =>
  role === 'every' || roles.includes(role) || (role === 'api' && roles.includes('web'))

/** The address to open in a browser: wildcard addresses mean this machine. */
function servedAt({ host }: Config, { port }: AddressInfo): string {
  const name =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host)
  return `http://${name}:${port}`
}

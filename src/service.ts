import { mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { installSearch } from './catalog/search/search.ts'
import { lockDataFolder } from './core/database/data-lock.ts'
import { startEmbeddedPostgres } from './core/database/embedded-postgres.ts'
import { migrate } from './core/database/migrate.ts'
import { createServer, type ServerOptions } from './core/http/server.ts'
import { addresses, type Config, type Role } from './core/runtime/config.ts'
import { type Core, createCore } from './core/runtime/core.ts'
import { createLog, type Log } from './core/runtime/log.ts'
import { serveMetrics } from './core/runtime/metrics.ts'
import { jobs } from './jobs.ts'
import { findUid } from './listings/listing/queries.ts'
import { routes } from './routes.ts'
import { scannerFor } from './scan/scanners.ts'
import { errorPage } from './web/components/error-page.ts'

export type Service = {
  url: string
  core: Core
  /** Serves on until nobody comes any more, DRAIN_SECONDS or so; then `stop` costs nobody anything. */
  drain: (hurry?: AbortSignal) => Promise<void>
  stop: () => Promise<void>
}

const LOAD_MS = 10_000

/** Brings everything up in order; `stop`, or a failure on the way, takes down what is up in the reverse order. */
export async function startService(
  config: Config,
  options: ServerOptions & {
    log?: Log /** Loads the catalog before it is asked for. */
    warm?: boolean
  } = {},
): Promise<Service> {
  const up: (() => Promise<unknown> | unknown)[] = []
  const stop = async () => {
    for (const end of up.splice(0).reverse()) await end()
  }
  try {
    mkdirSync(config.data_dir, { recursive: true })
    const log = options.log ?? createLog(config)
    const database_url = config.database_url ?? (await startDatabase(config, up))
    await migrate(database_url, log)
    const core = await createCore(config, database_url, jobs, log)
    core.checks.scanner = () => scannerFor(config).probe()
    up.push(() => core.close())
    core.gameUid = (uid_or_name) => findUid(core.sql, uid_or_name)
    if (config.roles.includes('api') || config.roles.includes('web')) {
      const finder = installSearch(core, database_url)
      up.push(() => finder.stop())
      core.checks.search = finder.ready
    }
    const loaded = options.warm ? core.checks.search?.() : undefined
    const app = await createServer(
      core,
      routes.filter(({ role = 'api' }) => isServed(role, config.roles)),
      { errorPage, ...options },
    )
    up.push(() => app.close())
    await app.listen({ host: config.host, port: config.port })
    const url = servedAt(config, app.server.address() as AddressInfo)
    // With port 0 only the socket knows; links and the API description are made from here on.
    Object.assign(core.addresses, addresses(config, url))

    const metrics = await serveMetrics(config, log, core)
    if (metrics) up.push(() => metrics.close())
    if (config.roles.includes('worker')) await core.jobs.start(core)
    // A catalog that has to be read anew takes longer than anyone should wait for the rest.
    await Promise.race([loaded, pause(LOAD_MS, undefined, { ref: false })]).catch(() => {})
    const leave = async (hurry?: AbortSignal) => {
      core.checks.stopping = () => Promise.reject(new Error('stopping'))
      if (config.roles.some((role) => role !== 'worker'))
        await app.drain(config.drain_seconds, hurry)
    }
    return { url, core, drain: leave, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The website asks the API in its own process, so that a form and a program are held to the same rules. */
const isServed = (role: Role | 'every', roles: readonly Role[]) =>
  role === 'every' || roles.includes(role) || (role === 'api' && roles.includes('web'))

export async function startDatabase(config: Config, up: (() => unknown)[]): Promise<string> {
  up.push(lockDataFolder(config.data_dir))
  const database = await startEmbeddedPostgres(config.data_dir)
  up.push(() => database.stop())
  return database.url
}

/** The address people can open: the wildcard addresses mean this machine. */
function servedAt({ host }: Config, { port }: AddressInfo): string {
  const name =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host)
  return `http://${name}:${port}`
}

import { join } from 'node:path'
import { followReplica, type Replica } from '../database/replica.ts'
import {
  checkWritable,
  connectDatabase,
  type Database,
  POOL_NAMES,
  type Sql,
} from '../database/sql.ts'
import { createJobs, installJobs, type Job, type Jobs } from '../jobs/index.ts'
import { createMail, type Mail, mailSender } from '../mail/mail.ts'
import { recordMails } from '../mail/mail-log.ts'
import { createLimiter, type Limiter } from '../security/limits.ts'
import { createOutbound, type Outbound } from '../security/outbound.ts'
import type { Secrets } from '../security/secrets.ts'
import { openSecrets } from '../settings/key-check.ts'
import { followMailServer } from '../settings/mail-server.ts'
import { followSettings, type LiveSettings } from '../settings/settings.ts'
import { guardStorage } from '../storage/guarded-storage.ts'
import { createLocalStorage } from '../storage/local.ts'
import { createStoreOwner, type StoreOwner } from '../storage/owner.ts'
import { createS3Storage } from '../storage/s3.ts'
import type { Storage } from '../storage/storage.ts'
import { readCleanUpState } from '../storage/sweep-limit.ts'
import { type Addresses, addresses, type Config } from './config.ts'
import { drillConfig, drillMail, drillOutbound, drillOwner, readOnlyStorage } from './drill.ts'
import { DEGRADED } from './health.ts'
import { type AccessLog, createAccessLog, type Log } from './log.ts'
import { createTracer, type Tracer, traceEndpoint } from './tracing.ts'
import { version } from './version.ts'

/** What every module may use. Created once per process. */
export type Core = {
  config: Config
  /** What operators set while the store runs. */
  settings: LiveSettings
  addresses: Addresses
  log: Log
  access_log: AccessLog
  sql: Database['sql']
  slow: Database['slow']
  events: Database['events']
  /** For reads that may be a second old: uses a replica that keeps up, else the primary. */
  read: Replica['read']
  /** The pools of this process by name, for the metrics. */
  pools: Record<string, Sql>
  limiter: Limiter
  jobs: Jobs
  storage: Storage
  /** Whether the objects in the storage belong to this database. */
  owner: StoreOwner
  secrets: Secrets
  mail: Mail
  outbound: Outbound
  /** The uid of a game by uid or vanity name; the name itself if there is no such game. */
  gameUid: (uid_or_name: string) => Promise<string>
  /** Whether a token proves that a player of a game sent it: a player token, or a sign-in session. */
  isPlayer: (token: string, game_uid: string) => Promise<boolean>
  /** Undefined if traces are off. */
  tracer: Tracer | undefined
  /** The checks of /ready by name; modules add their own. */
  checks: Record<string, () => Promise<unknown>>
  /** Figures of modules for the metrics, by name; undefined while there is none. */
  figures: Record<string, () => number | undefined | Promise<number | undefined>>
  close: () => Promise<void>
}

/** Opens the configured object storage. */
export const openStorage = ({
  s3_url,
  s3_public_url,
  data_dir,
  drill,
}: Pick<Config, 's3_url' | 's3_public_url' | 'data_dir' | 'drill'>): Promise<Storage> =>
  s3_url
    ? createS3Storage(s3_url, s3_public_url)
    : createLocalStorage(join(data_dir, 'objects'), { read_only: drill })

/** Refusals to remove objects are in the database, because any process may find one. */
async function isCleanUpRefused(sql: Database['sql']): Promise<boolean> {
  const { refusal, sweeps } = await readCleanUpState(sql)
  return refusal !== null || sweeps.length > 0
}

/** The collector is an address of the operator. A drill sends nothing. */
function openTracer(config: Config, log: Log): Tracer | undefined {
  const endpoint = traceEndpoint(config)
  if (!endpoint || config.drill) return undefined
  const outbound = createOutbound({
    trusted_origins: [new URL(endpoint).origin],
    keep_alive: true,
  })
  for (const warning of config.warnings) log.warn({ warning }, 'a setting of traces is ignored')
  return createTracer({ endpoint, config, version, outbound, log })
}

export async function createCore(
  given: Config,
  database_url: string,
  jobs: Job[],
  log: Log,
): Promise<Core> {
  const config = given.drill ? drillConfig(given) : given
  const tracer = openTracer(config, log)
  const { sql, slow, events, close } = connectDatabase(database_url, config.database_connections, {
    traced: tracer !== undefined,
  })
  const secrets = await openSecrets(sql, config).catch(async (error) => {
    await close()
    throw error
  })
  const replica = followReplica(sql, config, log)
  const limiter = await createLimiter(config.redis_url, log)
  await installJobs(sql, jobs, log)
  const queue = await createJobs(sql, log, jobs)
  const unguarded = await openStorage(config)
  const owner = config.drill ? drillOwner : createStoreOwner(sql, unguarded, log)
  const storage = config.drill
    ? readOnlyStorage(unguarded)
    : guardStorage(unguarded, { sql, owner, trash_days: config.trash_days, log })
  const settings = await followSettings(sql, config.fixed_settings, log)
  return {
    config,
    settings,
    addresses: addresses(config, `http://${config.host}:${config.port}`),
    log,
    access_log: createAccessLog(log),
    sql,
    slow,
    events,
    read: replica.read,
    pools: {
      [POOL_NAMES.requests]: sql,
      [POOL_NAMES.slow]: slow,
      [POOL_NAMES.events]: events,
      ...(replica.pool && { [POOL_NAMES.reads]: replica.pool }),
    },
    limiter,
    jobs: queue,
    storage,
    owner,
    secrets,
    mail: config.drill
      ? drillMail
      : recordMails(
          createMail({
            data_dir: config.data_dir,
            smtp_url: followMailServer({
              fixed: config.smtp_url,
              current: () => settings.mail_server,
              sql,
              secrets,
            }),
            sender: () => mailSender(settings.current.mail_from, settings.current.store_name),
          }),
          sql,
          log,
        ),
    outbound: config.drill ? drillOutbound : createOutbound({}),
    gameUid: async (uid_or_name) => uid_or_name.toLowerCase(),
    isPlayer: async () => false,
    tracer,
    checks: {
      database: () => checkWritable(sql),
      storage: () => storage.probe(),
      ...(config.drill
        ? { drill: async () => DEGRADED }
        : { storage_cleanup: async () => ((await isCleanUpRefused(sql)) ? DEGRADED : 'ok') }),
      queue: () => queue.probe(),
      ...(config.redis_url ? { limits: async () => (limiter.shared() ? 'ok' : DEGRADED) } : {}),
      ...(config.database_replica_url
        ? { replica: async () => (replica.inUse() ? 'ok' : DEGRADED) }
        : {}),
    },
    figures: { storage_cleanup_refused: async () => Number(await isCleanUpRefused(sql)) },
    async close() {
      await queue.stop()
      await tracer?.close()
      await limiter.close()
      await replica.close()
      await close()
    },
  }
}

import { join } from 'node:path'
import { followReplica, type Replica } from '../database/replica.ts'
import { checkWritable, connectDatabase, type Database } from '../database/sql.ts'
import { createJobs, installJobs, type Job, type Jobs } from '../jobs/index.ts'
import { createLimiter, type Limiter } from '../security/limits.ts'
import { createOutbound, type Outbound } from '../security/outbound.ts'
import type { Secrets } from '../security/secrets.ts'
import { openSecrets } from '../settings/key-check.ts'
import { followMailServer } from '../settings/mail-server.ts'
import { followSettings, type LiveSettings } from '../settings/settings.ts'
import { createLocalStorage } from '../storage/local.ts'
import { createS3Storage } from '../storage/s3.ts'
import type { Storage } from '../storage/storage.ts'
import { type Addresses, addresses, type Config } from './config.ts'
import { DEGRADED } from './health.ts'
import { type AccessLog, createAccessLog, type Log } from './log.ts'
import { createMail, type Mail, mailSender } from './mail.ts'
import { recordMails } from './mail-log.ts'

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
  limiter: Limiter
  jobs: Jobs
  storage: Storage
  secrets: Secrets
  mail: Mail
  outbound: Outbound
  /** The uid of a game by uid or vanity name; the name itself if there is no such game. */
  gameUid: (uid_or_name: string) => Promise<string>
  /** Whether a token proves that a player of a game sent it: a player token, or a sign-in session. */
  isPlayer: (token: string, game_uid: string) => Promise<boolean>
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
}: Pick<Config, 's3_url' | 's3_public_url' | 'data_dir'>): Promise<Storage> =>
  s3_url ? createS3Storage(s3_url, s3_public_url) : createLocalStorage(join(data_dir, 'objects'))

export async function createCore(
  config: Config,
  database_url: string,
  jobs: Job[],
  log: Log,
): Promise<Core> {
  const { sql, slow, events, close } = connectDatabase(database_url, config.database_connections)
  const secrets = await openSecrets(sql, config).catch(async (error) => {
    await close()
    throw error
  })
  const replica = followReplica(sql, config, log)
  const limiter = await createLimiter(config.redis_url, log)
  await installJobs(sql, jobs)
  const queue = await createJobs(sql, log, jobs)
  const storage = await openStorage(config)
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
    limiter,
    jobs: queue,
    storage,
    secrets,
    mail: recordMails(
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
    outbound: createOutbound({}),
    gameUid: async (uid_or_name) => uid_or_name.toLowerCase(),
    isPlayer: async () => false,
    checks: {
      database: () => checkWritable(sql),
      storage: () => storage.probe(),
      queue: () => queue.probe(),
      ...(config.redis_url ? { limits: async () => (limiter.shared() ? 'ok' : DEGRADED) } : {}),
      ...(config.database_replica_url
        ? { replica: async () => (replica.inUse() ? 'ok' : DEGRADED) }
        : {}),
    },
    figures: {},
    async close() {
      await queue.stop()
      await limiter.close()
      await replica.close()
      await close()
    },
  }
}

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../runtime/log.ts'
import { sha256 } from '../security/crypto.ts'
import { isRestoring } from './dump/catalog.ts'
import { openPool, type Sql } from './sql.ts'
import { isDeadlock, isLockTimeout } from './unavailable.ts'

/** The advisory lock of the process that migrates. */
export const LOCK = 0x511b_0a9
const MIN_SERVER = 15
const CONNECT_SECONDS = 15
export const LOCK_TIMEOUT_MS = 2_000
const LOCK_PAUSE_MS = 1_000
/** With the waits for locks, about ten minutes. */
const MAX_ATTEMPTS = 200
/** The end of the name of a migration after which earlier versions no longer work. */
const BREAKING = /_breaking\.sql$/
const migrationsFolder = join(import.meta.dirname, '../../../migrations')

export class MigrationError extends Error {}

/**
 * Brings the schema up to date. Many processes may call this at once: one migrates, the others
 * wait. With `only`, applies only these: the schema of a backup that is being restored.
 */
export async function migrate(
  url: string,
  log: Log,
  folder = migrationsFolder,
  only?: ReadonlySet<string>,
): Promise<void> {
  const sql = openPool(url, 1, 'slipway migrate')
  try {
    await checkServerVersion(sql)
    if (!only && (await isRestoring(sql)))
      throw new MigrationError(
        'A restore into this database was interrupted. Run "npm run admin -- restore" again.',
      )
    await lockMigrations(sql, log)
    const applied = await readApplied(sql)
    const migrations = await readMigrations(folder)
    if (!only) checkNewer(applied, migrations, log)
    for (const migration of migrations) {
      const { name, checksum } = migration
      if (only && !only.has(name)) continue
      const applied_checksum = applied.get(name)
      if (applied_checksum === checksum) continue
      if (applied_checksum)
        throw new MigrationError(
          `migrations/${name} was changed after it was applied; ` +
            'restore it and add a new file instead',
        )
      await retryLocked(`migrations/${name}`, () => apply(sql, migration), log)
      log.info({ migration: name }, 'migration applied')
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Waits as long as another process migrates, and says whom it waits for. */
async function lockMigrations(sql: Sql, log: Log): Promise<void> {
  const [lock] = await sql<{ is_held: boolean }[]>`
    select pg_try_advisory_lock(${LOCK}) as is_held`
  if (lock!.is_held) return
  const [holder] = await sql<{ pid: number; application: string }[]>`
    select a.pid, a.application_name as application
    from pg_locks l
    join pg_stat_activity a using (pid)
    where l.locktype = 'advisory'
      and l.granted
      and l.database = (select oid from pg_database where datname = current_database())
      and l.classid = 0
      and l.objid = ${LOCK}`
  log.warn(
    { ...holder },
    'the start waits for another process that migrates the database; if it takes too long, look ' +
      'for this pid in pg_stat_activity',
  )
  await sql`select pg_advisory_lock(${LOCK})`
}

async function checkServerVersion(sql: Sql): Promise<void> {
  const [server] = await withDeadline(
    sql<{ version: number }[]>`
      select current_setting('server_version_num')::int / 10000 as version`,
  )
  if (server!.version < MIN_SERVER)
    throw new MigrationError(
      `PostgreSQL ${MIN_SERVER} or newer is required, ` +
        `but DATABASE_URL is version ${server!.version}`,
    )
}

/** The checksums of the migrations that were applied, by name. */
async function readApplied(sql: Sql): Promise<Map<string, string>> {
  await sql`
    create table if not exists schema_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`
  const rows = await sql<{ name: string; checksum: string }[]>`
    select name, checksum
    from schema_migrations`
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

/** After a downgrade the database has migrations that this version does not know. */
function checkNewer(applied: Map<string, string>, known: Migration[], log: Log): void {
  const names = new Set(known.map(({ name }) => name))
  const newer = [...applied.keys()].filter((name) => !names.has(name)).sort()
  const breaking = newer.find((name) => BREAKING.test(name))
  if (breaking)
    throw new MigrationError(
      `A newer version of Slipway has migrated this database (${breaking}), and this version ` +
        'cannot use it. Start that version again, or restore a backup of before the upgrade; see ' +
        'docs/upgrading.md.',
    )
  if (newer.length)
    log.warn(
      { migration: newer.at(-1) },
      'a newer version of Slipway has migrated this database; this version can use it',
    )
}

type Migration = { name: string; text: string; checksum: string }

/**
 * A statement that waits for a lock makes everything behind it wait, too. A migration therefore
 * gives up soon, lets the others pass and tries again: a backup may hold its locks for long. One
 * that locks several tables may also meet requests that lock them in another order.
 */
export async function retryLocked(
  name: string,
  run: () => Promise<void>,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isLockTimeout(error) && !isDeadlock(error)) throw error
      if (attempt === MAX_ATTEMPTS)
        throw new MigrationError(
          `${name} waits for a table that another session has locked for minutes. Find it in ` +
            'pg_stat_activity, let it end, then start again.',
        )
      log.warn({ migration: name, attempt }, 'migration waits for a locked table')
      await pause(LOCK_PAUSE_MS)
    }
  }
}

async function apply(sql: Sql, { name, text, checksum }: Migration): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`
    await tx.unsafe(text).simple()
    await tx`insert into schema_migrations ${tx({ name, checksum })}`
  })
}

/** Gives up on a server that accepts the connection but does not answer. */
async function withDeadline<T>(answer: Promise<T>): Promise<T> {
  const error = new MigrationError(
    `DATABASE_URL did not answer within ${CONNECT_SECONDS} seconds: is it a PostgreSQL server?`,
  )
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(error), CONNECT_SECONDS * 1000)
  return Promise.race([answer, timeout.promise]).finally(() => clearTimeout(timer))
}

export async function readMigrations(folder = migrationsFolder): Promise<Migration[]> {
  const names = (await readdir(folder))
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      return { name, text, checksum: sha256(text).toString('hex') }
    }),
  )
}

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../runtime/log.ts'
import { sha256 } from '../security/crypto.ts'
import { openPool } from './sql.ts'

const LOCK = 0x511b_0a9
const MIN_SERVER = 15
const CONNECT_SECONDS = 15
const migrationsFolder = join(import.meta.dirname, '../../../migrations')

export class MigrationError extends Error {}

/** Brings the schema up to date. Many processes may call this at once: one migrates, others wait. */
export async function migrate(url: string, log: Log, folder = migrationsFolder): Promise<void> {
  const sql = openPool(url, 1, 'slipway migrate')
  try {
    const [server] = await withDeadline(
      sql`select current_setting('server_version_num')::int / 10000 as version`,
    )
    if (server!.version < MIN_SERVER)
      throw new MigrationError(
        `PostgreSQL ${MIN_SERVER} or newer is required, but DATABASE_URL is version ${server!.version}`,
      )
    await sql`select pg_advisory_lock(${LOCK})`
    await sql`
      create table if not exists schema_migrations (
        name text primary key,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`
    const applied = new Map(
      (await sql`select name, checksum from schema_migrations`).map((row) => [
        row.name,
        row.checksum,
      ]),
    )
    for (const { name, text, checksum } of await readMigrations(folder)) {
      const applied_checksum = applied.get(name)
      if (applied_checksum === checksum) continue
      if (applied_checksum)
        throw new MigrationError(
          `migrations/${name} was changed after it was applied; restore it and add a new file instead`,
        )
      await sql.begin(async (tx) => {
        await tx.unsafe(text).simple()
        await tx`insert into schema_migrations ${tx({ name, checksum })}`
      })
      log.info({ migration: name }, 'migrated')
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
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

async function readMigrations(folder: string) {
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

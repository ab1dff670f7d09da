import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../runtime/log.ts'
import { sha256 } from '../security/crypto.ts'
import { openPool } from './sql.ts'

const LOCK = 0x511b_0a9
const MIN_SERVER = 15
const ANSWER_SECONDS = 15
const ours = join(import.meta.dirname, '../../../migrations')

export class MigrationError extends Error {}

/** Brings the schema up to date. Any number of processes may call this at once: one works, the others wait and find nothing to do. */
export async function migrate(url: string, log: Log, folder = ours): Promise<void> {
  const sql = openPool(url, 1, 'slipway migrate')
  try {
    const [server] = await withDeadline(
      sql`select current_setting('server_version_num')::int / 10000 as version`,
    )
    if (server!.version < MIN_SERVER)
      throw new MigrationError(
        `PostgreSQL ${MIN_SERVER} or newer is needed, DATABASE_URL is ${server!.version}`,
      )
    await sql`select pg_advisory_lock(${LOCK})`
    await sql`create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())`
    const applied = new Map(
      (await sql`select name, checksum from schema_migrations`).map((row) => [
        row.name,
        row.checksum,
      ]),
    )
    for (const { name, text, checksum } of await readMigrations(folder)) {
      const known = applied.get(name)
      if (known === checksum) continue
      if (known)
        throw new MigrationError(
          `migrations/${name} was changed after it ran here; put it back and add a new file instead`,
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

/** Something that takes connections and says nothing is no database. */
async function withDeadline<T>(answer: Promise<T>): Promise<T> {
  const late = new MigrationError(
    `DATABASE_URL did not answer within ${ANSWER_SECONDS} seconds: is it a PostgreSQL?`,
  )
  const timer = Promise.withResolvers<never>()
  const timeout = setTimeout(() => timer.reject(late), ANSWER_SECONDS * 1000)
  return Promise.race([answer, timer.promise]).finally(() => clearTimeout(timeout))
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

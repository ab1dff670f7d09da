import { setImmediate as turn } from 'node:timers/promises'
import { installJobs, QUEUE_VERSION } from '../../jobs/index.ts'
import type { Log } from '../../runtime/log.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openPool, type Tx } from '../sql.ts'
import {
  dropEverything,
  findAnyTable,
  isRestoring,
  quoted,
  quoteName,
  RESTORE_MARKER,
  readForeignKeys,
  readTables,
  readTriggers,
} from './catalog.ts'
import type { DumpedTable, DumpManifest } from './dump.ts'
import { type FileStore, readLines } from './table-files.ts'

/** A database that a dump cannot be loaded into, or a dump that this version cannot load. */
export class LoadError extends Error {}

type LoadOptions = {
  files: FileStore
  log: Log
  onTable?: (table: DumpedTable, done: number, total: number) => void
  /** What else the transaction with the rows does. */
  beforeCommit?: (tx: Tx) => Promise<void>
  signal?: AbortSignal
}

/** Refuses a second restore into a database while one is running. */
export async function whileOnlyRestore<T>(url: string, run: () => Promise<T>): Promise<T> {
  const sql = openPool(url, 1, 'slipway restore')
  try {
    const result = await sql.begin(async (tx) => {
      // The transaction is idle for as long as the restore takes.
      await tx`set local idle_in_transaction_session_timeout = 0`
      const [lock] = await tx<{ is_held: boolean }[]>`
        select pg_try_advisory_xact_lock(hashtextextended('slipway restore', 0)) as is_held`
      if (!lock!.is_held)
        throw new LoadError('Another restore into this database is running. Wait until it ends.')
      return { value: await run() }
    })
    return result.value as T
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Refuses a database with tables, unless they are those of an interrupted load. */
export async function checkEmptyDatabase(url: string): Promise<void> {
  const sql = openPool(url, 1, 'slipway restore')
  try {
    if (await isRestoring(sql)) return
    const table = await findAnyTable(sql)
    if (table)
      throw new LoadError(
        `The database is not empty: it has ${table}. Restore into a new database, or drop this ` +
          'one and create it again if you are sure that nothing in it is needed.',
      )
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/**
 * Why this version cannot load a dump: a newer version, whose migrations this one does not have,
 * made it. `version` is the one that did, if it is known.
 */
export async function findObstacle(
  { migrations, queue_version }: DumpManifest,
  version = 'the version that made it',
): Promise<string | undefined> {
  const known = new Map((await readMigrations()).map(({ name, checksum }) => [name, checksum]))
  const other = migrations.find(({ name, checksum }) => known.get(name) !== checksum)
  if (!other && (queue_version ?? 0) <= QUEUE_VERSION) return undefined
  if (!other)
    return (
      'The backup is newer than this version of Slipway: it has a newer job queue. Restore with ' +
      `${version} or a newer one.`
    )
  return known.has(other.name)
    ? `migrations/${other.name} differs from the one in the backup. Restore with ${version}.`
    : `The backup is newer than this version of Slipway: it has migrations/${other.name}. ` +
        `Restore with ${version} or a newer one.`
}

/** Refuses a dump that this version cannot load. */
export async function checkLoadable(manifest: DumpManifest, version?: string): Promise<void> {
  const obstacle = await findObstacle(manifest, version)
  if (obstacle) throw new LoadError(obstacle)
}

/**
 * Fills an empty database from a dump: the schema of that time, every row in one transaction, and
 * then the migrations since. An interrupted load starts over when it is repeated.
 */
export async function loadDatabase(
  url: string,
  manifest: DumpManifest,
  { log, ...options }: LoadOptions,
): Promise<void> {
  await checkLoadable(manifest)
  await checkEmptyDatabase(url)
  const sql = openPool(url, 2, 'slipway restore')
  try {
    if (await isRestoring(sql)) await dropEverything(sql)
    await sql.unsafe(`create table public.${RESTORE_MARKER} (started_at timestamptz default now())`)
    const names = new Set(manifest.migrations.map(({ name }) => name))
    await migrate(url, log, undefined, names)
    if (manifest.queue_version !== null) await installJobs(sql, [])
    await sql.begin((tx) => loadRows(tx, manifest, options))
    await sql`analyze`
  } finally {
    await sql.end({ timeout: 5 })
  }
  await migrate(url, log)
}

async function loadRows(
  tx: Tx,
  manifest: DumpManifest,
  { files, onTable, beforeCommit, signal }: Omit<LoadOptions, 'log'>,
): Promise<void> {
  const tables = await readTables(tx)
  const keys = await readForeignKeys(tx)
  const triggers = await readTriggers(tx)
  // Any owner of the tables may do this. Only a superuser could skip the checks of a session.
  for (const { table, name } of keys)
    await tx.unsafe(`alter table ${table} drop constraint ${name}`)
  for (const { table, name } of triggers)
    await tx.unsafe(`alter table ${table} disable trigger ${name}`)
  // What migrations have inserted is in the dump.
  await tx.unsafe(`truncate ${tables.map(quoted).join(', ')}`)
  for (const day of manifest.event_days)
    await tx`select make_event_days(${day}::date, ${day}::date)`
  const columns = new Map(tables.map((table) => [quoted(table), new Set(table.columns)]))
  for (const [index, table] of manifest.tables.entries()) {
    signal?.throwIfAborted()
    await loadTable(tx, table, { columns: columns.get(quoted(table)), files, signal })
    onTable?.(table, index + 1, manifest.tables.length)
  }
  for (const { last_value, is_called, ...name } of manifest.sequences)
    await tx`
      select setval(seq, ${last_value}::bigint, ${is_called})
      from to_regclass(${quoted(name)}) seq
      where seq is not null`
  for (const { table, name } of triggers)
    await tx.unsafe(`alter table ${table} enable trigger ${name}`)
  // Checks every row.
  for (const { table, name, definition } of keys)
    await tx.unsafe(`alter table ${table} add constraint ${name} ${definition}`)
  await beforeCommit?.(tx)
  await tx.unsafe(`drop table public.${RESTORE_MARKER}`)
}

/** The code of a statement after a failed one. */
const ABORTED = '25P02'

type TableLoad = { columns: Set<string> | undefined; files: FileStore; signal?: AbortSignal }

async function loadTable(
  tx: Tx,
  table: DumpedTable,
  { columns, files, signal }: TableLoad,
): Promise<void> {
  if (!columns) {
    // A table of an older job queue, which this one no longer has.
    if (table.schema === 'pgboss') return
    throw new LoadError(`The backup has a table ${quoted(table)} that its migrations do not make`)
  }
  const missing = table.columns.find((column) => !columns.has(column))
  if (missing)
    throw new LoadError(`The table ${quoted(table)} of the backup has an unknown column ${missing}`)
  const names = table.columns.map(quoteName).join(', ')
  const copy = `copy ${quoted(table)} (${names}) from stdin`
  try {
    await readLines(files, table, (lines) => copyInto(tx, copy, lines), signal)
  } catch (error) {
    if ((error as { code?: string }).code !== ABORTED) throw error
    throw new LoadError(
      `The database refused rows of the table ${quoted(table)}. The log of the server says why.`,
    )
  }
}

/**
 * The driver does not report an error that the server finds at the end of the data. The next query
 * of the transaction fails then.
 */
async function copyInto(tx: Tx, copy: string, lines: AsyncIterable<Uint8Array>): Promise<void> {
  const stream = await tx.unsafe(copy).writable()
  let failure: Error | undefined
  stream.on('error', (error) => {
    failure = error
  })
  try {
    for await (const bytes of lines) {
      if (failure) throw failure
      await new Promise<void>((resolve, reject) =>
        stream.write(bytes, (error) => (error ? reject(error) : resolve())),
      )
    }
  } catch (error) {
    stream.destroy(error as Error)
    throw failure ?? error
  }
  stream.end()
  await turn()
  await tx`select 1`
  if (failure) throw failure
}

import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { openPool, type Tx } from '../sql.ts'
import {
  quoted,
  quoteName,
  readEventDays,
  readQueueVersion,
  readSequences,
  readTables,
  type Sequence,
  type Table,
} from './catalog.ts'
import { type FileStore, type LineFile, writeLines } from './table-files.ts'

export type DumpedTable = Table & LineFile
export type AppliedMigration = { name: string; checksum: string }
export type DumpManifest = {
  server_version: number
  /** The moment of the snapshot. */
  at: string
  migrations: AppliedMigration[]
  queue_version: number | null
  tables: DumpedTable[]
  sequences: Sequence[]
  event_days: string[]
}

type DumpOptions = {
  files: FileStore
  onTable?: (table: DumpedTable, done: number, total: number) => void
  signal?: AbortSignal
}

const LOCK_NOT_AVAILABLE = '55P03'
const LOCK_PAUSE_MS = 1_000
const MAX_ATTEMPTS = 200

/**
 * Writes every row of a database into files, one per table, as of one moment, while the service
 * runs. The schema is not in them: the migrations make it again.
 */
export async function dumpDatabase(url: string, options: DumpOptions): Promise<DumpManifest> {
  const sql = openPool(url, 1, 'slipway backup')
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await sql.begin('isolation level repeatable read read only', (tx) =>
          dumpSnapshot(tx, options),
        )
      } catch (error) {
        const { code } = error as { code?: string }
        if (code !== LOCK_NOT_AVAILABLE || attempt === MAX_ATTEMPTS) throw error
        await pause(LOCK_PAUSE_MS)
      }
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Values as text that every server and every setting reads back as the same values. */
const TEXT_SETTINGS = `
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local timezone = 'UTC';
  set local extra_float_digits = 1;
  set local bytea_output = 'hex';
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local lock_timeout = '2s'`

async function dumpSnapshot(
  tx: Tx,
  { files, onTable, signal }: DumpOptions,
): Promise<DumpManifest> {
  await tx.unsafe(TEXT_SETTINGS).simple()
  const [server] = await tx<{ version: number; at: Date }[]>`
    select current_setting('server_version_num')::int as version, now() as at`
  const tables = await readTables(tx)
  // A table that is emptied after the snapshot was taken would appear empty in it.
  await tx.unsafe(`lock table ${tables.map(quoted).join(', ')} in access share mode`)
  const migrations = await tx<AppliedMigration[]>`
    select name, checksum
    from schema_migrations
    order by name`
  const manifest: DumpManifest = {
    server_version: server!.version,
    at: server!.at.toISOString(),
    migrations: [...migrations],
    queue_version: await readQueueVersion(tx),
    tables: [],
    // Sequences are not part of a snapshot; later values only leave gaps.
    sequences: await readSequences(tx),
    event_days: await readEventDays(tx),
  }
  for (const table of tables) {
    signal?.throwIfAborted()
    const dumped = { ...table, ...(await dumpTable(tx, table, files, signal)) }
    manifest.tables.push(dumped)
    onTable?.(dumped, manifest.tables.length, tables.length)
  }
  return manifest
}

async function dumpTable(tx: Tx, table: Table, files: FileStore, signal?: AbortSignal) {
  const columns = table.columns.map(quoteName).join(', ')
  const rows: Readable = await tx
    .unsafe(`copy (select ${columns} from ${quoted(table)}) to stdout`)
    .readable()
  return writeLines(files, `${table.schema}.${table.name}.zst`, rows, signal)
}

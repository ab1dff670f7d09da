import type { VersionedBuild } from '../builds/channels/build-order.ts'
import { advanceHead, lockChannels } from '../builds/channels/queries.ts'
import type { Sql, Tx } from '../core/database/sql.ts'
import { packageShape } from '../listings/fields/editor.ts'
import type { Outcome } from './states.ts'
import type { HashedEntry } from './walk-zip.ts'

export type FileToScan = {
  uid: string
  game_uid: string
  size: number
  checksum: string
  scan: string
  waited_seconds: number
}

export async function readFileToScan(sql: Sql, uid: string): Promise<FileToScan | undefined> {
  const [file] = await sql<FileToScan[]>`
    select uid, game_uid, size, checksum, scan,
      extract(epoch from now() - uploaded_at)::float8 as waited_seconds
    from files
    where uid = ${uid}`
  return file
}

type SettledFile = VersionedBuild & {
  game_uid: string
  file_uid: string
  app: string
  channel: string
  os: string
  arch: string
}

type ScanResult = { outcome: Outcome; engine: string; entries: HashedEntry[] }

/**
 * Stores the result of a scan, the contents of the zip and the channel head. The guard on
 * the state lets only one of several runs through; false for the others.
 */
export async function settleScan(
  tx: Tx,
  file: { uid: string; game_uid: string },
  { outcome: { state, detail }, engine, entries }: ScanResult,
): Promise<boolean> {
  await lockChannels(tx, file.game_uid)
  const [settled] = await tx<SettledFile[]>`
    update files f set scan = ${state}, scanned_at = now()
    from builds b
    where f.uid = ${file.uid} and f.scan = 'scanning' and b.uid = f.build_uid
    returning f.uid as file_uid, f.game_uid, f.channel, f.os, f.arch,
      b.app, b.uid, b.version, b.created_at`
  if (!settled) return false
  await tx`
    insert into scan_history (file_uid, state, engine, detail)
    values (${file.uid}, ${state}, ${engine}, ${detail})`
  if (state !== 'clean') return true
  const shape = packageShape(entries.map(({ path }) => path))
  await tx`update files set ${tx(shape)} where uid = ${file.uid}`
  const files = entries.filter(({ path }) => !path.endsWith('/'))
  await insertEntries(tx, file.uid, files)
  const { game_uid, app, channel, os, arch, file_uid, ...build } = settled
  await advanceHead(tx, { game_uid, app, channel, os, arch }, build, file_uid)
  return true
}

const ENTRIES_PER_STATEMENT = 20_000

async function insertEntries(tx: Tx, file_uid: string, entries: HashedEntry[]): Promise<void> {
  for (let start = 0; start < entries.length; start += ENTRIES_PER_STATEMENT) {
    const batch = entries.slice(start, start + ENTRIES_PER_STATEMENT)
    const paths = batch.map(({ path }) => path)
    const sizes = batch.map(({ size }) => size)
    const hashes = batch.map(({ sha256 }) => sha256.toString('hex'))
    await tx`
      insert into file_entries (file_uid, position, path, size, sha256)
      select ${file_uid}, ${start} + row_number() over (), e.path, e.size, decode(e.sha256, 'hex')
      from unnest(${paths}::text[], ${sizes}::bigint[], ${hashes}::text[])
        as e (path, size, sha256)`
  }
}

/** The bytes were removed from storage; the record of the file stays. */
export async function markRemoved(sql: Sql, uid: string): Promise<void> {
  await sql`
    update files set bytes_removed_at = coalesce(bytes_removed_at, now())
    where uid = ${uid}`
}

export async function isRejected(sql: Sql, uid: string): Promise<boolean> {
  const [row] = await sql`select from files where uid = ${uid} and scan in ('infected', 'error')`
  return row !== undefined
}

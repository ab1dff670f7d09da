import type { VersionedBuild } from '../builds/channels/build-order.ts'
import { lockChannels } from '../builds/channels/queries.ts'
import { type ReleasedFile, releaseFile } from '../builds/channels/staged-queries.ts'
import { objectUid } from '../builds/files/queries.ts'
import type { Sql, Tx } from '../core/database/sql.ts'
import { packageShape } from '../listings/fields/editor.ts'
import type { Outcome } from './states.ts'
import type { HashedEntry } from './walk-zip.ts'
import { type CheckedWebBuild, saveWebCheck } from './web-builds/queries.ts'

export type FileToScan = {
  uid: string
  object_uid: string
  game_uid: string
  size: number
  checksum: string
  scan: string
  os: string
  waited_seconds: number
}

export async function readFileToScan(sql: Sql, uid: string): Promise<FileToScan | undefined> {
  const [file] = await sql<FileToScan[]>`
    select f.uid, ${objectUid(sql)} as object_uid, f.game_uid, f.size, f.checksum, f.scan,
      f.os, extract(epoch from now() - f.uploaded_at)::float8 as waited_seconds
    from files f
    where f.uid = ${uid}`
  return file
}

type SettledFile = VersionedBuild &
  ReleasedFile & {
    game_uid: string
    app: string
    channel: string
    os: string
    arch: string
    scan: string
  }

type ScanResult = {
  outcome: Outcome
  engine: string
  entries: HashedEntry[]
  /** What the check of a build for browsers found. */
  web?: CheckedWebBuild | undefined
}

/**
 * Stores the result of a scan, the contents of the zip and the channel head. The guard on
 * the state lets only one of several runs through; false for the others.
 */
export async function settleScan(
  tx: Tx,
  file: { uid: string; game_uid: string },
  { outcome: { state, detail }, engine, entries, web }: ScanResult,
): Promise<boolean> {
  await lockChannels(tx, file.game_uid)
  const [settled] = await tx<SettledFile[]>`
    update files f
    set scan = ${state}, scanned_at = now(),
      -- A process of version 0.1.0 that got the last chunk of a session did not know of the column.
      release_percent = coalesce(
        f.release_percent,
        (select s.release_percent from upload_sessions s where s.file_uid = f.uid))
    from builds b
    where f.uid = ${file.uid} and f.scan = 'scanning' and b.uid = f.build_uid
    returning f.uid as file_uid, f.game_uid, f.channel, f.os, f.arch, f.scan,
      f.release_percent, b.app, b.uid, b.version, b.created_at`
  if (!settled) return false
  await tx`
    insert into scan_history (file_uid, state, engine, detail, at)
    values (${file.uid}, ${state}, ${engine}, ${detail}, clock_timestamp())`
  if (state !== 'clean') return true
  const shape = packageShape(entries.map(({ path }) => path))
  await tx`update files set ${tx(shape)} where uid = ${file.uid}`
  if (web) await saveWebCheck(tx, file.uid, web)
  const files = entries.filter(({ path }) => !path.endsWith('/'))
  await insertEntries(tx, file.uid, files)
  const { game_uid, app, channel, os, arch, file_uid, release_percent, scan, ...build } = settled
  // A trigger gives clean files of a withdrawn build that state; no channel delivers them.
  if (scan === 'withdrawn') return true
  const file_release = { file_uid, release_percent }
  await releaseFile(tx, { game_uid, app, channel, os, arch }, build, file_release)
  return true
}

/** Records the result of a further scan of a file. */
export async function recordScan(
  tx: Tx,
  file_uid: string,
  { outcome: { state, detail }, engine }: Omit<ScanResult, 'entries' | 'web'>,
): Promise<void> {
  await tx`update files set scanned_at = now() where uid = ${file_uid}`
  await tx`
    insert into scan_history (file_uid, state, engine, detail)
    values (${file_uid}, ${state}, ${engine}, ${detail})`
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

/** The object was removed from storage; the records of its files stay. */
export async function markRemoved(sql: Sql, object_uid: string): Promise<void> {
  await sql`
    update files set bytes_removed_at = coalesce(bytes_removed_at, now())
    where (uid = ${object_uid} and object_uid is null) or object_uid = ${object_uid}`
}

/** The object of a rejected file, unless another file that was not rejected shares it. */
export async function findRejectedObject(sql: Sql, uid: string): Promise<string | undefined> {
  const [row] = await sql<{ object_uid: string }[]>`
    select ${objectUid(sql)} as object_uid
    from files f
    where f.uid = ${uid} and f.scan in ('infected', 'error')
      and not exists (
        select from files other
        where other.build_uid = f.build_uid
          and coalesce(other.object_uid, other.uid) = ${objectUid(sql)}
          and other.scan in ('scanning', 'clean', 'withdrawn'))`
  return row?.object_uid
}

/** How many files and trailers wait for their scan or are being scanned, for metrics. */
export async function countScanQueue(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select (
      select count(*) from files where scan = 'scanning'
    )::int + (
      select count(*) from listing_trailers where scan = 'scanning'
    )::int as count`
  return row!.count
}

/**
 * How long the oldest file or trailer without a result has waited since its upload, for metrics; 0
 * without one. Unlike the waiting time of its job, it does not begin again with every attempt.
 */
export async function readOldestScanSeconds(sql: Sql): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select coalesce(
      extract(epoch from now() - least(
        (select min(uploaded_at) from files where scan = 'scanning'),
        (select min(uploaded_at) from listing_trailers where scan = 'scanning')
      )),
      0
    )::float8 as seconds`
  return row!.seconds
}

import { objectUid } from '../../builds/files/queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { isQuarantinedItself } from '../queries.ts'

export type SweepRow = {
  uid: string
  sha256: string[] | null
  rule: string | null
  files: number
  files_scanned: number
  files_failed: number
  created_by: string | null
  created_at: Date
  finished_at: Date | null
  quarantined_at: Date | null
  /** Files with a match. */
  matching_files: number
}

type NewSweep = { uid: string; hashes: readonly string[]; created_by: string }

/** A sweep by hash is finished as soon as its matches are stored. */
export async function insertHashSweep(tx: Tx, sweep: NewSweep): Promise<void> {
  await tx`
    insert into sweeps (uid, hashes, created_by, finished_at)
    values (
      ${sweep.uid},
      array(select decode(hash, 'hex') from unnest(${sweep.hashes as string[]}::text[]) as hash),
      ${sweep.created_by},
      now())`
}

/** Files that can be quarantined; those of a quarantined build also by themselves. */
const sweptFiles = (sql: Sql | Tx) => sql`
  files f
  join all_listings l on l.uid = f.game_uid`
const isSwept = (sql: Sql | Tx) => sql`(
  f.scan in ('scanning', 'clean', 'withdrawn')
  or f.scan = 'quarantined' and f.scan_before_quarantine in ('scanning', 'clean', 'withdrawn')
    and not ${isQuarantinedItself(sql)})`

/**
 * Each part has an index of its own. A zip that was composed of a delta also counts as the one that
 * its uploader packed: its bytes may differ, its contents do not.
 */
const contentByHash = (sql: Sql | Tx, sweep_uid: string) => sql`
  wanted as materialized (
    select unnest(hashes) as sha256 from sweeps where uid = ${sweep_uid}
    union
    select sha256 from sweep_matches where sweep_uid = ${sweep_uid}
  ), content as (
    select e.file_uid, e.position, e.path, e.sha256
    from wanted
    join file_entries e on e.sha256 = wanted.sha256 and e.size >= 1024
    union all
    select e.file_uid, e.position, e.path, e.sha256
    from wanted
    join file_entries e on e.sha256 = wanted.sha256 and e.size < 1024
    union all
    select f.uid, 0, null, wanted.sha256
    from wanted
    join files f on f.checksum = encode(wanted.sha256, 'hex')
    union all
    select f.uid, 0, null, wanted.sha256
    from wanted
    join files f on f.source_checksum = encode(wanted.sha256, 'hex')
  )`

/**
 * Stores the content with the hashes of a sweep, or of its matches so far, up to a limit. Returns
 * how much it added.
 */
export async function storeHashMatches(
  tx: Tx,
  sweep_uid: string,
  limit: number | null = null,
): Promise<number> {
  const { count } = await tx`
    with ${contentByHash(tx, sweep_uid)}
    insert into sweep_matches (sweep_uid, file_uid, position, path, sha256)
    select ${sweep_uid}, content.file_uid, content.position, content.path, content.sha256
    from content
    join ${sweptFiles(tx)} on f.uid = content.file_uid
    where ${isSwept(tx)}
    limit ${limit}
    on conflict (sweep_uid, file_uid, position) do nothing`
  return count
}

const sweepColumns = (sql: Sql | Tx) => sql`
  s.uid, s.rule, s.files, s.files_scanned, s.files_failed, u.username as created_by, s.created_at, s.finished_at,
  s.quarantined_at,
  (select array_agg(encode(hash, 'hex')) from unnest(s.hashes) as hash) as sha256,
  (select count(distinct m.file_uid)::int from sweep_matches m where m.sweep_uid = s.uid)
    as matching_files`

export async function readSweep(sql: Sql, uid: string): Promise<SweepRow | undefined> {
  const [row] = await sql<SweepRow[]>`
    select ${sweepColumns(sql)}
    from sweeps s
    left join users u on u.uid = s.created_by
    where s.uid = ${uid}`
  return row
}

type Window = { limit: number; offset: number }

/** All sweeps, newest first. */
export async function listSweeps(
  sql: Sql,
  { limit, offset }: Window,
): Promise<{ items: SweepRow[]; total: number }> {
  const [items, [counted]] = await Promise.all([
    sql<SweepRow[]>`
      select ${sweepColumns(sql)}
      from sweeps s
      left join users u on u.uid = s.created_by
      order by s.created_at desc, s.uid desc
      limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`select count(*)::int as total from sweeps`,
  ])
  return { items, total: counted!.total }
}

export type MatchRow = {
  file_uid: string
  filename: string
  game_uid: string
  game_name: string
  version: string
  publisher: string | null
  scan: string
  uploaded_at: Date
  path: string | null
  sha256: string
}

/** The matches of a sweep, by listing and file. */
export async function listMatches(
  sql: Sql,
  sweep_uid: string,
  { limit, offset }: Window,
): Promise<{ items: MatchRow[]; total: number }> {
  const [items, [counted]] = await Promise.all([
    sql<MatchRow[]>`
      select m.file_uid, f.filename, f.game_uid, l.name as game_name, b.version,
        u.username as publisher, f.scan, f.uploaded_at, m.path,
        encode(m.sha256, 'hex') as sha256
      from sweep_matches m
      join files f on f.uid = m.file_uid
      join builds b on b.uid = f.build_uid
      join all_listings l on l.uid = f.game_uid
      left join users u on u.uid = l.owner_uid
      where m.sweep_uid = ${sweep_uid}
      order by f.game_uid, f.uploaded_at, m.file_uid, m.position
      limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`
      select count(*)::int as total from sweep_matches where sweep_uid = ${sweep_uid}`,
  ])
  return { items, total: counted!.total }
}

type LockedSweep = {
  /** What it looks for, or what its rule matched. */
  hashes: string[]
  finished_at: Date | null
  quarantined_at: Date | null
}

/** Locks a sweep, so that it is decided once. */
export async function lockSweep(tx: Tx, uid: string): Promise<LockedSweep | undefined> {
  const [row] = await tx<LockedSweep[]>`
    select array(
        select encode(hash, 'hex') from unnest(s.hashes) as hash
        union
        select encode(m.sha256, 'hex') from sweep_matches m where m.sweep_uid = s.uid) as hashes,
      s.finished_at, s.quarantined_at
    from sweeps s
    where s.uid = ${uid}
    for update`
  return row
}

/** The matching files that are not in quarantine yet, in the order in which they are locked. */
export async function filesToQuarantine(tx: Tx, sweep_uid: string): Promise<string[]> {
  const rows = await tx<{ uid: string }[]>`
    select f.uid
    from ${sweptFiles(tx)}
    where ${isSwept(tx)}
      and exists (
        select from sweep_matches m where m.sweep_uid = ${sweep_uid} and m.file_uid = f.uid)
    order by f.game_uid, f.uid`
  return rows.map(({ uid }) => uid)
}

export async function markQuarantined(tx: Tx, uid: string): Promise<void> {
  await tx`update sweeps set quarantined_at = now() where uid = ${uid}`
}

/** Whether a sweep matched a file, which moderators may see then, even that of a draft. */
export async function isSweptFile(
  sql: Sql,
  { type, id }: { type: string; id: string },
): Promise<boolean> {
  if (type !== 'file') return false
  const [row] = await sql`select from sweep_matches where file_uid = ${id} limit 1`
  return row !== undefined
}

type NewRuleSweep = { uid: string; rule: string; created_by: string }

/** The files that a rule is tried on: those that had passed their scan when the sweep began. */
const filesOfRule = (sql: Sql | Tx) => sql`
  coalesce(f.scan_before_quarantine, f.scan) in ('clean', 'withdrawn')
  and f.bytes_removed_at is null
  and f.uploaded_at <= s.created_at`

export async function insertRuleSweep(tx: Tx, sweep: NewRuleSweep): Promise<void> {
  await tx`insert into sweeps ${tx(sweep)}`
  await tx`
    update sweeps s
    set files = (select count(*) from ${sweptFiles(tx)} where ${filesOfRule(tx)})
    where s.uid = ${sweep.uid}`
}

export type RuleSweep = { uid: string; rule: string; last_file_uid: string | null }

/** A sweep by rule that is not finished. */
export async function readRuleSweep(sql: Sql, uid: string): Promise<RuleSweep | undefined> {
  const [row] = await sql<RuleSweep[]>`
    select uid, rule, last_file_uid
    from sweeps
    where uid = ${uid} and rule is not null and finished_at is null`
  return row
}

export type FileOfSweep = { uid: string; object_uid: string; game_uid: string; size: number }

/** The next file of a sweep, in the order of uids. */
export async function nextFileOfSweep(
  sql: Sql,
  { uid, last_file_uid }: RuleSweep,
): Promise<FileOfSweep | undefined> {
  const [row] = await sql<FileOfSweep[]>`
    select f.uid, ${objectUid(sql)} as object_uid, f.game_uid, f.size
    from sweeps s
    cross join ${sweptFiles(sql)}
    where s.uid = ${uid} and ${filesOfRule(sql)}
      ${last_file_uid === null ? sql`` : sql`and f.uid > ${last_file_uid}`}
    order by f.uid
    limit 1`
  return row
}

export type RuleMatch = { position: number; path: string; sha256: string }
type ScannedFile = { file_uid: string; matches: readonly RuleMatch[]; has_failed: boolean }

/**
 * Stores what a rule matched in a file, and that the file was scanned. Returns how many matches
 * the sweep has; undefined if another run has scanned the file.
 */
export async function storeScannedFile(
  tx: Tx,
  sweep: RuleSweep,
  { file_uid, matches, has_failed }: ScannedFile,
): Promise<number | undefined> {
  const { count } = await tx`
    update sweeps
    set last_file_uid = ${file_uid}, files_scanned = files_scanned + 1,
      files_failed = files_failed + ${has_failed ? 1 : 0}
    where uid = ${sweep.uid} and last_file_uid is not distinct from ${sweep.last_file_uid}`
  if (count !== 1) return undefined
  const positions = matches.map(({ position }) => position)
  const paths = matches.map(({ path }) => path)
  const hashes = matches.map(({ sha256 }) => sha256)
  // The file may have been deleted since.
  await tx`
    insert into sweep_matches (sweep_uid, file_uid, position, path, sha256)
    select ${sweep.uid}, f.uid, m.position, m.path, decode(m.sha256, 'hex')
    from files f
    cross join unnest(${positions}::int[], ${paths}::text[], ${hashes}::text[])
      as m (position, path, sha256)
    where f.uid = ${file_uid}
    on conflict (sweep_uid, file_uid, position) do nothing`
  const [counted] = await tx<{ total: number }[]>`
    select count(*)::int as total from sweep_matches where sweep_uid = ${sweep.uid}`
  return counted!.total
}

export async function finishSweep(tx: Tx, uid: string): Promise<void> {
  await tx`update sweeps set finished_at = now() where uid = ${uid} and finished_at is null`
}

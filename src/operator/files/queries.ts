import type { Sql } from '../../core/database/sql.ts'

export const fileStates = [
  'waiting',
  'scanning',
  'clean',
  'rejected',
  'error',
  'quarantined',
  'withdrawn',
] as const
export type FileState = (typeof fileStates)[number]

export type FileRow = {
  uid: string
  filename: string
  size: number
  sha256: string
  state: FileState
  finding: string | null
  engine: string | null
  scanned_at: Date | null
  uploaded_at: Date
  bytes_stored: boolean
  version: string
  os: string
  arch: string
  channel: string
  game_uid: string
  name: string
  vanity_name: string
  username: string
  is_public: boolean
}

type FileFilter = { q: string; state: FileState | undefined; limit: number; offset: number }

/** Text that `like` takes literally. */
const literally = (text: string) => text.toLowerCase().replace(/[\\%_]/g, '\\$&')

const SHA256 = /^[0-9a-f]{6,64}$/i

/** The files that workers scan at the moment; the others in the state `scanning` wait. */
const activeScans = (sql: Sql) => sql`
  select (data ->> 'file_uid')::uuid
  from pgboss.job
  where name = 'scan.file' and state = 'active'`

function stateMatches(sql: Sql, state: FileState | undefined) {
  if (state === 'waiting')
    return sql`and f.scan = 'scanning' and f.uid not in (${activeScans(sql)})`
  if (state === 'scanning') return sql`and f.scan = 'scanning' and f.uid in (${activeScans(sql)})`
  if (state === 'rejected') return sql`and f.scan = 'infected'`
  return state ? sql`and f.scan = ${state}` : sql``
}

/** Each part uses an index of its own. */
function textMatches(sql: Sql, q: string) {
  if (!q) return sql``
  const start = `${literally(q)}%`
  const by_checksum = sql`
    union
    select uid
    from files
    where lower(checksum) like ${start}`
  return sql`
    and f.uid in (
      select uid
      from files
      where lower(filename) like ${start}
      union
      select named.uid
      from files named
      join all_listings l on l.uid = named.game_uid
      where lower(l.name) like ${start} or lower(l.vanity_name) like ${start}
      ${SHA256.test(q) ? by_checksum : sql``})`
}

/** Stored build files, the newest first. The text begins a name, that of a listing, or a hash. */
export async function findFiles(
  sql: Sql,
  { q, state, limit, offset }: FileFilter,
): Promise<{ rows: FileRow[]; total: number }> {
  const matches = sql`where true ${stateMatches(sql, state)} ${textMatches(sql, q)}`
  const [rows, [counted]] = await Promise.all([
    sql<FileRow[]>`
      select
        f.uid, f.filename, f.size, lower(f.checksum) as sha256, f.scanned_at, f.uploaded_at,
        f.bytes_removed_at is null as bytes_stored, b.version, f.os, f.arch, f.channel,
        f.game_uid, l.name, l.vanity_name, u.username,
        l.visibility = 'public' and l.deleted_at is null and l.taken_down_at is null as is_public,
        last.engine, last.detail as finding,
        case
          when f.scan = 'infected' then 'rejected'
          when f.scan = 'scanning' and f.uid not in (${activeScans(sql)}) then 'waiting'
          else f.scan
        end as state
      from files f
      join builds b on b.uid = f.build_uid
      join all_listings l on l.uid = f.game_uid
      join users u on u.uid = l.owner_uid
      left join lateral (
        select engine, detail
        from scan_history h
        where h.file_uid = f.uid
        order by h.seq desc
        limit 1
      ) last on true
      ${matches}
      order by f.uploaded_at desc, f.uid desc
      limit ${limit}
      offset ${offset}`,
    sql<{ total: number }[]>`select count(*)::int as total from files f ${matches}`,
  ])
  return { rows, total: counted!.total }
}

export type ScanQueue = { waiting: number; scanning: number; oldest_seconds: number }

/** How many files wait for the scanner, and since when the oldest of them. */
export async function readScanQueue(sql: Sql): Promise<ScanQueue> {
  const [queue] = await sql<ScanQueue[]>`
    select
      count(*) filter (where not active)::int as waiting,
      count(*) filter (where active)::int as scanning,
      coalesce(extract(epoch from now() - min(uploaded_at)), 0)::float8 as oldest_seconds
    from (
      select f.uploaded_at, f.uid in (${activeScans(sql)}) as active
      from files f
      where f.scan = 'scanning'
    ) files`
  return queue!
}

/** When the scanner last gave a result, of any file. */
export async function readLastScan(sql: Sql): Promise<{ engine: string; at: Date } | undefined> {
  const [last] = await sql<{ engine: string; at: Date }[]>`
    select engine, at
    from scan_history
    order by seq desc
    limit 1`
  return last
}

export type StoredFileState = { scan: string; bytes_stored: boolean }

export async function readFileState(sql: Sql, uid: string): Promise<StoredFileState | undefined> {
  const [file] = await sql<StoredFileState[]>`
    select scan, bytes_removed_at is null as bytes_stored
    from files
    where uid = ${uid}`
  return file
}

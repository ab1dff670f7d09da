import type { Platform } from '../../builds/builds/fields.ts'
import { objectUid } from '../../builds/files/queries.ts'
import type { Sql } from '../../core/database/sql.ts'

const HASHES_PER_STATEMENT = 20_000

export type BaseFile = { uid: string; object_uid: string; size: number }

/** Deltas refer only to clean files of their own game. */
const isUsable = (sql: Sql, game_uid: string) => sql`f.game_uid = ${game_uid} and f.scan = 'clean'`

/** The files of the game with these uids that are clean. */
export const readCleanFiles = (sql: Sql, game_uid: string, uids: readonly string[]) => sql<
  BaseFile[]
>`
  select f.uid, ${objectUid(sql)} as object_uid, f.size
  from files f
  where ${isUsable(sql, game_uid)} and f.uid = any(${uids as string[]}::uuid[])`

/** The file most like the one that is uploaded: of the same app and platform, and the newest. */
export async function findBase(
  sql: Sql,
  game_uid: string,
  { app, os, arch, channel }: Platform & { app: string },
): Promise<BaseFile | undefined> {
  const [file] = await sql<BaseFile[]>`
    select f.uid, ${objectUid(sql)} as object_uid, f.size
    from files f
    join builds b on b.uid = f.build_uid
    where ${isUsable(sql, game_uid)}
    order by b.app = ${app} desc, f.os = ${os} desc, f.arch = ${arch} desc,
      f.channel = ${channel} desc, f.uploaded_at desc, f.uid desc
    limit 1`
  return file
}

export type BaseEntry = { path: string; size: number; sha256: string }

export const readBaseEntries = (sql: Sql, file_uid: string) => sql<BaseEntry[]>`
  select path, size, encode(sha256, 'hex') as sha256
  from file_entries
  where file_uid = ${file_uid} and sha256 is not null and size > 0`

/** The records of the entries with these paths. */
export const readEntriesAt = (sql: Sql, file_uid: string, paths: readonly string[]) => sql<
  BaseEntry[]
>`
  select path, size, encode(sha256, 'hex') as sha256
  from file_entries
  where file_uid = ${file_uid} and sha256 is not null and path = any(${paths as string[]}::text[])`

export type KnownEntry = { sha256: string; file_uid: string; path: string }

/**
 * Entries with these hashes in clean files of the game, preferably of the base. Files of other
 * games are never named, so that nobody learns what others have uploaded. The two sizes are those
 * of the two indexes of entries by their hash.
 */
export async function findKnownEntries(
  sql: Sql,
  game_uid: string,
  base_uid: string,
  hashes: readonly string[],
): Promise<Map<string, KnownEntry>> {
  const known = new Map<string, KnownEntry>()
  for (let start = 0; start < hashes.length; start += HASHES_PER_STATEMENT) {
    const batch = hashes.slice(start, start + HASHES_PER_STATEMENT)
    const rows = await sql<KnownEntry[]>`
      with candidates as (
        select decode(hash, 'hex') as sha256 from unnest(${batch}::text[]) as hash
      ), matches as (
        select e.sha256, e.file_uid, e.path
        from candidates c
        join file_entries e on e.sha256 = c.sha256 and e.size >= 1024
        union all
        select e.sha256, e.file_uid, e.path
        from candidates c
        join file_entries e on e.sha256 = c.sha256 and e.size < 1024
      )
      select distinct on (m.sha256) encode(m.sha256, 'hex') as sha256, m.file_uid, m.path
      from matches m
      join files f on f.uid = m.file_uid
      where ${isUsable(sql, game_uid)}
      order by m.sha256, f.uid = ${base_uid} desc, f.uploaded_at desc, f.uid, m.path`
    for (const row of rows) known.set(row.sha256, row)
  }
  return known
}

import type { Sql } from '../../core/database/sql.ts'

export type CompletedBackup = {
  id: string
  /** A folder or the address of a bucket, without credentials. */
  target: string
  started_at: Date
  objects: number
  bytes: number
  /** Objects that were damaged in the store. */
  damaged: number
}

/** A database of an older version, which has no such table, is backed up all the same. */
export async function recordBackup(sql: Sql, backup: CompletedBackup): Promise<void> {
  const [table] = await sql<{ name: string | null }[]>`
    select to_regclass('public.backups')::text as name`
  if (table!.name) await sql`insert into backups ${sql(backup)}`
}

export type LastBackup = { finished_at: Date; target: string; damaged: number }

/**
 * The last backup that has every object whole, or else the last one: with damaged objects it would
 * not restore everything.
 */
export async function readLastBackup(sql: Sql): Promise<LastBackup | undefined> {
  const [row] = await sql<LastBackup[]>`
    select finished_at, target, damaged
    from backups
    order by damaged = 0 desc, finished_at desc
    limit 1`
  return row
}

export async function countBackups(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from backups`
  return row!.count
}

/**
 * Seconds since the last backup that has every object whole; since the first one if none has;
 * undefined if there was none.
 */
export async function readBackupAge(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ age: number | null }[]>`
    select extract(epoch from now() - coalesce(
      max(finished_at) filter (where damaged = 0),
      min(finished_at)
    ))::float8 as age
    from backups`
  return row!.age ?? undefined
}

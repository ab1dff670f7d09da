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

export async function readLastBackup(sql: Sql): Promise<LastBackup | undefined> {
  const [row] = await sql<LastBackup[]>`
    select finished_at, target, damaged
    from backups
    order by finished_at desc
    limit 1`
  return row
}

export async function countBackups(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from backups`
  return row!.count
}

/** Seconds since the last complete backup; undefined if there was none. */
export async function readBackupAge(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ age: number | null }[]>`
    select extract(epoch from now() - max(finished_at))::float8 as age
    from backups`
  return row!.age ?? undefined
}

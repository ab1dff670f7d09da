import type { Sql } from '../../core/database/sql.ts'
import type { Position } from '../../core/storage/recorded-objects.ts'

export type ScrubState = Position & {
  started_at: Date | null
  finished_at: Date | null
  /** Of the current pass, or of the last one. */
  objects: number
  bytes: number
}
export type Problem = 'missing' | 'size' | 'content'
export type DamagedObject = {
  key: string
  record: string
  problem: Problem
  found_at: Date
  repaired_at: Date | null
  repaired_from: string | null
}

export async function readScrubState(sql: Sql): Promise<ScrubState> {
  const [row] = await sql<ScrubState[]>`
    select source, after_uid, started_at, finished_at, objects, bytes
    from scrub_state`
  return row!
}

/** Lets one process at a time read objects; false if another does. */
export async function claimScrub(sql: Sql, lease: string): Promise<boolean> {
  const rows = await sql`
    update scrub_state
    set lease = ${lease}, lease_until = now() + interval '5 minutes'
    where lease is null or lease = ${lease} or lease_until < now()
    returning 1`
  return rows.length > 0
}

export async function releaseScrub(sql: Sql, lease: string): Promise<void> {
  await sql`
    update scrub_state
    set lease = null, lease_until = null
    where lease = ${lease}`
}

/** Begins a pass if the last one began long enough ago; false if it did not. */
export async function beginPass(sql: Sql, lease: string, days: number): Promise<boolean> {
  const rows = await sql`
    update scrub_state
    set source = null, after_uid = null, started_at = now(), finished_at = null,
      objects = 0, bytes = 0
    where lease = ${lease}
      and (started_at is null
        or (finished_at is not null and started_at < now() - ${days} * interval '1 day'))
    returning 1`
  return rows.length > 0
}

export async function restartPass(sql: Sql, lease: string): Promise<void> {
  await sql`
    update scrub_state
    set source = null, after_uid = null, started_at = now(), finished_at = null,
      objects = 0, bytes = 0
    where lease = ${lease}`
}

/** Records that an object was read. */
export async function savePosition(
  sql: Sql,
  lease: string,
  { source, after_uid }: Position,
  bytes: number,
): Promise<void> {
  await sql`
    update scrub_state
    set source = ${source}, after_uid = ${after_uid}, bytes = bytes + ${bytes},
      objects = objects + 1, lease_until = now() + interval '5 minutes'
    where lease = ${lease}`
}

/** Ends a pass, and forgets hashes of objects that no record refers to any more. */
export async function finishPass(sql: Sql, lease: string): Promise<void> {
  await sql`
    with ended as (
      update scrub_state
      set finished_at = now()
      where lease = ${lease}
      returning started_at
    )
    delete from object_hashes h
    using ended e
    where h.checked_at < e.started_at`
}

export async function readStoredHashes(sql: Sql, keys: string[]): Promise<Map<string, string>> {
  const rows = await sql<{ key: string; sha256: string }[]>`
    select key, sha256
    from object_hashes
    where key = any(${keys})`
  return new Map(rows.map(({ key, sha256 }) => [key, sha256]))
}

/** Remembers the hash of an object whose record has none; a hash that is known stays. */
export async function storeHash(
  sql: Sql,
  object: { key: string; size: number; sha256: string },
): Promise<void> {
  await sql`
    insert into object_hashes ${sql(object, 'key', 'size', 'sha256')}
    on conflict (key) do update
    set checked_at = now()`
}

/** Keeps the hash of an object that is damaged now. */
export async function keepHash(sql: Sql, key: string): Promise<void> {
  await sql`
    update object_hashes
    set checked_at = now()
    where key = ${key}`
}

export async function recordDamage(
  sql: Sql,
  { key, record, problem, repaired_from }: Omit<DamagedObject, 'found_at' | 'repaired_at'>,
): Promise<void> {
  const repaired = repaired_from === null ? sql`null` : sql`now()`
  await sql`
    insert into damaged_objects (key, record, problem, repaired_at, repaired_from)
    values (${key}, ${record}, ${problem}, ${repaired}, ${repaired_from})
    on conflict (key) do update
    set record = excluded.record, problem = excluded.problem,
      found_at = case
        when damaged_objects.repaired_at is null then damaged_objects.found_at else now() end,
      repaired_at = excluded.repaired_at, repaired_from = excluded.repaired_from`
}

/** An object that is whole again, or that no record refers to any more, needs nobody. */
export async function forgetDamage(sql: Sql, keys: string[]): Promise<void> {
  await sql`
    delete from damaged_objects
    where key = any(${keys}) and repaired_at is null`
}

export async function listDamaged(sql: Sql, limit: number): Promise<DamagedObject[]> {
  return [
    ...(await sql<DamagedObject[]>`
      select key, record, problem, found_at, repaired_at, repaired_from
      from damaged_objects
      order by repaired_at is not null, found_at desc, key
      limit ${limit}`),
  ]
}

export async function countDamaged(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from damaged_objects
    where repaired_at is null`
  return row!.count
}

/** Seconds since the current pass over all objects began, or the last one if none runs. */
export async function readScrubAge(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ age: number | null }[]>`
    select extract(epoch from now() - started_at)::float8 as age
    from scrub_state`
  return row?.age ?? undefined
}

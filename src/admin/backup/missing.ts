import type { Sql } from '../../core/database/sql.ts'
import { expectedObjects, stillExpected } from '../../core/storage/recorded-objects.ts'
import type { Storage } from '../../core/storage/storage.ts'
import type { ObjectEntry } from '../../operator/backup/target.ts'
import { inGroups } from '../storage-check.ts'

/**
 * The entries of an earlier backup whose objects the store has lost although records refer to them.
 * The target may have the only copies that are left.
 */
export async function keepLost(
  sql: Sql,
  present: ReadonlyMap<string, number>,
  gone: readonly ObjectEntry[],
): Promise<ObjectEntry[]> {
  const usable = gone.filter(({ size, sha256 }) => present.get(sha256) === size)
  const keys = usable.map(({ key }) => key)
  const expected = await stillExpected(sql, keys)
  return usable.filter(({ key }) => expected.has(key))
}

type Search = {
  sql: Sql
  from: Storage
  /** The sizes of a list that was made after the database was read, by key. */
  listed: ReadonlyMap<string, number>
  signal: AbortSignal
}

type Unlisted = {
  /** Objects that records refer to, and that are neither in the list nor in the store. */
  missing: string[]
  /** Those that are in the list with another size than their record has. */
  truncated: string[]
}

export async function findMissing({ sql, from, listed, signal }: Search): Promise<Unlisted> {
  const missing = new Set<string>()
  const truncated = new Set<string>()
  for await (const rows of expectedObjects(sql)) {
    signal.throwIfAborted()
    const other_size = rows.filter(({ key, size }) => size !== null && differs(listed, key, size))
    const unlisted = rows.filter(({ key }) => !listed.has(key))
    // Some came after the list.
    const checked = await inGroups(unlisted, async ({ key }) => ({
      key,
      stats: await from.stat(key),
    }))
    const lacking = checked.filter(({ stats }) => !stats)
    const keys = [...other_size, ...lacking].map(({ key }) => key)
    const expected = await stillExpected(sql, keys)
    for (const key of keys) if (expected.has(key)) (listed.has(key) ? truncated : missing).add(key)
  }
  return { missing: [...missing], truncated: [...truncated] }
}

function differs(listed: ReadonlyMap<string, number>, key: string, size: number): boolean {
  const listed_size = listed.get(key)
  return listed_size !== undefined && listed_size !== size
}

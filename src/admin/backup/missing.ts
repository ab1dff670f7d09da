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
  const whole = gone.filter(({ size, sha256 }) => present.get(sha256) === size)
  const keys = whole.map(({ key }) => key)
  const expected = await stillExpected(sql, keys)
  return whole.filter(({ key }) => expected.has(key))
}

type Search = {
  sql: Sql
  from: Storage
  /** The keys of a list that was made after the database was read. */
  listed: ReadonlySet<string>
  signal: AbortSignal
}

/** The objects that records refer to, and that are neither in the list nor in the store. */
export async function findMissing({ sql, from, listed, signal }: Search): Promise<string[]> {
  const missing = new Set<string>()
  for await (const rows of expectedObjects(sql)) {
    signal.throwIfAborted()
    const unlisted = rows.map(({ key }) => key).filter((key) => !listed.has(key))
    // Some came after the list.
    const checked = await inGroups(unlisted, async (key) => ({ key, stats: await from.stat(key) }))
    const lacking = checked.filter(({ stats }) => !stats).map(({ key }) => key)
    const expected = await stillExpected(sql, lacking)
    for (const key of lacking) if (expected.has(key)) missing.add(key)
  }
  return [...missing]
}

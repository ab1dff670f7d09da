import { retention } from '../runtime/retention.ts'
import { DAY_MS } from '../runtime/units.ts'
import { uuidTime } from '../security/crypto.ts'
import type { Storage } from './storage.ts'

const ORPHAN_MS = retention.orphaned_object_days * DAY_MS
const KEYS_PER_QUERY = 1000

export type OrphanSweep = {
  prefix: string
  /** The uid in a key, which contains the creation time of the object. */
  uidOf: (key: string) => string
  /** The keys that no record refers to. */
  findOrphans: (keys: string[]) => Promise<string[]>
  signal: AbortSignal
}

/**
 * Removes objects without a record, left by a crash between the two or by a deleted listing. Those
 * younger than a day stay, because their record may still be written.
 */
export async function removeOrphans(
  storage: Storage,
  { prefix, uidOf, findOrphans, signal }: OrphanSweep,
): Promise<void> {
  let keys: string[] = []
  const flush = async () => {
    for (const key of await findOrphans(keys)) await storage.remove(key)
    keys = []
  }
  for await (const { key } of storage.list(prefix)) {
    signal.throwIfAborted()
    if (Date.now() - uuidTime(uidOf(key)) > ORPHAN_MS) keys.push(key)
    if (keys.length >= KEYS_PER_QUERY) await flush()
  }
  await flush()
}

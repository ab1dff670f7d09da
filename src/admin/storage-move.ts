import type { Sql } from '../core/database/sql.ts'
import { type HashedObject, withRecordedHashes } from '../core/storage/recorded-objects.ts'
import type { ListedObject, Storage } from '../core/storage/storage.ts'
import { DamagedObject, verified } from '../core/storage/verified.ts'
import { AdminError, type Run } from './command.ts'

const WORKERS = 4

/** `skipped` counts objects that the target already has; `bytes` includes them. */
export type CopyResult = { copied: number; skipped: number; bytes: number; damaged: string[] }
type CopyOptions = Pick<Run, 'progress' | 'signal'> & { sql: Sql }

/**
 * Copies every object to another store and removes nothing. The bytes that are read are checked
 * against the SHA-256 of the record, or else against the hash that the source store has. A remote
 * target checks the bytes it receives against a hash of what was sent.
 *
 * An object is stored whole and checked or not at all. Therefore an object that exists in the
 * target with the same size was copied before, and an interrupted copy can be continued.
 */
export async function copyObjects(
  from: Storage,
  to: Storage,
  { sql, progress, signal }: CopyOptions,
): Promise<CopyResult> {
  const result: CopyResult = { copied: 0, skipped: 0, bytes: 0, damaged: [] }
  const count = (outcome: 'copied' | 'skipped', { size }: ListedObject) => {
    result[outcome]++
    result.bytes += size
    progress(`${result.copied + result.skipped} objects, ${result.bytes} bytes`)
  }
  const objects = withRecordedHashes(
    sql,
    missingObjects(from, to, (object) => count('skipped', object)),
  )
  const runWorker = async () => {
    for (let next = await objects.next(); !next.done; next = await objects.next()) {
      const outcome = await copyObject(from, to, next.value, signal)
      if (outcome === 'copied') count('copied', next.value)
      if (outcome === 'damaged') result.damaged.push(next.value.key)
    }
  }
  // If one fails, wait for the others, so that none is interrupted in the middle of an object.
  const workers = await Promise.allSettled(Array.from({ length: WORKERS }, runWorker))
  signal.throwIfAborted()
  const failed = workers.find((worker) => worker.status === 'rejected')
  if (failed)
    throw new AdminError(
      `${failed.reason.message}. The objects copied so far are kept; run it again to continue`,
    )
  return result
}

/**
 * The objects that the target lacks. Both stores list their keys in the same order, so one pass
 * over both lists is enough.
 */
async function* missingObjects(
  from: Storage,
  to: Storage,
  onPresent: (object: ListedObject) => void,
): AsyncGenerator<ListedObject> {
  const targets = to.list('')[Symbol.asyncIterator]()
  let target = await targets.next()
  for await (const object of from.list('')) {
    while (!target.done && target.value.key < object.key) target = await targets.next()
    if (!target.done && target.value.key === object.key && target.value.size === object.size)
      onPresent(object)
    else yield object
  }
}

async function copyObject(
  from: Storage,
  to: Storage,
  { key, sha256 }: HashedObject,
  signal: AbortSignal,
): Promise<'copied' | 'damaged' | 'removed'> {
  signal.throwIfAborted()
  const source = await from.get(key)
  // The object was removed after it was listed.
  if (!source) return 'removed'
  try {
    await to.put(key, verified(source, sha256, signal), { checked: true })
    return 'copied'
  } catch (error) {
    source.stream.destroy()
    if (error instanceof DamagedObject) return 'damaged'
    throw error
  }
}

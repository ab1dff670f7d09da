import type { Sql } from '../../core/database/sql.ts'
import { type HashedObject, withRecordedHashes } from '../../core/storage/recorded-objects.ts'
import type { ListedObject, Storage } from '../../core/storage/storage.ts'
import {
  DamagedObject,
  hashObject,
  openForCheck,
  orDamaged,
  verified,
} from '../../core/storage/verified.ts'
import { type ObjectEntry, objectKeyOf } from '../../operator/backup/target.ts'

const WORKERS = 4
/** How many entries of objects that are gone are looked up at once. */
const GONE = 500
/** Objects that are not part of a backup: uploads in progress, and what a store has for itself. */
const TEMPORARY = /^(uploads\/|trash\/|probe$|store-owner$)/
/** Objects that never change once they are written, because their name is new or a hash. */
const UNCHANGING =
  /^(builds|symbols|images|trailers|crashes|bugs|saves|patches|brand|renditions|image-renditions)\//

export type Copied = { copied: number; copied_bytes: number; damaged: string[] }

export type ObjectBackup = {
  from: Storage
  to: Storage
  sql: Sql
  /** The entries of an earlier list, in the order of their keys. */
  previous: AsyncIterable<ObjectEntry>
  /** Which entries of the earlier list stay in the new list although the store lacks the object. */
  keepGone: (gone: ObjectEntry[]) => Promise<ObjectEntry[]>
  /** The objects that the target has: SHA-256 and size. Objects that are copied are added. */
  present: Map<string, number>
  counts: Copied
  onEntry: (entry: ObjectEntry) => void
  signal: AbortSignal
}

/** Copies objects that the target lacks, and yields an entry for every object, by its key. */
export async function* backUpObjects(backup: ObjectBackup): AsyncGenerator<ObjectEntry> {
  const { from, previous, keepGone, signal, onEntry } = backup
  const earlier = previous[Symbol.asyncIterator]()
  let known = await earlier.next()
  /** The entries before a key, or all that are left, whose objects are gone. */
  async function* goneBefore(key?: string) {
    const isBefore = () => !known.done && (key === undefined || known.value.key < key)
    while (isBefore()) {
      const gone: ObjectEntry[] = []
      for (; isBefore() && gone.length < GONE; known = await earlier.next()) gone.push(known.value)
      for (const entry of await keepGone(gone)) yield { ...entry, is_removed: true }
    }
  }
  async function* candidates() {
    for await (const object of withRecordedHashes(backup.sql, lastingObjects(from))) {
      signal.throwIfAborted()
      yield* goneBefore(object.key)
      const same = !known.done && known.value.key === object.key ? known.value : undefined
      const is_unchanged = same?.size === object.size && UNCHANGING.test(object.key)
      yield { ...object, earlier_sha256: is_unchanged ? same?.sha256 : undefined }
      if (same) known = await earlier.next()
    }
    yield* goneBefore()
  }
  const entries = inOrder(candidates(), WORKERS, (candidate) => backUpObject(candidate, backup))
  for await (const entry of entries) {
    if (!entry) continue
    onEntry(entry)
    yield entry
  }
}

type Candidate = HashedObject & { earlier_sha256?: string | undefined; is_removed?: boolean }

async function backUpObject(
  { key, size, sha256, earlier_sha256, is_removed }: Candidate,
  { from, to, present, counts, signal }: ObjectBackup,
): Promise<ObjectEntry | undefined> {
  const expected = sha256 ?? earlier_sha256
  if (is_removed) return { key, size, sha256: expected! }
  if (expected && present.get(expected) === size) return { key, size, sha256: expected }
  const copy = async () => {
    const hash = expected ?? (await hashObject(from, key, signal))?.sha256
    // The object was removed after it was listed.
    if (!hash) return undefined
    if (present.get(hash) === size) return { key, size, sha256: hash }
    const source = await openForCheck(from, key)
    if (!source) return undefined
    const put = { checked: true }
    const copied = await to.put(objectKeyOf(hash), verified(source, hash, signal), put)
    present.set(hash, copied.size)
    counts.copied++
    counts.copied_bytes += copied.size
    return { key, size: copied.size, sha256: hash }
  }
  try {
    return await orDamaged(from, key, signal, copy)
  } catch (error) {
    if (!(error instanceof DamagedObject)) throw error
    counts.damaged.push(key)
    // An earlier backup may have the object as it was.
    const earlier_size = expected ? present.get(expected) : undefined
    return expected && earlier_size !== undefined
      ? { key, size: earlier_size, sha256: expected }
      : undefined
  }
}

async function* lastingObjects(from: Storage): AsyncGenerator<ListedObject> {
  for await (const object of from.list('')) if (!TEMPORARY.test(object.key)) yield object
}

/** Runs a few tasks at the same time and yields their results in the order of the items. */
export async function* inOrder<T, U>(
  items: AsyncIterable<T>,
  width: number,
  task: (item: T) => Promise<U>,
): AsyncGenerator<U> {
  const running: Promise<U>[] = []
  try {
    for await (const item of items) {
      const result = task(item)
      // Awaited below; until then a failure must not count as unhandled.
      result.catch(() => {})
      running.push(result)
      if (running.length >= width) yield await running.shift()!
    }
    while (running.length) yield await running.shift()!
  } finally {
    // No object is interrupted in the middle.
    await Promise.allSettled(running)
  }
}

import type { ListedObject, Storage } from './storage.ts'
import { dayOf, parseTrashKey, TRASH_PREFIX } from './trash-key.ts'

/** An object in the trash: where it is, the key it had, and the day it was removed. */
export type TrashedObject = ListedObject & { day: string; former_key: string }

/** Which objects of the trash are meant; all conditions that are given must hold. */
export type TrashFilter = {
  /** The start of the former key. */
  prefix?: string | undefined
  /** The first day of the removal, as 2026-11-01. */
  since?: string | undefined
  keys?: readonly string[] | undefined
}

/** The contents of the trash, oldest first. */
export async function* listTrash(
  storage: Storage,
  { prefix = '', since = '', keys = [] }: TrashFilter = {},
): AsyncGenerator<TrashedObject> {
  const wanted = new Set(keys)
  for await (const object of storage.list(TRASH_PREFIX)) {
    const { day, key } = parseTrashKey(object.key) ?? {}
    if (!day || !key || day < since || !key.startsWith(prefix)) continue
    if (wanted.size && !wanted.has(key)) continue
    yield { ...object, day, former_key: key }
  }
}

export type UndeleteResult = { restored: string[]; existing: string[] }

/**
 * Brings objects back, the one that was removed last where a key is there several times. An object
 * that exists is never replaced.
 */
export async function undelete(
  storage: Storage,
  filter: TrashFilter,
  { signal, progress }: { signal: AbortSignal; progress: (count: number) => void },
): Promise<UndeleteResult> {
  const newest = new Map<string, string>()
  for await (const { key, former_key } of listTrash(storage, filter)) newest.set(former_key, key)
  const result: UndeleteResult = { restored: [], existing: [] }
  for (const [former_key, key] of newest) {
    signal.throwIfAborted()
    if (await storage.stat(former_key)) result.existing.push(former_key)
    else if (await storage.move(key, former_key)) result.restored.push(former_key)
    progress(result.restored.length)
  }
  return result
}

type EmptyOptions = TrashFilter & { days: number; now: Date; signal: AbortSignal }

/** Removes what has been in the trash for so many days, for good; returns how much that was. */
export async function emptyTrash(
  storage: Storage,
  { days, now, signal, ...filter }: EmptyOptions,
): Promise<{ objects: number; bytes: number }> {
  const last = new Date(now)
  last.setUTCDate(last.getUTCDate() - days)
  const removed = { objects: 0, bytes: 0 }
  for await (const { key, size, day } of listTrash(storage, filter)) {
    signal.throwIfAborted()
    if (day >= dayOf(last)) continue
    await storage.discard(key)
    removed.objects++
    removed.bytes += size
  }
  return removed
}

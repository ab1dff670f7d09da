import { databaseTime } from '../database/sql.ts'
import type { Core } from '../runtime/core.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import { retention } from '../runtime/retention.ts'
import { DAY_MS } from '../runtime/units.ts'
import { uuidTime } from '../security/crypto.ts'
import { isSweepAllowed, largestSweep, saveSweep } from './sweep-limit.ts'

const ORPHAN_MS = retention.orphaned_object_days * DAY_MS
const KEYS_PER_QUERY = 1000
/** A sweep that may remove more than this leaves the rest for the next night. */
const MAX_HELD_KEYS = 200_000

export type OrphanSweep = {
  /** What operators see, such as "builds". */
  name: string
  prefixes: readonly string[]
  /** Which of the objects are compared with the database. `now` is by its clock. */
  isCandidate: (key: string, now: Date) => boolean
  /** The keys that no record refers to. */
  findOrphans: (keys: string[]) => Promise<string[]>
  /** By default they are removed. */
  removeBatch?: (keys: string[]) => Promise<void>
  signal: AbortSignal
}

/**
 * Whether an object is old enough to be removed without a record, by the time in the uid of its
 * key. The record of a younger one may still be written.
 */
export const isOldUid = (uid: string, now: Date) => now.getTime() - uuidTime(uid) > ORPHAN_MS

/**
 * Removes objects without a record, left by a crash between the two or by a deleted listing. First
 * it counts them: nothing is removed if they are more than a sweep may remove, or if the objects may
 * belong to another database.
 */
export async function removeOrphans(core: Core, sweep: OrphanSweep): Promise<void> {
  const refusal = await core.owner.renew()
  if (refusal) {
    core.log.warn({ sweep: sweep.name, refusal }, 'a clean-up of the object store was refused')
    return
  }
  const is_allowed = await isSweepAllowed(core.sql, sweep.name)
  const held: string[] = []
  let objects = 0
  let orphans = 0
  for await (const { listed, keys } of orphanBatches(core, sweep)) {
    objects += listed
    orphans += keys.length
    if (is_allowed) await removeKeys(core, sweep, keys)
    else held.push(...keys.slice(0, MAX_HELD_KEYS - held.length))
  }
  const limit = await largestSweep(core.sql, sweep.name, objects)
  const is_refused = !is_allowed && orphans > limit
  await saveSweep(core, { name: sweep.name, objects, orphans, limit, is_refused })
  if (is_refused) return
  for (let at = 0; at < held.length; at += KEYS_PER_QUERY) {
    sweep.signal.throwIfAborted()
    // Listing took time, in which some may have got a record.
    const keys = await sweep.findOrphans(held.slice(at, at + KEYS_PER_QUERY))
    await removeKeys(core, sweep, keys)
  }
}

async function removeKeys(core: Core, { removeBatch, signal }: OrphanSweep, keys: string[]) {
  if (!keys.length) return
  if (removeBatch) return removeBatch(keys)
  for (const key of keys) {
    signal.throwIfAborted()
    await core.storage.remove(key)
    crashPoint('orphan-removed')
  }
}

async function* orphanBatches(
  { sql, storage }: Core,
  { prefixes, isCandidate, findOrphans, signal }: OrphanSweep,
): AsyncGenerator<{ listed: number; keys: string[] }> {
  const now = await databaseTime(sql)
  let listed = 0
  let keys: string[] = []
  const flush = async () => {
    const batch = { listed, keys: keys.length ? await findOrphans(keys) : [] }
    listed = 0
    keys = []
    return batch
  }
  for (const prefix of prefixes)
    for await (const { key } of storage.list(prefix)) {
      signal.throwIfAborted()
      listed++
      if (isCandidate(key, now)) keys.push(key)
      if (keys.length >= KEYS_PER_QUERY) yield await flush()
    }
  yield await flush()
}

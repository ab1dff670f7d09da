import { databaseTime, type Sql } from '../database/sql.ts'
import type { Log } from '../runtime/log.ts'
import type { StoreOwner } from './owner.ts'
import type { Storage } from './storage.ts'
import { isTrashKey, trashKey } from './trash-key.ts'

type Options = { sql: Sql; owner: StoreOwner; trash_days: number; log: Log }

/**
 * The storage of a service. It removes nothing while the objects may belong to another database,
 * and moves what it removes to the trash. What is not removed then has no record, so a sweep
 * removes it later.
 */
export function guardStorage(storage: Storage, { sql, owner, trash_days, log }: Options): Storage {
  const whileOwner = async (
    key: string,
    refusal: Promise<string | undefined>,
    remove: () => Promise<unknown>,
  ) => {
    const reason = await refusal
    if (!reason) await remove()
    else log.debug({ object: key, reason }, 'an object was not removed')
  }
  // A wrong clock, of this machine or of the database, must not make what is removed look old.
  const moveToTrash = async (key: string) => {
    const now = Math.max(Date.now(), (await databaseTime(sql)).getTime())
    return storage.move(key, trashKey(key, new Date(now)))
  }
  // Discarding is part of refusing an upload, which must not fail for another reason.
  const unlessRefused = () => owner.refusal().catch(() => 'unknown owner')
  return {
    ...storage,
    remove: (key) =>
      whileOwner(key, owner.refusal(), () =>
        trash_days && !isTrashKey(key) ? moveToTrash(key) : storage.remove(key),
      ),
    discard: (key) => whileOwner(key, unlessRefused(), () => storage.discard(key)),
  }
}

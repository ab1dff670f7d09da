import { DamagedFile } from '../../core/database/dump/table-files.ts'
import {
  BackupError,
  completeBackups,
  objectKeyOf,
  presentObjects,
  readManifest,
  readObjectList,
  removeBackup,
  removeLocked,
  type Target,
  type TargetLock,
} from '../../operator/backup/target.ts'

export type Removal = {
  removed_backups: number
  /** Earlier backups that stay because they have objects that the new one lacks. */
  kept_backups: string[]
  /** Earlier backups that cannot be read. While they are there, no object is removed. */
  unreadable_backups: string[]
}

type Keep = {
  target: Target
  lock: TargetLock
  own_id: string
  /** How many backups to keep; undefined: all of them. */
  keep: number | undefined
  /** The keys of objects that the new backup should have and does not. */
  lacking: ReadonlySet<string>
}

export const isDamagedBackup = (error: unknown) =>
  error instanceof DamagedFile || error instanceof BackupError

/** Removes the backups beyond the number to keep, and objects that none lists. */
export async function removeOld({ target, lock, own_id, keep, lacking }: Keep): Promise<Removal> {
  const removal: Removal = { removed_backups: 0, kept_backups: [], unreadable_backups: [] }
  if (keep === undefined) return removal
  const others = (await completeBackups(target)).filter((id) => id !== own_id)
  for (const id of others.slice(0, Math.max(0, others.length - (keep - 1)))) {
    const contents = lacking.size ? await searchBackup(target, id, lacking) : 'none of them'
    if (contents === 'unreadable') removal.unreadable_backups.push(id)
    else if (contents === 'some of them') removal.kept_backups.push(id)
    else {
      await lock.check()
      await removeBackup(target, id)
      removal.removed_backups++
    }
  }
  if (removal.removed_backups) removal.unreadable_backups = await removeUnlisted(target, lock)
  return removal
}

/** Whether a backup has any of these objects. */
async function searchBackup(
  target: Target,
  id: string,
  keys: ReadonlySet<string>,
): Promise<'some of them' | 'none of them' | 'unreadable'> {
  try {
    const { objects } = await readManifest(target, id)
    for await (const { key } of readObjectList(target, id, objects.list))
      if (keys.has(key)) return 'some of them'
  } catch (error) {
    if (!isDamagedBackup(error)) throw error
    return 'unreadable'
  }
  return 'none of them'
}

/** Returns the backups whose list cannot be read: then any object may be one of theirs. */
async function removeUnlisted(target: Target, lock: TargetLock): Promise<string[]> {
  const present = await presentObjects(target)
  const listed = new Set<string>()
  const unreadable: string[] = []
  for (const id of await completeBackups(target))
    try {
      const { objects } = await readManifest(target, id)
      for await (const { sha256 } of readObjectList(target, id, objects.list)) listed.add(sha256)
    } catch (error) {
      if (!isDamagedBackup(error)) throw error
      unreadable.push(id)
    }
  if (unreadable.length) return unreadable
  const unlisted = [...present.keys()].filter((sha256) => !listed.has(sha256))
  await removeLocked(target, lock, unlisted.map(objectKeyOf))
  return []
}

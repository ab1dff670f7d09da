import type { Config } from '../../core/runtime/config.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import type { Log } from '../../core/runtime/log.ts'
import { createS3Storage } from '../../core/storage/s3.ts'
import type { Storage } from '../../core/storage/storage.ts'
import { DamagedObject, verified } from '../../core/storage/verified.ts'
import {
  chooseBackup,
  copyBack,
  type ObjectEntry,
  openTarget,
  readObjectList,
} from '../backup/target.ts'

export type Wanted = { key: string; size: number | null; sha256: string | undefined }
/** Stores a whole copy of an object and returns where it came from, if there is one. */
export type Repair = (wanted: Wanted, signal: AbortSignal) => Promise<string | undefined>

type RepairConfig = Pick<Config, 'replica_s3_url' | 'backup_target' | 'data_dir' | 's3_url'>

/** Repairs objects from the replica bucket, or else from the newest backup that has them. */
export function createRepair(storage: Storage, config: RepairConfig, log: Log): Repair {
  const { replica_s3_url, backup_target } = config
  const sources: { name: string; copy: CopyFrom }[] = [
    ...(replica_s3_url ? [{ name: 'replica', copy: fromReplica(storage, replica_s3_url) }] : []),
    ...(backup_target
      ? [{ name: 'backup', copy: fromBackup(storage, { ...config, backup_target }) }]
      : []),
  ]
  return async (wanted, signal) => {
    for (const { name, copy } of sources)
      try {
        if (!(await copy(wanted, signal))) continue
        crashPoint('object-repaired')
        return name
      } catch (error) {
        signal.throwIfAborted()
        log.warn({ error: (error as Error).message, source: name }, 'a repair source failed')
      }
    return undefined
  }
}

type CopyFrom = (wanted: Wanted, signal: AbortSignal) => Promise<boolean>

const fromReplica =
  (storage: Storage, url: string): CopyFrom =>
  async ({ key, size, sha256 }, signal) => {
    const replica = await createS3Storage(url)
    const source = await replica.get(key)
    if (!source) return false
    try {
      if (size !== null && source.size !== size) throw new DamagedObject()
      await storage.put(key, verified(source, sha256, signal), { checked: true })
      return true
    } catch (error) {
      source.stream.destroy()
      if (error instanceof DamagedObject) return false
      throw error
    }
  }

const fromBackup =
  (storage: Storage, config: RepairConfig & { backup_target: string }): CopyFrom =>
  async ({ key, size, sha256 }, signal) => {
    const target = await openTarget(config.backup_target, config)
    const entry =
      sha256 && size !== null
        ? { key, size, sha256 }
        : await findEntry(target, key, ({ sha256: hash }) => !sha256 || hash === sha256)
    return entry ? copyBack(target, storage, entry, signal) : false
  }

/** The entry of an object in the list of the newest backup. */
async function findEntry(
  target: Awaited<ReturnType<typeof openTarget>>,
  key: string,
  isWanted: (entry: ObjectEntry) => boolean,
): Promise<ObjectEntry | undefined> {
  const { id, objects } = await chooseBackup(target)
  for await (const entry of readObjectList(target, id, objects.list))
    if (entry.key === key) return isWanted(entry) ? entry : undefined
  return undefined
}

import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../../core/storage/durable-files.ts'

/** A restore was cut short; the message says how to go on. */
export class InterruptedRestore extends Error {}

/** In DATA_DIR from the first object of a restore until its end. */
export type RestoreProgress = {
  /** The backup that is being restored, so that the same restore can be continued. */
  id: string
  /** The identity that the restored catalog has once its rows are committed. */
  catalog?: string
}

const pathIn = (data_dir: string) => join(data_dir, 'restore.json')

export function readRestoreProgress(data_dir: string): RestoreProgress | undefined {
  const path = pathIn(data_dir)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

export async function saveRestoreProgress(
  data_dir: string,
  progress: RestoreProgress,
): Promise<void> {
  const path = pathIn(data_dir)
  const temp = `${path}.new`
  // Of a restore that was killed just here.
  await rm(temp, { force: true })
  await replaceFile(path, temp, (handle) => handle.writeFile(JSON.stringify(progress)))
}

/** If a power cut brings the file back, the same restore finds the rows and only removes it. */
export const endRestoreProgress = (data_dir: string) => rm(pathIn(data_dir), { force: true })

/** A service would take what a restore has left for a store of its own, and fill the database. */
export function refuseInterruptedRestore(data_dir: string): void {
  const progress = readRestoreProgress(data_dir)
  if (!progress) return
  throw new InterruptedRestore(
    `A restore of the backup ${progress.id} into ${data_dir} was interrupted, so the store is not ` +
      'complete. Run the same "npm run admin -- restore" again with that backup: it continues. To ' +
      'give it up, start with an empty DATA_DIR, an empty database and an empty bucket.',
  )
}

import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { crashPoint } from '../runtime/crash-point.ts'

/** Only our user can read a file, unless its writer says otherwise. */
const OWN_FILE = 0o600

/**
 * Writes a file so that after a crash there is either the old or the new one, whole. Also for the
 * few files outside the object store.
 */
export async function replaceFile<T>(
  path: string,
  temp: string,
  fill: (handle: FileHandle) => Promise<T>,
  mode = OWN_FILE,
): Promise<T> {
  const result = await writeSynced(temp, fill, mode)
  crashPoint('file-written')
  try {
    await rename(temp, path)
  } catch (error) {
    await rm(temp, { force: true })
    throw error
  }
  crashPoint('file-renamed')
  await syncFolder(dirname(path))
  return result
}

/**
 * Writes a new file. Its bytes are on the disk when this resolves; its name is once the folder is
 * synced.
 */
export async function writeSynced<T>(
  path: string,
  fill: (handle: FileHandle) => Promise<T>,
  mode = OWN_FILE,
): Promise<T> {
  const handle = await open(path, 'wx', mode)
  try {
    const result = await fill(handle)
    await handle.datasync()
    return result
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/** Like writeSynced, but syncs the name while the bytes are still being written. */
export async function writeFresh<T>(
  path: string,
  fill: (handle: FileHandle) => Promise<T>,
  mode = OWN_FILE,
): Promise<T> {
  let named: Promise<void> | undefined
  const startSync = (handle: FileHandle) => {
    named = syncFolder(dirname(path))
    // Awaited below; until then a failure must not count as unhandled.
    named.catch(() => {})
    return fill(handle)
  }
  const result = await writeSynced(path, startSync, mode)
  crashPoint('fresh-file-written')
  await named
  return result
}

/** The folders that this process has made durable. There are few: not those of single objects. */
const durableFolders = new Set<string>()

/**
 * Creates a folder and its missing parents, all of them durable. A folder that exists may have been
 * created by a process that was killed before it synced it, so the first use of each syncs all its
 * parents.
 */
export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path)
  const first_created = await mkdir(folder, { recursive: true })
  if (!first_created && durableFolders.has(folder)) return
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const syncing = syncFolder(dirname(at))
    // Older folders may be closed to our user.
    if (!first_created || at.length < first_created.length) await syncing.catch(ignoreForbidden)
    else await syncing
  }
  durableFolders.add(folder)
}

function ignoreForbidden(error: NodeJS.ErrnoException): void {
  if (!['EACCES', 'EPERM', 'EINVAL', 'EROFS'].includes(error.code ?? '')) throw error
}

export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders, and writes their entries with the file.
  if (process.platform !== 'win32') await syncFile(folder)
}

export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

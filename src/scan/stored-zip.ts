import { join } from 'node:path'
import { fileKey } from '../builds/files/key.ts'
import type { Core } from '../core/runtime/core.ts'
import { makeFolder } from '../core/storage/durable-files.ts'
import { zipLimits } from '../uploads/zip/inspect.ts'
import { storedZip } from '../uploads/zip/zip-source.ts'
import type { Scanner } from './scanner.ts'
import type { Finding } from './states.ts'
import { type WalkedZip, walkZip } from './walk-zip.ts'
import { createScanWindows } from './windows.ts'

export type StoredFile = { object_uid: string; game_uid: string; size: number }
export type ScannedZip = WalkedZip & { findings: Finding[] }

/** The stored object is not the file that was recorded. */
export class StoredFileChanged extends Error {}

/** Scans the entries of a stored file. Throws a ZipError, ScanFailed or StoredFileChanged. */
export async function scanStoredZip(
  core: Core,
  file: StoredFile,
  scanner: Scanner,
  signal: AbortSignal,
): Promise<ScannedZip> {
  const key = fileKey(file)
  const stored = await core.storage.stat(key)
  // The object may not have been copied to this storage yet; a later attempt finds it.
  if (!stored) throw new Error('The object is missing from storage')
  if (stored.size !== file.size)
    throw new StoredFileChanged('The size of the stored file has changed; upload it again')
  const temp = join(core.config.data_dir, 'uploads')
  await makeFolder(temp)
  const windows = createScanWindows(scanner, signal)
  const walked = await walkZip(storedZip(core.storage, key, file.size), {
    add: windows.add,
    temp,
    limits: zipLimits(core.config),
  })
  return { ...walked, findings: await windows.end() }
}

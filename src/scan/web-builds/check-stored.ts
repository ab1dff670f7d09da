import { fileKey } from '../../builds/files/key.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type WebLimits, webLimits } from '../../listings/fields/web-build.ts'
import { checkWebZip } from '../../uploads/web-check/zip.ts'
import { findDirectory, readEntries } from '../../uploads/zip/directory.ts'
import { storedZip } from '../../uploads/zip/zip-source.ts'
import type { StoredFile } from '../stored-zip.ts'
import type { CheckedWebBuild } from './queries.ts'

/** The limits as they are recorded with what was compared with them. */
export const namedLimits = ({ max_files, max_bytes, max_file_bytes }: WebLimits) =>
  [max_files, max_bytes, max_file_bytes].join('/')

/** Checks a stored build for browsers. Throws a ZipError if the zip cannot be read. */
export async function checkStoredWebBuild(
  { storage, config }: Core,
  file: StoredFile,
): Promise<CheckedWebBuild> {
  const limits = webLimits(config)
  const source = storedZip(storage, fileKey(file), file.size)
  const location = await findDirectory(source.read, file.size, {
    max_entries: config.zip_max_entries,
  })
  const report = await checkWebZip(await readEntries(source.read, location), source, limits)
  return { ...report, limits: namedLimits(limits) }
}

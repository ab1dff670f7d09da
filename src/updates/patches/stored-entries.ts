import { open } from 'node:fs/promises'
import { fileKey } from '../../builds/files/key.ts'
import type { Core } from '../../core/runtime/core.ts'
import { findDirectory, readEntries } from '../../uploads/zip/directory.ts'
import { unpack } from '../../uploads/zip/entry.ts'
import { storedZip } from '../../uploads/zip/zip-source.ts'
import type { StoredZipFile } from '../contents.ts'

export type StoredEntries = {
  /** How many bytes the entry has in the zip. */
  compressedSize: (path: string) => number
  /** Writes an entry to a file; throws if it has not the expected contents. */
  unpackTo: (path: string, sha256: string, target: string) => Promise<void>
}

/** The entries of a stored zip, to be unpacked one by one. */
export async function openStoredEntries(
  { storage, config }: Core,
  file: StoredZipFile,
): Promise<StoredEntries> {
  const zip = storedZip(storage, fileKey(file), file.size)
  const location = await findDirectory(zip.read, file.size, { max_entries: config.zip_max_entries })
  const { entries, start } = await readEntries(zip.read, location)
  const by_path = new Map(entries.map((entry) => [entry.path, entry]))
  const ordered = entries.toSorted((a, b) => a.offset - b.offset)
  const ends = new Map(
    ordered.map((entry, index) => [entry.path, ordered[index + 1]?.offset ?? start]),
  )
  const find = (path: string) => {
    const entry = by_path.get(path)
    if (!entry) throw new Error('An entry of the build is not in its zip')
    return entry
  }
  return {
    compressedSize: (path) => find(path).compressed,
    async unpackTo(path, sha256, target) {
      const handle = await open(target, 'w', 0o600)
      try {
        const chunks = unpack(find(path), ends.get(path)!, zip)
        let step = await chunks.next()
        for (; !step.done; step = await chunks.next()) await handle.writeFile(step.value)
        if (step.value.toString('hex') !== sha256)
          throw new Error('An entry of the build is not what was recorded')
      } finally {
        await handle.close()
      }
    },
  }
}

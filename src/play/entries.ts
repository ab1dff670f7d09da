import { fileKey } from '../builds/files/key.ts'
import { readEntryHashes } from '../builds/files/queries.ts'
import { createCache } from '../core/runtime/cache.ts'
import type { Core } from '../core/runtime/core.ts'
import { perCore } from '../core/runtime/per-core.ts'
import { isStorageUnavailable } from '../core/storage/storage.ts'
import { DamagedObject } from '../core/storage/verified.ts'
import { INDEX, playedFolder } from '../listings/fields/web-build.ts'
import { findDirectory, type ReadAt, readEntries, type ZipEntry } from '../uploads/zip/directory.ts'
import { storedZip } from '../uploads/zip/zip-source.ts'

/** A file inside a web build. */
export type PlayEntry = Pick<ZipEntry, 'method' | 'crc32' | 'compressed' | 'size' | 'offset'> & {
  path: string
  /** In hex, and the identity of the entry for caches. */
  sha256: string
  name_length: number
}

/** The files of a web build by their address below the one of the build. */
export type EntryTable = { entries: Map<string, PlayEntry>; key: string; size: number }

export type StoredBuild = { uid: string; object_uid: string; game_uid: string; size: number }

/** Tables of about this many files in total are kept in memory. */
const MAX_CACHED_ENTRIES = 200_000

const tablesOf = perCore(() =>
  createCache<Promise<EntryTable> & { entries?: number }>({
    max_bytes: MAX_CACHED_ENTRIES,
    bytesOf: ({ entries = 1000 }) => entries,
  }),
)

/** The table of a build, read from the directory of its zip when it is first played. */
export function entryTable(core: Core, build: StoredBuild): Promise<EntryTable> {
  const tables = tablesOf(core)
  const cached = tables.get(build.uid)
  if (cached) return cached
  const reading = readTable(core, build)
  tables.set(build.uid, reading)
  reading.then(
    ({ entries }) => tables.set(build.uid, Object.assign(reading, { entries: entries.size })),
    () => tables.delete(build.uid),
  )
  return reading
}

async function readTable({ sql, storage, config }: Core, build: StoredBuild): Promise<EntryTable> {
  const key = fileKey(build)
  const { read } = storedZip(storage, key, build.size)
  const [hashes, directory] = await Promise.all([
    readEntryHashes(sql, build.uid),
    readDirectory(read, build.size, config.zip_max_entries).catch((error) => {
      // It was read without an error when it was uploaded and scanned.
      throw isStorageUnavailable(error) ? error : new DamagedObject((error as Error).message)
    }),
  ])
  const files = directory.entries.filter(
    ({ path, is_symlink }) => !path.endsWith('/') && !is_symlink,
  )
  const root = playedFolder(files.map(({ path }) => path)) ?? ''
  const entries = new Map<string, PlayEntry>()
  for (const { path, raw_name, method, crc32, compressed, size, offset } of files) {
    const sha256 = hashes.get(path)
    if (!path.startsWith(root) || !sha256) continue
    const name_length = raw_name.length
    const address = path.slice(root.length)
    entries.set(address, { path, sha256, method, crc32, compressed, size, offset, name_length })
  }
  return { entries, key, size: build.size }
}

const readDirectory = async (read: ReadAt, size: number, max_entries: number) =>
  readEntries(read, await findDirectory(read, size, { max_entries }))

/** An address that names a folder means its `index.html`. */
export const findEntry = ({ entries }: EntryTable, address: string): PlayEntry | undefined =>
  entries.get(address === '' || address.endsWith('/') ? `${address}${INDEX}` : address)

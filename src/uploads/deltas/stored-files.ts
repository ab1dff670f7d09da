import { forEachInSlices } from '../../core/runtime/event-loop.ts'
import type { Storage } from '../../core/storage/storage.ts'
import { findDirectory, readEntries, type ZipEntry, ZipError } from '../zip/directory.ts'
import { readAhead, storedZip, type ZipSource } from '../zip/zip-source.ts'

/** A clean file of the game, whose entries a delta may refer to. */
export type StoredFile = { uid: string; key: string; size: number }

/** An entry of a stored zip, and where the next one begins. */
export type StoredEntry = { source: ZipSource; entry: ZipEntry; end: number }

/** A stored file is missing, was removed, or is not what its record says. */
export class BaseGone extends Error {}

type OpenZip = (path: string) => StoredEntry | undefined

/** Opens stored zips as they are needed, and finds entries by their path. */
export function openStoredFiles(storage: Storage, max_entries: number) {
  const opened = new Map<string, Promise<OpenZip>>()
  return async ({ uid, key, size }: StoredFile, path: string): Promise<StoredEntry> => {
    let zip = opened.get(uid)
    if (!zip) {
      zip = openZip(storage, { uid, key, size }, max_entries)
      opened.set(uid, zip)
    }
    const entry = (await zip)(path)
    if (!entry) throw new BaseGone(`${uid} has no such entry`)
    return entry
  }
}

async function openZip(
  storage: Storage,
  { key, size }: StoredFile,
  max_entries: number,
): Promise<OpenZip> {
  const stored = await storage.stat(key)
  if (stored?.size !== size) throw new BaseGone('The object is missing or damaged')
  const source = readAhead(storedZip(storage, key, size))
  const { entries, start } = await asBaseGone(async () =>
    readEntries(source.read, await findDirectory(source.read, size, { max_entries })),
  )
  const offsets = Float64Array.from(entries, ({ offset }) => offset).sort()
  const ends = new Map<number, number>()
  await forEachInSlices(offsets.length, (index) => {
    ends.set(offsets[index]!, offsets[index + 1] ?? start)
  })
  const by_path = new Map(entries.map((entry) => [entry.path, entry]))
  return (path) => {
    const entry = by_path.get(path)
    return entry && { source, entry, end: ends.get(entry.offset)! }
  }
}

/** A stored zip that cannot be read was damaged after its scan. */
export async function asBaseGone<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof ZipError ? new BaseGone(error.message) : error
  }
}

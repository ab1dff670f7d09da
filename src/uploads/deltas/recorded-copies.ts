import type { DeltaEntry, DeltaHeader, SentEntry } from './format.ts'
import type { BaseEntry } from './queries.ts'
import { BaseGone, type StoredFile } from './stored-files.ts'

/** A file that a delta refers to, and the paths of the entries that are copied from it. */
export type FileRequest = { uid: string; paths: string[] }

/** What is stored of it, with the records of those entries; null if it cannot be used. */
export type ResolvedFile = (StoredFile & { entries: BaseEntry[] }) | null

export type ResolveFiles = (files: FileRequest[]) => Promise<ResolvedFile[]>

/** The files of a delta, with what has to be read from their records. */
export function copiesByFile({ files, entries }: DeltaHeader): FileRequest[] {
  const requests = files.map((uid): FileRequest => ({ uid, paths: [] }))
  for (const { copy, path } of entries) if (copy) requests[copy[0]]!.paths.push(copy[1] ?? path)
  return requests
}

/** The entries of a delta, with the size and hash of copies. */
export function completeEntries(
  entries: readonly SentEntry[],
  files: readonly ResolvedFile[],
): DeltaEntry[] {
  const records = files.map((file) => {
    if (!file) throw new BaseGone('A file is not there any more')
    return new Map(file.entries.map((entry) => [entry.path, entry]))
  })
  return entries.map((entry) => {
    if (!entry.copy) return entry
    const [file, path = entry.path] = entry.copy
    const record = records[file]!.get(path)
    if (!record) throw new BaseGone('A file has no such entry')
    return { ...entry, copy: [file, path], size: record.size, sha256: record.sha256 }
  })
}

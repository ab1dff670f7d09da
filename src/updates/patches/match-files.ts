import type { ManifestEntry } from '../contents.ts'

type File = Pick<ManifestEntry, 'path' | 'size' | 'sha256' | 'link'>
/** A file that changed, and the file of the earlier build that is most like it. */
export type ChangedFile<Entry extends File = ManifestEntry> = { to: Entry; from: Entry }

/** Smaller files cost less than their line in the header of a patch. */
const MIN_BYTES = 256
const MIN_SHARED_NAME = 0.5

const isFile = ({ path, link }: File) => link === undefined && !path.endsWith('/')
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)
const extensionOf = (path: string) => /\.[^./]+$/.exec(path)?.[0] ?? ''

/**
 * What a patch is made for: files whose contents the earlier build does not have. Each is made of
 * the old file with its path. Where there is none, of one with its name in another folder, or of
 * one whose name differs a little, as names with a version or a hash do.
 */
export function matchFiles<Entry extends File>(
  old: readonly Entry[],
  next: readonly Entry[],
): ChangedFile<Entry>[] {
  const old_files = old.filter((entry) => isFile(entry) && entry.size > 0)
  const contents = new Set(old_files.map(({ sha256 }) => sha256))
  const by_path = new Map(old_files.map((entry) => [entry.path, entry]))
  const by_name = Map.groupBy(old_files, ({ path }) => nameOf(path))
  const by_kind = Map.groupBy(old_files, kindOf)
  const kept_paths = new Set(next.map(({ path }) => path))
  return next.flatMap((to) => {
    if (!isFile(to) || to.size < MIN_BYTES || contents.has(to.sha256)) return []
    const from =
      by_path.get(to.path) ??
      closestSize(to, by_name.get(nameOf(to.path)) ?? []) ??
      // A file that is still there has a successor of its own.
      closestName(
        to,
        (by_kind.get(kindOf(to)) ?? []).filter(({ path }) => !kept_paths.has(path)),
      )
    return from ? [{ to, from }] : []
  })
}

const kindOf = ({ path }: File) => `${folderOf(path)}\0${extensionOf(path)}`

function closestSize<Entry extends File>(to: File, entries: readonly Entry[]): Entry | undefined {
  const distance = ({ size }: File) => Math.abs(size - to.size)
  return entries.toSorted((a, b) => distance(a) - distance(b))[0]
}

/** How many names are compared with one: a folder may have 100,000 files. */
const MAX_COMPARED = 200

function closestName<Entry extends File>(to: File, entries: readonly Entry[]): Entry | undefined {
  let best: Entry | undefined
  let best_score = MIN_SHARED_NAME
  for (const entry of entries.slice(0, MAX_COMPARED)) {
    const score = sharedPart(nameOf(to.path), nameOf(entry.path))
    if (score <= best_score) continue
    best = entry
    best_score = score
  }
  return best
}

/** The part of two names that is the same at their beginning and end, from 0 to 1. */
function sharedPart(a: string, b: string): number {
  const shortest = Math.min(a.length, b.length)
  let before = 0
  while (before < shortest && a[before] === b[before]) before++
  let after = 0
  while (after < shortest - before && a.at(-1 - after) === b.at(-1 - after)) after++
  return (before + after) / Math.max(a.length, b.length)
}

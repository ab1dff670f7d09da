import type { BaseEntry } from './queries.ts'
import { MIN_SIGNED_BYTES } from './signature.ts'

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)

/** The name of a file without versions and hashes: `app.3f9c21ab.js` is like `app.77e0d4c2.js`. */
const stemOf = (path: string) =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/[0-9a-f]{6,}/g, '#')
    .replace(/\d+/g, '#')

/** Of many files with names that are alike, such as frames, only so many are compared. */
const MAX_CANDIDATES = 32

/** Finds the entry of the base that a new entry is most likely made of. */
export function findBaseEntries(entries: readonly BaseEntry[]) {
  const large = entries.filter(({ size }) => size >= MIN_SIGNED_BYTES)
  const by_path = new Map(large.map((entry) => [entry.path, entry]))
  const by_stem = Map.groupBy(large, ({ path }) => stemOf(path))
  return ({ path, size }: { path: string; size: number }): BaseEntry | undefined => {
    if (size < MIN_SIGNED_BYTES) return undefined
    const same_path = by_path.get(path)
    if (same_path) return same_path
    const folder = folderOf(path)
    const difference = (entry: BaseEntry) => Math.abs(entry.size - size)
    return by_stem
      .get(stemOf(path))
      ?.slice(0, MAX_CANDIDATES)
      .toSorted(
        (a, b) =>
          Number(folderOf(b.path) === folder) - Number(folderOf(a.path) === folder) ||
          difference(a) - difference(b),
      )[0]
  }
}

import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { hashFile, inParallel, pathsIn, statsOf } from './disk.ts'
import type { Entry, Manifest } from './manifest.ts'
import { type InstalledVersion, readVersion, treeFolder } from './record.ts'

const HASHED_AT_ONCE = 4

/** A version on the disk, whose files a new one is made from. */
export type OldTree = {
  id: string
  tree: string
  version: InstalledVersion
  /** Every path in the tree; what is reached through a link is not in it. */
  paths: readonly string[]
  /** Whether a path of an entry is in the tree; a disk may have it in other letters. */
  has: (path: string) => boolean
  /** Whether a file of the version has the contents of its entry. */
  isIntact: (entry: Entry) => Promise<boolean>
}

/**
 * Without a record of the version, every file in it may be one of the player. A file with the size
 * and time it was written with is read again only if every file is to be hashed.
 */
export async function readOldTree(
  folder: string,
  id: string,
  { hashes_all, keyOf }: { hashes_all: boolean; keyOf: (path: string) => string },
): Promise<OldTree> {
  const tree = treeFolder(folder, id)
  const version = (await readVersion(folder, id)) ?? unrecorded
  const paths = await pathsIn(tree)
  const results = new Map<string, Promise<boolean>>()
  const isIntact = (entry: Entry) => {
    const result =
      results.get(entry.path) ??
      isUnchanged(join(tree, entry.path), entry, hashes_all ? undefined : version)
    results.set(entry.path, result)
    return result
  }
  const there = new Set(paths.map(keyOf))
  const has = (path: string) => there.has(keyOf(path))
  const files = version.entries.filter(({ path }) => has(path)).filter(isFile)
  const check = async (entry: Entry) => void (await isIntact(entry))
  if (hashes_all) await inParallel(files, HASHED_AT_ONCE, check)
  return { id, tree, version, paths, has, isIntact }
}

const unrecorded: InstalledVersion = {
  manifest: { version: '', file: { file_uid: '' } } as Manifest,
  signature: '',
  entries: [],
  stamps: {},
}

const EXECUTABLE = 0o100

/** Whether a file that is a program can no longer be started. */
export const hasLostMode = ({ mode }: Entry, stats: Stats) =>
  process.platform !== 'win32' && (mode & EXECUTABLE) !== 0 && (stats.mode & EXECUTABLE) === 0

export const isFile = ({ path, link }: Entry) => link === undefined && !path.endsWith('/')

/** A file with the size and time of the version is not read again. */
export async function isUnchanged(
  path: string,
  entry: Entry,
  version: InstalledVersion | undefined,
): Promise<boolean> {
  const stats = await statsOf(path)
  if (!stats?.isFile() || stats.size !== entry.size) return false
  const [size, changed_ms] = version?.stamps[entry.path] ?? []
  if (size === stats.size && changed_ms === stats.mtimeMs) return true
  return (await hashFile(path)) === entry.sha256
}

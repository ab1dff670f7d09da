import { mkdir, readlink, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder, syncFolder } from '../../src/core/storage/durable-files.ts'
import { linkOrCopy, statsOf, walkTree } from './disk.ts'
import { keptName } from './kept-names.ts'
import type { Entry } from './manifest.ts'
import { type InstalledVersion, isUnchanged } from './record.ts'

/** In an update, what the player added stays; what they changed is kept under another name. */
export async function carryOver({
  tree,
  old_tree,
  old,
  entries,
}: {
  tree: string
  old_tree: string
  old: InstalledVersion
  entries: readonly Entry[]
}): Promise<string[]> {
  const shipped = new Map(old.entries.map((entry) => [entry.path, entry]))
  const taken = new Set(entries.map(({ path }) => path))
  const kept: string[] = []
  for await (const path of walkTree(old_tree)) {
    const source = join(old_tree, path)
    const entry = shipped.get(path)
    if (path.endsWith('/')) {
      if (!entry) await mkdir(join(tree, path), { recursive: true })
      continue
    }
    if (entry && (await isAsShipped(source, entry, old))) continue
    const is_free = !entry && !taken.has(path)
    const target = is_free ? path : await freeName(tree, path, old.manifest.version)
    await mkdir(dirname(join(tree, target)), { recursive: true })
    await rm(join(tree, target), { force: true })
    await keepFile(source, join(tree, target))
    if (target !== path) kept.push(target)
  }
  return kept
}

async function freeName(tree: string, path: string, version: string): Promise<string> {
  for (let number = 1; ; number++) {
    const name = keptName(path, version, number)
    if (!(await statsOf(join(tree, name)))) return name
  }
}

async function isAsShipped(path: string, entry: Entry, old: InstalledVersion): Promise<boolean> {
  if (entry.link === undefined) return isUnchanged(path, entry, old)
  return (await readlink(path).catch(() => undefined)) === entry.link
}

async function keepFile(source: string, target: string): Promise<void> {
  const stats = await statsOf(source)
  if (stats?.isSymbolicLink()) await symlink(await readlink(source), target)
  else if (stats?.isFile()) await linkOrCopy(source, target)
}

/**
 * For a game that is uninstalled: moves the files that the player added, such as saved games, to a
 * folder, and returns their paths.
 */
export async function keepFiles(
  tree: string,
  { entries }: InstalledVersion,
  target: string,
): Promise<string[]> {
  const shipped = new Set(entries.map(({ path }) => path))
  const kept: string[] = []
  const folders = new Set<string>()
  for await (const path of walkTree(tree)) {
    if (shipped.has(path) || path.endsWith('/')) continue
    if (!(await statsOf(join(tree, path)))?.isFile()) continue
    const kept_path = join(target, path)
    await makeFolder(dirname(kept_path))
    await rename(join(tree, path), kept_path).catch(() => linkOrCopy(join(tree, path), kept_path))
    folders.add(dirname(kept_path))
    kept.push(path)
  }
  // Before the tree is removed: after a power cut they could otherwise be gone with it.
  for (const folder of folders) await syncFolder(folder)
  return kept
}

import { mkdir, readdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../../src/core/storage/durable-files.ts'
import { inParallel, removeTree, statsOf, walkTree } from '../disk.ts'
import type { Entry } from '../manifest.ts'
import { hasLostMode, isFile } from '../old-tree.ts'
import { foldersOf } from '../places.ts'
import type { InstalledVersion, Stamps } from '../record.ts'

const SYNCED_AT_ONCE = 4

/** They are synced when the tree is complete, each once and not after every new one. */
export async function makeFolders(tree: string, entries: readonly Entry[]): Promise<void> {
  const folders = new Set(
    entries.map(({ path }) => (path.endsWith('/') ? path.slice(0, -1) : dirname(path))),
  )
  for (const folder of folders) await mkdir(join(tree, folder), { recursive: true })
}

/**
 * Removes from the stage of an interrupted run what is not a file of the version. All links go too,
 * so that nothing is written through one; the player may have made it.
 */
export async function cleanStage(
  tree: string,
  entries: readonly Entry[],
  keyOf: (path: string) => string,
): Promise<void> {
  const files = new Set(entries.filter(isFile).map(({ path }) => keyOf(path)))
  const folders = new Set(
    entries
      .flatMap(({ path }) =>
        path.endsWith('/') ? [...foldersOf(path), path.slice(0, -1)] : foldersOf(path),
      )
      .map(keyOf),
  )
  const clean = async (prefix: string) => {
    for (const item of await readdir(join(tree, prefix), { withFileTypes: true })) {
      const path = `${prefix}${item.name}`
      if (item.isDirectory() && folders.has(keyOf(path))) await clean(`${path}/`)
      else if (!item.isFile() || !files.has(keyOf(path))) await removeTree(join(tree, path))
    }
  }
  await clean('')
}

/** Links come last, so that nothing is ever written through one. */
export async function makeLinks(tree: string, entries: readonly Entry[]): Promise<void> {
  for (const { path, link: target } of entries) {
    if (target !== undefined) await symlink(target, join(tree, path))
  }
}

/** Files were synced when they were written; the folders with their names are synced here. */
export async function syncTree(tree: string): Promise<void> {
  const folders = new Set(['.'])
  for await (const path of walkTree(tree))
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder)
  await inParallel([...folders], SYNCED_AT_ONCE, (folder) => syncFolder(join(tree, folder)))
}

/** How files are after they were written, for the record. */
export async function stateOf(
  tree: string,
  entries: readonly Entry[],
): Promise<Pick<InstalledVersion, 'stamps' | 'has_modes'>> {
  const stamps: Stamps = {}
  let has_modes = true
  for (const entry of entries.filter(isFile)) {
    const stats = (await statsOf(join(tree, entry.path)))!
    stamps[entry.path] = [stats.size, stats.mtimeMs]
    if (hasLostMode(entry, stats)) has_modes = false
  }
  return { stamps, has_modes }
}

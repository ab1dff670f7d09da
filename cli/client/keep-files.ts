import { copyFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../src/core/storage/durable-files.ts'
import { statsOf, walkTree } from './disk.ts'
import type { InstalledVersion } from './record.ts'

/** Moves the files that the player added, such as saved games, to a folder; returns their paths. */
export async function keepFiles(
  tree: string,
  { entries }: InstalledVersion,
  target: string,
): Promise<string[]> {
  const shipped = new Set(entries.map(({ path }) => path))
  const kept: string[] = []
  for await (const path of walkTree(tree)) {
    if (shipped.has(path) || path.endsWith('/')) continue
    if (!(await statsOf(join(tree, path)))?.isFile()) continue
    await makeFolder(dirname(join(target, path)))
    await rename(join(tree, path), join(target, path)).catch(() =>
      copyFile(join(tree, path), join(target, path)),
    )
    kept.push(path)
  }
  return kept
}

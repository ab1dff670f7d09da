import { readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hashFile, inParallel, statsOf } from './disk.ts'
import { hasLostMode } from './old-tree.ts'
import type { InstalledVersion } from './record.ts'

export type Problem = { path: string; problem: 'missing' | 'changed' }

/** Reads every file of a version again. */
export async function findProblems(
  tree: string,
  { entries, has_modes = true }: InstalledVersion,
  onBytes: (bytes: number) => void,
): Promise<Problem[]> {
  const problems: Problem[] = []
  await inParallel(entries, 4, async (entry) => {
    const { path, size, sha256, link } = entry
    const target = join(tree, path)
    const stats = await statsOf(target)
    const is_good = path.endsWith('/')
      ? stats?.isDirectory()
      : link !== undefined
        ? (await readlink(target).catch(() => undefined)) === link
        : stats?.isFile() &&
          stats.size === size &&
          !(has_modes && hasLostMode(entry, stats)) &&
          (await hashFile(target)) === sha256
    onBytes(size)
    if (!is_good) problems.push({ path, problem: stats ? 'changed' : 'missing' })
  })
  return problems.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

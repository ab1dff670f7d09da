import { readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hashFile, inParallel, statsOf } from './disk.ts'
import type { InstalledVersion } from './record.ts'

export type Problem = { path: string; problem: 'missing' | 'changed' }

/** Reads every file of a version again. */
export async function findProblems(
  tree: string,
  { entries }: InstalledVersion,
  onBytes: (bytes: number) => void,
): Promise<Problem[]> {
  const problems: Problem[] = []
  await inParallel(entries, 4, async ({ path, size, sha256, link }) => {
    const target = join(tree, path)
    const stats = await statsOf(target)
    const is_good = path.endsWith('/')
      ? stats?.isDirectory()
      : link !== undefined
        ? (await readlink(target).catch(() => undefined)) === link
        : stats?.isFile() && stats.size === size && (await hashFile(target)) === sha256
    onBytes(size)
    if (!is_good) problems.push({ path, problem: stats ? 'changed' : 'missing' })
  })
  return problems.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

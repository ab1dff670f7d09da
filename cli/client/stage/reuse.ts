import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { copySynced, hashFile, inParallel, linkOrCopy, statsOf } from '../disk.ts'
import type { Entry } from '../manifest.ts'
import { hasLostMode, isFile, type OldTree } from '../old-tree.ts'
import { finishFile } from '../unpack.ts'

const HASHED_AT_ONCE = 4

export type Reused = { entry: Entry; source: string; is_linked: boolean }

/** Finds what is already on disk, and what has to be downloaded. Nothing is written for it yet. */
export async function planReuse(
  tree: string,
  old: OldTree | undefined,
  entries: readonly Entry[],
): Promise<{ reused: Reused[]; missing: Entry[] }> {
  // What is reached through a link that the player made is not in the old version.
  const old_files = old?.version.entries.filter(({ path }) => old.has(path)).filter(isFile) ?? []
  const by_content = new Map(old_files.map((entry) => [contentOf(entry), entry]))
  const by_hash = new Map(old_files.map((entry) => [entry.sha256, entry]))
  const missing: Entry[] = []
  const reused: Reused[] = []
  await inParallel(entries.filter(isFile), HASHED_AT_ONCE, async (entry) => {
    const target = join(tree, entry.path)
    const staged = await statsOf(target)
    if (staged?.size === entry.size && (await hashFile(target)) === entry.sha256)
      return finishFile(target, entry)
    if (staged) await rm(target)
    const same = by_content.get(contentOf(entry)) ?? by_hash.get(entry.sha256)
    if (!same || !(await old!.isIntact(same))) return void missing.push(entry)
    const source = join(old!.tree, same.path)
    // Permissions belong to the file, which the version before has too.
    const is_linked = same.mode === entry.mode && !hasLostMode(entry, (await statsOf(source))!)
    reused.push({ entry, source, is_linked })
  })
  return { reused, missing }
}

export async function takeReused(tree: string, reused: readonly Reused[]): Promise<void> {
  await inParallel(reused, HASHED_AT_ONCE, async ({ entry, source, is_linked }) => {
    const target = join(tree, entry.path)
    if (is_linked) return linkOrCopy(source, target)
    await copyFile(source, target)
    await finishFile(target, entry)
  })
}

const contentOf = ({ sha256, mode }: Entry) => `${sha256}/${mode}`

/** Takes files of a version that are not as they were installed; returns their paths. */
export async function takeAsLeft(
  tree: string,
  before: OldTree,
  entries: readonly Entry[],
): Promise<string[]> {
  const taken: string[] = []
  for (const { path, size, sha256 } of entries) {
    const target = join(tree, path)
    const staged = await statsOf(target)
    if (staged?.size === size && (await hashFile(target)) === sha256) continue
    await rm(target, { force: true })
    const source = join(before.tree, path)
    if (before.has(path) && (await statsOf(source))?.isFile()) await copySynced(source, target)
    taken.push(path)
  }
  return taken
}

import type { Stats } from 'node:fs'
import { copyFile, lstat, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { copySynced, hashFile, inParallel, linkOrCopy, statsOf } from '../disk.ts'
import type { Entry } from '../manifest.ts'
import { hasLostMode, isFile, type OldTree } from '../old-tree.ts'
import { finishFile } from '../unpack.ts'

const HASHED_AT_ONCE = 4

/** `same` is the entry of the version before that has the contents. */
export type Reused = { entry: Entry; same: Entry; source: string; is_linked: boolean }

/** Finds what is already on disk, and what has to be downloaded. Nothing is written for it yet. */
export async function planReuse(
  tree: string,
  old: OldTree | undefined,
  entries: readonly Entry[],
): Promise<{ reused: Reused[]; missing: Entry[] }> {
  const findSame = old ? sameFileIn(old) : async () => undefined
  const claim = createClaims()
  const missing: Entry[] = []
  const copies: { entry: Entry; same: Entry; stats: Stats; identity: string }[] = []
  await inParallel(entries.filter(isFile), HASHED_AT_ONCE, async (entry) => {
    const target = join(tree, entry.path)
    const staged = await statsOf(target)
    const is_whole = staged?.size === entry.size && (await hashFile(target)) === entry.sha256
    if (is_whole && (await isOnlyName(target, claim))) return finishFile(target, entry)
    if (staged) await rm(target)
    const same = await findSame(entry)
    const source = same && join(old!.tree, same.path)
    const stats = source && (await statsOf(source))
    if (stats) copies.push({ entry, same, stats, identity: await identityOf(source) })
    else missing.push(entry)
  })
  const isAtSamePath = ({ entry, same }: (typeof copies)[number]) => same.path === entry.path
  const unchanged = copies.filter(isAtSamePath)
  const others = copies.filter((copy) => !isAtSamePath(copy))
  const reused = [...unchanged, ...others].map(({ entry, same, stats, identity }) => {
    // Permissions belong to the file, which the version before has too.
    const can_link = same.mode === entry.mode && !hasLostMode(entry, stats)
    const source = join(old!.tree, same.path)
    return { entry, same, source, is_linked: can_link && claim(identity) }
  })
  return { reused, missing }
}

/**
 * Two files of a version are never one file on the disk: a game that writes into one would change
 * the other. Returns whether a file is not in the version yet.
 */
function createClaims(): Claim {
  const claimed = new Set<string>()
  return (identity) => {
    const is_new = !claimed.has(identity)
    claimed.add(identity)
    return is_new
  }
}

type Claim = (identity: string) => boolean

/** Whether no other file of the version is this file of the disk. */
async function isOnlyName(path: string, claim: Claim): Promise<boolean> {
  const { nlink } = await lstat(path)
  return nlink === 1 || claim(await identityOf(path))
}

/** Which file of the disk this is. The numbers of Windows need more than a double holds. */
async function identityOf(path: string): Promise<string> {
  const { dev, ino } = await lstat(path, { bigint: true })
  return `${dev}:${ino}`
}

/** Finds a file of a version with the contents of an entry: that at its path, if it is one. */
function sameFileIn(old: OldTree): (entry: Entry) => Promise<Entry | undefined> {
  const by_path = new Map<string, Entry>()
  const by_content = new Map<string, Entry[]>()
  const by_hash = new Map<string, Entry[]>()
  // What is reached through a link that the player made is not in the old version.
  for (const entry of old.version.entries.filter(({ path }) => old.has(path)).filter(isFile)) {
    by_path.set(entry.path, entry)
    addTo(by_content, contentOf(entry), entry)
    addTo(by_hash, entry.sha256, entry)
  }
  function* candidatesFor(entry: Entry): Generator<Entry> {
    const at_path = by_path.get(entry.path)
    if (at_path?.sha256 === entry.sha256) yield at_path
    yield* by_content.get(contentOf(entry)) ?? []
    yield* by_hash.get(entry.sha256) ?? []
  }
  return async (entry) => {
    for (const candidate of candidatesFor(entry))
      if (await old.isIntact(candidate)) return candidate
    return undefined
  }
}

const contentOf = ({ sha256, mode }: Entry) => `${sha256}/${mode}`

function addTo(lists: Map<string, Entry[]>, key: string, entry: Entry): void {
  const list = lists.get(key)
  if (list) list.push(entry)
  else lists.set(key, [entry])
}

export async function takeReused(tree: string, reused: readonly Reused[]): Promise<void> {
  await inParallel(reused, HASHED_AT_ONCE, async ({ entry, source, is_linked }) => {
    const target = join(tree, entry.path)
    if (is_linked) return linkOrCopy(source, target)
    await copyFile(source, target)
    await finishFile(target, entry)
  })
}

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

import type { Stats } from 'node:fs'
import { mkdir, readlink, rename, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder, syncFolder } from '../../src/core/storage/durable-files.ts'
import { copySynced, hashFile, linkOrCopy, removeTree, statsOf } from './disk.ts'
import { keptName } from './kept-names.ts'
import type { Entry } from './manifest.ts'
import { type OldTree, readOldTree } from './old-tree.ts'
import { keptStage } from './own-folder.ts'
import { foldsCase, keyFor } from './paths.ts'
import { createPlaces } from './places.ts'
import { type Install, type Stamps, versionsFolder } from './record.ts'

type KeyOf = (path: string) => string

/** What a player added to a version, or changed in it. */
type PlayerItem = {
  source: string
  path: string
  kind: 'file' | 'link' | 'folder'
  is_changed: boolean
  stats: Stats
  /** The name of the version it was found in. */
  version: string
}

/** A thing of the player, and its path in a new version. */
export type Carried = PlayerItem & { target: string }

export const isKeptAside = ({ kind, path, target }: Carried) => kind !== 'folder' && path !== target

/** What is in a version and was not installed with it. */
async function findPlayerItems(old: OldTree, keyOf: KeyOf): Promise<PlayerItem[]> {
  const shipped = new Map(old.version.entries.map((entry) => [keyOf(entry.path), entry]))
  const items: PlayerItem[] = []
  for (const path of old.paths) {
    const entry = shipped.get(keyOf(path))
    const source = join(old.tree, path)
    const is_folder = path.endsWith('/')
    if (entry && (is_folder || (await isAsInstalled(old, source, entry)))) continue
    const stats = await statsOf(source)
    // Pipes and sockets belong to a program that runs.
    const kind = stats?.isFile() ? 'file' : stats?.isSymbolicLink() ? 'link' : 'folder'
    if (!stats || (kind === 'folder' && !is_folder)) continue
    items.push({
      source,
      path: is_folder ? path.slice(0, -1) : path,
      kind,
      is_changed: entry !== undefined,
      stats,
      version: old.version.manifest.version,
    })
  }
  return items
}

async function isAsInstalled(old: OldTree, source: string, entry: Entry): Promise<boolean> {
  if (entry.link === undefined) return old.isIntact(entry)
  return (await readlink(source).catch(() => undefined)) === entry.link
}

export type PlayerFiles = {
  items: PlayerItem[]
  /** Of the version that is played now, for the record. */
  stamps: Stamps
  /** Files of the version that a rollback returns to, which the player had changed there. */
  as_left: Set<string>
}

/**
 * What the player has in the version that is played now, and in the one before it. There, things are
 * skipped that are the same, or have not changed since they were taken over; a rollback takes those
 * too, because the version before may be able to read nothing else.
 */
export async function collectPlayerFiles(
  current: OldTree,
  before: OldTree | undefined,
  { is_rollback, keyOf }: { is_rollback: boolean; keyOf: KeyOf },
): Promise<PlayerFiles> {
  const items = await findPlayerItems(current, keyOf)
  const stamps = Object.fromEntries(items.map((item) => [item.path, stampOf(item)]))
  const own = new Map(items.map((item) => [item.path, item]))
  const carried = (before && current.version.carried?.[before.id]) ?? {}
  const as_left = new Set<string>()
  for (const item of before ? await findPlayerItems(before, keyOf) : []) {
    const twin = own.get(item.path)
    const was_carried = String(carried[item.path]) === String(stampOf(item))
    if (is_rollback && was_carried && item.is_changed && item.kind === 'file')
      as_left.add(keyOf(item.path))
    else if (twin && (await haveSameContent(twin, item))) continue
    else if (is_rollback || !was_carried) items.push(item)
  }
  return { items, stamps, as_left }
}

const stampOf = ({ stats }: PlayerItem): Stamps[string] => [stats.size, stats.mtimeMs]

/**
 * Plans what becomes of things of the player in a version with these entries. What they added keeps
 * its path, unless the version has something else there; what they changed gets another name.
 */
export async function planCarry(
  items: readonly PlayerItem[],
  entries: readonly Entry[],
  keyOf: KeyOf,
): Promise<Carried[]> {
  const places = createPlaces(entries, keyOf)
  const shipped = new Map(entries.map((entry) => [keyOf(entry.path), entry]))
  const carried = new Map<string, Carried>()
  const take = (item: PlayerItem, target: string) => {
    places.take(target, item.kind === 'folder' ? 'folder' : 'file')
    carried.set(keyOf(target), { ...item, target })
  }
  const others: PlayerItem[] = []
  for (const item of items)
    if (!item.is_changed && places.fits(item.path, item.kind === 'folder' ? 'folder' : 'file'))
      take(item, item.path)
    else if (item.kind !== 'folder') others.push(item)
  const renamed = new Map<string, string>()
  for (const item of others) {
    if (await isContentOf(item, shipped.get(keyOf(item.path)))) continue
    const path = places.withFreeFolders(item.path, item.version, renamed)
    const candidates = item.is_changed || places.kindAt(path) ? [] : [path]
    for (let number = 1; ; number++) {
      const target = candidates.pop() ?? keptName(path, item.version, number)
      const there = carried.get(keyOf(target))
      if (there && (await haveSameContent(there, item))) break
      if (places.kindAt(target) !== undefined) continue
      take(item, target)
      break
    }
  }
  return [...carried.values()]
}

const isContentOf = async ({ kind, source, stats }: PlayerItem, entry: Entry | undefined) =>
  entry !== undefined &&
  entry.link === undefined &&
  kind === 'file' &&
  stats.size === entry.size &&
  (await hashFile(source)) === entry.sha256

async function haveSameContent(a: PlayerItem, b: PlayerItem): Promise<boolean> {
  if (a.kind !== b.kind) return false
  if (a.kind === 'folder') return true
  if (a.stats.size !== b.stats.size) return false
  if (a.kind === 'link') return (await readlink(a.source)) === (await readlink(b.source))
  if (a.stats.ino === b.stats.ino && a.stats.dev === b.stats.dev) return true
  return (await hashFile(a.source)) === (await hashFile(b.source))
}

/**
 * Puts things of the player where they were planned to be. Files are copied: a game that writes into
 * its save must not change that of the version before.
 */
export async function carryOver(tree: string, carried: readonly Carried[]): Promise<void> {
  for (const { kind, source, target: path } of carried) {
    const target = join(tree, path)
    await mkdir(kind === 'folder' ? target : dirname(target), { recursive: true })
    if (kind === 'folder') continue
    const copied = kind === 'link' ? copyLink(source, target) : copySynced(source, target)
    // A game that runs may have removed it since it was planned.
    await copied.catch(async (error) => {
      if (await statsOf(source)) throw error
    })
  }
}

const copyLink = async (source: string, target: string) => symlink(await readlink(source), target)

/** A folder with files of the player, and their paths in it. */
export type KeptFiles = { folder: string; files: string[] }

/**
 * For a game that is uninstalled: keeps what the player added and changed, such as saved games, in a
 * folder beside it. Until the game is gone, the files are in both places.
 */
export async function keepFiles(
  folder: string,
  { current, previous }: Pick<Install, 'current' | 'previous'>,
): Promise<KeptFiles | undefined> {
  const keyOf = keyFor(await foldsCase(versionsFolder(folder)))
  const how = { keyOf, hashes_all: false, is_rollback: false }
  const old = await readOldTree(folder, current, how)
  const before = previous ? await readOldTree(folder, previous, how) : undefined
  const { items } = await collectPlayerFiles(old, before, how)
  const files = items.filter(({ kind }) => kind !== 'folder')
  // Nothing of the game will be beside them.
  const own = files.map((item) => ({ ...item, is_changed: false }))
  const carried = await planCarry(own, [], keyOf)
  if (!carried.length) return undefined
  const stage = keptStage(folder)
  await removeTree(stage)
  const folders = new Set<string>()
  for (const { kind, source, target: path } of carried) {
    const target = join(stage, path)
    await makeFolder(dirname(target))
    if (kind === 'link') await symlink(await readlink(source), target)
    else await linkOrCopy(source, target)
    folders.add(dirname(target))
  }
  // Before the game is removed: after a power cut they could otherwise be gone with it.
  for (const path of folders) await syncFolder(path)
  const kept = await freeFolder(join(folder, 'kept'))
  await rename(stage, kept)
  await syncFolder(folder)
  return { folder: kept, files: carried.map(({ target }) => target) }
}

/** An earlier uninstall may have left files; they stay as they are. */
async function freeFolder(path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number > 1 ? `${path}-${number}` : path
    if (!(await statsOf(name))) return name
  }
}

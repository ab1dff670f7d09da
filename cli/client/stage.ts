import { copyFile, link, mkdir, readdir, rename, rm, statfs, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder, syncFolder } from '../../src/core/storage/durable-files.ts'
import { Failure, UsageError } from '../errors.ts'
import { formatSize, t } from '../messages.ts'
import { copySynced, hashFile, inParallel, linkOrCopy, statsOf, walkTree } from './disk.ts'
import type { Entry, SignedManifest } from './manifest.ts'
import { hasLostMode, isFile, type OldTree, readOldTree } from './old-tree.ts'
import { removeVersions } from './own-folder.ts'
import { patchFiles } from './patch.ts'
import { checkPaths, foldsCase, keyFor, unsafePath } from './paths.ts'
import { foldersOf } from './places.ts'
import {
  type Carried,
  carryOver,
  collectPlayerFiles,
  isKeptAside,
  planCarry,
} from './player-files.ts'
import {
  type InstalledVersion,
  isVersionId,
  type Stamps,
  treeFolder,
  versionsFolder,
  writeVersion,
} from './record.ts'
import { damagedFile, openRemoteZip, type Part, planParts } from './remote-zip.ts'
import type { StoreApi } from './store-api.ts'
import { finishFile, partOf, unpackLarge, unpackSmall, writeChecked } from './unpack.ts'

const CONNECTIONS = 4
const HASHED_AT_ONCE = 4
const SYNCED_AT_ONCE = 4
/** Left free besides what the game needs. */
const SPARE_BYTES = 64 * 1024 * 1024

export type Staged = {
  /** The name of the new version below `versions`. */
  id: string
  downloaded: number
  /** How many bytes patches spared. */
  saved: number
  /** Files of the player that were in the way, and what they are called now. */
  kept_aside: string[]
  /** Files that a rollback found changed and could not download again. */
  unrestored: string[]
}

type Staging = {
  api: StoreApi
  folder: string
  signed: SignedManifest
  /** The version that is played now. */
  current: string | undefined
  /** The one before it: an update removes it, and a rollback returns to it. */
  previous?: string | null | undefined
  step?: 'update' | 'repair' | 'rollback'
  label: string
}

/**
 * Makes a version complete beside the one that is played: files that did not change are the same
 * files on disk (hard links), others are downloaded and held to the manifest. A run that was
 * interrupted is continued. Nothing of the current version is touched.
 */
export async function stageVersion({
  api,
  folder,
  signed,
  current,
  previous,
  step = 'update',
  label,
}: Staging): Promise<Staged> {
  const { manifest, entries } = signed
  const { file_uid } = manifest.file
  if (!isVersionId(file_uid)) throw unsafePath(file_uid)
  await makeFolder(versionsFolder(folder))
  const folds_case = await foldsCase(versionsFolder(folder))
  checkPaths(entries, folds_case)
  const keyOf = keyFor(folds_case)
  const id = freeId(file_uid, [current, previous])
  const tree = `${treeFolder(folder, id)}.new`
  const spool = `${treeFolder(folder, id)}.patch.new`
  const parts = `${treeFolder(folder, id)}.parts.new`
  const own = [tree, spool, parts].map((path) => basename(path))
  await removeVersions(folder, (name) => name.endsWith('.new') && !own.includes(name))
  await makeFolder(tree)
  const is_rollback = step === 'rollback'
  const old = current
    ? await readOldTree(folder, current, { keyOf, hashes_all: step === 'repair' })
    : undefined
  const before =
    previous && step !== 'repair'
      ? await readOldTree(folder, previous, { keyOf, hashes_all: is_rollback })
      : undefined
  const player = old && (await collectPlayerFiles(old, before, { is_rollback, keyOf }))
  const carried = player ? await planCarry(player.items, entries, keyOf) : []
  await cleanStage(tree, entries, keyOf)
  await makeFolders(tree, entries)
  const { reused, missing } = await planReuse(tree, is_rollback ? before : old, entries)
  const as_left = missing.filter(({ path }) => player?.as_left.has(keyOf(path)))
  const rest = missing.filter((entry) => !as_left.includes(entry))
  await checkSpace(tree, { missing, reused, carried })
  await takeReused(tree, reused)
  const { downloaded, saved, unrestored } = await obtain(
    { api, signed, tree, spool, parts, missing: rest, label },
    old && { old: old.version, old_tree: old.tree },
  ).catch((error) => {
    // The store may have only newer builds. A rollback helps without them.
    if (!is_rollback || !(error instanceof Failure) || api.signal.aborted) throw error
    return { downloaded: 0, saved: 0, unrestored: rest }
  })
  const changed = before ? await takeAsLeft(tree, before, [...as_left, ...unrestored]) : []
  await carryOver(tree, carried)
  await makeLinks(tree, entries)
  await syncTree(tree)
  await writeVersion(folder, id, {
    ...signed,
    ...(await stateOf(
      tree,
      entries.filter(({ path }) => !changed.includes(path)),
    )),
    carried: {
      ...(player && { [current!]: player.stamps }),
      // A repaired version keeps the one before it.
      ...(step === 'repair' && previous && { [previous]: old?.version.carried?.[previous] ?? {} }),
    },
  })
  await rm(spool, { force: true })
  await rm(parts, { recursive: true, force: true })
  await rm(treeFolder(folder, id), { recursive: true, force: true })
  await rename(tree, treeFolder(folder, id))
  await syncFolder(versionsFolder(folder))
  return {
    id,
    downloaded,
    saved,
    kept_aside: carried.filter(isKeptAside).map(({ target }) => target),
    unrestored: changed.filter((path) => !player?.as_left.has(keyOf(path))),
  }
}

/** Takes files of a version that are not as they were installed; returns their paths. */
async function takeAsLeft(
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

/** Neither of the versions that are kept is touched, also when one of them is made again. */
function freeId(file_uid: string, taken: readonly (string | null | undefined)[]): string {
  return [file_uid, `${file_uid}-2`, `${file_uid}-3`].find((id) => !taken.includes(id))!
}

/** They are synced when the tree is complete, each once and not after every new one. */
async function makeFolders(tree: string, entries: readonly Entry[]): Promise<void> {
  const folders = new Set(
    entries.map(({ path }) => (path.endsWith('/') ? path.slice(0, -1) : dirname(path))),
  )
  for (const folder of folders) await mkdir(join(tree, folder), { recursive: true })
}

/**
 * Removes from the stage of an interrupted run what is not a file of the version. All links go too,
 * so that nothing is written through one; the player may have made it.
 */
async function cleanStage(
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
      else if (!item.isFile() || !files.has(keyOf(path)))
        await rm(join(tree, path), { recursive: true, force: true })
    }
  }
  await clean('')
}

type Reused = { entry: Entry; source: string; is_linked: boolean }

/** Finds what is already on disk, and what has to be downloaded. Nothing is written for it yet. */
async function planReuse(
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

async function takeReused(tree: string, reused: readonly Reused[]): Promise<void> {
  await inParallel(reused, HASHED_AT_ONCE, async ({ entry, source, is_linked }) => {
    const target = join(tree, entry.path)
    if (is_linked) return linkOrCopy(source, target)
    await copyFile(source, target)
    await finishFile(target, entry)
  })
}

const contentOf = ({ sha256, mode }: Entry) => `${sha256}/${mode}`

type Missing = Download & { spool: string }

/** Makes missing files with a patch if there is one, and downloads the others. */
async function obtain(
  missing: Missing,
  from: { old: InstalledVersion; old_tree: string } | undefined,
): Promise<{ downloaded: number; saved: number; unrestored: Entry[] }> {
  if (!missing.missing.length) return { downloaded: 0, saved: 0, unrestored: [] }
  const { manifest } = missing.signed
  const patched = from && (await patchFiles({ ...missing, ...from, manifest }))
  const rest = patched?.missing ?? missing.missing
  const downloaded = rest.length ? await downloadFiles({ ...missing, missing: rest }) : 0
  return {
    downloaded: downloaded + (patched?.downloaded ?? 0),
    saved: patched?.saved ?? 0,
    unrestored: [],
  }
}

type Download = {
  api: StoreApi
  signed: SignedManifest
  tree: string
  /** A folder for large files as they are in the zip; a later run continues them. */
  parts: string
  missing: Entry[]
  label: string
}

/** Returns how many bytes were read. */
async function downloadFiles(download: Download): Promise<number> {
  const { api, signed, tree, missing, label } = download
  const by_path = new Map(missing.map((entry) => [entry.path, entry]))
  const zip = openRemoteZip(api, signed.manifest)
  const directory = await zip.entries()
  const needed = missing.map(({ path }) => directory.get(path) ?? fail(path))
  const parts = planParts(needed, directory.values(), zip.size)
  const total = parts.reduce((sum, { start, end }) => sum + end - start + 1, 0)
  const progress = api.ui.progress(label, total)
  let done = 0
  const onBytes = (bytes: number) => {
    done += bytes
    progress.at(done)
  }
  await mkdir(download.parts, { recursive: true })
  const run = (part: Part) => {
    const first = part.entries[0]!.path
    return part.is_large
      ? unpackLarge(
          zip,
          part,
          { spool: partOf(download.parts, first), target: join(tree, first) },
          { expected: by_path.get(first)!, onBytes },
        )
      : unpackSmall(
          zip,
          part,
          (path, contents) => writeChecked(join(tree, path), by_path.get(path)!, contents),
          onBytes,
        )
  }
  try {
    await inParallel(parts, CONNECTIONS, run)
    progress.step(total)
  } finally {
    progress.end()
  }
  return total
}

function fail(path: string): never {
  throw damagedFile(path)
}

type Written = { missing: readonly Entry[]; reused: readonly Reused[]; carried: readonly Carried[] }

const sumOf = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0)

/** Before anything is written: downloads, what downloads need until they are unpacked, and copies. */
async function checkSpace(tree: string, { missing, reused, carried }: Written): Promise<void> {
  const downloads = missing.map(({ size }) => size)
  const spools = downloads.toSorted((a, b) => b - a).slice(0, CONNECTIONS)
  const can_link = await canLink(tree, reused)
  const copies = reused.filter(({ is_linked }) => !(is_linked && can_link))
  const needed =
    sumOf([...downloads, ...spools]) +
    sumOf(copies.map(({ entry }) => entry.size)) +
    sumOf(carried.map(({ kind, stats }) => (kind === 'file' ? stats.size : 0))) +
    SPARE_BYTES
  const { bavail, bsize } = await statfs(tree)
  const free = bavail * bsize
  if (free < needed)
    throw new UsageError(
      t('client-disk-full', { needed: formatSize(needed), free: formatSize(free) }),
      t('client-disk-full-hint'),
    )
}

/** Not every disk has hard links. */
async function canLink(tree: string, reused: readonly Reused[]): Promise<boolean> {
  const first = reused.find(({ is_linked }) => is_linked)
  if (!first) return true
  const target = join(tree, first.entry.path)
  const is_made = await link(first.source, target).then(
    () => true,
    () => false,
  )
  if (is_made) await rm(target)
  return is_made
}

/** Links come last, so that nothing is ever written through one. */
async function makeLinks(tree: string, entries: readonly Entry[]): Promise<void> {
  for (const { path, link: target } of entries) {
    if (target !== undefined) await symlink(target, join(tree, path))
  }
}

/** Files were synced when they were written; the folders with their names are synced here. */
async function syncTree(tree: string): Promise<void> {
  const folders = new Set(['.'])
  for await (const path of walkTree(tree))
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder)
  await inParallel([...folders], SYNCED_AT_ONCE, (folder) => syncFolder(join(tree, folder)))
}

/** How files are after they were written, for the record. */
async function stateOf(
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

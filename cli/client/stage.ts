import { copyFile, mkdir, readdir, rename, rm, statfs, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder, syncFolder } from '../../src/core/storage/durable-files.ts'
import { UsageError } from '../errors.ts'
import { formatSize, t } from '../messages.ts'
import { hashFile, inParallel, linkOrCopy, pathsIn, statsOf, walkTree } from './disk.ts'
import type { Entry, Manifest, SignedManifest } from './manifest.ts'
import { removeVersions } from './own-folder.ts'
import { patchFiles } from './patch.ts'
import { checkPaths, keyFor, unsafePath } from './paths.ts'
import { foldersOf } from './places.ts'
import { carryOver, findPlayerItems, isKeptAside, type OldTree, planCarry } from './player-files.ts'
import {
  type InstalledVersion,
  isUnchanged,
  isVersionId,
  readVersion,
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
}

type Staging = {
  api: StoreApi
  folder: string
  signed: SignedManifest
  /** The version that is played now. */
  current: string | undefined
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
  label,
}: Staging): Promise<Staged> {
  const { manifest, entries } = signed
  checkPaths(entries)
  const { file_uid } = manifest.file
  if (!isVersionId(file_uid)) throw unsafePath(file_uid)
  await makeFolder(versionsFolder(folder))
  const id = await freeId(folder, file_uid, current)
  const tree = `${treeFolder(folder, id)}.new`
  const spool = `${treeFolder(folder, id)}.patch.new`
  const parts = `${treeFolder(folder, id)}.parts.new`
  const own = [tree, spool, parts].map((path) => basename(path))
  await removeVersions(folder, (name) => name.endsWith('.new') && !own.includes(name))
  await makeFolder(tree)
  const old = current ? await readOldTree(folder, current) : undefined
  const carried = old ? await planCarry(await findPlayerItems(old), entries, keyFor()) : []
  await cleanStage(tree, entries)
  await makeFolders(tree, entries)
  const missing = await reuseFiles({ tree, old, entries })
  await checkSpace(tree, missing)
  const patched =
    old && missing.length
      ? await patchFiles({
          api,
          manifest: signed.manifest,
          tree,
          old: old.version,
          old_tree: old.tree,
          missing,
          spool,
          label,
        })
      : { missing, downloaded: 0, saved: 0 }
  const rest = patched.missing
  const downloaded = rest.length
    ? await downloadFiles({ api, signed, tree, parts, missing: rest, label })
    : 0
  await carryOver(tree, carried)
  await makeLinks(tree, entries)
  await syncTree(tree)
  await writeVersion(folder, id, { ...signed, stamps: await stampsOf(tree, entries) })
  await rm(spool, { force: true })
  await rm(parts, { recursive: true, force: true })
  await rm(treeFolder(folder, id), { recursive: true, force: true })
  await rename(tree, treeFolder(folder, id))
  await syncFolder(versionsFolder(folder))
  return {
    id,
    downloaded: patched.downloaded + downloaded,
    saved: patched.saved,
    kept_aside: carried.filter(isKeptAside).map(({ target }) => target),
  }
}

/** A version is staged under a name that is not the current one, also when it is repaired. */
async function freeId(folder: string, file_uid: string, current: string | undefined) {
  if (current !== file_uid) return file_uid
  return (await statsOf(treeFolder(folder, `${file_uid}-2`))) ? `${file_uid}-3` : `${file_uid}-2`
}

/** They are synced when the tree is complete, each once and not after every new one. */
async function makeFolders(tree: string, entries: readonly Entry[]): Promise<void> {
  const folders = new Set(
    entries.map(({ path }) => (path.endsWith('/') ? path.slice(0, -1) : dirname(path))),
  )
  for (const folder of folders) await mkdir(join(tree, folder), { recursive: true })
}

const isFile = ({ path, link: target }: Entry) => target === undefined && !path.endsWith('/')

/** The version with this id; without its record, every file in it may be one of the player. */
async function readOldTree(folder: string, id: string): Promise<OldTree> {
  const tree = treeFolder(folder, id)
  const version = (await readVersion(folder, id)) ?? unrecorded
  return { tree, version, paths: await pathsIn(tree) }
}

const unrecorded = {
  manifest: { version: '', file: { file_uid: '' } } as Manifest,
  signature: '',
  entries: [],
  stamps: {},
} satisfies InstalledVersion

/**
 * Removes from the stage of an interrupted run what is not a file of the version. All links go too,
 * so that nothing is written through one; the player may have made it.
 */
async function cleanStage(tree: string, entries: readonly Entry[]): Promise<void> {
  const files = new Set(entries.filter(isFile).map(({ path }) => path))
  const folders = new Set(
    entries.flatMap(({ path }) =>
      path.endsWith('/') ? [...foldersOf(path), path.slice(0, -1)] : foldersOf(path),
    ),
  )
  const clean = async (prefix: string) => {
    for (const item of await readdir(join(tree, prefix), { withFileTypes: true })) {
      const path = `${prefix}${item.name}`
      if (item.isDirectory() && folders.has(path)) await clean(`${path}/`)
      else if (!item.isFile() || !files.has(path))
        await rm(join(tree, path), { recursive: true, force: true })
    }
  }
  await clean('')
}

/** Takes what is already on disk; returns what has to be downloaded. */
async function reuseFiles({
  tree,
  old,
  entries,
}: {
  tree: string
  old: OldTree | undefined
  entries: readonly Entry[]
}): Promise<Entry[]> {
  // What is reached through a link that the player made is not in the old version.
  const there = new Set(old?.paths)
  const old_files = old?.version.entries.filter(({ path }) => there.has(path)).filter(isFile) ?? []
  const by_content = new Map(old_files.map((entry) => [contentOf(entry), entry]))
  const by_hash = new Map(old_files.map((entry) => [entry.sha256, entry]))
  const missing: Entry[] = []
  await inParallel(entries.filter(isFile), HASHED_AT_ONCE, async (entry) => {
    const target = join(tree, entry.path)
    const staged = await statsOf(target)
    if (staged?.size === entry.size && (await hashFile(target)) === entry.sha256)
      return finishFile(target, entry)
    if (staged) await rm(target)
    const same = by_content.get(contentOf(entry)) ?? by_hash.get(entry.sha256)
    const source = same && join(old!.tree, same.path)
    if (!source || !(await isUnchanged(source, same, old!.version))) missing.push(entry)
    else if (same.mode === entry.mode) await linkOrCopy(source, target)
    else {
      // Permissions belong to the file, which the version before has too.
      await copyFile(source, target)
      await finishFile(target, entry)
    }
  })
  return missing
}

const contentOf = ({ sha256, mode }: Entry) => `${sha256}/${mode}`

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

async function checkSpace(tree: string, missing: readonly Entry[]): Promise<void> {
  const { bavail, bsize } = await statfs(tree)
  const largest = missing.reduce((most, { size }) => Math.max(most, size), 0)
  const needed = missing.reduce((sum, { size }) => sum + size, largest) + SPARE_BYTES
  const free = bavail * bsize
  if (free < needed)
    throw new UsageError(
      t('client-disk-full', { needed: formatSize(needed), free: formatSize(free) }),
      t('client-disk-full-hint'),
    )
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

async function stampsOf(tree: string, entries: readonly Entry[]) {
  const stamps: InstalledVersion['stamps'] = {}
  for (const entry of entries.filter(isFile)) {
    const { size, mtimeMs } = (await statsOf(join(tree, entry.path)))!
    stamps[entry.path] = [size, mtimeMs]
  }
  return stamps
}

import { rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { makeFolder, syncFolder } from '../../../src/core/storage/durable-files.ts'
import { Failure } from '../../errors.ts'
import { removeTree, sizeOfFiles } from '../disk.ts'
import type { Entry, SignedManifest } from '../manifest.ts'
import { type OldTree, readOldTree } from '../old-tree.ts'
import { removeVersions } from '../own-folder.ts'
import { canApply, findPatch } from '../patch.ts'
import { checkPaths, foldsCase, keyFor, unsafePath } from '../paths.ts'
import {
  type Carried,
  carryOver,
  collectPlayerFiles,
  isKeptAside,
  type PlayerFiles,
  planCarry,
} from '../player-files.ts'
import {
  type InstalledVersion,
  isVersionId,
  treeFolder,
  versionsFolder,
  writeVersion,
} from '../record.ts'
import type { StoreApi } from '../store-api.ts'
import { obtain } from './download.ts'
import { planReuse, type Reused, takeAsLeft, takeReused } from './reuse.ts'
import { checkSpace } from './space.ts'
import { cleanStage, makeFolders, makeLinks, stateOf, syncTree } from './tree.ts'

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

export type Staging = {
  api: StoreApi
  folder: string
  signed: SignedManifest
  /** The version that is played now. */
  current: string | undefined
  /** The one before it: an update removes it, and a rollback returns to it. */
  previous?: string | null | undefined
  step: 'update' | 'repair' | 'rollback'
  /** Of the game. */
  name: string
}

/**
 * Makes a version complete beside the one that is played: files that did not change are the same
 * files on disk (hard links), others are downloaded and held to the manifest. A run that was
 * interrupted is continued. Nothing of the current version is touched.
 */
export async function stageVersion(staging: Staging): Promise<Staged> {
  const { entries } = staging.signed
  const stage = await openStage(staging)
  const { keyOf, tree } = stage
  const { old, before } = await readInstalled(staging, keyOf)
  const is_rollback = staging.step === 'rollback'
  const options = { is_rollback, keyOf }
  const planned = old && (await collectPlayerFiles(old, before, options))
  const to_carry = planned ? await planCarry(planned.items, entries, keyOf) : []
  await cleanStage(tree, entries, keyOf)
  await makeFolders(tree, entries)
  const sources = { old, before, player: planned, carried: to_carry }
  const { downloaded, saved, changed, linked } = await makeFiles(staging, stage, sources)
  // A game that was started without this program may have written while files were downloaded.
  const now = old && (await readAgain(old, staging, keyOf))
  const player = now && (await collectPlayerFiles(now, before, options))
  const carried = player ? await planCarry(player.items, entries, keyOf) : []
  await carryOver(tree, carried)
  await makeLinks(tree, entries)
  await syncTree(tree)
  const source = is_rollback ? before && (await readAgain(before, staging, keyOf)) : now
  const written = await writtenWhileLinked(source, linked)
  const differing = new Set([...changed, ...written])
  const as_installed = entries.filter(({ path }) => !differing.has(path))
  const state = await stateOf(tree, as_installed)
  await finishStage(staging, stage, { ...state, carried: carriedStamps(staging, old, player) })
  return {
    id: stage.id,
    downloaded,
    saved,
    kept_aside: carried.filter(isKeptAside).map(({ target }) => target),
    unrestored: changed.filter((path) => !planned?.as_left.has(keyOf(path))),
  }
}

type Stage = {
  id: string
  /** The files of the new version. */
  tree: string
  /** What patches and downloads keep until their files are complete. */
  spool: string
  parts: string
  keyOf: (path: string) => string
}

/** Makes the folder of the new version, or finds that of a run that was interrupted. */
async function openStage({ folder, signed, current, previous }: Staging): Promise<Stage> {
  const { file_uid } = signed.manifest.file
  if (!isVersionId(file_uid)) throw unsafePath(file_uid)
  await makeFolder(versionsFolder(folder))
  const folds_case = await foldsCase(versionsFolder(folder))
  checkPaths(signed.entries, folds_case)
  const id = freeId(file_uid, [current, previous])
  const tree = `${treeFolder(folder, id)}.new`
  const spool = `${treeFolder(folder, id)}.patch.new`
  const parts = `${treeFolder(folder, id)}.parts.new`
  const own = [tree, spool, parts].map((path) => basename(path))
  await removeVersions(folder, (name) => name.endsWith('.new') && !own.includes(name))
  await makeFolder(tree)
  return { id, tree, spool, parts, keyOf: keyFor(folds_case) }
}

/** Neither of the versions that are kept is touched, also when one of them is made again. */
function freeId(file_uid: string, taken: readonly (string | null | undefined)[]): string {
  return [file_uid, `${file_uid}-2`, `${file_uid}-3`].find((id) => !taken.includes(id))!
}

type Installed = { old: OldTree | undefined; before: OldTree | undefined }

/** The version that is played, and the one before it, whose files may be taken. */
async function readInstalled(
  { folder, current, previous, step }: Staging,
  keyOf: Stage['keyOf'],
): Promise<Installed> {
  const old = current
    ? await readOldTree(folder, current, { keyOf, hashes_all: step === 'repair' })
    : undefined
  const before =
    previous && step !== 'repair'
      ? await readOldTree(folder, previous, { keyOf, hashes_all: step === 'rollback' })
      : undefined
  return { old, before }
}

/** The same version as it is now. What was found changed stays so. */
async function readAgain(
  old: OldTree,
  { folder }: Staging,
  keyOf: Stage['keyOf'],
): Promise<OldTree> {
  const now = await readOldTree(folder, old.id, { keyOf, hashes_all: false })
  return {
    ...now,
    isIntact: async (entry) => (await old.isIntact(entry)) && (await now.isIntact(entry)),
  }
}

/**
 * The paths of linked files that a game has written to since. Without a stamp they are read again
 * before anything relies on them.
 */
async function writtenWhileLinked(
  source: OldTree | undefined,
  linked: readonly Reused[],
): Promise<string[]> {
  const paths: string[] = []
  for (const { entry, same } of linked) if (!(await source?.isIntact(same))) paths.push(entry.path)
  return paths
}

type Sources = Installed & { player: PlayerFiles | undefined; carried: readonly Carried[] }

/** Writes every file of the version; `changed` are those that are not as they were installed. */
async function makeFiles(
  { api, signed, step, name }: Staging,
  { tree, spool, parts, keyOf }: Stage,
  { old, before, player, carried }: Sources,
): Promise<{ downloaded: number; saved: number; changed: string[]; linked: Reused[] }> {
  const is_rollback = step === 'rollback'
  const plan = await planReuse(tree, is_rollback ? before : old, signed.entries)
  const { reused, missing } = step === 'update' && before ? await addFrom(before, plan, tree) : plan
  const as_left = missing.filter(({ path }) => player?.as_left.has(keyOf(path)))
  const rest = missing.filter((entry) => !as_left.includes(entry))
  const patch = rest.length && old ? findPatch(signed.manifest, old.version) : undefined
  const patch_size = (canApply() && patch?.size) || 0
  const spooled = await sizeOfFiles([spool, parts])
  await checkSpace(tree, { missing, reused, carried, patch_size, spooled })
  await takeReused(tree, reused)
  let unrestored: Entry[] = []
  const { downloaded, saved } = await obtain(
    { api, signed, tree, spool, parts, missing: rest, name },
    old && { old: old.version, old_tree: old.tree },
  ).catch((error) => {
    // The store may have only newer builds. A rollback helps without them.
    if (!is_rollback || !(error instanceof Failure) || api.signal.aborted) throw error
    unrestored = rest
    return { downloaded: 0, saved: 0 }
  })
  const changed = before ? await takeAsLeft(tree, before, [...as_left, ...unrestored]) : []
  return { downloaded, saved, changed, linked: reused.filter(({ is_linked }) => is_linked) }
}

type Plan = Awaited<ReturnType<typeof planReuse>>

/** Also takes files of the version before, which has the newer ones after a rollback. */
async function addFrom(before: OldTree, plan: Plan, tree: string): Promise<Plan> {
  const { reused, missing } = await planReuse(tree, before, plan.missing)
  // They are copied: another file of the new version may already be a link to the same bytes.
  const copied = reused.map((file) => ({ ...file, is_linked: false }))
  return { reused: [...plan.reused, ...copied], missing }
}

/** How the files of the player were when they were taken over, by version. */
function carriedStamps(
  { current, previous, step }: Staging,
  old: OldTree | undefined,
  player: PlayerFiles | undefined,
): InstalledVersion['carried'] {
  return {
    ...(player && { [current!]: player.stamps }),
    // A repaired version keeps the one before it.
    ...(step === 'repair' && previous && { [previous]: old?.version.carried?.[previous] ?? {} }),
  }
}

/** Records the version and gives its folder the final name. */
async function finishStage(
  { folder, signed }: Staging,
  { id, tree, spool, parts }: Stage,
  state: Pick<InstalledVersion, 'stamps' | 'has_modes' | 'carried'>,
): Promise<void> {
  await writeVersion(folder, id, { ...signed, ...state })
  await rm(spool, { force: true })
  await rm(parts, { recursive: true, force: true })
  await removeTree(treeFolder(folder, id))
  await rename(tree, treeFolder(folder, id))
  await syncFolder(versionsFolder(folder))
}

import { readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../errors.ts'
import { t } from '../messages.ts'
import { removeTree, statsOf } from './disk.ts'
import { isVersionId, RECORD, readVersion, versionsFolder } from './record.ts'

/** What the client adds to the id of a version in names of files and folders that it makes. */
const ENDINGS = /(?:\.json(?:\.tmp)?|(?:\.(?:patch|parts))?\.new)$/

const KEPT_STAGE = 'kept.new'
/** Where an uninstall gathers files of the player. */
export const keptStage = (folder: string) => join(versionsFolder(folder), KEPT_STAGE)

/** Whether a name among the versions is one that the client gives. */
const isOwnName = (name: string) => name === KEPT_STAGE || isVersionId(name.replace(ENDINGS, ''))

/** Where it leaves them. */
const KEPT = /^kept(-\d+)?$/

/**
 * Refuses to install into a folder with anything that is not from this client. A first install that
 * was interrupted and what an uninstall left are.
 */
export async function checkFolder(folder: string): Promise<void> {
  const names = await namesIn(folder)
  const is_ours = async (name: string) => {
    if (name === 'versions') return (await namesIn(versionsFolder(folder)))?.every(isOwnName)
    return KEPT.test(name) || name === `${RECORD}.tmp`
  }
  for (const name of names ?? [''])
    if (!(await is_ours(name)))
      throw new UsageError(t('client-foreign-folder', { folder }), t('client-foreign-folder-hint'))
}

/** Whether a first install was begun in a folder, and not finished. */
export async function isUnfinished(folder: string): Promise<boolean> {
  if (await statsOf(join(folder, RECORD))) return false
  const names = await namesIn(versionsFolder(folder))
  return Boolean(names?.length && names.every(isOwnName))
}

/** The versions that have a record that can be read, and a folder with their files. */
export async function completeVersions(folder: string): Promise<string[]> {
  const names = (await namesIn(versionsFolder(folder))) ?? []
  const complete: string[] = []
  for (const id of names.filter((name) => isVersionId(name) && names.includes(`${name}.json`)))
    if (await readVersion(folder, id).catch(() => undefined)) complete.push(id)
  return complete.sort()
}

/** Nothing is in a folder that does not exist; undefined if it is no folder. */
async function namesIn(folder: string): Promise<string[] | undefined> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    if (error.code === 'ENOTDIR') return undefined
    throw error
  })
}

/**
 * Removes those versions and stages of the client that meet a condition, and nothing else. Records
 * go first: what is left of a version without one is no complete version any more.
 */
export async function removeVersions(
  folder: string,
  isRemoved: (name: string) => boolean,
): Promise<void> {
  const isRecord = (name: string) => name.endsWith('.json')
  const names = ((await namesIn(versionsFolder(folder))) ?? [])
    .filter((name) => isOwnName(name) && isRemoved(name))
    .sort((a, b) => Number(isRecord(b)) - Number(isRecord(a)))
  let problem: unknown
  for (const name of names)
    await removeTree(join(versionsFolder(folder), name)).catch((error) => {
      problem ??= error
    })
  if (problem) throw problem
}

/** Errors for a folder with something in it, also those of Windows, and for a link to a folder. */
const isKept = new Set(['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EPERM', 'EACCES', 'EBUSY'])

/** Removes the folders of an install that nothing is left in. */
export async function removeEmptyFolders(folder: string): Promise<void> {
  for (const path of [versionsFolder(folder), folder])
    await rmdir(path).catch((error: NodeJS.ErrnoException) => {
      if (!isKept.has(error.code ?? '')) throw error
    })
}

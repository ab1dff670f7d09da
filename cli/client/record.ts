import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeFolder } from '../../src/core/storage/durable-files.ts'
import { exits, Failure, UsageError } from '../errors.ts'
import { isObject } from '../http/api.ts'
import { t } from '../messages.ts'
import { realPath, replaceText } from './disk.ts'
import { waitForLock } from './lock.ts'
import type { Entry, Manifest } from './manifest.ts'

/**
 * What is installed in a folder. `current` names the version that is played; replacing this file is
 * the one step that moves a game from a version to another.
 */
export type Install = {
  format: 1
  /** The address of the API of the store. */
  store: string
  /** The name that it was installed by: developer/game. */
  name: string
  game_uid: string
  channel: string
  os: string
  arch: string
  app: string
  current: string
  /** What a rollback returns to. */
  previous: string | null
  /** Decides about staged releases; never sent. Installs of older versions get one later. */
  install_id?: string
  /** Why the build of the previous version was withdrawn, if an update moved away from it for that. */
  previous_withdrawn?: string | undefined
}

/** A version: its manifest, and how its files were when they were written. */
export type InstalledVersion = {
  manifest: Manifest
  signature: string
  entries: Entry[]
  /** Of each file, by its path. */
  stamps: Stamps
  /**
   * Files of the player as they were when they were taken over from another version, by its id. What
   * differs from it later was written there since, by a game that still ran.
   */
  carried?: Record<string, Stamps>
  /** Whether the disk stores which files are programs. Installs of older versions do not say. */
  has_modes?: boolean
}

/** Size and time of change of files, by their paths. */
export type Stamps = Record<string, [size: number, changed_ms: number]>

const FORMAT = 1
export const RECORD = 'install.json'

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(-[23])?$/

/** Whether a text names a version; any other could lead out of the folder of an install. */
export const isVersionId = (text: unknown) => typeof text === 'string' && ID.test(text)

export const versionsFolder = (folder: string) => join(folder, 'versions')
export const treeFolder = (folder: string, id: string) => join(versionsFolder(folder), id)
const versionFile = (folder: string, id: string) => join(versionsFolder(folder), `${id}.json`)

/** Where games are kept: a folder of the environment, or the one for data of this system. */
export function gamesFolder(env: NodeJS.ProcessEnv): string {
  if (env.SLIPWAY_GAMES) return resolve(env.SLIPWAY_GAMES)
  if (process.platform === 'win32')
    return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'slipway', 'games')
  if (process.platform === 'darwin')
    return join(homedir(), 'Library', 'Application Support', 'slipway', 'games')
  return join(env.XDG_DATA_HOME ?? join(env.HOME ?? homedir(), '.local', 'share'), 'slipway/games')
}

/** Where a game is installed unless its player says otherwise. */
export const defaultFolder = (games: string, name: string) =>
  join(games, ...name.toLowerCase().split('/'))

async function readJson(path: string): Promise<Record<string, unknown> | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {}
  throw badRecord(path)
}

const badRecord = (path: string) =>
  new Failure(exits.damaged, t('client-bad-record', { path }), t('client-bad-record-hint'))

export async function readInstall(folder: string): Promise<Install | undefined> {
  const value = await readJson(join(folder, RECORD))
  if (!value) return undefined
  if (value.format !== FORMAT)
    throw new UsageError(t('client-new-format'), t('client-new-format-hint'))
  const { current, previous } = value
  if (!isVersionId(current) || (previous !== null && !isVersionId(previous)))
    throw badRecord(join(folder, RECORD))
  return value as Install
}

export const writeInstall = (folder: string, install: Install) =>
  replaceText(join(folder, RECORD), `${JSON.stringify(install, null, 2)}\n`)

export async function readVersion(
  folder: string,
  id: string,
): Promise<InstalledVersion | undefined> {
  return (await readJson(versionFile(folder, id))) as InstalledVersion | undefined
}

export const writeVersion = (folder: string, id: string, version: InstalledVersion) =>
  replaceText(versionFile(folder, id), JSON.stringify(version))

/** The folders of all installs. */
export async function readLibrary(games: string): Promise<string[]> {
  const value = await readJson(join(games, 'library.json'))
  return Array.isArray(value?.folders) ? value.folders.map(String) : []
}

/** Adds an install to the library, or removes it. Returns whether it was in there. */
export async function changeLibrary(
  games: string,
  folder: string,
  is_installed: boolean,
): Promise<boolean> {
  await makeFolder(games)
  const path = join(games, 'library.json')
  // Several games may be installed at the same time.
  const release = await waitForLock(path)
  try {
    const own = await realPath(folder)
    const folders = is_installed ? [folder] : []
    let was_there = false
    for (const other of await readLibrary(games))
      if ((await realPath(other)) === own) {
        was_there = true
        // It may have been installed under another path.
        if (is_installed) folders[0] = other
      } else folders.push(other)
    await replaceText(path, `${JSON.stringify({ folders: folders.sort() }, null, 2)}\n`)
    return was_there
  } finally {
    release()
  }
}

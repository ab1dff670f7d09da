import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asFailure } from '../errors.ts'
import type { Data } from '../http/api.ts'
import { lockInstall } from './lock.ts'
import { readManifest } from './manifest.ts'
import { completeVersions, isUnfinished, removeEmptyFolders, removeVersions } from './own-folder.ts'
import { type KeptFiles, keepFiles } from './player-files.ts'
import {
  changeLibrary,
  type Install,
  RECORD,
  readInstall,
  readVersion,
  writeInstall,
} from './record.ts'
import { type Staged, stageVersion } from './stage/stage.ts'
import { chooseBuild } from './staged-release.ts'
import type { StoreApi } from './store-api.ts'

export type Change = Staged & {
  install: Install
  folder: string
  version: string
  build_id: string
  from: string | null
  /** Why an old version is still there. */
  unremoved?: string
}

/** Runs while no other program works on the install. */
export async function locked<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const release = await lockInstall(folder)
  try {
    return await run()
  } finally {
    release()
  }
}

type Offer = { build_id: string; install_id: string; answer: Data }

/** The build that the channel delivers to this install, unless it is the one with this id. */
export async function findUpdate(
  api: StoreApi,
  install: Omit<Install, 'current' | 'previous' | 'format'>,
  installed: string | undefined,
): Promise<Offer | undefined> {
  const { os, arch, app, channel } = install
  const query = new URLSearchParams({ os, arch, app, channel, staged: 'true' })
  if (installed) query.set('build', installed)
  const answer = await api.get(`/public/games/${install.game_uid}/update?${query}`)
  if (!answer) return undefined
  const install_id = install.install_id ?? randomUUID()
  const build_id = chooseBuild(answer, install_id)
  return build_id === installed ? undefined : { build_id, install_id, answer }
}

type Target = { api: StoreApi; folder: string; games: string }

/**
 * Installs a build, or moves an install to it. The version that was played before is kept for a
 * rollback; older ones are removed after the step that changes versions.
 */
export async function moveTo(
  { api, folder, games }: Target,
  install: Omit<Install, 'current' | 'previous' | 'format'>,
  build_id: string,
): Promise<Change> {
  const before = await readInstall(folder)
  const old = before && (await readVersion(folder, before.current))
  const { game_uid, os, arch, app } = install
  const issuer = old?.manifest.issuer
  const signed = await readManifest(api, { game_uid, build_id, os, arch, app, issuer })
  const { version } = signed.manifest
  const is_repair = old?.manifest.build_id === build_id
  const staged = await stageVersion({
    ...{ api, folder, signed, name: install.name },
    current: before?.current,
    previous: before?.previous,
    step: is_repair ? 'repair' : 'update',
  })
  const changed: Install = {
    ...install,
    format: 1,
    current: staged.id,
    // A repaired version replaces the damaged one, so it is nothing to return to.
    previous: (is_repair ? before?.previous : before?.current) ?? null,
  }
  await writeInstall(folder, changed)
  await changeLibrary(games, folder, true)
  const unremoved = await removeOldVersions(folder, changed)
  const from = old?.manifest.version ?? null
  return { ...staged, ...unremoved, install: changed, folder, version, build_id, from }
}

/**
 * Also removes what an interrupted run left. What cannot be removed is no failure of the change of
 * versions before; the next one tries it again.
 */
async function removeOldVersions(
  folder: string,
  { current, previous }: Install,
): Promise<Pick<Change, 'unremoved'>> {
  const kept = new Set([current, previous].flatMap((id) => (id ? [id, `${id}.json`] : [])))
  try {
    await removeVersions(folder, (name) => !kept.has(name) && !name.endsWith('.new'))
    return {}
  } catch (error) {
    return { unremoved: asFailure(error).message }
  }
}

/**
 * Returns to the version before, or undefined if there is none. It is made again out of its files,
 * each of which is compared with the manifest: those that it shares with the version that is played
 * now may have been written to. Those are downloaded again if the store still has them. Files of the
 * player come along; those of the game that the player had changed stay so.
 */
export async function rollBack(
  { api, folder }: Pick<Target, 'api' | 'folder'>,
  install: Install,
): Promise<Change | undefined> {
  const { current, previous, name } = install
  const old = previous && (await readVersion(folder, previous))
  if (!old) return undefined
  const { manifest, signature, entries } = old
  const { version, build_id } = manifest
  const staged = await stageVersion({
    ...{ api, folder, current, previous, name },
    signed: { manifest, signature, entries },
    step: 'rollback',
  })
  const changed = {
    ...install,
    current: staged.id,
    previous: current,
    previous_withdrawn: undefined,
  }
  const from = (await readVersion(folder, current))?.manifest.version ?? null
  await writeInstall(folder, changed)
  const unremoved = await removeOldVersions(folder, changed)
  return { ...staged, ...unremoved, install: changed, folder, version, build_id, from }
}

/**
 * Removes a game. What the player added to it is kept in the folder, unless everything is to go.
 * What is beside the game in the folder always stays.
 */
export async function uninstall(
  folder: string,
  games: string,
  install: Install,
  everything: boolean,
): Promise<KeptFiles | undefined> {
  const kept = everything ? undefined : await keepFiles(folder, install)
  await rm(join(folder, RECORD), { force: true })
  await changeLibrary(games, folder, false)
  await removeVersions(folder, () => true)
  await removeEmptyFolders(folder)
  return kept
}

/**
 * Removes what an interrupted install or uninstall left in one of these folders. A record may also
 * have been lost, so files of the player are kept here too. Undefined if nothing is there.
 */
export async function removeUnfinished(
  folders: readonly string[],
  games: string,
  everything: boolean,
): Promise<{ kept: KeptFiles[] } | undefined> {
  for (const folder of folders) {
    const removed = await locked(folder, async () => {
      if (!(await isUnfinished(folder))) return undefined
      const kept: KeptFiles[] = []
      for (const current of everything ? [] : await completeVersions(folder))
        kept.push(...[await keepFiles(folder, { current, previous: null })].filter(isDefined))
      await changeLibrary(games, folder, false)
      await removeVersions(folder, () => true)
      await removeEmptyFolders(folder)
      return { kept }
    })
    if (removed) return removed
  }
  return undefined
}

const isDefined = <T>(value: T | undefined): value is T => value !== undefined

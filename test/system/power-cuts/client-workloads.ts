import { mkdirSync, promises, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { uninstall } from '../../../cli/client/actions.ts'
import { readInstall, readLibrary, readVersion, treeFolder } from '../../../cli/client/record.ts'
import { MIB } from '../../../src/core/runtime/units.ts'
import { sha256 } from '../../../src/core/security/crypto.ts'
import {
  contentsOf,
  expectedContents,
  gameFolder,
  gamesFolder,
  install,
  playedTree,
  releases,
  saveGame,
  updateToNew,
} from '../../cli/client/power-cut-program.ts'
import { type Release, releaseOf } from '../../updates/patches/releases.ts'
import { acceptable } from './acceptable.ts'
import type { Entry, Workload } from './workloads.ts'

type Acknowledge = (entry: Entry) => void

const GAME = 'the game'
const SAVE = 'saves/slot'

/** A hash of what the build has; files of the player are not part of it. */
const hashOfContents = (contents: Record<string, string>) => {
  const shipped = Object.entries(contents).filter(([path]) => !path.startsWith(dirname(SAVE)))
  return sha256(JSON.stringify(shipped.sort(([a], [b]) => (a < b ? -1 : 1)))).toString('hex')
}

async function moveGame(acknowledge: Acknowledge, release: Release, run: () => Promise<unknown>) {
  const entry = { what: GAME, sha256: hashOfContents(expectedContents(release)) }
  acknowledge({ step: 'begun', ...entry })
  await run()
  acknowledge({ step: 'done', ...entry })
}

/** A file that a killed update has written, and not synced. */
function leaveFile(disk: string, { uid, files }: Release, path: string) {
  const target = join(`${treeFolder(gameFolder(disk), uid)}.new`, path)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, files.find(({ name }) => name === path)!.body)
}

async function installAndUpdate(disk: string, acknowledge: Acknowledge) {
  await moveGame(acknowledge, releases.old, () => install(disk, releases.old))
  await saveGame(disk)
  acknowledge({ step: 'done', what: SAVE, sha256: 'kept' })
  leaveFile(disk, releases.new, 'other.pak')
  const temporary = join(disk, '../temporary')
  mkdirSync(temporary)
  await moveGame(acknowledge, releases.new, async () => {
    if (!(await updateToNew(disk, temporary))) throw new Error('no patch was used')
  })
}

/** The game can be played, its record is there for the next update, and the library knows it. */
async function findLosses(disk: string, entries: Entry[]): Promise<string[]> {
  // Loaded only here, because it takes long.
  const { treeOf } = await import('../../cli/client/fixtures.ts')
  const { version, tree } = await playedTree(disk)
  const values = acceptable(entries)
  const is_installed = entries.some(({ step, what }) => step === 'done' && what === GAME)
  const losses: string[] = []
  const actual = tree ? hashOfContents(contentsOf(treeOf(tree))) : null
  if (!(values.get(GAME) ?? new Set([null])).has(actual))
    losses.push(tree ? 'the game is damaged' : 'the game is missing')
  if (version && !(await readVersion(gameFolder(disk), version)))
    losses.push('the record of the version is missing')
  if (values.has(SAVE) && readFileSync(join(tree!, SAVE), 'utf8') !== 'level 3')
    losses.push('a file of the player is damaged')
  if (is_installed && !(await readLibrary(gamesFolder(disk))).length)
    losses.push('the library does not have the game')
  return losses
}

/** Installs a game and updates it with a patch. */
export const game: Workload = { run: installAndUpdate, findLosses }

/** The same where hard links are not possible. */
export const copiedGame: Workload = {
  async run(disk, acknowledge) {
    promises.link = () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }))
    syncBuiltinESMExports()
    await installAndUpdate(disk, acknowledge)
  },
  findLosses,
}

/** Uninstalls a game; what the player saved is kept. */
export const uninstalledGame: Workload = {
  async run(disk, acknowledge) {
    await install(disk, releases.old)
    await saveGame(disk)
    acknowledge({ step: 'done', what: SAVE, sha256: 'kept' })
    const folder = gameFolder(disk)
    await uninstall(folder, gamesFolder(disk), (await readInstall(folder))!, false)
  },
  async findLosses(disk, entries) {
    if (!acceptable(entries).has(SAVE)) return []
    const { tree } = await playedTree(disk)
    const places = [join(gameFolder(disk), 'kept'), ...(tree ? [tree] : [])]
    const is_kept = places.some((folder) => readText(join(folder, SAVE)) === 'level 3')
    return is_kept ? [] : ['a file of the player is lost']
  },
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** A file that is downloaded on its own. */
export const largeGame: Workload = {
  async run(disk, acknowledge) {
    const body = Buffer.alloc(8 * MIB + 1, 'a large file ')
    const release = releaseOf(
      [{ name: 'large.pak', body, mode: 0o100644, method: 0 }],
      '00000000-0000-7000-8000-000000000003',
    )
    await moveGame(acknowledge, release, () => install(disk, release))
  },
  findLosses,
}

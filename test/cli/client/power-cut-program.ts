import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { moveTo } from '../../../cli/client/actions.ts'
import { readInstall, treeFolder } from '../../../cli/client/record.ts'
import { syncFolder } from '../../../src/core/storage/durable-files.ts'
import { noise } from '../../updates/patches/noise.ts'
import {
  expectedTree,
  patchBetween,
  type Release,
  releaseOf,
  storeOf,
  type TreeFile,
  wantedGame,
} from '../../updates/patches/releases.ts'

const [OLD, NEW] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']

const filesOf = (version: string): TreeFile[] => [
  { name: 'game.sh', body: Buffer.from(`echo ${version}`), mode: 0o100755, method: 8 },
  {
    name: 'data/world.pak',
    body: Buffer.concat([Buffer.from(version), noise('a world', 40_000)]),
    mode: 0o100644,
    method: 0,
  },
  {
    name: `data/map-${version}.pak`,
    body: Buffer.concat([noise('a map', 9000), Buffer.from(version)]),
    mode: 0o100644,
    method: 0,
  },
  { name: 'data/same.pak', body: noise('same', 3000), mode: 0o100644, method: 0 },
  {
    name: 'data/tool',
    body: noise('tool', 3000),
    mode: version === '1' ? 0o100644 : 0o100755,
    method: 0,
  },
  { name: 'other.pak', body: noise(version, 5000), mode: 0o100600, method: 0 },
  { name: 'current', body: Buffer.from(`data/map-${version}.pak`), mode: 0o120777, method: 0 },
]
export const releases = { old: releaseOf(filesOf('1'), OLD), new: releaseOf(filesOf('2'), NEW) }

/** Permissions are not recorded. */
export const contentsOf = (tree: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(tree).map(([path, value]) => [path, value.replace(/^[0-7]{3} /, '')]),
  )
export const expectedContents = (release: Release) => contentsOf(expectedTree(release))

export const gameFolder = (disk: string) => join(disk, 'game')
export const gamesFolder = (disk: string) => join(disk, 'games')

export async function install(disk: string, release: Release): Promise<void> {
  const { api } = storeOf(release)
  await moveTo({ api, folder: gameFolder(disk), games: gamesFolder(disk) }, wantedGame, release.uid)
}

/** Adds a file of the player to the installed version, as a game does that syncs what it saves. */
export async function saveGame(disk: string): Promise<void> {
  const tree = (await playedTree(disk)).tree!
  mkdirSync(join(tree, 'saves'))
  writeFileSync(join(tree, 'saves/slot'), 'level 3', { flush: true })
  await syncFolder(join(tree, 'saves'))
  await syncFolder(tree)
}

/** Moves the install to the second version, and returns whether it used the patch. */
export async function updateToNew(disk: string, temporary: string): Promise<boolean> {
  const patch = await patchBetween(releases.old, releases.new, temporary)
  const { api, requested } = storeOf(releases.new, patch)
  await moveTo({ api, folder: gameFolder(disk), games: gamesFolder(disk) }, wantedGame, NEW!)
  return requested.some((path) => path.includes('/patches/'))
}

/** The tree that is played after a power cut, and which version it claims to be. */
export async function playedTree(disk: string) {
  const folder = gameFolder(disk)
  const install = await readInstall(folder)
  return { version: install?.current, tree: install && treeFolder(folder, install.current) }
}

/** Run as a program: `power-cut-program.ts disk ledger temporary`. */
if (process.argv[1] === import.meta.filename) {
  const [, , disk, ledger, temporary] = process.argv
  // After a power cut, what an update has stored already needs no patch; the first one needs it.
  if (!(await updateToNew(disk!, temporary!))) throw new Error('no patch was used')
  appendFileSync(ledger!, `${JSON.stringify('updated')}\n`)
  process.exit()
}

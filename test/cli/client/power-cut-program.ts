import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { moveTo } from '../../../cli/client/actions.ts'
import { readInstall, treeFolder } from '../../../cli/client/record.ts'
import { noise } from '../../updates/patches/fixtures.ts'
import { patchBetween, releaseOf, storeOf, type TreeFile } from '../../updates/patches/releases.ts'

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
  { name: 'other.pak', body: noise(version, 5000), mode: 0o100600, method: 0 },
  { name: 'current', body: Buffer.from(`data/map-${version}.pak`), mode: 0o120777, method: 0 },
]
export const releases = { old: releaseOf(filesOf('1'), OLD), new: releaseOf(filesOf('2'), NEW) }

const gameFolder = (disk: string) => join(disk, 'game')
const wanted = {
  store: 'https://store.example',
  name: 'saltworks/harbor',
  game_uid: OLD!,
  channel: 'stable',
  os: 'linux',
  arch: 'x86_64',
  app: '',
}

/** Installs the first version. */
export async function installOld(disk: string): Promise<void> {
  const { api } = storeOf(releases.old)
  const folder = gameFolder(disk)
  await moveTo({ api, folder, games: join(disk, 'games') }, wanted, OLD!)
  const { current } = (await readInstall(folder))!
  mkdirSync(join(treeFolder(folder, current), 'saves'))
  writeFileSync(join(treeFolder(folder, current), 'saves/slot'), 'level 3')
}

/** Moves the install to the second version, and returns whether it used the patch. */
export async function updateToNew(disk: string, temporary: string): Promise<boolean> {
  const patch = await patchBetween(releases.old, releases.new, temporary)
  const { api, requested } = storeOf(releases.new, patch)
  await moveTo({ api, folder: gameFolder(disk), games: join(disk, 'games') }, wanted, NEW!)
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

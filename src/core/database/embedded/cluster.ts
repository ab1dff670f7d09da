import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeFolder, syncFolder } from '../../storage/durable-files.ts'
import type { KernelLock } from './kernel-lock.ts'
import { EmbeddedDatabaseError, type Program, serverEnvironment, type User } from './program.ts'

/** The name of a cluster that is being created; renamed once it is complete. */
const INCOMPLETE = /^data\.new-[0-9a-f]+$/
export const newClusterName = () => `data.new-${randomBytes(4).toString('hex')}`
/** A cluster of a newer major version with all rows, which takes the place of `data`. */
export const UPGRADED = 'data.upgraded'

/** Creates the database's folder, closed to other users. Existing files get the right owner. */
export async function createOwnedFolder(folder: string, owner: number | undefined): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await makeFolder(folder)
  if (owner === undefined || statSync(folder).uid === owner) return
  const chownTree = (path: string) => {
    chownSync(path, owner, owner)
    if (lstatSync(path).isDirectory())
      for (const entry of readdirSync(path)) chownTree(join(path, entry))
  }
  chownTree(folder)
}

type Preparation = { program: Program; user: User; home: string; lock: KernelLock | undefined }

/**
 * Creates the cluster if there is none, beside its place, so that an interrupted first start leaves
 * none that is incomplete. Whatever stands at its place is never removed.
 */
export async function prepareCluster({ program, user, home, lock }: Preparation): Promise<string> {
  const cluster = join(home, 'data')
  await finishUpgrade(home)
  for (const name of readdirSync(home).filter((entry) => INCOMPLETE.test(entry)))
    rmSync(join(home, name), { recursive: true, force: true })
  if (isEmpty(cluster)) {
    const incomplete = join(home, newClusterName())
    initialize({ program, user, home, lock }, incomplete)
    renameSync(incomplete, cluster)
  }
  // Also if it exists: an earlier start may have been killed right after the rename, and a power
  // cut that undoes it would leave a cluster that looks incomplete.
  await syncFolder(home)
  checkComplete(cluster)
  checkVersion(program, cluster)
  return cluster
}

/** From here on the cluster is complete, and takes the place of `data` once that is renamed. */
export async function markUpgraded(home: string, cluster: string): Promise<void> {
  renameSync(cluster, join(home, UPGRADED))
  await syncFolder(home)
}

/** An upgrade that was interrupted between its two last steps, which are renames. */
export async function finishUpgrade(home: string): Promise<void> {
  if (!existsSync(join(home, UPGRADED)) || existsSync(join(home, 'data'))) return
  renameSync(join(home, UPGRADED), join(home, 'data'))
  await syncFolder(home)
}

/** Whether a new cluster may be renamed to this path. */
const isEmpty = (folder: string) => !existsSync(folder) || readdirSync(folder).length === 0

export function initialize({ program, user, home, lock }: Preparation, cluster: string) {
  const args = [
    '--pgdata',
    cluster,
    '--username',
    'slipway',
    '--auth',
    'trust',
    '--encoding',
    'UTF8',
    '--locale-provider',
    'builtin',
    '--locale',
    'C.UTF-8',
    '--no-instructions',
  ]
  const [file, ...rest] = [...user.prefix, program.bin('initdb'), ...args]
  const result = spawnSync(file!, rest, {
    uid: user.uid,
    gid: user.gid,
    cwd: home,
    encoding: 'utf8',
    // With the lock, so that the next start waits for a program that this process left behind.
    stdio: ['ignore', 'pipe', 'pipe', lock?.fd ?? 'ignore'],
    env: serverEnvironment(),
  })
  if (result.status === 0) return
  rmSync(cluster, { recursive: true, force: true })
  throw new EmbeddedDatabaseError(
    `The embedded database could not be created:\n${result.error?.message ?? result.stderr}`,
  )
}

function checkComplete(cluster: string) {
  const missing = ['PG_VERSION', 'global/pg_control'].find(
    (name) => !existsSync(join(cluster, name)),
  )
  if (!missing) return
  throw new EmbeddedDatabaseError(
    `${cluster} has files, but lacks ${missing}, so it is not a whole database. It is left as it ` +
      'is: restore a backup to this folder. If the service never started on it, remove it.',
  )
}

/** The major version that created a cluster. */
export const clusterVersion = (cluster: string) =>
  readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()

/** The major version of a server program; undefined if it does not run. */
export const programVersion = (program: Program): string | undefined =>
  spawnSync(program.bin('postgres'), ['--version'], { encoding: 'utf8' }).stdout?.match(/\d+/)?.[0]

function checkVersion(program: Program, cluster: string) {
  const created_by = clusterVersion(cluster)
  const installed = programVersion(program)
  if (installed && created_by !== installed)
    throw new EmbeddedDatabaseError(
      `The database in ${cluster} was created by PostgreSQL ${created_by}, but this version ` +
        `includes ${installed}. Run "npm run admin -- database upgrade"; the old files are kept.`,
    )
}

import { existsSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Log } from '../../runtime/log.ts'
import { syncFolder } from '../../storage/durable-files.ts'
import { createLocalStorage } from '../../storage/local.ts'
import { type DumpManifest, dumpDatabase } from '../dump/dump.ts'
import { loadDatabase } from '../dump/load.ts'
import type { FileStore } from '../dump/table-files.ts'
import { openPool } from '../sql.ts'
import {
  clusterVersion,
  finishUpgrade,
  initialize,
  markUpgraded,
  newClusterName,
  programVersion,
  UPGRADED,
} from './cluster.ts'
import type { KernelLock } from './kernel-lock.ts'
import { type ReportWait, runServer } from './postgres.ts'
import { waitForPreviousServer } from './previous-server.ts'
import { chooseUser, locateProgram, type Program, type User } from './program.ts'
import { createSocketFolder } from './socket-folder.ts'

export type Upgrade = {
  data_dir: string
  /** The programs of the major version that made the cluster. */
  findProgram: (major: string) => Program
  log: Log
  progress: (text: string) => void
  reportWait: ReportWait
  signal: AbortSignal
}
export type Upgraded = { from: string; to: string; kept: string | undefined; rows: number }

type Place = {
  home: string
  socket: string
  lock: KernelLock | undefined
  user: User
  reportWait: ReportWait
}

/**
 * Moves the rows of the embedded database to a cluster of the installed major version, made beside
 * the old one, which then takes its place. The old cluster is kept. The caller holds the lock of the
 * data folder. An interrupted upgrade leaves the old cluster in place and starts over.
 */
export async function upgradeEmbedded(upgrade: Upgrade): Promise<Upgraded> {
  const { data_dir, findProgram, reportWait } = upgrade
  const home = join(data_dir, 'postgres')
  const cluster = join(home, 'data')
  const program = locateProgram()
  await finishUpgrade(home)
  const from = clusterVersion(cluster)
  const to = programVersion(program) ?? ''
  if (from === to) return { from, to, kept: undefined, rows: 0 }
  const old_program = findProgram(from)
  const user = chooseUser([program.folder, old_program.folder, resolve(data_dir)])
  const socket = createSocketFolder(home, user.owner)
  const lock = await waitForPreviousServer({ home, cluster, socket })
  const place = { home, socket, lock, user, reportWait }
  const scratch = join(data_dir, 'database-upgrade')
  try {
    rmSync(join(home, UPGRADED), { recursive: true, force: true })
    rmSync(scratch, { recursive: true, force: true })
    const files = await folderFiles(scratch)
    const manifest = await dumpOld(place, old_program, files, upgrade)
    await loadNew(place, program, { files, manifest, upgrade })
    const kept = join(home, `data.old-${from}-${Date.now()}`)
    renameSync(cluster, kept)
    await syncFolder(home)
    await finishUpgrade(home)
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
    return { from, to, kept, rows }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
    lock?.release()
  }
}

async function folderFiles(folder: string): Promise<FileStore> {
  const storage = await createLocalStorage(folder)
  return {
    write: (name, source) => storage.put(name, source),
    read: async (name) => (await storage.get(name))!.stream,
  }
}

const launchOf = ({ home, user, lock }: Place, program: Program, cluster: string) => ({
  program,
  user,
  cluster,
  settings: {},
  log_file: join(home, 'postgres.log'),
  lock,
})

async function dumpOld(
  place: Place,
  program: Program,
  files: FileStore,
  { progress, signal }: Upgrade,
): Promise<DumpManifest> {
  const launch = launchOf(place, program, join(place.home, 'data'))
  const server = await runServer(launch, place.socket, place.reportWait)
  try {
    const onTable = ({ name }: { name: string }, done: number, total: number) =>
      progress(`reading ${name}, table ${done} of ${total}`)
    return await dumpDatabase(server.url, { files, signal, onTable })
  } finally {
    await server.stop()
  }
}

type Load = { files: FileStore; manifest: DumpManifest; upgrade: Upgrade }

/** Leaves the new cluster, complete and stopped, beside the old one. */
async function loadNew(place: Place, program: Program, { files, manifest, upgrade }: Load) {
  const { home, user, lock } = place
  const cluster = join(home, newClusterName())
  try {
    initialize({ program, user, home, lock }, cluster)
    const server = await runServer(
      launchOf(place, program, cluster),
      place.socket,
      place.reportWait,
    )
    try {
      await loadDatabase(server.url, manifest, {
        files,
        log: upgrade.log,
        signal: upgrade.signal,
        onTable: ({ name }, done, total) =>
          upgrade.progress(`writing ${name}, table ${done} of ${total}`),
      })
      await keepOwner(server.url)
    } finally {
      await server.stop()
    }
    await markUpgraded(home, cluster)
  } finally {
    if (existsSync(cluster)) rmSync(cluster, { recursive: true, force: true })
  }
}

/** The new server is the same database of the same store, so nobody has to confirm that it is. */
async function keepOwner(url: string): Promise<void> {
  const sql = openPool(url, 1, 'slipway upgrade')
  try {
    await sql`
      update storage_owner
      set system_identifier = null, timeline = null, database_oid = null`
  } finally {
    await sql.end({ timeout: 5 })
  }
}

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockFile } from './kernel-lock.ts'
import { type ReportWait, startEmbeddedPostgres } from './postgres.ts'

export class DataLockError extends Error {}

/**
 * Locks the data folder, because only one process may run the embedded database in it. The kernel's
 * lock also holds between containers; the file with the process id names the holder, and is the only
 * lock where the kernel's is not available. A file whose process no longer runs is replaced.
 */
export function lockDataFolder(data_dir: string): () => void {
  const lock = lockFile(join(data_dir, 'data.lock'))
  if (lock === 'held') throw alreadyRuns(data_dir, readHolder(holderFile(data_dir)))
  const release = () => {
    if (lock !== 'unsupported') lock.release()
  }
  try {
    const removeHolder = writeHolder(data_dir)
    return () => {
      removeHolder()
      release()
    }
  } catch (error) {
    release()
    throw error
  }
}

const holderFile = (data_dir: string) => join(data_dir, 'slipway.lock')

function writeHolder(data_dir: string): () => void {
  const path = holderFile(data_dir)
  const own = `${path}.${process.pid}`
  writeFileSync(own, `${process.pid} ${startTimeOf(process.pid)}\n`)
  try {
    for (let tries = 0; ; tries++) {
      try {
        linkSync(own, path)
        return () => rmSync(path, { force: true })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries === 3) throw error
        removeIfStale(data_dir, path, own)
      }
    }
  } finally {
    rmSync(own, { force: true })
  }
}

/**
 * Starts the embedded database on a locked data folder and returns its address. What stops both is
 * added to `stops`.
 */
export async function startOwnDatabase(
  data_dir: string,
  stops: (() => unknown)[],
  reportWait?: ReportWait,
): Promise<string> {
  stops.push(lockDataFolder(data_dir))
  const database = await startEmbeddedPostgres(data_dir, {}, reportWait)
  stops.push(() => database.stop())
  return database.url
}

/** Whether a running process holds the lock of this data folder. */
export function isDataFolderLocked(data_dir: string): boolean {
  const lock = lockFile(join(data_dir, 'data.lock'))
  if (lock === 'held') return true
  if (lock !== 'unsupported') lock.release()
  const holder = readHolder(holderFile(data_dir))
  return holder !== undefined && isAlive(holder)
}

const alreadyRuns = (data_dir: string, holder: Holder | undefined) =>
  new DataLockError(
    `Slipway already runs on ${data_dir} (${holder ? `process ${holder.pid}` : 'starting'}). Stop ` +
      'it first, or set another DATA_DIR. To run several processes on one database, set ' +
      'DATABASE_URL.',
  )

function removeIfStale(data_dir: string, path: string, own: string) {
  const holder = readHolder(path)
  if (holder && isAlive(holder)) throw alreadyRuns(data_dir, holder)
  try {
    renameSync(path, `${own}.stale`)
    rmSync(`${own}.stale`, { force: true })
  } catch {
    // Another process has replaced the lock; the next attempt reads it.
  }
}

type Holder = { pid: number; start_time: string }

function readHolder(path: string): Holder | undefined {
  try {
    const [pid, start_time = ''] = readFileSync(path, 'utf8').trim().split(' ')
    return pid ? { pid: Number(pid), start_time } : undefined
  } catch {
    return undefined
  }
}

function isAlive({ pid, start_time }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return startTimeOf(pid) === start_time
}

/**
 * Process ids are reused; on Linux the start time distinguishes two processes with the same id. A
 * zombie has none.
 */
function startTimeOf(pid: number): string {
  try {
    const [state, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return state === 'Z' || state === 'X' ? 'dead' : rest[18]!
  } catch {
    return '?'
  }
}

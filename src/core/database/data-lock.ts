import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmbeddedPostgres } from './embedded-postgres.ts'

export class DataLockError extends Error {}

/**
 * Locks the data folder, because only one process may run the embedded database in it. A lock whose
 * process no longer runs is replaced.
 */
export function lockDataFolder(data_dir: string): () => void {
  const path = join(data_dir, 'slipway.lock')
  const own = join(data_dir, `slipway.lock.${process.pid}`)
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
): Promise<string> {
  stops.push(lockDataFolder(data_dir))
  const database = await startEmbeddedPostgres(data_dir)
  stops.push(() => database.stop())
  return database.url
}

/** Whether a running process holds the lock of this data folder. */
export function isDataFolderLocked(data_dir: string): boolean {
  const holder = readHolder(join(data_dir, 'slipway.lock'))
  return holder !== undefined && isAlive(holder)
}

function removeIfStale(data_dir: string, path: string, own: string) {
  const holder = readHolder(path)
  if (holder && isAlive(holder)) {
    throw new DataLockError(
      `Slipway already runs on ${data_dir} (process ${holder.pid}). Stop it first, or set ` +
        'another DATA_DIR. To run several processes on one database, set DATABASE_URL.',
    )
  }
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

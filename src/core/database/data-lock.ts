import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export class DataLockError extends Error {}

/** One process per data folder while the embedded database lives in it. The lock of a process that is gone is taken over. */
export function lockDataFolder(data_dir: string): () => void {
  const path = join(data_dir, 'slipway.lock')
  const mine = join(data_dir, `slipway.lock.${process.pid}`)
  writeFileSync(mine, `${process.pid} ${birthOf(process.pid)}\n`)
  try {
    for (let tries = 0; ; tries++) {
      try {
        linkSync(mine, path)
        return () => rmSync(path, { force: true })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries === 3) throw error
        removeIfStale(data_dir, path, mine)
      }
    }
  } finally {
    rmSync(mine, { force: true })
  }
}

/** Whether a living process has the embedded database of this folder up. */
export function isDataFolderLocked(data_dir: string): boolean {
  const holder = readHolder(join(data_dir, 'slipway.lock'))
  return holder !== undefined && isAlive(holder)
}

function removeIfStale(data_dir: string, path: string, mine: string) {
  const holder = readHolder(path)
  if (holder && isAlive(holder)) {
    throw new DataLockError(
      `Slipway already runs on ${data_dir} (process ${holder.pid}). Stop it first, or give this one its own DATA_DIR. To run several processes on one database, set DATABASE_URL.`,
    )
  }
  try {
    renameSync(path, `${mine}.stale`)
    rmSync(`${mine}.stale`, { force: true })
  } catch {
    // another start took it over first: the next round sees whose it is
  }
}

type Holder = { pid: number; birth: string }

function readHolder(path: string): Holder | undefined {
  try {
    const [pid, birth = ''] = readFileSync(path, 'utf8').trim().split(' ')
    return pid ? { pid: Number(pid), birth } : undefined
  } catch {
    return undefined
  }
}

function isAlive({ pid, birth }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return birthOf(pid) === birth
}

/** Process ids are used again after a while; on Linux the start time tells two holders of one id apart. A dead one not yet buried has none. */
function birthOf(pid: number): string {
  try {
    const [state, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return state === 'Z' || state === 'X' ? 'dead' : rest[18]!
  } catch {
    return '?'
  }
}

import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

/** The program found the file locked by another process. */
const HELD_STATUS = 1

export type KernelLock = {
  /** A child process that inherits it keeps the file locked until that process ends, too. */
  fd: number
  release: () => void
}

/**
 * Locks a file by flock(2), also against processes in other containers that share the volume. The
 * kernel releases it when the last process that has the descriptor ends, however it ends, so that
 * there is no stale lock. Node has no call for it: the program `flock` locks the descriptor that it
 * inherits from us. The file stays: one that is removed could be locked twice.
 */
export function lockFile(path: string): KernelLock | 'held' | 'unsupported' {
  const fd = openSync(path, 'a', 0o600)
  const { status } = spawnSync('flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', fd],
  })
  if (status === 0) return { fd, release: () => closeSync(fd) }
  closeSync(fd)
  return status === HELD_STATUS ? 'held' : 'unsupported'
}

import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type KernelLock, lockFile } from './kernel-lock.ts'
import { EmbeddedDatabaseError } from './program.ts'

const WAIT_MS = 60_000
const ROUND_MS = 100
/** For a server that does not stop by itself: first a fast shutdown, then an immediate one. */
const signals: { after_ms: number; signal: NodeJS.Signals }[] = [
  { after_ms: 2_000, signal: 'SIGINT' },
  { after_ms: 15_000, signal: 'SIGQUIT' },
]

type Folders = { home: string; cluster: string; socket: string }

/**
 * After a kill -9 of this process the previous server is still shutting down: waits for it, asks it
 * to stop if it does not, and locks the folder for the next one. A server inherits the lock, which
 * so lasts as long as any of its processes. Undefined on systems other than Linux, where
 * PostgreSQL's own check of its pid file must do.
 */
export async function waitForPreviousServer({
  home,
  cluster,
  socket,
}: Folders): Promise<KernelLock | undefined> {
  const pid_file = join(cluster, 'postmaster.pid')
  for (let round = 0; round < WAIT_MS / ROUND_MS; round++) {
    const pid = existsSync(pid_file) ? Number(readFileSync(pid_file, 'utf8').split('\n')[0]) : 0
    const lock = process.platform === 'linux' ? lockOnLinux(home) : undefined
    if (!lock && !isAlive(pid)) return undefined
    if (lock && lock !== 'held') {
      // A server that an earlier version started has no lock.
      if (processesIn(cluster).length === 0) {
        // A zombie, as in a container without init, still counts as alive to PostgreSQL's own
        // check. With the lock and without processes, the files are nobody's.
        for (const file of [pid_file, join(socket, '.s.PGSQL.5432.lock')])
          rmSync(file, { force: true })
        return lock
      }
      lock.release()
    }
    const due = signals.find(({ after_ms }) => after_ms === round * ROUND_MS)
    if (due && isServer(pid, cluster)) process.kill(pid, due.signal)
    await pause(ROUND_MS)
  }
  throw new EmbeddedDatabaseError(
    `Another database server still uses ${cluster}. Stop it, then start again.`,
  )
}

function lockOnLinux(home: string): KernelLock | 'held' {
  const lock = lockFile(join(home, 'server.lock'))
  if (lock !== 'unsupported') return lock
  throw new EmbeddedDatabaseError(
    `${home} cannot be locked: its file system has no locks, or the program flock is missing ` +
      '(install util-linux). Without a lock two servers could damage the database. Move DATA_DIR ' +
      'to a local disk, or set DATABASE_URL.',
  )
}

/** The pid file may be from another container, where the number meant another process. */
const isServer = (pid: number, cluster: string) =>
  process.platform === 'linux' ? processesIn(cluster).includes(pid) : isAlive(pid)

/** Every process of a cluster has it as its working folder. */
function processesIn(cluster: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === cluster
      } catch {
        return false
      }
    })
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch {
    return false
  }
}

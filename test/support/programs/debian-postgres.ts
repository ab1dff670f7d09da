import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, globSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../app.ts'
import { cleanup } from '../cleanup.ts'
import { daemon } from '../daemon.ts'

const NOBODY = 65534
/** PostgreSQL refuses to run as root. */
export const postgresUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/** The folder of the newest PostgreSQL of Debian. */
export const debianPrograms = () => globSync('/usr/lib/postgresql/*/bin').sort().at(-1)!

type DebianServerOptions = {
  replica_of?: string
  settings?: string[]
  /** A folder that the server writes to. */
  archive?: string
  /** The folder of a stopped server, whose `data` was restored. */
  restored_in?: string
}

/**
 * Runs the PostgreSQL server of Debian, so that its version matches the client tools of Debian.
 */
export async function debianServer(
  t: TestContext,
  { replica_of, settings: more_settings = [], archive, restored_in }: DebianServerOptions = {},
) {
  const bin = debianPrograms()
  const folder = restored_in ?? temporaryFolder(t)
  if (postgresUser.uid) chownSync(folder, postgresUser.uid, postgresUser.gid!)
  if (postgresUser.uid && archive) chownSync(archive, postgresUser.uid, postgresUser.gid!)
  for (const path of archive ? [folder, dirname(archive)] : [folder]) chmodSync(path, 0o755)
  const run = (name: string, ...args: string[]) => {
    const { status, stderr } = spawnSync(join(bin, name), args, {
      ...postgresUser,
      cwd: folder,
      encoding: 'utf8',
    })
    assert.equal(status, 0, `${name}: ${stderr}`)
  }
  const data = join(folder, 'data')
  if (replica_of)
    run(
      'pg_basebackup',
      `--pgdata=${data}`,
      `--dbname=${replica_of}`,
      '--write-recovery-conf',
      '--checkpoint=fast',
    )
  else if (!restored_in)
    run(
      'initdb',
      `--pgdata=${data}`,
      '--username=slipway',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    )
  const settings = [
    'fsync=off',
    'listen_addresses=',
    'max_connections=200',
    `unix_socket_directories=${folder}`,
    ...more_settings,
  ].flatMap((setting) => ['-c', setting])
  const isReady = () => spawnSync(join(bin, 'pg_isready'), ['-h', folder, '-q']).status === 0
  const { start, end } = daemon(t, {
    command: join(bin, 'postgres'),
    args: ['-D', data, ...settings],
    isReady,
    spawn_options: { ...postgresUser, cwd: folder },
  })
  const stop = () => end('SIGINT')
  const signalAll = (name: NodeJS.Signals) => signalServer(data, name)
  cleanup(t, stop)
  await start()
  return {
    url: (name: string) =>
      `postgres://slipway@localhost/${name}?host=${encodeURIComponent(folder)}`,
    bin: run,
    folder,
    /** Runs commands of a guide in the folder of the server, as its user. */
    shell: (commands: string, env: Record<string, string>) => {
      const { status, stderr } = spawnSync('bash', ['-euc', commands], {
        ...postgresUser,
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: `${bin}:${process.env.PATH}`, ...env },
      })
      assert.equal(status, 0, stderr)
    },
    start,
    stop,
    end,
    signalAll,
    /** The server and the processes of its sessions. */
    processIds: () => serverProcesses(data),
  }
}

/** Signals the server of a data folder and all processes of its sessions. */
export function signalServer(data: string, name: NodeJS.Signals) {
  for (const pid of serverProcesses(data))
    try {
      process.kill(pid, name)
    } catch {
      // A session that has ended meanwhile.
    }
}

/** The server of a data folder, if it runs, and the processes of its sessions. */
export function serverProcesses(data: string): number[] {
  const server = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  return worksIn(server, data) ? [server, ...childrenOf(server)] : []
}

/** After a kill, the number in the file may be that of any other process. */
function worksIn(pid: number, folder: string): boolean {
  try {
    return realpathSync(`/proc/${pid}/cwd`) === realpathSync(folder)
  } catch {
    return false
  }
}

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
        return rest.split(' ')[1] === String(parent)
      } catch {
        return false
      }
    })

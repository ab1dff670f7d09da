import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from './app.ts'
import { cleanup } from './cleanup.ts'
import { daemon } from './daemon.ts'

const NOBODY = 65534
/** PostgreSQL refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

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
  const bin = globSync('/usr/lib/postgresql/*/bin').sort().at(-1)!
  const folder = restored_in ?? temporaryFolder(t)
  if (user.uid) chownSync(folder, user.uid, user.gid!)
  if (user.uid && archive) chownSync(archive, user.uid, user.gid!)
  for (const path of archive ? [folder, dirname(archive)] : [folder]) chmodSync(path, 0o755)
  const run = (name: string, ...args: string[]) => {
    const { status, stderr } = spawnSync(join(bin, name), args, {
      ...user,
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
    spawn_options: { ...user, cwd: folder },
  })
  const stop = () => end('SIGINT')
  /** Signals the server and all processes of its sessions. */
  const signalAll = (name: NodeJS.Signals) => {
    const server = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    for (const pid of [server, ...childrenOf(server)])
      try {
        process.kill(pid, name)
      } catch {
        // A session that has ended meanwhile.
      }
  }
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
        ...user,
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

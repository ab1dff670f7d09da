import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeFolder } from '../../storage/durable-files.ts'
import { postgres } from '../driver.ts'
import { isDatabaseUnavailable } from '../unavailable.ts'
import { createOwnedFolder, prepareCluster } from './cluster.ts'
import type { KernelLock } from './kernel-lock.ts'
import { keepLogSmall, lastLines, rotateLog } from './log-file.ts'
import { waitForPreviousServer } from './previous-server.ts'
import {
  chooseUser,
  EmbeddedDatabaseError,
  locateProgram,
  type Program,
  serverEnvironment,
  type User,
} from './program.ts'
import { createSocketFolder, socketPath } from './socket-folder.ts'

const RESTART_MS = 200
const MAX_RESTART_MS = 10_000
/** A server that ran this long is restarted at once the next time. */
const STEADY_MS = 60_000
const PROGRESS_MS = 5_000
const LOG_LINES = 40
/**
 * After this time a server that has not stopped gets the signal for an immediate shutdown, which
 * its next start recovers from. PostgreSQL 18 ignores a stop while it restarts after a crash.
 */
const STOP_MS = 10_000

export type EmbeddedPostgres = { url: string; stop: () => Promise<void> }
/** Says what a start waits for, and that the server ended. */
export type ReportWait = (message: string) => void

/**
 * Starts a PostgreSQL server from the platform's package. It listens on a Unix socket only, and
 * stops with this process, however that ends.
 */
export async function startEmbeddedPostgres(
  data_dir: string,
  settings: Record<string, string> = {},
  reportWait: ReportWait = () => {},
): Promise<EmbeddedPostgres> {
  const home = join(data_dir, 'postgres')
  const program = locateProgram()
  await makeFolder(data_dir)
  const user = chooseUser([program.folder, resolve(data_dir)])
  await createOwnedFolder(home, user.owner)
  const socket = createSocketFolder(home, user.owner)
  const lock = await waitForPreviousServer({ home, cluster: join(home, 'data'), socket })
  try {
    const cluster = await prepareCluster({ program, user, home, lock })
    const log_file = join(home, 'postgres.log')
    const server = await runServer(
      { program, user, cluster, settings, log_file, lock },
      socket,
      reportWait,
    )
    const stop = async () => {
      await server.stop()
      lock?.release()
    }
    return { url: server.url, stop }
  } catch (error) {
    lock?.release()
    throw error
  }
}

/** Runs a server on a complete cluster until it is stopped. The caller holds the lock. */
export async function runServer(
  { settings, log_file, ...options }: Launch,
  socket: string,
  reportWait: ReportWait,
): Promise<EmbeddedPostgres> {
  rotateLog(log_file)
  const all_settings = {
    listen_addresses: '',
    unix_socket_directories: `"${socket.replaceAll('"', '""')}"`,
    ...settings,
  }
  const launchServer = () => launch({ ...options, settings: all_settings, log_file })
  const server = launchServer()
  const url = urlOf(socket)
  await waitUntilReady(server, { url, log_file, reportWait })
  const stopRotation = keepLogSmall(log_file)
  const stopServer = restartOnExit(server, launchServer, (end) =>
    reportWait(`the embedded database ${end}; its last line: ${lastLine(log_file)}`),
  )
  const stop = async () => {
    stopRotation()
    await stopServer()
  }
  return { url, stop }
}

/** The address of the server that another process runs on this folder, for admin commands. */
export const runningEmbeddedUrl = (data_dir: string) =>
  urlOf(socketPath(join(data_dir, 'postgres')))

const urlOf = (socket: string) =>
  `postgres://slipway@localhost/slipway?host=${encodeURIComponent(socket)}`

/**
 * The shell reads from a pipe whose other end is in this process. When this process ends, even by
 * kill -9, the read ends and the shell stops the server. The server has its own process group, so
 * that Ctrl-C reaches this process first, which closes its connections before the database stops.
 */
const PARENT_PIPE = [
  '"$@" </dev/null & server=$!',
  '{ read -r _; kill -INT "$server" 2>/dev/null; } <&3 4>&- &',
  'wait "$server"',
].join('\n')

type Launch = {
  program: Program
  user: User
  cluster: string
  settings: Record<string, string>
  log_file: string
  lock: KernelLock | undefined
}

function launch({ program, user, cluster, settings, log_file, lock }: Launch): ChildProcess {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openSync(log_file, 'a')
  const command = [...user.prefix, program.bin('postgres'), '-D', cluster, ...flags]
  const server = spawn('sh', ['-c', PARENT_PIPE, 'slipway-postgres', ...command], {
    uid: user.uid,
    gid: user.gid,
    cwd: dirname(cluster),
    detached: true,
    stdio: ['ignore', log, log, 'pipe', lock?.fd ?? 'ignore'],
    env: serverEnvironment(),
  })
  closeSync(log)
  return server
}

type Start = { url: string; log_file: string; reportWait: ReportWait }

/** Codes of errors that last until somebody helps: a full disk, no memory, files that fail. */
const LASTING_ERROR = /^(53[12]00|58[0-9A-Z]{3})$/

/**
 * Waits as long as the server runs: recovering from a crash takes minutes after many writes, and a
 * server that is stopped meanwhile starts that again.
 */
async function waitUntilReady(server: ChildProcess, { url, log_file, reportWait }: Start) {
  let ended = false
  server.once('exit', () => {
    ended = true
  })
  let reported_at = Date.now()
  while (!ended) {
    const error = await createDatabase(url)
    if (!error) return
    if (LASTING_ERROR.test(error.code ?? '')) break
    if (Date.now() - reported_at >= PROGRESS_MS) {
      reportWait(`waiting for the embedded database: ${lastLine(log_file)}`)
      reported_at = Date.now()
    }
    await pause(15)
  }
  await stopServer(server)
  throw logged('The embedded database did not start', log_file)
}

const lastLine = (log_file: string) => lastLines(log_file, 1)[0] || 'no message'

const logged = (problem: string, log_file: string) =>
  new EmbeddedDatabaseError(
    `${problem}. The end of ${log_file}:\n${lastLines(log_file, LOG_LINES).join('\n')}`,
  )

/** An error of a start that the embedded database caused, such as a full disk, with its reason. */
export const explainFailure = (error: unknown, data_dir: string) =>
  isDatabaseUnavailable(error as { code?: string })
    ? logged('The embedded database failed', join(data_dir, 'postgres/postgres.log'))
    : error

/** Creates our database if it is missing. Returns the error if that fails. */
async function createDatabase(url: string): Promise<{ code?: string } | undefined> {
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
    return undefined
  } catch (error) {
    return error as { code?: string }
  } finally {
    await probe.end({ timeout: 1 })
  }
}

/** Longer after each end, unless the server ran for a while in between. */
export const restartPause = (ends_in_a_row: number) =>
  Math.min(MAX_RESTART_MS, RESTART_MS * 2 ** (ends_in_a_row - 1))

/** Restarts a server that exits unexpectedly. Returns a function that stops it. */
function restartOnExit(
  server: ChildProcess,
  launchServer: () => ChildProcess,
  reportEnd: (end: string) => void,
): () => Promise<void> {
  const stopping = new AbortController()
  let ends_in_a_row = 0
  const watch = () => {
    const started_at = performance.now()
    server.once('exit', async (code, signal) => {
      if (stopping.signal.aborted) return
      server.stdio[3]?.destroy()
      ends_in_a_row = performance.now() - started_at < STEADY_MS ? ends_in_a_row + 1 : 1
      const pause_ms = restartPause(ends_in_a_row)
      reportEnd(`ended (${signal ?? `exit code ${code}`}) and starts again in ${pause_ms / 1000} s`)
      await pause(pause_ms, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      server = launchServer()
      watch()
    })
  }
  watch()
  return async () => {
    stopping.abort()
    await stopServer(server)
  }
}

async function stopServer(server: ChildProcess) {
  server.stdio[3]?.destroy()
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  // The server and the shell that started it are a process group.
  const timer = setTimeout(() => process.kill(-server.pid!, 'SIGQUIT'), STOP_MS)
  await ended
  clearTimeout(timer)
}

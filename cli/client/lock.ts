import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { UsageError } from '../errors.ts'
import { t } from '../messages.ts'
import { realPath } from './disk.ts'

/**
 * Only one program works on an install. The lock is a listening socket, which the system releases
 * when its process ends, however it ends; a file would stay after a kill.
 */
export async function lockInstall(folder: string): Promise<() => void> {
  const release = await tryLock(folder)
  if (!release) throw new UsageError(t('client-busy', { folder }), t('client-busy-hint'))
  return release
}

const RETRY_MS = 20
const MAX_WAIT_MS = 30_000

/** For what others do in a moment. */
export async function waitForLock(path: string): Promise<() => void> {
  for (const began = performance.now(); ; await pause(RETRY_MS)) {
    const release = await tryLock(path)
    if (release) return release
    if (performance.now() - began > MAX_WAIT_MS)
      throw new UsageError(t('client-busy', { folder: path }), t('client-busy-hint'))
  }
}

async function tryLock(path: string): Promise<(() => void) | undefined> {
  const address = addressOf(await realPath(path))
  const server = (await listen(address)) ?? (await afterCrash(address))
  server?.unref()
  return server && (() => void server.close())
}

/** Of a path without links: the same folder may be reached by several. */
function addressOf(folder: string): string {
  const name = `slipway-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`
  if (process.platform === 'linux') return `\0${name}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.lock`)
}

function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.listen(address, () => resolve(server))
  })
}

/** Where sockets are files, one that nobody listens on is what a killed program left. */
async function afterCrash(address: string): Promise<Server | undefined> {
  if (process.platform === 'linux' || process.platform === 'win32') return undefined
  const is_alive = await new Promise<boolean>((resolve) => {
    const socket = connect(address, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
  if (is_alive) return undefined
  rmSync(address, { force: true })
  return listen(address)
}

import { chmodSync, lchownSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256 } from '../../security/crypto.ts'
import { EmbeddedDatabaseError } from './program.ts'

/**
 * The path of a Unix socket has at most 104 bytes on the strictest system we support, and the
 * server appends `/.s.PGSQL.5432.lock`.
 */
const MAX_SOCKET_FOLDER_LENGTH = 84

export function socketPath(home: string): string {
  const inside = join(home, 'run')
  return inside.length <= MAX_SOCKET_FOLDER_LENGTH
    ? inside
    : join(tmpdir(), `slipway-${sha256(home).toString('hex').slice(0, 16)}`)
}

export function createSocketFolder(home: string, owner: number | undefined): string {
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

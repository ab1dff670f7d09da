import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS } from '../../src/core/runtime/units.ts'

/** What a later run needs to resume an upload. It contains no secrets. */
export type SavedUpload = { session_id: string; checksum: string; size: number; at: number }
export type ResumeState = {
  read: () => SavedUpload | undefined
  save: (session: SavedUpload) => void
  clear: () => void
}

/** Longer than an upload session lasts. */
const MAX_AGE_MS = DAY_MS

function stateFolder(env: NodeJS.ProcessEnv): string {
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, 'slipway')
  if (process.platform === 'win32') return join(env.LOCALAPPDATA ?? homedir(), 'slipway')
  return process.platform === 'darwin'
    ? join(homedir(), 'Library/Application Support/slipway')
    : join(homedir(), '.local/state/slipway')
}

/**
 * The state of one upload: to one server, for one build and platform. If the home folder cannot be
 * written, uploads work but cannot be resumed.
 */
export function createResumeState(
  env: NodeJS.ProcessEnv,
  target: Record<string, string | undefined>,
): ResumeState {
  const folder = join(stateFolder(env), 'uploads')
  const name = createHash('sha256').update(JSON.stringify(target)).digest('hex').slice(0, 32)
  const path = join(folder, `${name}.json`)
  return {
    read: () => ifPossible(() => parseSavedUpload(JSON.parse(readFileSync(path, 'utf8')))),
    save: (session) =>
      ifPossible(() => {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(`${path}.new`, JSON.stringify(session), { mode: 0o600 })
        renameSync(`${path}.new`, path)
      }),
    clear: () =>
      ifPossible(() => {
        rmSync(path, { force: true })
        sweep(folder)
      }),
  }
}

function parseSavedUpload(value: SavedUpload): SavedUpload | undefined {
  const { session_id, checksum, size, at } = value
  const is_valid =
    typeof session_id === 'string' &&
    typeof checksum === 'string' &&
    Number.isSafeInteger(size) &&
    Number.isSafeInteger(at)
  return is_valid && at >= 0 && at < size ? { session_id, checksum, size, at } : undefined
}

function sweep(folder: string) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (Date.now() - statSync(path).mtimeMs > MAX_AGE_MS) rmSync(path, { force: true })
  }
}

function ifPossible<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

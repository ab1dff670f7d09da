import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundledFile } from '../../bundle.mjs'
import { once } from '../../src/core/runtime/once.ts'

const root = join(import.meta.dirname, '../..')

type Settings = Record<string, string | undefined>
export type AdminResult = { stdout: string; stderr: string; code: number }

/** What `npm run admin` runs. */
export const adminFile = once(() => bundledFile('src/admin.ts'))

/**
 * Runs a command in this process, with a core of its own beside that of the service. A process for
 * each takes ten times the CPU time.
 */
export async function admin(settings: Settings, ...args: string[]): Promise<AdminResult> {
  const { runAdmin } = await import('../../src/run-admin.ts')
  const [stdout, stderr] = [collector(), collector()]
  const code = await runAdmin(args, {
    environment: () => ({ ...process.env, ...settings }),
    stdout,
    stderr,
    handleStop: () => new AbortController().signal,
  })
  return { stdout: stdout.text().trim(), stderr: stderr.text(), code }
}

function collector() {
  const pieces: string[] = []
  return { write: (piece: string) => pieces.push(piece), text: () => pieces.join('') }
}

/**
 * Runs the script behind `npm run admin` without npm: for what is about the process, or about a
 * service that learns of the changes of another process.
 */
export async function adminProcess(settings: Settings, ...args: string[]): Promise<AdminResult> {
  const run = promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', await adminFile(), ...args],
    { cwd: root, env: { ...process.env, ...settings } },
  )
  const { stdout, stderr, code } = await run.then(
    (output) => ({ ...output, code: 0 }),
    (failure) => failure,
  )
  return { stdout: stdout.trim(), stderr, code }
}

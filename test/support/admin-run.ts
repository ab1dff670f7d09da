import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundledFile } from '../../bundle.mjs'
import { once } from '../../src/core/runtime/once.ts'

const root = join(import.meta.dirname, '../..')

/** What `npm run admin` runs. */
export const adminFile = once(() => bundledFile('src/admin.ts'))

/** Runs the script behind `npm run admin` without npm. */
export async function admin(settings: Record<string, string | undefined>, ...args: string[]) {
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

import { type ExecFileOptions, execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const MAX_ATTEMPTS = 5

/**
 * Runs a program to its end and returns its output. Debian's Mono on ARM64 aborts in one run of
 * four, in a thread of the runtime that our examples have no part in: such a run is repeated.
 */
export async function runProgram(
  file: string,
  args: string[],
  options: ExecFileOptions = {},
): Promise<{ stdout: string; stderr: string }> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { stdout, stderr } = await execute(file, args, { ...options, encoding: 'utf8' })
      return { stdout, stderr }
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isRuntimeAbort(file, error)) throw error
    }
  }
}

const isRuntimeAbort = (file: string, error: unknown) =>
  file === 'mono' && String((error as { stderr?: unknown }).stderr).includes('Debugger Dump')

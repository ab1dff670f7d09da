import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { eventually } from '../support/app.ts'
import { cleanup } from '../support/cleanup.ts'

export type Machine = { cwd: string; env?: Record<string, string>; setup?: string }

/**
 * Runs commands in one shell, which stops at the first error like a careful reader. Programs that
 * they start in the background end with the test.
 */
export async function runCommands(
  t: TestContext,
  commands: string,
  { cwd, env = {}, setup = '' }: Machine,
): Promise<{ code: number; output: string }> {
  const script = ['exec 2>&1', setup, commands].join('\n')
  // A session of its own has no terminal, so programs read passwords from standard input.
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  cleanup(t, () => endGroup(shell))
  const [output, [code]] = await Promise.all([text(shell.stdout!), once(shell, 'exit')])
  return { code: code ?? 1, output }
}

async function endGroup({ pid }: ChildProcess): Promise<void> {
  const signal = (name: NodeJS.Signals | 0) => {
    try {
      return process.kill(-pid!, name)
    } catch {
      return false
    }
  }
  signal('SIGTERM')
  await eventually('the end of background programs', () => !signal(0))
}

/** The codes of refusals in printed answers, in their order. */
export const refusalsIn = (output: string): number[] =>
  [...output.matchAll(/"success":false,"error":\{"code":(\d+)/g)].map(([, code]) => Number(code))

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const node = [process.execPath, '--disable-warning=ExperimentalWarning']

/** The command that runs a script of the repository, by its path from the root. */
export const nodeCommand = (path: string) => [...node, join(import.meta.dirname, '../..', path)]

/** The command of the real service. */
export const serviceCommand = nodeCommand('src/main.ts')

/** The command of a server in bench/baselines. */
export const baselineCommand = (file: string) => nodeCommand(join('bench/baselines', file))

export type Server = { child: ChildProcess; url: string }

/** Starts a server and waits for the line `ready <url>` on its standard output. */
export async function startServer(
  [program, ...args]: string[],
  env: Record<string, string> = {},
  stderr: 'inherit' | 'ignore' | number = 'inherit',
): Promise<Server> {
  const options: SpawnOptions = {
    stdio: ['ignore', 'pipe', stderr],
    env: { ...process.env, ...env },
  }
  const child = spawn(program!, args, options)
  return { child, url: await readyUrl(child) }
}

async function readyUrl(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = line.match(/^ready (\S+)/)?.[1]
    if (url) return url
  }
  throw new Error('a server of the benchmark ended before it was ready')
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { bundledFile } from '../../bundle.mjs'
import type { Environment } from '../../src/core/runtime/config.ts'
import { once as memoize } from '../../src/core/runtime/once.ts'
import { cleanup } from './cleanup.ts'

const root = join(import.meta.dirname, '../..')

/** What `npm start` runs. */
export const serviceFile = memoize(() => bundledFile('src/main.ts'))

/**
 * Several processes share the cores, so threads of the garbage collector mostly wait for each
 * other: without them the tests take a tenth less CPU time. A large young generation saves most
 * collections of what a service makes at its start, a tenth of the CPU time of starting one. Code
 * that was compiled with other flags is not reused, so every process has the same.
 */
export const GC_FLAGS = ['--single-threaded-gc', '--max-semi-space-size=64']

type Options = { code?: string; log_file?: string; gc_flags?: string[] }

/**
 * Runs the whole service in a child process that can be killed, paused, and restarted at the same
 * address. `code` is a folder with another version of it. The log goes to `log_file`, or to the log
 * of the tests.
 */
export function childService(
  t: TestContext,
  env: Environment,
  { code, log_file, gc_flags = GC_FLAGS }: Options = {},
) {
  let child: ChildProcess | undefined
  const isUp = () => child !== undefined && child.exitCode === null && child.signalCode === null
  async function kill() {
    if (!child || !isUp()) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  cleanup(t, kill)
  return {
    kill,
    isUp,
    pid: () => child!.pid!,
    signal: (name: NodeJS.Signals) => child!.kill(name),
    /** Returns the address once the service is ready. */
    async start(): Promise<string> {
      const flags = ['--disable-warning=ExperimentalWarning', ...gc_flags]
      const file = code ? join(code, 'src/main.ts') : await serviceFile()
      child = spawn(process.execPath, [...flags, file], {
        cwd: code ?? root,
        env: {
          ...process.env,
          METRICS_PORT: 'off',
          LOG_LEVEL: 'fatal',
          DATABASE_CONNECTIONS: '4',
          DATABASE_TIMEOUT: '60',
          ...env,
        },
        stdio: ['ignore', 'pipe', log_file ? openSync(log_file, 'a') : 'inherit'],
      })
      for await (const line of createInterface({ input: child.stdout! }))
        if (line.startsWith('ready ')) return line.slice('ready '.length)
      throw new Error('the service ended before it was ready')
    },
  }
}

export async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return String(port)
}

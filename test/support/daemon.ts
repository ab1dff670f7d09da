import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { eventually } from './app.ts'
import { cleanup } from './cleanup.ts'

export type DaemonOptions = {
  command: string
  args: string[]
  isReady: () => Promise<boolean> | boolean
  spawn_options?: SpawnOptions
}

/** A third-party program that a test starts, pauses, kills and restarts at the same address. */
export type Daemon = ReturnType<typeof daemon>

export function daemon(
  t: TestContext,
  { command, args, isReady, spawn_options = {} }: DaemonOptions,
) {
  let child: ChildProcess | undefined
  const isUp = () => child !== undefined && child.exitCode === null && child.signalCode === null
  async function end(signal: NodeJS.Signals = 'SIGKILL') {
    if (!child || !isUp()) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  cleanup(t, end)
  return {
    end,
    signal: (name: NodeJS.Signals) => child!.kill(name),
    /** Retries a start that ends at once, because the previous process may still use the port. */
    start: () =>
      eventually(
        `${command} to be ready`,
        async () => {
          if (!isUp()) child = spawn(command, args, { stdio: 'ignore', ...spawn_options })
          return isReady()
        },
        120,
      ),
  }
}

/** Returns whether the URL answers with a success status. */
export const isReachable = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

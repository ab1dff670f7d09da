import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Command = { args: string[]; env: Record<string, string>; cwd: string; input: string }
export type Result = { code: number; stdout: string; stderr: string }

/** More commands at the same time wait for one of these processes. */
const MAX_RUNNERS = 4
/** What a process keeps of its runs must not grow without a bound. */
const MAX_RUNS = 100

type Runner = { child: ChildProcess; runs: number }

/**
 * Processes that run commands of the bundled uploader one after the other, which takes a tenth of
 * the CPU time of a process for each.
 */
export function createCommandRunners(node: string, bundle: () => Promise<string>) {
  const idle: Runner[] = []
  const waiting: ((runner: Runner) => void)[] = []
  let count = 0
  async function take(): Promise<Runner> {
    const runner = idle.pop()
    if (runner) return runner
    if (count === MAX_RUNNERS) return new Promise((resolve) => waiting.push(resolve))
    count++
    return start(node, await bundle())
  }
  async function release(runner: Runner) {
    let next = runner
    if (runner.runs >= MAX_RUNS || runner.child.exitCode !== null) {
      if (runner.child.connected) runner.child.disconnect()
      next = start(node, await bundle())
    }
    const take = waiting.shift()
    if (take) take(next)
    else idle.push(next)
  }
  return async (command: Command): Promise<Result> => {
    const runner = await take()
    runner.runs++
    try {
      return await run(runner.child, command)
    } finally {
      await release(runner)
    }
  }
}

function start(node: string, bundle: string): Runner {
  const child = spawn(node, [join(import.meta.dirname, 'command-runner.mjs'), bundle], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  // Only a command keeps the tests running, not a process that waits for one.
  child.unref()
  child.channel!.unref()
  return { child, runs: 0 }
}

function run(child: ChildProcess, command: Command): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null, signal: string | null) =>
      reject(new Error(`slipway ${command.args.join(' ')} ended its process: ${code ?? signal}`))
    child.channel!.ref()
    child.once('exit', onExit)
    child.once('message', (result: Result) => {
      child.removeListener('exit', onExit)
      child.channel?.unref()
      resolve(result)
    })
    child.send(command)
  })
}

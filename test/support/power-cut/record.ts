import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { followOperations, type History, readTree } from './history.ts'
import { copyTree } from './restore.ts'
import { type Operation, parseTrace, tracedCalls } from './trace.ts'

/** What a program acknowledged, and the line of the trace on which it did. */
export type Acknowledgement<T> = { line: number; entry: T }
export type Recording<T> = {
  history: History
  acknowledged: Acknowledgement<T>[]
  /** The files before the recording. */
  base: string
}

export const LEDGER = 'ledger'
/** Longer than any write. */
const MAX_STRING_BYTES = 64 * 1024 ** 2

type Program = {
  /** A folder for everything; the program works in its subfolder `disk`. */
  folder: string
  command: string[]
  env?: NodeJS.ProcessEnv
  options?: SpawnOptions
}

export const diskOf = (folder: string) => join(folder, 'disk')

/**
 * Runs a program and records what it and the programs it starts do to the files below `disk`. Each
 * line that it writes to the file `ledger` beside that folder acknowledges something.
 */
export async function record<T>({ folder, command, env, options }: Program): Promise<Recording<T>> {
  const disk = diskOf(folder)
  const base = join(folder, 'base')
  const trace = join(folder, 'trace')
  mkdirSync(disk, { recursive: true })
  copyTree(disk, base)
  const flags = ['-f', '--seccomp-bpf', '-y', '-xx', '-s', String(MAX_STRING_BYTES), '-o', trace]
  const calls = ['-e', `trace=${tracedCalls.map((name) => `?${name}`).join()}`, '-e', 'signal=none']
  const child = spawn('strace', [...flags, ...calls, ...command], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      // Its calls are not visible to strace.
      UV_USE_IO_URING: '0',
      ...env,
    },
    ...options,
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the recorded program ended with ${code}`)
  const operations = parseTrace(readFileSync(trace), dirname(disk))
  const on_disk = operations.filter(({ path }) => path === disk || path.startsWith(`${disk}/`))
  const history = followOperations(on_disk, disk, readTree(base))
  return { history, base, acknowledged: readLedger<T>(operations, join(folder, LEDGER)) }
}

/** An entry counts from the line on which writing it began: what it says was done before. */
function readLedger<T>(operations: Operation[], path: string): Acknowledgement<T>[] {
  return operations.flatMap((operation) =>
    operation.kind === 'write' && operation.path === path
      ? [{ line: operation.begin, entry: JSON.parse(operation.bytes.toString()) as T }]
      : [],
  )
}

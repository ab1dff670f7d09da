import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Readable, Writable } from 'node:stream'

/** What a child process with three pipes needs for a moment, and some for other threads. */
const NEEDED_DESCRIPTORS = 16

export type Program = ChildProcessByStdio<Writable, Readable, Readable>
type ProgramOptions = { signal?: AbortSignal; timeout?: number }

/**
 * Runs Node with these arguments in a process of its own, which gets none of the secrets in the
 * environment. Throws if it cannot be started: without free file descriptors, a child process has
 * no streams, and its error would otherwise end the service.
 */
export async function startProgram(
  args: readonly string[],
  options: ProgramOptions,
): Promise<Program> {
  requireFreeDescriptors()
  const child = spawn(process.execPath, args, {
    ...options,
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
  })
  // Also when it is aborted before the caller listens: it ends then.
  child.on('error', () => {})
  await once(child, 'spawn')
  // The program may end before it has read everything.
  child.stdin.on('error', () => {})
  return child
}

/**
 * Throws EMFILE before a child process is started that would find no file descriptors: Node then
 * leaves its pipes behind, which are never freed.
 */
export function requireFreeDescriptors(): void {
  const opened: number[] = []
  try {
    while (opened.length < NEEDED_DESCRIPTORS) opened.push(openSync(devNull, 'r'))
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

import { type ChildProcess, fork } from 'node:child_process'
import { getPriority, setPriority } from 'node:os'
import { join } from 'node:path'
import { limitConcurrency } from '../../core/runtime/concurrency.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { requireFreeDescriptors } from '../../core/security/start-program.ts'
import type { ComposedZip, ComposeTask } from './compose.ts'
import type {
  ProgramFailure,
  ProgramMessage,
  ProgramReply,
  ProgramTask,
  SignTask,
} from './delta-program.ts'
import type { ResolveFiles } from './recorded-copies.ts'

const PROGRAM = join(import.meta.dirname, 'delta-program.ts')
const HEAP_MIB = 512
/** How much lower than that of this process its priority is; larger numbers are lower. */
const PRIORITY_STEP = 10
const LOWEST_PRIORITY = 19
/** Unpacking, hashing and compressing takes a core; the others stay free for requests. */
const runOneByOne = limitConcurrency(1)

/** The program refuses what it got. */
export class DeltaFailure extends Error {
  readonly reason: ProgramFailure

  constructor(reason: ProgramFailure, message: string) {
    super(message)
    this.reason = reason
  }
}

type Handlers = {
  onSignature?: (index: number, signature: Uint8Array) => void
  resolve?: ResolveFiles
  signal?: AbortSignal
}

/** Runs a task in a process of its own, one at a time for this one. */
const runTask = (
  { config: { s3_url, s3_public_url, data_dir } }: Core,
  task: { sign: SignTask } | { compose: ComposeTask },
  handlers: Handlers,
) =>
  runOneByOne(async () => {
    handlers.signal?.throwIfAborted()
    requireFreeDescriptors()
    const child = fork(PROGRAM, {
      execArgv: [`--max-old-space-size=${HEAP_MIB}`, '--disable-warning=ExperimentalWarning'],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const stop = () => void child.kill('SIGKILL')
    handlers.signal?.addEventListener('abort', stop)
    try {
      const finished = result(child, handlers)
      lowerPriority(child)
      const storage = { s3_url, s3_public_url, data_dir }
      send(child, { storage, ...task } as ProgramTask)
      return await finished
    } finally {
      handlers.signal?.removeEventListener('abort', stop)
      stop()
    }
  })

/** From its start, so that the threads of its pool have it as well. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined)
      setPriority(pid, Math.min(LOWEST_PRIORITY, getPriority() + PRIORITY_STEP))
  } catch {
    // Some containers forbid it, and the program may have ended.
  }
}

/** A program that has ended gets nothing, and its end is noticed anyway. */
function send(child: ChildProcess, message: ProgramTask | ProgramReply): void {
  if (child.connected) child.send(message, () => {})
}

function result(child: ChildProcess, { onSignature, resolve }: Handlers) {
  const { promise, resolve: finish, reject } = Promise.withResolvers<ComposedZip | undefined>()
  child.on('error', reject)
  child.on('exit', (code, signal) =>
    reject(new Error(`The program for deltas ended (${code ?? signal})`)),
  )
  child.on('message', (message: ProgramMessage) => {
    if ('index' in message) onSignature?.(message.index, message.signature)
    else if ('resolve' in message)
      resolve!(message.resolve).then((files) => send(child, files), reject)
    else if ('composed' in message) finish(message.composed)
    else if ('signed' in message) finish(undefined)
    else if ('failure' in message) reject(new DeltaFailure(message.failure, message.message))
    else {
      const { code, error } = message
      reject(Object.assign(new Error(`The program for deltas failed: ${error}`), { code }))
    }
  })
  return promise
}

export async function runSigning(
  core: Core,
  sign: SignTask,
  handlers: Required<Pick<Handlers, 'onSignature' | 'signal'>>,
): Promise<void> {
  await runTask(core, { sign }, handlers)
}

export async function runComposing(
  core: Core,
  compose: ComposeTask,
  resolve: ResolveFiles,
): Promise<ComposedZip> {
  const composed = await runTask(core, { compose }, { resolve })
  crashPoint('delta-composed')
  return composed!
}

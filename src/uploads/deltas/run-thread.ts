import { Worker } from 'node:worker_threads'
import { limitConcurrency } from '../../core/runtime/concurrency.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import type { ComposedZip, ComposeTask } from './compose.ts'
import type {
  SignTask,
  ThreadData,
  ThreadFailure,
  ThreadMessage,
  ThreadReply,
} from './delta-thread.ts'

const HEAP_MB = 512
/** Unpacking, hashing and compressing takes a core; the others stay free for requests. */
const runOneByOne = limitConcurrency(1)

/** The thread refuses what it got. */
export class DeltaFailure extends Error {
  readonly reason: ThreadFailure

  constructor(reason: ThreadFailure, message: string) {
    super(message)
    this.reason = reason
  }
}

type Handlers = {
  onSignature?: (index: number, signature: Uint8Array) => void
  resolve?: (uids: string[]) => Promise<ThreadReply>
  signal?: AbortSignal
}

/** Runs a task in a thread of its own, one at a time in this process. */
const runTask = (
  { config: { s3_url, s3_public_url, data_dir } }: Core,
  task: { sign: SignTask } | { compose: ComposeTask },
  handlers: Handlers,
) =>
  runOneByOne(async () => {
    handlers.signal?.throwIfAborted()
    const storage = { s3_url, s3_public_url, data_dir }
    const worker = new Worker(new URL('./delta-thread.ts', import.meta.url), {
      workerData: { storage, ...task } as ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    const stop = () => void worker.terminate()
    handlers.signal?.addEventListener('abort', stop)
    try {
      return await result(worker, handlers)
    } finally {
      handlers.signal?.removeEventListener('abort', stop)
      await worker.terminate()
    }
  })

function result(worker: Worker, { onSignature, resolve }: Handlers) {
  const { promise, resolve: finish, reject } = Promise.withResolvers<ComposedZip | undefined>()
  worker.on('error', reject)
  worker.on('exit', () => reject(new Error('The thread of a delta ended')))
  worker.on('message', (message: ThreadMessage) => {
    if ('index' in message) onSignature?.(message.index, message.signature)
    else if ('resolve' in message)
      resolve!(message.resolve).then((files) => worker.postMessage(files), reject)
    else if ('composed' in message) finish(message.composed)
    else if ('signed' in message) finish(undefined)
    else reject(new DeltaFailure(message.failure, message.message))
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
  resolve: (uids: string[]) => Promise<ThreadReply>,
): Promise<ComposedZip> {
  const composed = await runTask(core, { compose }, { resolve })
  crashPoint('delta-composed')
  return composed!
}

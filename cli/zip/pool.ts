import { Worker } from 'node:worker_threads'
import { Failure, UsageError } from '../errors.ts'
import { unreadable } from './tree.ts'
import { type Ask, type Done, type Reply, ROLE, SLOT, type Task } from './worker.ts'

export type Pool = {
  /** Waits for a free slot, and gives the task to the thread with the least to do. */
  run: (task: Task) => Promise<{ done: Promise<Done>; slot: number }>
  /** For a task that leaves no bytes. */
  ask: (task: Task) => Promise<Done>
  slot: (index: number) => Buffer
  free: (index: number) => void
  close: () => Promise<void>
}

type Waiting = { resolve: (done: Done) => void; reject: (error: Error) => void; thread: number }

/**
 * Threads that read and pack, and slots of shared memory that they pack into: as many bytes are under way as there are slots, and
 * none is ever copied from one thread to another.
 */
export function createPool(threads: number): Pool {
  const shared = Array.from({ length: 4 + 3 * threads }, () => new SharedArrayBuffer(SLOT))
  const slots = shared.map((slot) => Buffer.from(slot))
  const free = shared.map((_, i) => i)
  const queue: ((slot: number) => void)[] = []
  const waiting = new Map<number, Waiting>()
  const busy = Array.from({ length: threads }, () => 0)
  let last_id = 0
  const workers = busy.map((_, thread) => {
    // The same file as this one: bundled, there is only one.
    const worker = new Worker(new URL(workerFile), {
      workerData: { role: ROLE, slots: shared },
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 },
      execArgv: process.execArgv.filter((flag) => flag.startsWith('--disable-warning')),
    })
    worker.on('message', (reply: Reply) => settle(waiting, reply, busy))
    worker.on('error', (error) => failAll(waiting, thread, error))
    return worker
  })
  const post = (task: Task, slot: number) =>
    new Promise<Done>((resolve, reject) => {
      const thread = busy.indexOf(Math.min(...busy))
      busy[thread]!++
      waiting.set(++last_id, { resolve, reject, thread })
      workers[thread]!.postMessage({ id: last_id, slot, task } satisfies Ask)
    })
  return {
    async run(task) {
      const slot = free.pop() ?? (await new Promise<number>((resolve) => queue.push(resolve)))
      const done = post(task, slot)
      done.catch(() => {})
      return { done, slot }
    },
    ask: (task) => post(task, -1),
    slot: (index) => slots[index]!,
    free(index) {
      const next = queue.shift()
      if (next) next(index)
      else free.push(index)
    },
    close: async () => void (await Promise.all(workers.map((worker) => worker.terminate()))),
  }
}

const workerFile = import.meta.url.endsWith('/pool.ts')
  ? new URL('./worker.ts', import.meta.url).href
  : import.meta.url

function settle(waiting: Map<number, Waiting>, { id, done, error }: Reply, busy: number[]) {
  const one = waiting.get(id)
  if (!one) return
  waiting.delete(id)
  busy[one.thread]!--
  if (done) one.resolve(done)
  else one.reject(asFailure(error!))
}

function failAll(waiting: Map<number, Waiting>, thread: number, error: unknown) {
  for (const [id, one] of waiting)
    if (one.thread === thread) {
      waiting.delete(id)
      one.reject(new Failure(1, `packing failed: ${(error as Error).message}`))
    }
}

function asFailure({ message, code, path }: NonNullable<Reply['error']>): Error {
  if (code === 'CHANGED' || code === 'ENOENT')
    return new UsageError(
      `${path} changed while it was being packed`,
      'let the build finish, then run it again',
    )
  if (code) return unreadable(path, { code })
  return new Failure(1, `${path} could not be packed: ${message}`)
}

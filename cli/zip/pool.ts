import { Worker } from 'node:worker_threads'
import { Failure, UsageError } from '../errors.ts'
import { t } from '../messages.ts'
import { unreadable } from './tree.ts'
import { type Reply, ROLE, SLOT, type Task, type TaskMessage, type TaskResult } from './worker.ts'

export type Pool = {
  /** Waits for a free slot, and sends the task to the thread with the fewest tasks. */
  run: (task: Task) => Promise<{ done: Promise<TaskResult>; slot: number }>
  /** Runs a task that needs no slot. */
  call: (task: Task) => Promise<TaskResult>
  slot: (index: number) => Buffer
  free: (index: number) => void
  close: () => Promise<void>
}

type PendingTask = {
  resolve: (result: TaskResult) => void
  reject: (error: Error) => void
  thread: number
}

/**
 * Threads that read and pack, and slots of shared memory for the results. The number of slots
 * limits the memory in use, and no bytes are copied between threads.
 */
export function createPool(threads: number): Pool {
  const shared = Array.from({ length: 4 + 3 * threads }, () => new SharedArrayBuffer(SLOT))
  const slots = shared.map((slot) => Buffer.from(slot))
  const free = shared.map((_, i) => i)
  const waiting: ((slot: number) => void)[] = []
  const pending = new Map<number, PendingTask>()
  const task_counts = Array.from({ length: threads }, () => 0)
  let last_id = 0
  const workers: Worker[] = []
  /** Few files need one thread, and starting one takes longer than packing them. */
  const start = (thread: number) => {
    // In the bundle, this file and the worker are the same file.
    const worker = new Worker(new URL(workerFile), {
      workerData: { role: ROLE, slots: shared },
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 },
      execArgv: process.execArgv.filter((flag) => flag.startsWith('--disable-warning')),
    })
    worker.on('message', (reply: Reply) => settle(pending, reply, task_counts))
    worker.on('error', (error) => failAll(pending, thread, error))
    workers[thread] = worker
    return worker
  }
  const post = (task: Task, slot: number) =>
    new Promise<TaskResult>((resolve, reject) => {
      const thread = task_counts.indexOf(Math.min(...task_counts))
      task_counts[thread]!++
      pending.set(++last_id, { resolve, reject, thread })
      const worker = workers[thread] ?? start(thread)
      worker.postMessage({ id: last_id, slot, task } satisfies TaskMessage)
    })
  return {
    async run(task) {
      const slot = free.pop() ?? (await new Promise<number>((resolve) => waiting.push(resolve)))
      const done = post(task, slot)
      done.catch(() => {})
      return { done, slot }
    },
    call: (task) => post(task, -1),
    slot: (index) => slots[index]!,
    free(index) {
      const next = waiting.shift()
      if (next) next(index)
      else free.push(index)
    },
    close: async () => void (await Promise.all(workers.map((worker) => worker.terminate()))),
  }
}

const workerFile = import.meta.url.endsWith('/pool.ts')
  ? new URL('./worker.ts', import.meta.url).href
  : import.meta.url

type PendingTasks = Map<number, PendingTask>

function settle(pending: PendingTasks, { id, result, error }: Reply, task_counts: number[]) {
  const task = pending.get(id)
  if (!task) return
  pending.delete(id)
  task_counts[task.thread]!--
  if (result) task.resolve(result)
  else task.reject(asFailure(error!))
}

function failAll(pending: PendingTasks, thread: number, error: unknown) {
  for (const [id, task] of pending)
    if (task.thread === thread) {
      pending.delete(id)
      task.reject(new Failure(1, t('zip-packing-failed', { reason: (error as Error).message })))
    }
}

function asFailure({ message, code, path }: NonNullable<Reply['error']>): Error {
  if (code === 'CHANGED' || code === 'ENOENT')
    return new UsageError(t('file-changed-packing', { path }), t('file-changed-packing-hint'))
  if (code) return unreadable(path, { code })
  return new Failure(1, t('zip-file-failed', { path, reason: message }))
}

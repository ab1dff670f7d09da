import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import type { Asked, Settings, Told } from './index-thread.ts'
import type { IndexResult, QueryPlan } from './query/plan.ts'

/** What the thread's own objects may take; the index itself is outside of this. */
const MOST_HEAP_MB = 1_024
/** Little enough to keep an idle service small. */
const YOUNG_MB = 6
const RESTART_MS = 1_000
const PATIENCE_MS = 5_000
/** More than this would wait longer than anyone does. */
const MOST_WAITING = 500
const LOADING = 'The catalog is being loaded; try again in a moment'

export type IndexClient = {
  /** Begins to load the index, if nothing has yet. */
  start: () => void
  /** When it can answer. */
  ready: () => Promise<void>
  find: (plan: QueryPlan) => Promise<IndexResult>
  stop: () => Promise<void>
}
type Waiting = { resolve: (found: IndexResult) => void; reject: (error: Error) => void }
type Running = {
  worker: Worker
  waiting: Map<number, Waiting>
  ready: PromiseWithResolvers<void>
  is_ready: boolean
  ended: Promise<void>
}

/** The index of this process, in a thread that begins with the first use. One that dies is started again. */
export function createIndexClient(core: Core, database_url: string): IndexClient {
  const settings: Settings = { database_url, folder: join(core.config.data_dir, 'search') }
  let running: Running | undefined
  let stopped = false
  let asked = 0

  function start(): Running {
    running ??= run(core, settings, () => {
      running = undefined
      // Nobody waits for it, but the next to ask should not have to.
      if (!stopped) setTimeout(() => stopped || start(), RESTART_MS).unref()
    })
    return running
  }

  return {
    start: () => void start(),
    ready: () => start().ready.promise,
    async find(plan) {
      const { worker, waiting, is_ready, ready } = start()
      if (!is_ready) await patiently(ready.promise)
      if (waiting.size >= MOST_WAITING)
        refuse('UNAVAILABLE', undefined, 'Search is busy; try again in a moment', {
          'retry-after': '1',
        })
      const id = ++asked
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        worker.postMessage({ id, plan } satisfies Asked)
      })
    },
    async stop() {
      stopped = true
      running?.worker.postMessage('stop' satisfies Asked)
      await running?.ended
    },
  }
}

/** A small catalog is there in a moment; for a large one that is read anew, people come back. */
async function patiently(ready: Promise<void>) {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('late')), PATIENCE_MS)
  try {
    await Promise.race([ready, late.promise])
  } catch {
    refuse('UNAVAILABLE', undefined, LOADING, { 'retry-after': '1' })
  } finally {
    clearTimeout(timer)
  }
}

function run({ log }: Core, settings: Settings, onEnd: () => void): Running {
  const worker = new Worker(new URL('./index-thread.ts', import.meta.url), {
    workerData: settings,
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  })
  const ended = Promise.withResolvers<void>()
  const running: Running = {
    worker,
    waiting: new Map(),
    ready: Promise.withResolvers(),
    is_ready: false,
    ended: ended.promise,
  }
  running.ready.promise.catch(() => {})
  worker.on('message', (told: Told) => hear(running, told, log))
  worker.on('error', (error) => log.error({ err: error }, 'the search index failed'))
  worker.on('exit', () => {
    const gone = new Refusal('UNAVAILABLE', undefined, LOADING, { 'retry-after': '1' })
    running.ready.reject(gone)
    for (const { reject } of running.waiting.values()) reject(gone)
    onEnd()
    ended.resolve()
  })
  return running
}

function hear(running: Running, told: Told, log: Core['log']) {
  if ('warning' in told) return log.warn({ error: told.warning }, 'the search index had trouble')
  if ('state' in told) {
    if (told.state !== 'ready') return
    running.is_ready = true
    return running.ready.resolve()
  }
  const asked = running.waiting.get(told.id)
  running.waiting.delete(told.id)
  if ('found' in told) asked?.resolve(told.found)
  else asked?.reject(new Error(told.trouble))
}

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { DEGRADED } from '../../core/runtime/health.ts'
import { type Explanation, explain } from '../../core/runtime/reasons.ts'
import { SECOND_MS } from '../../core/runtime/units.ts'
import type { IndexAnswer, IndexMessage, IndexRequest, ThreadSettings } from './index-thread.ts'
import type { IndexResult, QueryPlan } from './query/plan.ts'
import type { SpellingRequest } from './query/spelling.ts'
import type { TermCounts, TermRequest } from './query/suggest-terms.ts'

/** The JavaScript heap of the thread. The arrays of the index are outside of it. */
const MAX_HEAP_MB = 1_024
/** Small, to keep the memory of an idle service low. */
const YOUNG_GENERATION_MB = 6
const RESTART_MS = 1_000
const WAIT_MS = 5_000
/** Changes of many listings take longer to read than anything that a request reads. */
const FEED_FACTOR = 5
/** Of an index that follows the changes; it looks for them twice a second. */
const MAX_LAG_SECONDS = 30
/** Further searches would wait longer than their callers do. */
const MAX_WAITING = 500
const LOADING = explain('search_busy', 'The search index is loading; try again in a moment')
const BUSY = explain('search_busy', 'Search is busy; try again in a moment')

export type IndexClient = {
  /** Starts loading the index, unless it has started already. */
  start: () => void
  /** Resolves when the index can answer. */
  ready: () => Promise<void>
  /** Degraded while the index answers without the newest changes. */
  check: () => Promise<string>
  /** Undefined until the index is loaded. */
  progress: () => IndexProgress | undefined
  find: (plan: QueryPlan) => Promise<IndexResult>
  findTerms: (request: TermRequest) => Promise<TermCounts>
  correctWords: (request: SpellingRequest) => Promise<string[] | null>
  stop: () => Promise<void>
}
/** How long ago the index had every change, and how many listings cannot be indexed. */
export type IndexProgress = { lag_seconds: number; skipped: number }
type PendingSearch = { resolve: (answer: IndexAnswer) => void; reject: (error: Error) => void }
type Question = { plan: QueryPlan } | { terms: TermRequest } | { spelling: SpellingRequest }
type RunningThread = {
  worker: Worker
  waiting: Map<number, PendingSearch>
  ready: PromiseWithResolvers<void>
  is_ready: boolean
  caught_up: { at: number; skipped: number } | undefined
  ended: Promise<void>
}

/**
 * The index of this process, in a thread that starts with the first use and restarts if it dies.
 */
export function createIndexClient(core: Core, database_url: string): IndexClient {
  const { data_dir, database_timeout } = core.config
  const database_ms = database_timeout * SECOND_MS
  const settings: ThreadSettings = {
    database_url,
    folder: join(data_dir, 'search'),
    max_wait_ms: FEED_FACTOR * database_ms,
  }
  const wait_ms = Math.max(WAIT_MS, database_ms)
  let running: RunningThread | undefined
  let stopped = false
  let last_id = 0

  function start(): RunningThread {
    running ??= run(core, settings, () => {
      running = undefined
      // Restart now, so that the next search does not have to wait for the load.
      if (!stopped) setTimeout(() => stopped || start(), RESTART_MS).unref()
    })
    return running
  }

  async function ask(question: Question): Promise<IndexAnswer> {
    const { worker, waiting, is_ready, ready } = start()
    if (!is_ready) await inTime(ready.promise, wait_ms, LOADING)
    if (waiting.size >= MAX_WAITING) refuse('UNAVAILABLE', undefined, BUSY, { 'retry-after': '1' })
    const id = ++last_id
    const answer = new Promise<IndexAnswer>((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      worker.postMessage({ id, ...question } satisfies IndexRequest)
    })
    return inTime(answer, wait_ms, BUSY)
  }

  function progress(): IndexProgress | undefined {
    const caught_up = running?.caught_up
    if (!caught_up) return undefined
    const lag_seconds = (performance.now() - caught_up.at) / 1000
    return { lag_seconds, skipped: caught_up.skipped }
  }

  return {
    start: () => void start(),
    ready: () => start().ready.promise,
    progress,
    async check() {
      await start().ready.promise
      return (progress()?.lag_seconds ?? 0) > MAX_LAG_SECONDS ? DEGRADED : 'ok'
    },
    find: (plan) => ask({ plan }) as Promise<IndexResult>,
    findTerms: (terms) => ask({ terms }) as Promise<TermCounts>,
    correctWords: (spelling) => ask({ spelling }) as Promise<string[] | null>,
    async stop() {
      stopped = true
      running?.worker.postMessage('stop' satisfies IndexRequest)
      await running?.ended
    },
  }
}

/** Refuses a client that would wait longer: while a large catalog loads, or after a burst. */
async function inTime<T>(work: Promise<T>, wait_ms: number, explanation: Explanation): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => {
    reject(new Refusal('UNAVAILABLE', undefined, explanation, { 'retry-after': '1' }))
  }, wait_ms)
  work.then(resolve, reject)
  return promise.finally(() => clearTimeout(timer))
}

function run({ log }: Core, settings: ThreadSettings, onEnd: () => void): RunningThread {
  const worker = new Worker(new URL('./index-thread.ts', import.meta.url), {
    workerData: settings,
    resourceLimits: {
      maxOldGenerationSizeMb: MAX_HEAP_MB,
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
    },
  })
  const ended = Promise.withResolvers<void>()
  const running: RunningThread = {
    worker,
    waiting: new Map(),
    ready: Promise.withResolvers(),
    is_ready: false,
    caught_up: undefined,
    ended: ended.promise,
  }
  running.ready.promise.catch(() => {})
  worker.on('message', (message: IndexMessage) => handleMessage(running, message, log))
  worker.on('error', (error) => log.error({ err: error }, 'search index thread failed'))
  worker.on('exit', () => {
    const unavailable = new Refusal('UNAVAILABLE', undefined, LOADING, { 'retry-after': '1' })
    running.ready.reject(unavailable)
    for (const { reject } of running.waiting.values()) reject(unavailable)
    onEnd()
    ended.resolve()
  })
  return running
}

function handleMessage(running: RunningThread, message: IndexMessage, log: Core['log']) {
  if ('warning' in message) return log.warn({ error: message.warning }, 'search index warning')
  if ('caught_up' in message) {
    running.caught_up = { at: performance.now(), ...message.caught_up }
    return
  }
  if ('state' in message) {
    if (message.state !== 'ready') return
    running.is_ready = true
    return running.ready.resolve()
  }
  const search = running.waiting.get(message.id)
  running.waiting.delete(message.id)
  if ('result' in message) search?.resolve(message.result)
  else search?.reject(new Error(message.error))
}

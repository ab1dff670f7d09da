import { parentPort, workerData } from 'node:worker_threads'
import { openPool, POOL_NAMES } from '../../core/database/sql.ts'
import { type FeedOptions, followChanges } from './feed/feed.ts'
import { correctWords, findTerms, type Index, searchIndex } from './index/index.ts'
import type { IndexResult, QueryPlan } from './query/plan.ts'
import type { SpellingRequest } from './query/spelling.ts'
import type { TermCounts, TermRequest } from './query/suggest-terms.ts'

export type ThreadSettings = FeedOptions & { database_url: string }
/** A search, the terms with a prefix, or the nearest words of the index. */
export type IndexRequest =
  | { id: number; plan: QueryPlan }
  | { id: number; terms: TermRequest }
  | { id: number; spelling: SpellingRequest }
  | 'stop'
export type IndexAnswer = IndexResult | TermCounts | string[] | null
export type IndexMessage =
  | { id: number; result: IndexAnswer }
  | { id: number; error: string }
  | { state: 'ready' | 'stopped' }
  | { warning: string }
  | { caught_up: { skipped: number } }

/**
 * The index runs in its own thread, so that neither a long search nor a merge delays HTTP requests.
 */
const { database_url, ...options } = workerData as ThreadSettings
const port = parentPort!
const send = (message: IndexMessage) => port.postMessage(message)
const sql = openPool(database_url, 1, POOL_NAMES.search, 'search')
const feed = followChanges(sql, options, {
  ready: () => send({ state: 'ready' }),
  warn: (warning) => send({ warning }),
  caughtUp: (skipped) => send({ caught_up: { skipped } }),
})

port.on('message', (request: IndexRequest) => {
  if (request === 'stop') return void shutDown()
  const { id } = request
  try {
    send({ id, result: answer(feed.index(), request) })
  } catch (error) {
    send({ id, error: (error as Error).stack ?? String(error) })
  }
})

function answer(index: Index, request: Exclude<IndexRequest, 'stop'>): IndexAnswer {
  if ('plan' in request) return searchIndex(index, request.plan)
  return 'terms' in request
    ? findTerms(index, request.terms)
    : correctWords(index, request.spelling)
}

async function shutDown() {
  await feed.stop()
  await sql.end({ timeout: 1 })
  send({ state: 'stopped' })
  port.close()
}

import { parentPort, workerData } from 'node:worker_threads'
import { openPool } from '../../core/database/sql.ts'
import { type FeedOptions, followChanges } from './feed/feed.ts'
import { findTerms, searchIndex } from './index/index.ts'
import type { IndexResult, QueryPlan } from './query/plan.ts'
import type { TermCounts, TermRequest } from './query/suggest-terms.ts'

export type ThreadSettings = FeedOptions & { database_url: string }
/** A search, or the terms with a prefix. */
export type IndexRequest =
  | { id: number; plan: QueryPlan }
  | { id: number; terms: TermRequest }
  | 'stop'
export type IndexMessage =
  | { id: number; result: IndexResult | TermCounts }
  | { id: number; error: string }
  | { state: 'ready' | 'stopped' }
  | { warning: string }

/**
 * The index runs in its own thread, so that neither a long search nor a merge delays HTTP requests.
 */
const { database_url, ...options } = workerData as ThreadSettings
const port = parentPort!
const send = (message: IndexMessage) => port.postMessage(message)
const sql = openPool(database_url, 1, 'slipway search')
const feed = followChanges(sql, options, {
  ready: () => send({ state: 'ready' }),
  warn: (warning) => send({ warning }),
})

port.on('message', (request: IndexRequest) => {
  if (request === 'stop') return void shutDown()
  const { id } = request
  try {
    const index = feed.index()
    const result =
      'plan' in request ? searchIndex(index, request.plan) : findTerms(index, request.terms)
    send({ id, result })
  } catch (error) {
    send({ id, error: (error as Error).stack ?? String(error) })
  }
})

async function shutDown() {
  await feed.stop()
  await sql.end({ timeout: 1 })
  send({ state: 'stopped' })
  port.close()
}

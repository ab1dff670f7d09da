import { parentPort, workerData } from 'node:worker_threads'
import { openPool } from '../../core/database/sql.ts'
import { type FeedOptions, followChanges } from './feed/feed.ts'
import { searchIndex } from './index/index.ts'
import type { IndexResult, QueryPlan } from './query/plan.ts'

export type ThreadSettings = FeedOptions & { database_url: string }
export type IndexRequest = { id: number; plan: QueryPlan } | 'stop'
export type IndexMessage =
  | { id: number; result: IndexResult }
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
  const { id, plan } = request
  try {
    send({ id, result: searchIndex(feed.index(), plan) })
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

import { parentPort, workerData } from 'node:worker_threads'
import { openPool } from '../../core/database/sql.ts'
import { followChanges, type Options } from './feed/feed.ts'
import { searchIndex } from './index/index.ts'
import type { IndexResult, QueryPlan } from './query/plan.ts'

export type Settings = Options & { database_url: string }
export type Asked = { id: number; plan: QueryPlan } | 'stop'
export type Told =
  | { id: number; found: IndexResult }
  | { id: number; trouble: string }
  | { state: 'ready' | 'stopped' }
  | { warning: string }

/** The index lives here, beside the thread that speaks HTTP: neither a long search nor a merge holds up anyone else's request. */
const { database_url, ...options } = workerData as Settings
const port = parentPort!
const tell = (told: Told) => port.postMessage(told)
const sql = openPool(database_url, 1, 'slipway search')
const feed = followChanges(sql, options, {
  ready: () => tell({ state: 'ready' }),
  warn: (warning) => tell({ warning }),
})

port.on('message', (asked: Asked) => {
  if (asked === 'stop') return void end()
  const { id, plan } = asked
  try {
    tell({ id, found: searchIndex(feed.index(), plan) })
  } catch (error) {
    tell({ id, trouble: (error as Error).stack ?? String(error) })
  }
})

async function end() {
  await feed.stop()
  await sql.end({ timeout: 1 })
  tell({ state: 'stopped' })
  port.close()
}

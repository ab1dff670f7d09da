import { AsyncLocalStorage } from 'node:async_hooks'

/** Queries that may take long by themselves, such as counts over the whole catalog. */
const SLOW_MS = 30_000
/** For this long after a query without an answer, slow queries are not waited for either. */
const UNRESPONSIVE_MS = 10_000
/** How many queries may wait for a connection before more are refused. */
export const MAX_QUEUED = 5_000

/** Whether a query that has waited this long is given up. Its connection is closed then. */
export type QueryLimit = (age_ms: number) => boolean

type RequestLimit = { request_ms: number }
const requests = new AsyncLocalStorage<RequestLimit>()
let unanswered_at = Number.NEGATIVE_INFINITY

/**
 * Limits how long a request waits for an answer of the database; it is refused with 503 then. A
 * database that is frozen, or cut off without a reset, would otherwise hang every request. So would
 * the loops that poll it. Jobs, migrations and commands may wait longer.
 */
export const limitQueries = <T>(run: () => T, request_ms: number): T =>
  requests.run({ request_ms }, run)

const isUnresponsive = () => performance.now() - unanswered_at < UNRESPONSIVE_MS

/** More than the server lets a statement take: only a lost connection is silent for so long. */
const LOST_AFTER_MS = 5_000

type PoolLimits = { statement_ms: number }

/** For pools of requests. What jobs and timers do outside of a request may take longer. */
const requestLimit =
  ({ statement_ms, part = 1 }: PoolLimits & { part?: number }) =>
  (): QueryLimit => {
    const limit = requests.getStore()
    if (!limit) return (age_ms) => age_ms >= statement_ms + LOST_AFTER_MS
    return (age_ms) => {
      if (age_ms < limit.request_ms * part) return false
      unanswered_at = performance.now()
      return true
    }
  }

/** For the pool of slow queries. */
const slowLimit =
  ({ statement_ms }: PoolLimits) =>
  (): QueryLimit => {
    const limit = requests.getStore()
    if (!limit) return (age_ms) => age_ms >= statement_ms + LOST_AFTER_MS
    return (age_ms) => age_ms >= SLOW_MS || (age_ms >= limit.request_ms && isUnresponsive())
  }

/**
 * Limits that the server keeps, in milliseconds: a safety net for statements that nobody waits for
 * any more, and for locks of a process that is frozen. Requests give up much earlier.
 */
const serverLimits = (statement_timeout: number) => ({
  statement_timeout,
  lock_timeout: 30_000,
  idle_in_transaction_session_timeout: 300_000,
  // A statement whose client is gone is cancelled.
  client_connection_check_interval: 2_000,
})

const REQUESTS_MS = 600_000
const SLOW_POOL_MS = 300_000
const SHORT_MS = 60_000

/** What the service does besides requests, such as jobs, uses these pools too. */
export const poolTimeouts = {
  requests: {
    query_limit: requestLimit({ statement_ms: REQUESTS_MS }),
    limits: serverLimits(REQUESTS_MS),
  },
  slow: {
    query_limit: slowLimit({ statement_ms: SLOW_POOL_MS }),
    limits: serverLimits(SLOW_POOL_MS),
  },
  events: { query_limit: requestLimit({ statement_ms: SHORT_MS }), limits: serverLimits(SHORT_MS) },
  // Half of the time: the primary answers what the replica does not.
  reads: {
    query_limit: requestLimit({ statement_ms: SHORT_MS, part: 0.5 }),
    limits: serverLimits(SHORT_MS),
  },
  search: { query_limit: requestLimit({ statement_ms: SHORT_MS }), limits: serverLimits(SHORT_MS) },
}

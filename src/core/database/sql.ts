import { join } from 'node:path'
import type { PendingQuery, Sql as PostgresSql, Row, TransactionSql } from 'postgres'
import { ARRAY_TYPES } from './array-types.ts'
import { postgres } from './driver.ts'
import { MAX_QUEUED, poolTimeouts } from './timeouts.ts'
import { traceQueries } from './traced-queries.ts'

/** The first argument of a query function: a pool (`Sql`) or a transaction (`Tx`). */
export type Sql = PostgresSql<{ bigint: number }>
export type Tx = TransactionSql<{ bigint: number }>

/**
 * The condition that a column is one of these uids. The array comes from a subquery, so that the
 * planner does not see its length: it then keeps one plan for all lengths. With the plain array it
 * makes a new plan for each call, which takes longer than reading a few rows by their key.
 */
export const isAnyOf = (sql: Sql | Tx, column: PendingQuery<Row[]>, uids: readonly string[]) =>
  sql`${column} = any(array(select unnest(${[...uids]}::uuid[])))`

export type Database = {
  sql: Sql
  /** For slow queries: the driver pipelines, so other queries would wait behind them. */
  slow: Sql
  /**
   * For writes of events only, so that no other query delays them. The pool is small, because the
   * first write on a connection costs many times what the following ones do.
   */
  events: Sql
  close: () => Promise<void>
}

/**
 * A timestamp within JSON that the database makes, in the format of `Date.toISOString`, which all
 * answers have.
 */
export const isoTime = (sql: Sql | Tx, time: PendingQuery<Row[]>) => sql`
  to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * Writes and commits a message that nobody reads. Throws if the server is a standby or set to
 * read-only, as the old one may be after a failover, or if its disk is full; hangs while a commit
 * waits for a synchronous standby.
 */
export async function checkWritable(sql: Sql): Promise<void> {
  const [row] = await sql<{ is_read_only: boolean }[]>`
    select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as is_read_only`
  if (row!.is_read_only) throw new Error('The database is read-only')
  await sql`select pg_logical_emit_message(true, 'slipway', 'write probe')`
}

/** For what is deleted by age: the clock of a worker may be wrong, and all workers share this. */
export async function databaseTime(sql: Sql | Tx): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
  return row!.now
}

export const SLOW_READERS = 2
export const EVENT_WRITERS = 3

type Purpose = keyof typeof poolTimeouts

/** The names of the pools in pg_stat_activity, and in the metrics. */
export const POOL_NAMES = {
  requests: 'slipway',
  slow: 'slipway slow',
  events: 'slipway events',
  reads: 'slipway reads',
  search: 'slipway search',
} as const satisfies Record<Purpose, string>

/** With `traced`, queries become spans of the request or job that makes them. */
export function connectDatabase(
  url: string,
  connections: number,
  { traced = false }: { traced?: boolean } = {},
): Database {
  const open = (max: number, purpose: Purpose) => {
    const pool = openPool(url, max, POOL_NAMES[purpose], purpose)
    return traced ? traceQueries(pool) : pool
  }
  const sql = open(connections, 'requests')
  const slow = open(SLOW_READERS, 'slow')
  const events = open(EVENT_WRITERS, 'events')
  return {
    sql,
    slow,
    events,
    close: async () =>
      void (await Promise.all([sql, slow, events].map((pool) => pool.end({ timeout: 5 })))),
  }
}

/**
 * A pool of connections. `application_name` shows in pg_stat_activity. Without a purpose, a query
 * may take as long as it needs.
 */
export function openPool(
  url: string,
  max: number,
  application_name: string,
  purpose?: Purpose,
): Sql {
  const { query_limit, limits } = purpose ? poolTimeouts[purpose] : {}
  const options = {
    ...socketOf(url),
    max,
    idle_timeout: 60,
    connect_timeout: 5,
    // The system notices within twenty seconds that the other side of an idle connection is gone.
    // Those that only listen for notifications would otherwise miss all of them.
    keep_alive: 10,
    // At most half a second between attempts, so that a restarted database is used again at once.
    backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, 0.5),
    onnotice: () => {},
    connection: { application_name, ...limits },
    // An option of patches/postgres/12-known-array-types.patch.
    fetch_types: false,
    array_types: ARRAY_TYPES,
    // Options of patches/postgres/05-unanswered-queries.patch.
    ...(query_limit && { query_limit, max_queued: MAX_QUEUED }),
    transform: { undefined: null },
    types: {
      // Counts and sizes fit a JavaScript number; one that does not is a bug.
      bigint: {
        to: 20,
        from: [20],
        serialize: (value: number) => String(value),
        parse: parseBigint,
      },
    },
  }
  return postgres(withoutSocket(url), options) as Sql
}

function parseBigint(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new RangeError('The database returned a bigint beyond 2^53')
  return value
}

/** The Unix socket in `?host=/folder`, as libpq writes it. */
function socketOf(url: string): { path?: string } {
  const { searchParams, port } = new URL(url)
  const folder = searchParams.get('host')
  return folder?.startsWith('/') ? { path: join(folder, `.s.PGSQL.${port || '5432'}`) } : {}
}

function withoutSocket(url: string): string {
  const parsed = new URL(url)
  parsed.searchParams.delete('host')
  return parsed.href
}

export type ConnectionUse = {
  limit: number
  pools: { pool: string; busy: number; idle: number }[]
}

/** The connections of all processes of the service, for metrics. */
export async function readConnections(sql: Sql): Promise<ConnectionUse> {
  const rows = await sql<{ pool: string; busy: number; idle: number; limit: number }[]>`
    select pool, count(a.pid) filter (where a.state <> 'idle')::int as busy,
      count(a.pid) filter (where a.state = 'idle')::int as idle,
      current_setting('max_connections')::int as limit
    from unnest(${Object.values(POOL_NAMES)}::text[]) pool
    left join pg_stat_activity a
      on a.application_name = pool and a.datname = current_database()
    group by pool
    order by pool`
  return { limit: rows[0]!.limit, pools: rows.map(({ limit: _, ...use }) => use) }
}

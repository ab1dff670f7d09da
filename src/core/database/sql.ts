import { join } from 'node:path'
import type { PendingQuery, Sql as PostgresSql, Row, TransactionSql } from 'postgres'
import { postgres } from './driver.ts'

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

/** For what is deleted by age: the clock of a worker may be wrong, and all workers share this. */
export async function databaseTime(sql: Sql | Tx): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
  return row!.now
}

const EVENT_WRITERS = 3

export function connectDatabase(url: string, connections: number): Database {
  const sql = openPool(url, connections, 'slipway')
  const slow = openPool(url, 2, 'slipway slow')
  const events = openPool(url, EVENT_WRITERS, 'slipway events')
  const pools = [sql, slow, events]
  return {
    sql,
    slow,
    events,
    close: async () => void (await Promise.all(pools.map((pool) => pool.end({ timeout: 5 })))),
  }
}

/** A pool of connections. `application_name` shows in pg_stat_activity. */
export function openPool(url: string, max: number, application_name: string): Sql {
  return postgres(withoutSocket(url), {
    ...socketOf(url),
    max,
    idle_timeout: 60,
    connect_timeout: 5,
    // At most half a second between attempts, so that a restarted database is used again at once.
    backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, 0.5),
    onnotice: () => {},
    connection: { application_name },
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
  }) as Sql
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

import { join } from 'node:path'
import type { Sql as PostgresSql, TransactionSql } from 'postgres'
import { postgres } from './driver.ts'

/** What a query takes as its first argument: the pool, or a transaction. */
export type Sql = PostgresSql<{ bigint: number }>
export type Tx = TransactionSql<{ bigint: number }>

export type Database = {
  sql: Sql
  /** A small pool of its own for queries that may take long: the driver pipelines, so others would queue behind them. */
  slow: Sql
  /** For the writes of events alone: the first on each connection costs many times what the others do, so there are few; and nobody else's query goes before. */
  events: Sql
  close: () => Promise<void>
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

export function openPool(url: string, max: number, application_name: string): Sql {
  return postgres(withoutSocket(url), {
    ...socketOf(url),
    max,
    idle_timeout: 60,
    connect_timeout: 5,
    // Half a second between tries: a database that comes back is used again at once.
    backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, 0.5),
    onnotice: () => {},
    connection: { application_name },
    transform: { undefined: null },
    types: {
      // Counts and sizes fit a JavaScript number; one that does not is a fault worth hearing of.
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
    throw new RangeError('a bigint beyond 2^53 came from the database')
  return value
}

/** `?host=/folder`, as libpq writes a Unix socket in an address. */
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

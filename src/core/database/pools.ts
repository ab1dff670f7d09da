import type { Config } from '../runtime/config.ts'
import { EVENT_WRITERS, POOL_NAMES, SLOW_READERS, type Sql } from './sql.ts'

/** A pool's own query, and the connection on which it listens for changes. */
const SEARCH_CONNECTIONS = 2

/**
 * The connections that a process may open while it serves, by pool. All but those of `reads` are to
 * the primary. While it starts it opens fewer.
 */
export function poolSizes({
  database_connections,
  database_replica_url,
  roles,
}: Pick<Config, 'database_connections' | 'database_replica_url' | 'roles'>): Map<string, number> {
  const sizes = new Map([
    [POOL_NAMES.requests as string, database_connections],
    [POOL_NAMES.slow, SLOW_READERS],
    [POOL_NAMES.events, EVENT_WRITERS],
    // For all notifications, which the driver receives on a connection of its own.
    ['slipway listen', 1],
  ])
  if (roles.includes('worker')) sizes.set('slipway jobs', 1)
  if (roles.includes('api') || roles.includes('web'))
    sizes.set(POOL_NAMES.search, SEARCH_CONNECTIONS)
  if (database_replica_url) sizes.set(POOL_NAMES.reads, database_connections)
  return sizes
}

/** The connections of a pool that have a query or a transaction, or are being opened. */
export const connectionsInUse = (pool: Sql): number =>
  // A function of patches/postgres/10-connections-in-use.patch.
  (pool as Sql & { inUse: () => number }).inUse()

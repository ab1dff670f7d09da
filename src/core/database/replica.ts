import type { Config } from '../runtime/config.ts'
import type { Log } from '../runtime/log.ts'
import { openPool, POOL_NAMES, type Sql } from './sql.ts'

/** The largest lag at which the replica is used. */
const MAX_LAG_MS = 1_000
const CHECK_MS = 250
const CHECK_TIMEOUT_MS = 600
const MAX_POSITIONS = 20

export type Replica = {
  /**
   * Runs a query that only reads. If the replica does not answer it, the primary does, through the
   * given pool.
   */
  read: <T>(query: (sql: Sql) => Promise<T>, pool?: Sql) => Promise<T>
  inUse: () => boolean
  /** Undefined without a replica. */
  pool: Sql | undefined
  close: () => Promise<void>
}

/**
 * Uses the replica while it is fresh. The primary reports its WAL position, the replica how far it
 * has replayed: a replica that has replayed the position of a moment is as fresh as that moment.
 * The replica's own clock says nothing when it is cut off. On any error the primary is used.
 */
export function followReplica(
  primary: Sql,
  { database_replica_url, database_connections }: Config,
  log: Log,
): Replica {
  if (!database_replica_url)
    return {
      read: (query, pool = primary) => query(pool),
      inUse: () => true,
      pool: undefined,
      close: async () => {},
    }
  const replica = openPool(database_replica_url, database_connections, POOL_NAMES.reads, 'reads')
  let positions: { at: number; lsn: string }[] = []
  let fresh_at = Number.NEGATIVE_INFINITY
  let checking = false
  let was_in_use: boolean | undefined
  /**
   * Rejects each pending read. Not one promise that all reads race with: it would keep the results
   * of all of them until the replica is lost.
   */
  const pending = new Set<(reason: Error) => void>()
  // Times of a clock that cannot be set, so that the replica is not used longer after a correction.
  const inUse = () => performance.now() - fresh_at <= MAX_LAG_MS

  async function check() {
    const at = performance.now()
    const [current] = await primary<{ lsn: string }[]>`select pg_current_wal_lsn()::text as lsn`
    positions = [...positions.slice(-MAX_POSITIONS), { at, lsn: current!.lsn }]
    const replayed = await replica<{ at: number }[]>`
      select at::float8
      from unnest(
        ${positions.map((position) => position.at)}::float8[],
        ${positions.map((position) => position.lsn)}::pg_lsn[]
      ) position (at, lsn)
      where lsn <= case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else '0/0' end
      order by at desc
      limit 1`
    fresh_at = Math.max(fresh_at, replayed[0]?.at ?? fresh_at)
  }

  function reportChange() {
    was_in_use = inUse()
    if (was_in_use) return log.info('replica in use for catalog reads')
    log.warn('replica unavailable or more than a second behind: reads use the primary')
    for (const reject of pending) reject(new Error('The replica is lost'))
  }

  const timer = setInterval(async () => {
    if (checking) return
    checking = true
    const timeout = new Promise((_, reject) =>
      setTimeout(reject, CHECK_TIMEOUT_MS, new Error('timeout')).unref(),
    )
    await Promise.race([check(), timeout]).catch(() => {})
    checking = false
    if (inUse() !== was_in_use) reportChange()
  }, CHECK_MS).unref()

  return {
    async read<T>(query: (sql: Sql) => Promise<T>, pool = primary): Promise<T> {
      if (!inUse()) return query(pool)
      // Also when the replica hangs: pending reads move to the primary as soon as it is lost.
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      pending.add(reject)
      query(replica).then(resolve, reject)
      return promise.finally(() => pending.delete(reject)).catch(() => query(pool))
    },
    inUse,
    pool: replica,
    async close() {
      clearInterval(timer)
      await replica.end({ timeout: 1 })
    },
  }
}

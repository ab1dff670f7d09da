import type { Config } from '../runtime/config.ts'
import type { Log } from '../runtime/log.ts'
import { openPool, type Sql } from './sql.ts'

/** How old an answer from the replica may be. */
const MOST_BEHIND_MS = 1_000
const LOOK_MS = 250
const LOOK_TIMEOUT_MS = 600

export type Replica = {
  /** The question must only read: what the replica fails to answer is asked of the primary, through the pool that is named. */
  read: <T>(ask: (sql: Sql) => Promise<T>, pool?: Sql) => Promise<T>
  inUse: () => boolean
  close: () => Promise<void>
}

/**
 * The primary says how far its journal is, the replica how far it has come: what the primary had at a moment, and the replica has, is as fresh as
 * that moment. The replica's own clock says nothing when it is cut off. Whatever goes wrong, the primary is asked.
 */
export function followReplica(
  primary: Sql,
  { database_replica_url, database_connections }: Config,
  log: Log,
): Replica {
  if (!database_replica_url)
    return { read: (ask, pool = primary) => ask(pool), inUse: () => true, close: async () => {} }
  const replica = openPool(database_replica_url, database_connections, 'slipway reads')
  let marks: { at: number; lsn: string }[] = []
  let fresh_at = 0
  let looking = false
  let was_in_use: boolean | undefined
  let lost = losing()
  const inUse = () => Date.now() - fresh_at <= MOST_BEHIND_MS

  async function look() {
    const at = Date.now()
    const [mark] = await primary<{ lsn: string }[]>`select pg_current_wal_lsn()::text as lsn`
    marks = [...marks.slice(-20), { at, lsn: mark!.lsn }]
    const reached = await replica<{ at: number }[]>`
      select at::float8 from unnest(${marks.map((one) => one.at)}::float8[], ${marks.map((one) => one.lsn)}::pg_lsn[]) mark (at, lsn)
      where lsn <= case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else '0/0' end order by at desc limit 1`
    fresh_at = Math.max(fresh_at, reached[0]?.at ?? 0)
  }

  function tell() {
    was_in_use = inUse()
    if (was_in_use) return log.info('the replica takes catalog reads')
    log.warn('the replica is away or more than a second behind: the primary takes its reads')
    lost.reject(new Error('the replica is lost'))
    lost = losing()
  }

  const timer = setInterval(async () => {
    if (looking) return
    looking = true
    const late = new Promise((_, reject) =>
      setTimeout(reject, LOOK_TIMEOUT_MS, new Error('late')).unref(),
    )
    await Promise.race([look(), late]).catch(() => {})
    looking = false
    if (inUse() !== was_in_use) tell()
  }, LOOK_MS).unref()

  return {
    async read(ask, pool = primary) {
      if (!inUse()) return ask(pool)
      // Also when it hangs: whoever waits goes to the primary the moment it counts as lost.
      return Promise.race([ask(replica), lost.promise]).catch(() => ask(pool))
    },
    inUse,
    async close() {
      clearInterval(timer)
      await replica.end({ timeout: 1 })
    },
  }
}

function losing(): PromiseWithResolvers<never> {
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => {})
  return lost
}

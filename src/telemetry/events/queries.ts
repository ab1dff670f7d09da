import { listingExists } from '../../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { isDeadlock, isLockTimeout } from '../../core/database/unavailable.ts'

/** The game of each of these builds that exists. */
export async function gamesOfBuilds(
  sql: Sql,
  build_uids: readonly string[],
): Promise<{ build_uid: string; game_uid: string }[]> {
  return sql<{ build_uid: string; game_uid: string }[]>`
    select uid as build_uid, game_uid
    from builds b
    where uid = any(${[...build_uids]}::uuid[]) and b.quarantined_at is null
      and ${listingExists(sql, 'b')}`
}

/** Commits to disk before the answer is sent, whatever the default of the database is. */
export async function requireSynchronousCommit(tx: Tx): Promise<void> {
  await tx`select set_config('synchronous_commit', 'on', true)`
}

/** The raw events of one build on one day, as a JSON array. */
export type EventPack = { day: string; build_uid: string; events: string }
/** Where events came from: a hash of the network, and whether a player's token came with them. */
export type Sender = { network: number | null; signed: boolean }
export type DeviceRollup = {
  build_uid: string
  device: string
  last_seen: string
  /** The days on which the device was seen, as bits: bit 0 is `last_seen`, bit 1 the day before. */
  days: number
  first_boot_us: number | null
  last_boot: string | null
  first_crash_us: number | null
  last_crash: string | null
} & Sender
export type SessionRollup = { build_uid: string; day: string; seconds: number; sessions: number }
export type CountRollup = { build_uid: string; day: string; event: string; events: number }
export type EventBatch = {
  packs: EventPack[]
  devices: DeviceRollup[]
  sessions: SessionRollup[]
  counts: CountRollup[]
}

/**
 * The keys of new events on one day. A repeat normally has the same day as the original. It has a
 * later one if it carries no timestamp, or if the clock was wrong the first time; so the day
 * `before` is searched as well.
 */
export type DayKeys = { day: string; before: string | null; keys: BigInt64Array }

/**
 * A column as a PostgreSQL array literal, for values that need no quoting. The driver would quote
 * and escape each of them, which is slow.
 */
const column = <T, K extends keyof T>(rows: T[], name: K) =>
  `{${rows.map((row) => row[name] ?? 'null').join(',')}}`

/**
 * Writes everything a batch changes in one statement, which commits by itself outside of a
 * transaction. If any of the keys was stored before, nothing is written and those keys are
 * returned. `health_changed`: the launch health of a build may have changed.
 */
export async function writeEvents(
  sql: Sql | Tx,
  keys: DayKeys[],
  { packs, devices, sessions, counts }: EventBatch,
): Promise<{ repeated_keys: string[]; health_changed: boolean }> {
  const [result] = await sql<{ repeated_keys: string[]; health_changed: boolean }[]>`
    select known as repeated_keys, news as health_changed
    from keep_events(
      ${column(keys, 'day')}::text::date[],
      ${column(keys, 'before')}::text::date[],
      ${keys.map(({ keys }) => `{${keys.join(',')}}`)}::text[],
      ${column(packs, 'day')}::text::date[],
      ${column(packs, 'build_uid')}::text::uuid[],
      ${packs.map(({ events }) => events).join('\n')}::text,
      ${column(devices, 'build_uid')}::text::uuid[],
      ${column(devices, 'device')}::text::uuid[],
      ${column(devices, 'last_seen')}::text::date[],
      ${column(devices, 'days')}::text::int[],
      ${column(devices, 'first_boot_us')}::text::bigint[],
      ${column(devices, 'last_boot')}::text::date[],
      ${column(devices, 'first_crash_us')}::text::bigint[],
      ${column(devices, 'last_crash')}::text::date[],
      ${column(devices, 'network')}::text::int[],
      ${column(devices, 'signed')}::text::boolean[],
      ${column(sessions, 'build_uid')}::text::uuid[],
      ${column(sessions, 'day')}::text::date[],
      ${column(sessions, 'seconds')}::text::int[],
      ${column(sessions, 'sessions')}::text::int[],
      ${column(counts, 'build_uid')}::text::uuid[],
      ${column(counts, 'day')}::text::date[],
      ${counts.map(({ event }) => event)}::text[],
      ${column(counts, 'events')}::text::bigint[])`
  return result!
}

/**
 * Creates the partitions of these days. A job does so ahead of time; a writer does it only if the
 * job has not run for days.
 */
export async function createEventDays(sql: Sql, from: string, to: string): Promise<void> {
  await sql.begin(async (tx) => {
    // Whoever writes events would wait behind it.
    await tx`set local lock_timeout = '2s'`
    await tx`select make_event_days(${from}::text::date, ${to}::text::date)`
  })
}

/** A mistake in a clock or setting must not delete everything at once. */
const MAX_DAYS_DROPPED = 2

type ExpiredPartition = { name: string; parent: string | null; is_detaching: boolean }

/**
 * Drops the oldest partitions, which is fast however much they hold. They are detached first, which
 * blocks no writer. Whatever a long transaction such as a backup still uses is left to the next run;
 * the answer is false then.
 */
export async function dropEventDays(sql: Sql, before: string): Promise<boolean> {
  const connection = await sql.reserve()
  try {
    await connection`set lock_timeout = '2s'`
    for (const partition of await readExpired(connection, before))
      await detachAndDrop(connection, partition)
    return true
  } catch (error) {
    // A session that began to read before a partition was detached may also wait for it.
    if (!isLockTimeout(error) && !isDeadlock(error)) throw error
    return false
  } finally {
    await connection`reset lock_timeout`.catch(() => {})
    connection.release()
  }
}

/** Also those that an interrupted run has detached, or began to. */
function readExpired(sql: Sql, before: string): Promise<ExpiredPartition[]> {
  return sql<ExpiredPartition[]>`
    select name, parent, is_detaching
    from (
      select c.relname as name, i.inhparent::regclass::text as parent,
        coalesce(i.inhdetachpending, false) as is_detaching,
        dense_rank() over (order by right(c.relname, 8)) as nth_day
      from pg_class c
      left join pg_inherits i on i.inhrelid = c.oid
      where c.relkind = 'r'
        and c.relnamespace = 'public'::regnamespace
        and c.relname ~ '^event_(packs|keys)_[0-9]{8}$'
        and right(c.relname, 8) < to_char(${before}::text::date, 'YYYYMMDD')
    ) expired
    where nth_day <= ${MAX_DAYS_DROPPED}
    order by name`
}

async function detachAndDrop(sql: Sql, { name, parent, is_detaching }: ExpiredPartition) {
  if (parent)
    await sql`
      alter table ${sql(parent)}
      detach partition ${sql(name)} ${is_detaching ? sql`finalize` : sql`concurrently`}`
  await sql`drop table ${sql(name)}`
}

/** Deletes the rollups of deleted builds and of days past their retention. */
export async function deleteOldRollups(tx: Tx, before: string): Promise<void> {
  for (const table of ['build_devices', 'build_sessions', 'event_days', 'health_news'])
    await tx`
      delete from ${tx(table)} r
      where not exists (select from builds b where b.uid = r.build_uid)`
  await tx`delete from build_devices where last_seen < ${before}::text::date`
  await tx`delete from build_sessions where day < ${before}::text::date`
  await tx`delete from event_days where day < ${before}::text::date`
}

export type EventDay = { day: string; event: string; events: number }

export async function readEventDays(
  sql: Sql,
  game_uid: string,
  since: string,
): Promise<EventDay[]> {
  return sql<EventDay[]>`
    select to_char(d.day, 'YYYY-MM-DD') as day, d.event, sum(d.events)::bigint as events
    from event_days d
    join builds b on b.uid = d.build_uid
    where b.game_uid = ${game_uid} and d.day >= ${since}::text::date
    group by 1, 2
    order by 1, 2`
}

export type DeviceDay = { day: string; devices: number }

/** Devices by the day on which they first started any build of the game. */
export async function readNewDevices(
  sql: Sql,
  game_uid: string,
  since: string,
): Promise<DeviceDay[]> {
  return sql<DeviceDay[]>`
    select to_char(n.day, 'YYYY-MM-DD') as day, count(*)::int as devices
    from (
      select min((d.first_boot_at at time zone 'utc')::date) as day
      from build_devices d
      join builds b on b.uid = d.build_uid
      where b.game_uid = ${game_uid} and d.first_boot_at is not null
      group by d.device
    ) n
    where n.day >= ${since}::text::date
    group by 1
    order by 1`
}

export type ActiveDay = { build_id: string; day: string; devices: number }

/**
 * Active devices by build and day. Devices with the same days are counted together before their
 * days are expanded, which keeps the expansion small.
 */
export async function readActiveDevices(
  sql: Sql,
  game_uid: string,
  since: string,
): Promise<ActiveDay[]> {
  return sql<ActiveDay[]>`
    select g.build_uid as build_id, to_char(g.last_seen - i.back, 'YYYY-MM-DD') as day,
      sum(g.devices)::int as devices
    from (
      select d.build_uid, d.last_seen, d.days, count(*) as devices
      from build_devices d
      join builds b on b.uid = d.build_uid
      where b.game_uid = ${game_uid} and d.last_seen >= ${since}::text::date
      group by 1, 2, 3
    ) g, generate_series(0, 31) as i (back)
    where get_bit(g.days, 31 - i.back) = 1 and g.last_seen - i.back >= ${since}::text::date
    group by 1, 2
    order by 1, 2`
}

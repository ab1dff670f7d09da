import type { Sql, Tx } from '../../core/database/sql.ts'

/** Which build belongs to which game, for those of these that exist. */
export async function gamesOfBuilds(
  sql: Sql,
  build_uids: readonly string[],
): Promise<{ build_uid: string; game_uid: string }[]> {
  return sql<{ build_uid: string; game_uid: string }[]>`
    select uid as build_uid, game_uid from builds where uid = any(${[...build_uids]}::uuid[])`
}

/** An answer must not be given before what it speaks of is on the disk, whatever the server is set to. */
export async function insistOnDisk(tx: Tx): Promise<void> {
  await tx`select set_config('synchronous_commit', 'on', true)`
}

export type Pack = { day: string; build_uid: string; events: string }
export type DeviceNews = {
  build_uid: string
  device: string
  last_seen: string
  /** The days it was seen on, as bits: the lowest is the last one. */
  days: number
  first_boot_us: number | null
  last_boot: string | null
  first_crash_us: number | null
  last_crash: string | null
}
export type SessionNews = { build_uid: string; day: string; seconds: number; sessions: number }
export type CountNews = { build_uid: string; day: string; event: string; events: number }
export type News = {
  packs: Pack[]
  devices: DeviceNews[]
  sessions: SessionNews[]
  counts: CountNews[]
}

/**
 * The keys of new events that fall on one day. An event comes again on the day it says it happened; one that says none, or whose clock was wrong
 * the first time, on a later one: the day `before` is looked at as well.
 */
export type DayKeys = { day: string; before: string | null; keys: BigInt64Array }

/** A column as the text of an array, for values that need no quoting: the driver would quote and escape each of them. */
const list = <T, K extends keyof T>(rows: T[], name: K) =>
  `{${rows.map((row) => row[name] ?? 'null').join(',')}}`

/**
 * Everything that events change, in one call that commits by itself outside of a transaction. Answers the keys that were taken before; if there are any,
 * nothing was written. `news`: a build's health may have changed.
 */
export async function writeEvents(
  sql: Sql | Tx,
  keys: DayKeys[],
  { packs, devices, sessions, counts }: News,
): Promise<{ known: string[]; news: boolean }> {
  const [written] = await sql<{ known: string[]; news: boolean }[]>`
    select known, news from keep_events(
      ${list(keys, 'day')}::text::date[], ${list(keys, 'before')}::text::date[], ${keys.map(({ keys }) => `{${keys.join(',')}}`)}::text[],
      ${list(packs, 'day')}::text::date[], ${list(packs, 'build_uid')}::text::uuid[], ${packs.map(({ events }) => events).join('\n')}::text,
      ${list(devices, 'build_uid')}::text::uuid[], ${list(devices, 'device')}::text::uuid[], ${list(devices, 'last_seen')}::text::date[],
      ${list(devices, 'days')}::text::int[], ${list(devices, 'first_boot_us')}::text::bigint[], ${list(devices, 'last_boot')}::text::date[],
      ${list(devices, 'first_crash_us')}::text::bigint[], ${list(devices, 'last_crash')}::text::date[],
      ${list(sessions, 'build_uid')}::text::uuid[], ${list(sessions, 'day')}::text::date[], ${list(sessions, 'seconds')}::text::int[],
      ${list(sessions, 'sessions')}::text::int[],
      ${list(counts, 'build_uid')}::text::uuid[], ${list(counts, 'day')}::text::date[], ${counts.map(({ event }) => event)}::text[],
      ${list(counts, 'events')}::text::bigint[])`
  return written!
}

/** Tables for the days events may fall on. Ahead of time by a job; here also for whoever comes back after weeks without one. */
export async function makeDays(sql: Sql | Tx, from: string, to: string): Promise<void> {
  await sql`select make_event_days(${from}::text::date, ${to}::text::date)`
}

/** Days older than this go as a whole, which takes no time however much they hold. */
export async function dropDays(tx: Tx, before: string): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent in ('event_packs'::regclass, 'event_keys'::regclass) and right(c.relname, 8) < to_char(${before}::text::date, 'YYYYMMDD') order by 1`
  for (const { name } of rows) await tx`drop table ${tx(name)}`
  return rows.map(({ name }) => name)
}

/** Rollups of builds that are gone, and of days that nobody asks for any more. */
export async function sweepRollups(tx: Tx, before: string): Promise<void> {
  const orphan = (table: string) =>
    tx`delete from ${tx(table)} r where not exists (select from builds b where b.uid = r.build_uid)`
  for (const table of ['build_devices', 'build_sessions', 'event_days', 'health_news'])
    await orphan(table)
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
    from event_days d join builds b on b.uid = d.build_uid
    where b.game_uid = ${game_uid} and d.day >= ${since}::text::date group by 1, 2 order by 1, 2`
}

export type DeviceDay = { day: string; devices: number }

/** Devices by the day they first started the game, in whichever of its builds. */
export async function readNewDevices(
  sql: Sql,
  game_uid: string,
  since: string,
): Promise<DeviceDay[]> {
  return sql<DeviceDay[]>`
    select to_char(n.day, 'YYYY-MM-DD') as day, count(*)::int as devices
    from (select min((d.first_boot_at at time zone 'utc')::date) as day from build_devices d join builds b on b.uid = d.build_uid
      where b.game_uid = ${game_uid} and d.first_boot_at is not null group by d.device) n
    where n.day >= ${since}::text::date group by 1 order by 1`
}

export type ActiveDay = { build_id: string; day: string; devices: number }

/** Devices that used each build of a game, by day. Devices with the same days are counted together before they are taken apart. */
export async function readActiveDevices(
  sql: Sql,
  game_uid: string,
  since: string,
): Promise<ActiveDay[]> {
  return sql<ActiveDay[]>`
    select g.build_uid as build_id, to_char(g.last_seen - i.back, 'YYYY-MM-DD') as day, sum(g.devices)::int as devices
    from (select d.build_uid, d.last_seen, d.days, count(*) as devices from build_devices d join builds b on b.uid = d.build_uid
      where b.game_uid = ${game_uid} and d.last_seen >= ${since}::text::date group by 1, 2, 3) g, generate_series(0, 31) as i (back)
    where get_bit(g.days, 31 - i.back) = 1 and g.last_seen - i.back >= ${since}::text::date group by 1, 2 order by 1, 2`
}

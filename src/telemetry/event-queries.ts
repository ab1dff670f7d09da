import type { Sql, Tx } from '../core/db.ts'

/** Which build belongs to which game, for those of these that exist. */
export async function gamesOfBuilds(sql: Sql, build_uids: readonly string[]): Promise<{ build_uid: string; game_uid: string }[]> {
  return sql<{ build_uid: string; game_uid: string }[]>`
    select uid as build_uid, game_uid from builds where uid = any(${[...build_uids]}::uuid[])`
}

/**
 * An answer must not be given before what it speaks of is on the disk, whatever the server is set to. And a day begins empty: a plan made then
 * must not go on reading whole tables when they have grown.
 */
export async function insistOnDisk(tx: Tx): Promise<void> {
  await tx`select set_config('synchronous_commit', 'on', true), set_config('enable_seqscan', 'off', true)`
}

const keyTable = (day: string) => `event_keys_${day.replaceAll('-', '')}`

/**
 * Takes the keys of new events that fall on one day; answers those that were taken before. An event comes again on the day it says it happened;
 * one that says none, or whose clock was wrong, on the day it came: for those the day `before` is looked at as well. The table of a day is named
 * outright, which spares the database to think of all the others. Of two who take the same key at once, one fails and has to come again.
 */
export async function takeKeys(tx: Tx, day: string, keys: BigInt64Array, before: string | null): Promise<Set<string>> {
  // Written out here: the driver would quote and escape each of them.
  const list = `{${keys.join(',')}}`
  const known = (table: string) => tx`select event_key from ${tx(table)} where event_key = any(${list}::text::bigint[])`
  const [taken] = await tx<{ known: string[] }[]>`
    with known as materialized (${known(keyTable(day))} ${before === null ? tx`` : tx`union all ${known(keyTable(before))}`}),
    taken as (
      insert into ${tx(keyTable(day))} (day, event_key) select ${day}::text::date, i.event_key from unnest(${list}::text::bigint[]) as i (event_key)
      where not i.event_key in (select event_key from known))
    select array(select event_key::text from known) as known`
  return new Set(taken!.known)
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
export type News = { packs: Pack[]; devices: DeviceNews[]; sessions: SessionNews[]; counts: CountNews[] }

const column = <T, K extends keyof T>(rows: T[], name: K): T[K][] => rows.map((row) => row[name])

/**
 * Everything that events change, sent in one go; answers whether a build's health may have changed. A device of which nothing new is told
 * is only looked at: most events are such.
 */
export async function writeEvents(tx: Tx, { packs, devices, sessions, counts }: News): Promise<boolean> {
  // Each as a value of its own: in an array, every quote of them would be escaped on this side and unescaped on the other.
  const kept = packs.map(
    ({ day, build_uid, events }) =>
      tx`insert into event_packs (day, build_uid, events) values (${day}::text::date, ${build_uid}, ${events}::text::json)`,
  )
  const [[written]] = await Promise.all([writeRollups(tx, { devices, sessions, counts }), ...kept])
  return written!.news > 0
}

function writeRollups(tx: Tx, { devices, sessions, counts }: Omit<News, 'packs'>) {
  return tx<{ news: number }[]>`
    with told as (
      select build_uid, device, last_seen, days::bit(32) as days, timestamptz 'epoch' + boot_us * interval '1 microsecond' as first_boot_at, last_boot,
        timestamptz 'epoch' + crash_us * interval '1 microsecond' as first_crash_at, last_crash
      from unnest(${column(devices, 'build_uid')}::uuid[], ${column(devices, 'device')}::uuid[], ${column(devices, 'last_seen')}::text[]::date[],
        ${column(devices, 'days')}::int[], ${column(devices, 'first_boot_us')}::bigint[], ${column(devices, 'last_boot')}::text[]::date[],
        ${column(devices, 'first_crash_us')}::bigint[], ${column(devices, 'last_crash')}::text[]::date[])
        as t (build_uid, device, last_seen, days, boot_us, last_boot, crash_us, last_crash)),
    moved as (
      insert into build_devices as d (build_uid, device, last_seen, days, first_boot_at, last_boot, first_crash_at, last_crash)
      select t.* from told t where (
        select true from build_devices k where k.build_uid = t.build_uid and k.device = t.device and k.last_seen >= t.last_seen
          and k.days | (t.days << (k.last_seen - t.last_seen)) = k.days
          and (t.last_boot is null or (k.last_boot >= t.last_boot and k.first_boot_at <= t.first_boot_at))
          and (t.last_crash is null or (k.last_crash >= t.last_crash and k.first_crash_at <= t.first_crash_at))) is null
      order by t.build_uid, t.device
      on conflict (build_uid, device) do update set last_seen = greatest(d.last_seen, excluded.last_seen),
        days = (d.days << greatest(0, excluded.last_seen - d.last_seen)) | (excluded.days << greatest(0, d.last_seen - excluded.last_seen)),
        first_boot_at = least(d.first_boot_at, excluded.first_boot_at), last_boot = greatest(d.last_boot, excluded.last_boot),
        first_crash_at = least(d.first_crash_at, excluded.first_crash_at), last_crash = greatest(d.last_crash, excluded.last_crash)
      returning build_uid),
    played as (
      insert into build_sessions as s (build_uid, day, seconds, sessions)
      select * from unnest(${column(sessions, 'build_uid')}::uuid[], ${column(sessions, 'day')}::text[]::date[], ${column(sessions, 'seconds')}::int[],
        ${column(sessions, 'sessions')}::int[]) as n (build_uid, day, seconds, sessions) order by 1, 2, 3
      on conflict (build_uid, day, seconds) do update set sessions = s.sessions + excluded.sessions returning build_uid),
    counted as (
      insert into event_days as c (build_uid, day, event, events)
      select * from unnest(${column(counts, 'build_uid')}::uuid[], ${column(counts, 'day')}::text[]::date[], ${column(counts, 'event')}::text[],
        ${column(counts, 'events')}::bigint[]) as n (build_uid, day, event, events) order by 1, 2, 3
      on conflict (build_uid, day, event) do update set events = c.events + excluded.events),
    news as (insert into health_news (build_uid) select build_uid from moved union select build_uid from played returning 1)
    select count(*)::int as news from news`
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
  const orphan = (table: string) => tx`delete from ${tx(table)} r where not exists (select from builds b where b.uid = r.build_uid)`
  for (const table of ['build_devices', 'build_sessions', 'event_days', 'health_news']) await orphan(table)
  await tx`delete from build_devices where last_seen < ${before}::text::date`
  await tx`delete from build_sessions where day < ${before}::text::date`
  await tx`delete from event_days where day < ${before}::text::date`
}

export type EventDay = { day: string; event: string; events: number }

export async function readEventDays(sql: Sql, game_uid: string, since: string): Promise<EventDay[]> {
  return sql<EventDay[]>`
    select to_char(d.day, 'YYYY-MM-DD') as day, d.event, sum(d.events)::bigint as events
    from event_days d join builds b on b.uid = d.build_uid
    where b.game_uid = ${game_uid} and d.day >= ${since}::text::date group by 1, 2 order by 1, 2`
}

export type DeviceDay = { day: string; devices: number }

/** Devices by the day they first started the game, in whichever of its builds. */
export async function readNewDevices(sql: Sql, game_uid: string, since: string): Promise<DeviceDay[]> {
  return sql<DeviceDay[]>`
    select to_char(n.day, 'YYYY-MM-DD') as day, count(*)::int as devices
    from (select min((d.first_boot_at at time zone 'utc')::date) as day from build_devices d join builds b on b.uid = d.build_uid
      where b.game_uid = ${game_uid} and d.first_boot_at is not null group by d.device) n
    where n.day >= ${since}::text::date group by 1 order by 1`
}

export type ActiveDay = { build_id: string; day: string; devices: number }

/** Devices that used each build of a game, by day. Devices with the same days are counted together before they are taken apart. */
export async function readActiveDevices(sql: Sql, game_uid: string, since: string): Promise<ActiveDay[]> {
  return sql<ActiveDay[]>`
    select g.build_uid as build_id, to_char(g.last_seen - i.back, 'YYYY-MM-DD') as day, sum(g.devices)::int as devices
    from (select d.build_uid, d.last_seen, d.days, count(*) as devices from build_devices d join builds b on b.uid = d.build_uid
      where b.game_uid = ${game_uid} and d.last_seen >= ${since}::text::date group by 1, 2, 3) g, generate_series(0, 31) as i (back)
    where get_bit(g.days, 31 - i.back) = 1 and g.last_seen - i.back >= ${since}::text::date group by 1, 2 order by 1, 2`
}

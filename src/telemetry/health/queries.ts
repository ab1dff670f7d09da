import type { Sql, Tx } from '../../core/database/sql.ts'
import { STATISTICS_DAYS } from '../../core/runtime/retention.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { type LaunchBand, UNRATED } from '../../listings/fields/launch-bands.ts'
import { fellBelow, type Launches } from './bands.ts'
import type { NetworkGroup } from './network-weights.ts'

/** A row of `health_news`: new events may have changed the launch health of a build. */
export type HealthChange = { seq: number; build_uid: string }

export async function newestChange(sql: Sql): Promise<number> {
  const [newest] = await sql<{ seq: number }[]>`
    select coalesce(max(seq), 0)::bigint as seq from health_news`
  return newest!.seq
}

/** The oldest changes; a build may appear several times. */
export async function readChanges(tx: Tx, up_to: number, limit: number): Promise<HealthChange[]> {
  return tx<HealthChange[]>`
    select seq, build_uid
    from health_news
    where seq <= ${up_to}
    order by seq
    limit ${limit}`
}

/**
 * Makes concurrent updates wait for each other: one that read the events of a build earlier must
 * not save its result later.
 */
export async function holdHealth(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('telemetry.health', 0))`
}

/**
 * Deletes exactly the rows that were read. A row with a lower `seq` may be committed later and must
 * stay for the next run.
 */
export async function deleteChanges(tx: Tx, seqs: number[]): Promise<void> {
  await tx`delete from health_news where seq = any(${seqs}::bigint[])`
}

/** Queues the builds whose health was computed for the window of an earlier day. */
export async function queueStaleBuilds(tx: Tx, today: string): Promise<void> {
  await tx`
    insert into health_news (build_uid)
    select build_uid
    from build_health
    where devices > 0 and updated_at < ${today}::text::date`
}

/** The first day of the window that ends today. */
const windowStart = (tx: Tx, today: string) =>
  tx`${today}::text::date - ${STATISTICS_DAYS - 1}::int`
type Fragment = ReturnType<typeof windowStart>

export type BuildLaunches = Launches & {
  build_uid: string
  game_uid: string
  median_session_seconds: number | null
  /** Those of `devices` for which a player sent a token. */
  signed_devices: number
  networks: NetworkGroup[]
}

/**
 * The launches of each build within the window.
 * - `devices`: seen within the window.
 * - `boot_ok`: those that sent boot_ok within the window.
 * - `crash_on_boot`: those that crashed before their first boot_ok, if that boot_ok, or without one
 *   the last crash, is within the window.
 */
export async function readLaunches(
  tx: Tx,
  build_uids: string[],
  today: string,
): Promise<BuildLaunches[]> {
  const since = windowStart(tx, today)
  // A device whose network is not known counts as a network of its own.
  const networks = tx`
    select d.build_uid, count(*)::int as devices,
      (count(*) filter (where d.last_boot >= ${since}))::int as boot_ok,
      (count(*) filter (
        where d.first_crash_at < coalesce(d.first_boot_at, 'infinity')
          and coalesce((d.first_boot_at at time zone 'utc')::date, d.last_crash) >= ${since}
      ))::int as crash_on_boot,
      (count(*) filter (where d.signed))::int as signed_devices
    from build_devices d
    join builds b on b.uid = d.build_uid
    left join signed_events_required r on r.game_uid = b.game_uid
    where d.build_uid = any(${build_uids}::uuid[]) and d.last_seen >= ${since}
      and (d.signed or r.game_uid is null)
    group by d.build_uid, d.network, case when d.network is null then d.device end`
  // Most networks have one device, so networks with the same numbers are few rows.
  const alike = tx`
    select build_uid, devices, boot_ok, crash_on_boot, count(*)::int as networks,
      sum(signed_devices)::int as signed_devices
    from (${networks}) n
    group by build_uid, devices, boot_ok, crash_on_boot`
  const launches = tx`
    select build_uid, sum(devices * networks)::int as devices,
      sum(boot_ok * networks)::int as boot_ok,
      sum(crash_on_boot * networks)::int as crash_on_boot,
      sum(signed_devices)::int as signed_devices,
      json_agg(json_build_object('devices', devices, 'boot_ok', boot_ok,
        'crash_on_boot', crash_on_boot, 'networks', networks)) as networks
    from (${alike}) a
    group by build_uid`
  return tx<BuildLaunches[]>`
    with launches as (${launches}), medians as (${medianSessions(tx, build_uids, since)})
    select b.uid as build_uid, b.game_uid,
      coalesce(l.devices, 0) as devices,
      coalesce(l.boot_ok, 0) as boot_ok,
      coalesce(l.crash_on_boot, 0) as crash_on_boot,
      coalesce(l.signed_devices, 0) as signed_devices,
      coalesce(l.networks, '[]') as networks,
      m.median as median_session_seconds
    from builds b
    left join launches l on l.build_uid = b.uid
    left join medians m on m.build_uid = b.uid
    where b.uid = any(${build_uids}::uuid[])`
}

/** The median of a histogram: the mean of the two middle sessions. */
const medianSessions = (tx: Tx, build_uids: string[], since: Fragment) => tx`
  select build_uid,
    round((
      min(seconds) filter (where up_to * 2 >= total)
      + min(seconds) filter (where up_to * 2 > total)
    ) / 2.0)::int as median
  from (
    select build_uid, seconds,
      sum(sessions) over (partition by build_uid order by seconds) as up_to,
      sum(sessions) over (partition by build_uid) as total
    from (
      select s.build_uid, s.seconds, sum(s.sessions) as sessions
      from build_sessions s
      where s.build_uid = any(${build_uids}::uuid[]) and s.day >= ${since}
      group by s.build_uid, s.seconds
    ) histogram
  ) ranked
  group by build_uid`

/** Writes only rows that differ, because each write marks its listing as changed. */
export async function saveHealth(
  tx: Tx,
  rows: (BuildLaunches & { band: LaunchBand })[],
): Promise<void> {
  const column = <K extends keyof (typeof rows)[number]>(name: K) => rows.map((row) => row[name])
  const computed = tx`
    unnest(${column('build_uid')}::uuid[], ${column('game_uid')}::uuid[],
      ${column('band')}::text[], ${column('devices')}::int[], ${column('boot_ok')}::int[],
      ${column('crash_on_boot')}::int[], ${column('median_session_seconds')}::int[],
      ${column('signed_devices')}::int[])`
  await tx`
    insert into build_health as h (build_uid, game_uid, band, devices, boot_ok, crash_on_boot,
      median_session_seconds, signed_devices)
    select n.build_uid, n.game_uid, n.band, n.devices, n.boot_ok, n.crash_on_boot, n.median,
      n.signed_devices
    from ${computed}
      as n (build_uid, game_uid, band, devices, boot_ok, crash_on_boot, median, signed_devices)
    where exists (select from builds b where b.uid = n.build_uid)
    order by n.build_uid
    on conflict (build_uid) do update
    set band = excluded.band, devices = excluded.devices, boot_ok = excluded.boot_ok,
      crash_on_boot = excluded.crash_on_boot,
      median_session_seconds = excluded.median_session_seconds,
      signed_devices = excluded.signed_devices, updated_at = now()
    where (h.band, h.devices, h.boot_ok, h.crash_on_boot, h.median_session_seconds,
        h.signed_devices)
      is distinct from (excluded.band, excluded.devices, excluded.boot_ok,
        excluded.crash_on_boot, excluded.median_session_seconds, excluded.signed_devices)`
}

/**
 * Reach is used to find listings that few people know. Beyond this many devices it is not counted
 * again, because the count gets expensive.
 */
const MAX_REACH = 10_000

/** Saves on how many devices listings ran since they were published, and when they first did. */
export async function saveReach(tx: Tx, game_uids: string[]): Promise<void> {
  const published_day = tx`(l.published_at at time zone 'utc')::date`
  await tx`
    insert into listing_reach as r (game_uid, devices, first_boot_ok_at)
    select l.uid, count(distinct d.device)::int,
      min(greatest(d.first_boot_at, l.published_at))
        filter (where d.last_boot >= ${published_day})
    from listings l
    join builds b on b.game_uid = l.uid
    join build_devices d on d.build_uid = b.uid and d.last_seen >= ${published_day}
    where l.uid = any(${game_uids}::uuid[])
      and not exists (
        select from listing_reach far
        where far.game_uid = l.uid and far.devices >= ${MAX_REACH})
    group by l.uid
    order by l.uid
    on conflict (game_uid) do update
    set devices = greatest(r.devices, excluded.devices),
      first_boot_ok_at = least(r.first_boot_ok_at, excluded.first_boot_ok_at)
    where r.devices < excluded.devices
      or r.first_boot_ok_at
        is distinct from least(r.first_boot_ok_at, excluded.first_boot_ok_at)`
}

/** A stable build whose launch health is worse than that of the build before it. */
export type HealthDrop = {
  uid: string
  game_uid: string
  build_uid: string
  band: LaunchBand
  previous_build_uid: string
  previous_version: string
  previous_band: LaunchBand
}

/** Records the health drops of these builds. Returns those that were not recorded before. */
export async function recordDrops(tx: Tx, build_uids: string[]): Promise<HealthDrop[]> {
  const compared = await tx<Omit<HealthDrop, 'uid'>[]>`
    select distinct on (h.build_uid) h.game_uid, h.build_uid, n.band,
      p.build_uid as previous_build_uid, b.version as previous_version, p.band as previous_band
    from channel_heads h
    join build_health n on n.build_uid = h.build_uid
    join build_health p on p.build_uid = h.previous[cardinality(h.previous)]
    join builds b on b.uid = p.build_uid
    where h.build_uid = any(${build_uids}::uuid[]) and h.channel = 'stable'
    order by h.build_uid, p.build_uid`
  const drops = compared
    .filter(({ band, previous_band }) => fellBelow(band, previous_band))
    .map((drop) => ({ uid: uuidv7(), ...drop }))
  if (drops.length === 0) return []
  const inserted = await tx<{ uid: string }[]>`
    insert into health_warnings ${tx(drops)}
    on conflict (build_uid, band) do nothing
    returning uid`
  const uids = new Set(inserted.map(({ uid }) => uid))
  return drops.filter(({ uid }) => uids.has(uid))
}

export type DropMail = Launches &
  Pick<HealthDrop, 'uid' | 'band' | 'previous_band' | 'previous_version'> & {
    game_name: string
    version: string
    email: string
    language: string | null
  }

export async function readDropMail(sql: Sql, uid: string): Promise<DropMail | undefined> {
  const [drop] = await sql<DropMail[]>`
    select w.uid, w.band, w.previous_band, w.previous_version, l.name as game_name, b.version,
      u.email, u.language, h.devices, h.boot_ok, h.crash_on_boot
    from health_warnings w
    join listings l on l.uid = w.game_uid
    join users u on u.uid = l.owner_uid
    join builds b on b.uid = w.build_uid
    join build_health h on h.build_uid = w.build_uid
    where w.uid = ${uid}`
  return drop
}

export type BuildHealth = Launches & {
  build_id: string
  band: LaunchBand
  signed_devices: number
  median_session_seconds: number | null
  updated_at: Date | null
}

export async function readHealth(
  sql: Sql,
  game_uid: string,
  build_uid: string,
): Promise<BuildHealth | undefined> {
  const [row] = await sql<BuildHealth[]>`
    select b.uid as build_id, coalesce(h.band, ${UNRATED}) as band,
      coalesce(h.devices, 0) as devices,
      coalesce(h.boot_ok, 0) as boot_ok,
      coalesce(h.crash_on_boot, 0) as crash_on_boot,
      coalesce(h.signed_devices, 0) as signed_devices,
      h.median_session_seconds, h.updated_at
    from builds b
    left join build_health h on h.build_uid = b.uid
    where b.uid = ${build_uid} and b.game_uid = ${game_uid}`
  return row
}

export type WarningRow = Omit<HealthDrop, 'previous_build_uid'> & {
  previous_build_uid: string | null
  version: string
  os: string
  arch: string
  created_at: Date
}

export async function readWarnings(
  sql: Sql,
  game_uid: string,
  limit: number,
): Promise<WarningRow[]> {
  return sql<WarningRow[]>`
    select w.uid, w.game_uid, w.build_uid, w.band,
      w.previous_build_uid, w.previous_version, w.previous_band,
      w.created_at, b.version, b.os, b.arch
    from health_warnings w
    join builds b on b.uid = w.build_uid
    where w.game_uid = ${game_uid}
    order by w.created_at desc, w.uid desc
    limit ${limit}`
}

/** Whether the launch health of a listing counts only devices with signed events. */
export async function areSignedEventsRequired(sql: Sql | Tx, game_uid: string): Promise<boolean> {
  const rows = await sql`select from signed_events_required where game_uid = ${game_uid}`
  return rows.length > 0
}

export async function requireSignedEvents(
  tx: Tx,
  game_uid: string,
  required: boolean,
): Promise<void> {
  if (required)
    await tx`
      insert into signed_events_required (game_uid)
      values (${game_uid})
      on conflict do nothing`
  else await tx`delete from signed_events_required where game_uid = ${game_uid}`
}

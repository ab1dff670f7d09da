import type { Sql, Tx } from '../../core/database/sql.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { type LaunchBand, UNRATED } from '../../listings/fields/launch-bands.ts'
import { fellBelow, type Launches, WINDOW_DAYS } from './bands.ts'

export type News = { seq: number; build_uid: string }

export async function newestNews(sql: Sql): Promise<number> {
  const [newest] = await sql<
    { seq: number }[]
  >`select coalesce(max(seq), 0)::bigint as seq from health_news`
  return newest!.seq
}

/** Of the builds with news, the first so many; the same build may be named often. */
export async function readNews(tx: Tx, up_to: number, limit: number): Promise<News[]> {
  return tx<
    News[]
  >`select seq, build_uid from health_news where seq <= ${up_to} order by seq limit ${limit}`
}

/** Exactly what was read goes: news that were not yet to be seen stay for the next look. */
export async function forgetNews(tx: Tx, seqs: number[]): Promise<void> {
  await tx`delete from health_news where seq = any(${seqs}::bigint[])`
}

/** Time alone changes the window: devices that were last seen on the day that just left it. */
export async function tellOfLeavers(tx: Tx, today: string): Promise<void> {
  await tx`insert into health_news (build_uid) select build_uid from build_health where devices > 0 and updated_at < ${today}::text::date`
}

export type Figures = Launches & {
  build_uid: string
  game_uid: string
  median_session_seconds: number | null
}

/**
 * How builds start, from their devices alone. A device counts while it was seen within the window; it booted if it did so within the window;
 * it crashed on boot if it crashed before its first boot_ok and that story (the boot, or without one the last crash) is within the window.
 */
export async function readFigures(tx: Tx, build_uids: string[], today: string): Promise<Figures[]> {
  const since = tx`${today}::text::date - ${WINDOW_DAYS - 1}::int`
  return tx<Figures[]>`
    with launches as (
      select d.build_uid, count(*)::int as devices, (count(*) filter (where d.last_boot >= ${since}))::int as boot_ok,
        (count(*) filter (where d.first_crash_at < coalesce(d.first_boot_at, 'infinity')
          and coalesce((d.first_boot_at at time zone 'utc')::date, d.last_crash) >= ${since}))::int as crash_on_boot
      from build_devices d where d.build_uid = any(${build_uids}::uuid[]) and d.last_seen >= ${since} group by d.build_uid),
    lengths as (
      select s.build_uid, s.seconds, sum(s.sessions) as sessions from build_sessions s
      where s.build_uid = any(${build_uids}::uuid[]) and s.day >= ${since} group by s.build_uid, s.seconds),
    ranked as (
      select build_uid, seconds, sum(sessions) over (partition by build_uid order by seconds) as up_to, sum(sessions) over (partition by build_uid) as total
      from lengths),
    medians as (
      select build_uid, round((min(seconds) filter (where up_to * 2 >= total) + min(seconds) filter (where up_to * 2 > total)) / 2.0)::int as median
      from ranked group by build_uid)
    select b.uid as build_uid, b.game_uid, coalesce(l.devices, 0) as devices, coalesce(l.boot_ok, 0) as boot_ok,
      coalesce(l.crash_on_boot, 0) as crash_on_boot, m.median as median_session_seconds
    from builds b left join launches l on l.build_uid = b.uid left join medians m on m.build_uid = b.uid
    where b.uid = any(${build_uids}::uuid[])`
}

/** Only rows that say something new are written: each leaves a change of its listing. */
export async function saveHealth(tx: Tx, rows: (Figures & { band: LaunchBand })[]): Promise<void> {
  const of = <K extends keyof (typeof rows)[number]>(name: K) => rows.map((row) => row[name])
  await tx`
    insert into build_health as h (build_uid, game_uid, band, devices, boot_ok, crash_on_boot, median_session_seconds)
    select n.* from unnest(${of('build_uid')}::uuid[], ${of('game_uid')}::uuid[], ${of('band')}::text[], ${of('devices')}::int[],
      ${of('boot_ok')}::int[], ${of('crash_on_boot')}::int[], ${of('median_session_seconds')}::int[])
      as n (build_uid, game_uid, band, devices, boot_ok, crash_on_boot, median)
    where exists (select from builds b where b.uid = n.build_uid)
    order by n.build_uid
    on conflict (build_uid) do update set band = excluded.band, devices = excluded.devices, boot_ok = excluded.boot_ok,
      crash_on_boot = excluded.crash_on_boot, median_session_seconds = excluded.median_session_seconds, updated_at = now()
    where (h.band, h.devices, h.boot_ok, h.crash_on_boot, h.median_session_seconds)
      is distinct from (excluded.band, excluded.devices, excluded.boot_ok, excluded.crash_on_boot, excluded.median_session_seconds)`
}

/** Beyond this nobody asks how far a listing has travelled, and counting it all again would cost more than it tells. */
const FAR = 10_000

/** On how many devices listings ran since they were published, and when first. */
export async function saveReach(tx: Tx, game_uids: string[]): Promise<void> {
  await tx`
    insert into listing_reach as r (game_uid, devices, first_boot_ok_at)
    select l.uid, count(distinct d.device)::int,
      min(greatest(d.first_boot_at, l.published_at)) filter (where d.last_boot >= (l.published_at at time zone 'utc')::date)
    from listings l join builds b on b.game_uid = l.uid join build_devices d on d.build_uid = b.uid and d.last_seen >= (l.published_at at time zone 'utc')::date
    where l.uid = any(${game_uids}::uuid[]) and not exists (select from listing_reach far where far.game_uid = l.uid and far.devices >= ${FAR})
    group by l.uid order by l.uid
    on conflict (game_uid) do update set devices = greatest(r.devices, excluded.devices), first_boot_ok_at = least(r.first_boot_ok_at, excluded.first_boot_ok_at)
    where r.devices < excluded.devices or r.first_boot_ok_at is distinct from least(r.first_boot_ok_at, excluded.first_boot_ok_at)`
}

export type Fall = {
  uid: string
  game_uid: string
  build_uid: string
  band: LaunchBand
  previous_build_uid: string
  previous_version: string
  previous_band: LaunchBand
}
type Pair = Omit<Fall, 'uid'>

/** Of these builds, the stable ones that start worse than what their channel pointed at before; each fall is told once. */
export async function recordFalls(tx: Tx, build_uids: string[]): Promise<Fall[]> {
  const pairs = await tx<Pair[]>`
    select distinct on (h.build_uid) h.game_uid, h.build_uid, n.band, p.build_uid as previous_build_uid, b.version as previous_version, p.band as previous_band
    from channel_heads h join build_health n on n.build_uid = h.build_uid
      join build_health p on p.build_uid = h.previous[cardinality(h.previous)] join builds b on b.uid = p.build_uid
    where h.build_uid = any(${build_uids}::uuid[]) and h.channel = 'stable' order by h.build_uid, p.build_uid`
  const falls = pairs
    .filter(({ band, previous_band }) => fellBelow(band, previous_band))
    .map((pair) => ({ uid: uuidv7(), ...pair }))
  if (falls.length === 0) return []
  const told =
    await tx`insert into health_warnings ${tx(falls)} on conflict (build_uid, band) do nothing returning uid`
  const uids = new Set(told.map(({ uid }) => uid as string))
  return falls.filter(({ uid }) => uids.has(uid))
}

export type WarningMail = Pick<Fall, 'uid' | 'band' | 'previous_band' | 'previous_version'> & {
  game_name: string
  version: string
  email: string
  devices: number
  boot_ok: number
  crash_on_boot: number
}

export async function readWarningMail(sql: Sql, uid: string): Promise<WarningMail | undefined> {
  const [mail] = await sql<WarningMail[]>`
    select w.uid, w.band, w.previous_band, w.previous_version, l.name as game_name, b.version, u.email, h.devices, h.boot_ok, h.crash_on_boot
    from health_warnings w join listings l on l.uid = w.game_uid join users u on u.uid = l.owner_uid join builds b on b.uid = w.build_uid
      join build_health h on h.build_uid = w.build_uid where w.uid = ${uid}`
  return mail
}

export type Health = Launches & {
  build_id: string
  band: LaunchBand
  median_session_seconds: number | null
  updated_at: Date | null
}

export async function readHealth(
  sql: Sql,
  game_uid: string,
  build_uid: string,
): Promise<Health | undefined> {
  const [row] = await sql<Health[]>`
    select b.uid as build_id, coalesce(h.band, ${UNRATED}) as band, coalesce(h.devices, 0) as devices, coalesce(h.boot_ok, 0) as boot_ok,
      coalesce(h.crash_on_boot, 0) as crash_on_boot, h.median_session_seconds, h.updated_at
    from builds b left join build_health h on h.build_uid = b.uid where b.uid = ${build_uid} and b.game_uid = ${game_uid}`
  return row
}

export type WarningRow = Omit<Fall, 'previous_build_uid'> & {
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
    select w.uid, w.game_uid, w.build_uid, w.band, w.previous_build_uid, w.previous_version, w.previous_band, w.created_at, b.version, b.os, b.arch
    from health_warnings w join builds b on b.uid = w.build_uid where w.game_uid = ${game_uid} order by w.created_at desc, w.uid desc limit ${limit}`
}

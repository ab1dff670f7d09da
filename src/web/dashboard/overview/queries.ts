import { isAnyOf, type Sql } from '../../../core/database/sql.ts'
import type { LaunchBand } from '../../../listings/fields/launch-bands.ts'
import type { ImageType } from '../../../listings/media/image-rules.ts'

type DayCount = { day: string; count: number }

export type ProjectFigures = {
  uid: string
  thumbnail: { sha256: string; type: ImageType } | null
  downloads: DayCount[]
  active_devices: DayCount[]
  /** The bands of the builds that the stable channel points at. */
  bands: LaunchBand[]
  /** Whether one of these builds starts worse than the one before it. */
  has_drop: boolean
  open_bugs: number
  open_crashes: number
  regressed_crashes: number
  unanswered_reviews: number
}

const thumbnail = (sql: Sql) => sql`
  select json_build_object('sha256', i.sha256, 'type', i.type)
  from listing_images i
  where i.game_uid = l.uid and i.slot = 'thumbnail'`

/** Successful downloads by day. */
const downloadDays = (sql: Sql, since: string) => sql`
  select to_char(a.at at time zone 'utc', 'YYYY-MM-DD') as day, count(*)::int as count
  from download_attempts a
  where a.game_uid = l.uid
    and a.outcome = 'ok'
    and a.at >= ${since}::text::date at time zone 'utc'
  group by 1`

/** Active devices by day; a device that used two builds on a day counts for both. */
const activeDays = (sql: Sql, since: string) => sql`
  select to_char(g.last_seen - i.back, 'YYYY-MM-DD') as day, sum(g.devices)::int as count
  from (
    select d.last_seen, d.days, count(*) as devices
    from builds b
    join build_devices d on d.build_uid = b.uid
    where b.game_uid = l.uid and d.last_seen >= ${since}::text::date
    group by 1, 2
  ) g, generate_series(0, 31) as i (back)
  where get_bit(g.days, 31 - i.back) = 1 and g.last_seen - i.back >= ${since}::text::date
  group by 1`

const stableBands = (sql: Sql) => sql`
  select distinct h.band
  from channel_heads c
  join build_health h on h.build_uid = c.build_uid
  where c.game_uid = l.uid and c.channel = 'stable'`

/** A warning counts while the build is still on the stable channel and in the same band. */
const currentDrop = (sql: Sql) => sql`
  select
  from health_warnings w
  join channel_heads c on c.build_uid = w.build_uid and c.channel = 'stable'
  join build_health h on h.build_uid = w.build_uid and h.band = w.band
  where w.game_uid = l.uid`

const crashCount = (sql: Sql, status: 'open' | 'regressed') => sql`
  select count(*)::int from crash_groups g where g.game_uid = l.uid and g.status = ${status}`

/** What the dashboard shows of these projects. The caller has checked that they may be read. */
export async function readProjectFigures(
  sql: Sql,
  uids: readonly string[],
  since: string,
): Promise<ProjectFigures[]> {
  return sql<ProjectFigures[]>`
    select l.uid, (${thumbnail(sql)}) as thumbnail,
      coalesce((select json_agg(d) from (${downloadDays(sql, since)}) d), '[]') as downloads,
      coalesce((select json_agg(d) from (${activeDays(sql, since)}) d), '[]') as active_devices,
      array(${stableBands(sql)}) as bands,
      exists (${currentDrop(sql)}) as has_drop,
      (select count(*)::int from bugs b where b.game_uid = l.uid and b.status = 'open')
        as open_bugs,
      (${crashCount(sql, 'open')}) as open_crashes,
      (${crashCount(sql, 'regressed')}) as regressed_crashes,
      (
        select count(*)::int
        from reviews r
        where r.game_uid = l.uid and r.reply_text is null and r.text <> ''
      ) as unanswered_reviews
    from listings l
    where ${isAnyOf(sql, sql`l.uid`, uids)}`
}

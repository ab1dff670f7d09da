import type { Sql } from '../../core/database/sql.ts'
import { price } from '../../library/copy-queries.ts'
import type { OperatingSystem } from '../../listings/fields/versions.ts'
import { type CardRow, cardColumns, whereShownToEveryone } from '../cards/queries.ts'
import { BOXES, boxesAt, type DailyOrder, MOST_BOXES_LISTED, type Window } from './daily-order.ts'
import type { Asked } from './shelves.ts'

const DAY_MS = 86_400_000
type Part = ReturnType<typeof whereShownToEveryone>
const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * DAY_MS)

/**
 * Everything a shelf asks of a listing `l` and its owner `u`, but the listing check. For a few listings each question is asked of each of them
 * (`each`); the database, left to itself, would rather answer it for all that there are.
 */
export function belongs(sql: Sql, { rule, os, now, house_engine }: Asked, each: boolean) {
  const {
    statuses,
    session_bucket,
    starts_well,
    thumbnail,
    published_days,
    unheard,
    browser,
    voices_days,
  } = rule
  const and = (given: unknown, condition: () => Part) =>
    given === undefined ? sql`` : sql`and ${condition()}`
  const exists = (what: Part) => sql`exists (select from ${what} ${each ? sql`offset 0` : sql``})`
  const download = (on: OperatingSystem | null) =>
    exists(sql`clean_stable_files s where s.game_uid = l.uid ${on ? sql`and s.os = ${on}` : sql``}`)
  const newest = sql`(select n.build_uid from newest_stable_builds n where n.game_uid = b.game_uid)`
  return sql`
    ${whereShownToEveryone(sql)} and l.asset_type = any(${[...rule.types]}) and ${download(os)}
    ${and(statuses, () => sql`l.status = any(${[...statuses!]})`)}
    ${and(session_bucket, () => sql`l.session_bucket = ${session_bucket!}`)}
    ${and(published_days, () => sql`l.published_at >= ${daysBefore(now, published_days!)}`)}
    ${and(thumbnail, () => exists(sql`listing_images i where i.game_uid = l.uid and i.slot = 'thumbnail'`))}
    ${and(rule.house_engine, () => sql`${house_engine} = any(l.engines)`)}
    ${and(browser, () => download('web'))}
    ${and(starts_well, () => exists(sql`build_health b where b.game_uid = l.uid and b.band in ('excellent', 'healthy') and b.build_uid = ${newest}`))}
    ${and(unheard, () => sql`not ${exists(sql`listing_reach r where r.game_uid = l.uid and (r.devices >= ${unheard!.devices} or r.first_boot_ok_at < ${daysBefore(now, unheard!.boot_days)})`)}`)}
    ${and(voices_days, () => sql`(${exists(sql`reviews r where r.game_uid = l.uid and ${heard(sql, now, voices_days!)}`)} or ${exists(sql`shown_community_tags c where c.game_uid = l.uid`)})`)}`
}

/** A recent review `r` of `l` that counts: one on a free copy counts while the game is free. */
const heard = (sql: Sql, now: Date, days: number) =>
  sql`r.created_at >= ${daysBefore(now, days)} and (not r.free_copy or ${price(sql)} = 0)`

export type Daily = { uid: string; place: number }

/** Listings of the shelf whose boxes are at these places of the day's order, in that order. */
export async function findDaily(
  sql: Sql,
  asked: Asked,
  order: DailyOrder,
  { from, to }: Window,
  limit: number | null,
): Promise<Daily[]> {
  const place = sql`((shelf_box(l.uid)::bigint * ${order.step}::int + ${order.start}::int) % ${BOXES}::int)::int`
  const few = to - from <= MOST_BOXES_LISTED
  const boxes = few
    ? sql`and shelf_box(l.uid) = any(${boxesAt(order, from, to)}::int[])`
    : to - from < BOXES
      ? sql`and ${place} >= ${from} and ${place} < ${to}`
      : sql``
  return sql<Daily[]>`
    select l.uid, ${place} as place from listings l join users u on u.uid = l.owner_uid where ${belongs(sql, asked, few)} ${boxes}
    order by place, md5(${order.date} || l.uid::text), l.uid limit ${limit}`
}

export async function findNewest(sql: Sql, asked: Asked, limit: number): Promise<string[]> {
  const rows = await sql<{ uid: string }[]>`
    select l.uid from listings l join users u on u.uid = l.owner_uid where ${belongs(sql, asked, true)}
    order by l.published_at desc, l.uid desc limit ${limit}`
  return rows.map(({ uid }) => uid)
}

const FILES_AT_FIRST = 500

/** By the newest file that players can download, found among the newest uploads of all; further back only when those do not fill the shelf. */
export async function findUploaded(sql: Sql, asked: Asked, limit: number): Promise<string[]> {
  for (const files of [FILES_AT_FIRST, FILES_AT_FIRST * 20, null]) {
    const rows = await sql<{ uid: string }[]>`
      select l.uid from (
          select f.uid, f.game_uid, f.uploaded_at from files f
          where f.scan = 'clean' ${asked.os ? sql`and f.os = ${asked.os}` : sql``} order by f.uploaded_at desc limit ${files}) f
        join clean_stable_files s on s.game_uid = f.game_uid and s.uid = f.uid
        join listings l on l.uid = f.game_uid join users u on u.uid = l.owner_uid
      where ${belongs(sql, asked, files === FILES_AT_FIRST)} group by l.uid order by max(f.uploaded_at) desc, l.uid desc limit ${limit}`
    if (rows.length === limit || files === null) return rows.map(({ uid }) => uid)
  }
  return []
}

/** By how many recent reviews and shown tags of players it has. */
export async function findByVoices(sql: Sql, asked: Asked, limit: number): Promise<string[]> {
  const rows = await sql<{ uid: string }[]>`
    with voices as (
      select game_uid, sum(voices) as voices from (
        select r.game_uid, count(*) as voices from reviews r join listings l on l.uid = r.game_uid
        where ${heard(sql, asked.now, asked.rule.voices_days!)} group by r.game_uid
        union all select game_uid, count(*) from shown_community_tags group by game_uid) each group by game_uid)
    select l.uid from voices v join listings l on l.uid = v.game_uid join users u on u.uid = l.owner_uid
    where ${belongs(sql, asked, false)} order by v.voices desc, l.uid desc limit ${limit}`
  return rows.map(({ uid }) => uid)
}

/** The cards of a shelf, in the order given, of those that belong there now. */
export async function readShelf(
  sql: Sql,
  asked: Asked,
  uids: string[],
  limit: number,
): Promise<CardRow[]> {
  if (!uids.length) return []
  return sql<CardRow[]>`
    select ${cardColumns(sql)} from unnest(${uids}::uuid[]) with ordinality as found (uid, place)
      join listings l on l.uid = found.uid join users u on u.uid = l.owner_uid
    where ${belongs(sql, asked, true)} order by found.place limit ${limit}`
}

import type { Sql } from '../../core/database/sql.ts'
import { DAY_MS } from '../../core/runtime/units.ts'
import { reviewCounts } from '../../library/review-queries.ts'
import type { OperatingSystem } from '../../listings/fields/platforms.ts'
import { newestStableBuild } from '../../listings/listing/newest-build-queries.ts'
import { type CardRow, cardColumns, whereShownToEveryone } from '../cards/queries.ts'
import {
  BUCKETS,
  bucketsAt,
  type DailyOrder,
  MAX_LISTED_BUCKETS,
  type Window,
} from './daily-order.ts'
import type { RuleQuery } from './shelves.ts'

type Fragment = ReturnType<typeof whereShownToEveryone>
const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * DAY_MS)

/**
 * The conditions that need a subquery, for a listing `l`. With `per_listing`, each subquery is
 * evaluated for each listing, which is best for few listings; `offset 0` keeps the planner from
 * evaluating it for the whole catalog instead.
 */
function shelfConditions(sql: Sql, now: Date, per_listing: boolean) {
  const exists = (source: Fragment) =>
    sql`exists (select from ${source} ${per_listing ? sql`offset 0` : sql``})`
  const hasRecentReview = (days: number) =>
    exists(sql`reviews r where r.game_uid = l.uid and ${whereRecentReview(sql, now, days)}`)
  const hasCommunityTag = () => exists(sql`shown_community_tags c where c.game_uid = l.uid`)
  return {
    hasDownload: (on: OperatingSystem | null) =>
      exists(
        sql`clean_stable_files s where s.game_uid = l.uid ${on ? sql`and s.os = ${on}` : sql``}`,
      ),
    isPlayable: () =>
      exists(sql`
        clean_stable_files s
        where s.game_uid = l.uid and s.os = 'web' and s.web_problem is null`),
    hasImage: (slot: 'thumbnail' | 'cover') =>
      exists(sql`listing_images i where i.game_uid = l.uid and i.slot = ${slot}`),
    // The bands are literals, so that the planner can use the partial index `build_health_good`.
    isHealthy: () =>
      exists(sql`
        build_health b
        where b.game_uid = l.uid and b.band in ('excellent', 'healthy')
          and b.build_uid = ${newestStableBuild(sql, sql`b.game_uid`)}`),
    isFailing: () =>
      exists(sql`
        build_health b
        where b.game_uid = l.uid and b.band in ('mixed', 'problematic')
          and b.build_uid = ${newestStableBuild(sql, sql`b.game_uid`)}`),
    isWellKnown: ({ devices, boot_days }: { devices: number; boot_days: number }) =>
      exists(sql`
        listing_reach r
        where r.game_uid = l.uid
          and (r.devices >= ${devices} or r.first_boot_ok_at < ${daysBefore(now, boot_days)})`),
    hasActivity: (days: number) => sql`(${hasRecentReview(days)} or ${hasCommunityTag()})`,
  }
}

/** Every rule of a shelf for a listing `l` and its owner `u`, except the listing check. */
export function whereOnShelf(
  sql: Sql,
  { rule, os, now, house_engine }: RuleQuery,
  per_listing: boolean,
) {
  const {
    statuses,
    session_bucket,
    launches_well,
    not_failing,
    thumbnail,
    cover,
    published_days,
    undiscovered,
    browser,
    activity_days,
  } = rule
  const conditions = shelfConditions(sql, now, per_listing)
  const { hasDownload, isPlayable, hasImage, isHealthy, isFailing, isWellKnown, hasActivity } =
    conditions
  const and = (value: unknown, condition: () => Fragment) =>
    value === undefined ? sql`` : sql`and ${condition()}`
  return sql`
    ${whereShownToEveryone(sql)} and l.asset_type = any(${[...rule.types]}) and ${hasDownload(os)}
    ${and(statuses, () => sql`l.status = any(${[...statuses!]})`)}
    ${and(session_bucket, () => sql`l.session_bucket = ${session_bucket!}`)}
    ${and(published_days, () => sql`l.published_at >= ${daysBefore(now, published_days!)}`)}
    ${and(thumbnail, () => hasImage('thumbnail'))}
    ${and(cover, () => hasImage('cover'))}
    ${and(rule.house_engine, () => sql`${house_engine} = any(l.engines)`)}
    ${and(browser, isPlayable)}
    ${and(launches_well, isHealthy)}
    ${and(not_failing, () => sql`not ${isFailing()}`)}
    ${and(undiscovered, () => sql`not ${isWellKnown(undiscovered!)}`)}
    ${and(activity_days, () => hasActivity(activity_days!))}`
}

/** A recent review `r` of `l` that counts. */
const whereRecentReview = (sql: Sql, now: Date, days: number) =>
  sql`r.created_at >= ${daysBefore(now, days)} and ${reviewCounts(sql)}`

export type DailyRow = { uid: string; position: number }

/** The listings of a shelf within a window of the order of the day, in that order. */
export async function findDaily(
  sql: Sql,
  query: RuleQuery,
  { order, window, limit }: { order: DailyOrder; window: Window; limit: number | null },
): Promise<DailyRow[]> {
  const { date, step, start } = order
  const { from, to } = window
  const position = sql`
    ((shelf_box(l.uid)::bigint * ${step}::int + ${start}::int) % ${BUCKETS}::int)::int`
  const few = to - from <= MAX_LISTED_BUCKETS
  const inWindow = few
    ? sql`and shelf_box(l.uid) = any(${bucketsAt(order, from, to)}::int[])`
    : to - from < BUCKETS
      ? sql`and ${position} >= ${from} and ${position} < ${to}`
      : sql``
  return sql<DailyRow[]>`
    select l.uid, ${position} as position
    from listings l
    join users u on u.uid = l.owner_uid
    where ${whereOnShelf(sql, query, few)} ${inWindow}
    order by position, md5(${date} || l.uid::text), l.uid
    limit ${limit}`
}

export async function findNewest(sql: Sql, query: RuleQuery, limit: number): Promise<string[]> {
  const rows = await sql<{ uid: string }[]>`
    select l.uid
    from listings l
    join users u on u.uid = l.owner_uid
    where ${whereOnShelf(sql, query, true)}
    order by l.published_at desc, l.uid desc
    limit ${limit}`
  return rows.map(({ uid }) => uid)
}

const FIRST_FILES = 500

/**
 * By the newest file that players can download. The newest uploads of the catalog are searched
 * first, and more of them only when they do not fill the shelf.
 */
export async function findUploaded(sql: Sql, query: RuleQuery, limit: number): Promise<string[]> {
  for (const max_files of [FIRST_FILES, FIRST_FILES * 20, null]) {
    const rows = await sql<{ uid: string }[]>`
      select l.uid
      from (
        select f.uid, f.game_uid, f.uploaded_at
        from files f
        where f.scan = 'clean' ${query.os ? sql`and f.os = ${query.os}` : sql``}
        order by f.uploaded_at desc
        limit ${max_files}) f
      join clean_stable_files s on s.game_uid = f.game_uid and s.uid = f.uid
      join listings l on l.uid = f.game_uid
      join users u on u.uid = l.owner_uid
      where ${whereOnShelf(sql, query, max_files === FIRST_FILES)}
      group by l.uid
      order by max(f.uploaded_at) desc, l.uid desc
      limit ${limit}`
    if (rows.length === limit || max_files === null) return rows.map(({ uid }) => uid)
  }
  return []
}

/** By the number of recent reviews and shown community tags. */
export async function findByActivity(sql: Sql, query: RuleQuery, limit: number): Promise<string[]> {
  const recentReview = whereRecentReview(sql, query.now, query.rule.activity_days!)
  const rows = await sql<{ uid: string }[]>`
    with activity as (
      select game_uid, sum(count) as count
      from (
        select r.game_uid, count(*) as count
        from reviews r
        join listings l on l.uid = r.game_uid
        where ${recentReview}
        group by r.game_uid
        union all
        select game_uid, count(*) as count from shown_community_tags group by game_uid) counts
      group by game_uid
    )
    select l.uid
    from activity a
    join listings l on l.uid = a.game_uid
    join users u on u.uid = l.owner_uid
    where ${whereOnShelf(sql, query, false)}
    order by a.count desc, l.uid desc
    limit ${limit}`
  return rows.map(({ uid }) => uid)
}

const FIRST_POPULAR = 500

/** By the downloads of the last 30 days. The most popular are searched first, as uploads are. */
export async function findPopular(sql: Sql, query: RuleQuery, limit: number): Promise<string[]> {
  for (const max_listings of [FIRST_POPULAR, null]) {
    const rows = await sql<{ uid: string }[]>`
      select l.uid
      from (
        select d.game_uid, d.popularity
        from download_popularity d
        order by d.popularity desc
        limit ${max_listings}) d
      join listings l on l.uid = d.game_uid
      join users u on u.uid = l.owner_uid
      where ${whereOnShelf(sql, query, max_listings === FIRST_POPULAR)}
      order by d.popularity desc, l.uid desc
      limit ${limit}`
    if (rows.length === limit || max_listings === null) return rows.map(({ uid }) => uid)
  }
  return []
}

/** The cards of those candidates that belong on the shelf now, in the order given. */
export async function readShelf(
  sql: Sql,
  query: RuleQuery,
  uids: string[],
  limit: number,
): Promise<CardRow[]> {
  if (!uids.length) return []
  return sql<CardRow[]>`
    select ${cardColumns(sql)}
    from unnest(${uids}::uuid[]) with ordinality as candidate (uid, position)
    join listings l on l.uid = candidate.uid
    join users u on u.uid = l.owner_uid
    where ${whereOnShelf(sql, query, true)}
    order by candidate.position
    limit ${limit}`
}

/** The cards of the listings with these uids or names that every visitor sees. */
export async function readListed(
  sql: Sql,
  { uids, vanity_names }: { uids: string[]; vanity_names: string[] },
): Promise<CardRow[]> {
  return sql<CardRow[]>`
    select ${cardColumns(sql)}
    from listings l
    join users u on u.uid = l.owner_uid
    where (l.uid = any(${uids}::uuid[]) or l.vanity_name = any(${vanity_names}::text[]))
      and ${whereShownToEveryone(sql)}`
}

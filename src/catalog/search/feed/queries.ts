import { avatarOf } from '../../../accounts/people/queries.ts'
import { editorPackage, type PackageVersion } from '../../../builds/builds/editor-package.ts'
import { isAnyOf, type Sql } from '../../../core/database/sql.ts'
import { popularityOf } from '../../../downloads/popularity-queries.ts'
import { ratingPercent, reviewCounts } from '../../../library/review-queries.ts'
import { currentPrice } from '../../../listings/editions/queries.ts'
import { packageTypes } from '../../../listings/fields/editor.ts'
import {
  type AssetType,
  codedFields,
  type FieldValues,
  indexedFields,
  type ResultField,
  resultFields,
} from '../../../listings/fields/fields.ts'
import { fieldColumns } from '../../../listings/fields/queries.ts'
import { launchBandOf } from '../../../listings/listing/launch-band-queries.ts'
import { wherePublic } from '../../../listings/listing/visibility-queries.ts'
import { imageColumn } from '../../../listings/media/queries.ts'
import {
  type ParentAndChildrenRow,
  parentAndChildrenColumns,
  whereNamedOnPage,
} from '../../../listings/page/queries.ts'
import { listingSale, type OfferFacts } from '../../../listings/prices/offers.ts'
import { nextSaleChange, runningSaleFacts } from '../../../listings/prices/queries.ts'
import { BROWSER } from '../../cards/platforms.ts'
import { communityTags } from '../../cards/queries.ts'
import type { Document, DocumentPackage } from '../index/document.ts'

/** A listing as it is indexed, and when its fields next change without an edit. */
export type IndexedListing = Document & { changes_at: Date | null }

/** The clean files at the head of the stable channel while it has not expired. */
const downloadableFiles = (sql: Sql) => sql`
  from channel_heads h
  join files f
    on f.build_uid = h.build_uid and f.os = h.os and f.arch = h.arch and f.scan = 'clean'
  where h.game_uid = l.uid and h.channel = 'stable' and not exists (
    select from channels c
    where c.game_uid = h.game_uid and c.app = h.app and c.channel = 'stable'
      and c.expires_at <= now())`

/** Whether such a file can be played in the browser. */
const isPlayedFile = (sql: Sql) => sql`f.os = 'web' and h.app = '' and f.web_problem is null`

const playsInBrowser = (sql: Sql) => sql`
  exists (select ${downloadableFiles(sql)} and ${isPlayedFile(sql)})`

/**
 * When a listing changes without an edit: its stable channel expires, which changes its platforms,
 * or a sale starts or ends.
 */
const changesAt = (sql: Sql) => sql`
  least(
    (select min(c.expires_at)
      from channels c
      where c.game_uid = l.uid and c.channel = 'stable' and c.expires_at > now()),
    ${nextSaleChange(sql)})`

/** A time in microseconds since 1970. */
const microseconds = (sql: Sql, time: ReturnType<Sql>) =>
  sql`(extract(epoch from ${time}) * 1000000)::bigint`

const engineRanges = (sql: Sql) => sql`
  coalesce((
    select json_agg(json_build_object(
      'engine', r.engine, 'min_version', r.min_version, 'max_version', r.max_version,
      'renderer', r.renderer))
    from listing_engine_ranges r
    where r.game_uid = l.uid), '[]')`

const selectListings = (sql: Sql) => sql`
  select l.uid, l.owner_uid, l.name, l.tagline, l.description, l.translations, l.adult,
    ${microseconds(sql, sql`coalesce(l.published_at, l.created_at)`)} as published_us,
    ${microseconds(sql, sql`l.updated_at`)} as updated_us,
    ${launchBandOf(sql)} as health,
    ${fieldColumns(sql, [...indexedFields, ...codedFields])}, l.players_min, l.players_max,
    l.tags || ${communityTags(sql)} as tags,
    ${currentPrice(sql)} as price_cents,
    ${runningSaleFacts(sql)} as sale_facts,
    v.reviews, v.enjoyed, ${popularityOf(sql)} as popularity,
    l.engines, ${engineRanges(sql)} as ranges,
    array(
      select distinct f.os || '/' || f.arch ${downloadableFiles(sql)} and f.os <> ''
    ) as platforms,
    ${playsInBrowser(sql)} as plays_in_browser,
    ${packageColumn(sql)} as packages,
    ${changesAt(sql)} as changes_at
  from listings l
  cross join lateral (
    select count(*)::int as reviews, count(*) filter (where r.enjoyed)::int as enjoyed
    from reviews r
    where r.game_uid = l.uid and ${reviewCounts(sql)}) v`

type Row = IndexedListing & {
  sale_facts: OfferFacts | null
  packages:
    | (Omit<DocumentPackage, 'category' | 'editors'> & {
        versions: (PackageVersion & { created_at: string })[]
      })
    | null
}

/** What editors could install. `editorPackage` decides whether the listing is a package at all. */
const packageColumn = (sql: Sql) => sql`
  case when l.asset_type = any(${[...packageTypes]}) then (
    select json_build_object(
      'released_us', ${microseconds(sql, sql`greatest(l.updated_at, max(v.uploaded_at))`)},
      'rating', ${ratingPercent(sql)},
      'versions', json_agg(json_build_object(
        'uid', v.uid, 'file_uid', v.file_uid, 'version', v.version, 'created_at', v.created_at,
        'engine_version', v.engine_version, 'has_project_file', v.has_project_file)))
    from package_versions v
    where v.game_uid = l.uid
    having count(*) > 0) end`

function readRow({ packages, sale_facts, ...row }: Row): IndexedListing {
  const listing = { ...row, sale_price_cents: listingSale(sale_facts)?.price_cents ?? null }
  const versions = (packages?.versions ?? []).map((version) => ({
    ...version,
    created_at: new Date(version.created_at),
  }))
  const installable = editorPackage(listing.asset_type as AssetType, listing.ranges, versions)
  if (!packages || !installable) return listing
  const { category, editors } = installable
  const { released_us, rating } = packages
  return { ...listing, package: { category, editors, released_us, rating } }
}

/** Called for a listing that cannot be indexed. */
export type ReportProblem = (uid: string, error: Error) => void

/** Reads each row by itself: one that cannot be read must not keep the others out of the index. */
function toListings(rows: Row[], report: ReportProblem): IndexedListing[] {
  return rows.flatMap((row) => {
    try {
      return [readRow(row)]
    } catch (error) {
      report(row.uid, error as Error)
      return []
    }
  })
}

/** The public listings among these. */
export async function readDocuments(
  sql: Sql,
  uids: readonly string[],
  report: ReportProblem,
): Promise<IndexedListing[]> {
  const rows = await sql<Row[]>`
    ${selectListings(sql)}
    where ${isAnyOf(sql, sql`l.uid`, uids)} and ${wherePublic(sql)}`
  return toListings(rows, report)
}

/** The next public listings in the order of their uids, and the last uid if there may be more. */
export async function readDocumentsAfter(
  sql: Sql,
  { after, limit }: { after: string; limit: number },
  report: ReportProblem,
): Promise<{ docs: IndexedListing[]; last: string | undefined }> {
  const rows = await sql<Row[]>`
    ${selectListings(sql)}
    where l.uid > ${after} and ${wherePublic(sql)}
    order by l.uid
    limit ${limit}`
  const last = rows.length < limit ? undefined : rows.at(-1)!.uid
  return { docs: toListings(rows, report), last }
}

export type Position = {
  /** A transaction snapshot. The index contains every change that is visible in it. */
  snapshot: string
  at: Date
  /**
   * When the database server started. After a crash it may assign transaction numbers again that
   * were lost.
   */
  running_since: string
  /**
   * Changes when a standby takes over or the database is restored to a point in time. Transactions
   * of the timeline before may be missing, and their numbers are assigned again.
   */
  timeline: string
}

const timelineColumn = (sql: Sql) => sql`left(pg_walfile_name(pg_current_wal_lsn()), 8)`

const positionColumns = (sql: Sql) => sql`
  pg_current_snapshot()::text as snapshot,
  now() as at,
  ${timelineColumn(sql)} as timeline,
  pg_postmaster_start_time()::text as running_since`

export async function readPosition(sql: Sql): Promise<Position> {
  const [row] = await sql<Position[]>`select ${positionColumns(sql)}`
  return row!
}

/**
 * The listings changed by transactions that are not visible in a snapshot, however late they
 * committed, and the new position. Changes with a transaction number that this database has not
 * assigned yet come from a restored dump; they are left out, because they would appear to be new in
 * every call.
 */
export async function readChanges(sql: Sql, since: string): Promise<Position & { uids: string[] }> {
  const [row] = await sql<(Position & { uids: string[] })[]>`
    select ${positionColumns(sql)},
      array(
        select distinct c.game_uid
        from listing_changes c
        where c.xid >= pg_snapshot_xmin(${since}::pg_snapshot)
          and not pg_visible_in_snapshot(c.xid, ${since}::pg_snapshot)
          and c.xid < pg_snapshot_xmax(pg_current_snapshot())) as uids`
  return row!
}

/** All listings changed since two minutes before a time, whether or not the index has them. */
export async function readChangesSince(sql: Sql, at: Date): Promise<string[]> {
  const rows = await sql<{ game_uid: string }[]>`
    select distinct game_uid
    from listing_changes
    where at >= ${at}::timestamptz - interval '2 minutes'`
  return rows.map(({ game_uid }) => game_uid)
}

/** Whether a position is too old to continue from, or ahead of this database. */
export async function isOutdated(
  sql: Sql,
  { snapshot, at }: Position,
  max_hours: number,
): Promise<boolean> {
  const [row] = await sql<{ outdated: boolean }[]>`
    select ${at} < now() - ${max_hours} * interval '1 hour'
      or pg_snapshot_xmax(${snapshot}::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())
      as outdated`
  return row!.outdated
}

/** Identifies this database and its timeline, so that a snapshot of another one is not used. */
export async function readIdentity(sql: Sql): Promise<string> {
  const [row] = await sql<{ identity: string }[]>`
    select id::text || ' ' || (
      select oid from pg_database where datname = current_database())::text
      || ' ' || ${timelineColumn(sql)} as identity
    from catalog_identity`
  return row!.identity
}

/** The same as the function `page_freshness`, but inlined, which is faster for many rows. */
const freshnessColumn = (sql: Sql) => sql`
  (select l.version || '.' || coalesce(sum(c.seq), 0) || '.' || coalesce(max(c.seq), 0)
    from listing_changes c
    where c.game_uid = l.uid)`

export type RowState = { uid: string; freshness: string; adult: boolean }

/** The state of those listings that are public now. It decides what may be shown. */
export async function readRowStates(sql: Sql, uids: readonly string[]): Promise<RowState[]> {
  return sql<RowState[]>`
    select l.uid, ${freshnessColumn(sql)} as freshness, l.adult
    from listings l
    where ${isAnyOf(sql, sql`l.uid`, uids)} and ${wherePublic(sql)}`
}

type Image = { sha256: string; type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' }
export type ResultRow = RowState &
  ParentAndChildrenRow &
  Pick<FieldValues, ResultField> & {
    vanity_name: string
    name: string
    tagline: string
    asset_type: string
    status: string
    owner_uid: string
    username: string
    /** The hash of the owner's avatar. */
    avatar: string | null
    price_cents: number
    /** While a sale of the listing runs. */
    sale_facts: OfferFacts | null
    cover: Image | null
    thumbnail: Image | null
    community_tags: string[]
    health: string
    scan: string | null
    /** The systems of the files that players can download, as on cards. */
    systems: string[]
    anonymous_downloads: boolean
    changes_at: Date | null
    published_at: Date | null
    created_at: Date
    updated_at: Date
  }

/** The best state of all files: clean, then scanning, then error, then infected. */
const scanColumn = (sql: Sql) => sql`
  (select f.scan
    from files f
    where f.game_uid = l.uid and f.scan not in ('quarantined', 'withdrawn')
    order by array_position('{clean,scanning,error,infected}', f.scan)
    limit 1)`

/** The rows of a result page, for the listings that are public now. */
export async function readRows(sql: Sql, uids: readonly string[]): Promise<ResultRow[]> {
  return sql<ResultRow[]>`
    select l.uid, ${freshnessColumn(sql)} as freshness, l.adult,
      l.vanity_name, l.name, l.tagline, l.asset_type, l.status, l.owner_uid, u.username,
      ${avatarOf(sql)} as avatar,
      ${currentPrice(sql)} as price_cents,
      ${runningSaleFacts(sql)} as sale_facts,
      ${imageColumn(sql, 'cover')} as cover, ${imageColumn(sql, 'thumbnail')} as thumbnail,
      ${fieldColumns(sql, resultFields)}, ${communityTags(sql)} as community_tags,
      l.parent_external_name, l.parent_external_url,
      ${parentAndChildrenColumns(sql, whereNamedOnPage(sql))},
      l.anonymous_downloads,
      ${launchBandOf(sql)} as health,
      ${scanColumn(sql)} as scan,
      array(
        select distinct case when ${isPlayedFile(sql)} then ${BROWSER} else f.os end
        ${downloadableFiles(sql)}
        order by 1
      ) as systems,
      ${changesAt(sql)} as changes_at,
      l.published_at, l.created_at, l.updated_at
    from listings l
    join users u on u.uid = l.owner_uid
    where ${isAnyOf(sql, sql`l.uid`, uids)} and ${wherePublic(sql)}`
}

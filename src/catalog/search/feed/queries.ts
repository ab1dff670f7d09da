import { editorPackage, type PackageVersion } from '../../../builds/builds/editor-package.ts'
import type { Sql } from '../../../core/database/sql.ts'
import { packageTypes } from '../../../listings/fields/editor.ts'
import type { AssetType } from '../../../listings/fields/fields.ts'
import { launchBandOf } from '../../../listings/listing/launch-band-queries.ts'
import type { Document, DocumentPackage } from '../index/document.ts'

/** What a listing is to the index, and when that changes by itself. */
export type Projected = Document & { changes_at: Date | null }

/** The clean files that the stable channel points at, while it is not past its end: what `os` and `platforms` mean. */
const playable = (sql: Sql) => sql`
  from channel_heads h join files f on f.build_uid = h.build_uid and f.os = h.os and f.arch = h.arch and f.scan = 'clean'
  where h.game_uid = l.uid and h.channel = 'stable' and not exists (
    select from channels c where c.game_uid = h.game_uid and c.app = h.app and c.channel = 'stable' and c.expires_at <= now())`

const price = (sql: Sql) =>
  sql`coalesce((select min(e.price_cents) from editions e where e.game_uid = l.uid and e.active), l.price_cents)`
const changesAt = (sql: Sql) => sql`
  (select min(c.expires_at) from channels c where c.game_uid = l.uid and c.channel = 'stable' and c.expires_at > now())`

const projection = (sql: Sql) => sql`
  select l.uid, l.owner_uid, l.name, l.tagline, l.description, l.asset_type, l.status, l.adult,
    (extract(epoch from coalesce(l.published_at, l.created_at)) * 1000000)::bigint as published_us,
    (extract(epoch from l.updated_at) * 1000000)::bigint as updated_us,
    ${launchBandOf(sql)} as health, l.genres,
    l.tags || array(select c.tag from shown_community_tags c where c.game_uid = l.uid order by c.position) as tags,
    l.tone, l.inputs, l.content_warnings, l.ai_uses, l.session_bucket, l.net, l.authorship, l.license_kind, l.players_min, l.players_max,
    ${price(sql)} as price_cents, l.engines,
    coalesce((select json_agg(json_build_object('engine', r.engine, 'min_version', r.min_version, 'max_version', r.max_version,
      'renderer', r.renderer)) from listing_engine_ranges r where r.game_uid = l.uid), '[]') as ranges,
    array(select distinct f.os || '/' || f.arch ${playable(sql)}) as platforms,
    ${packages(sql)} as packages, ${changesAt(sql)} as changes_at
  from listings l`

type Row = Projected & {
  packages:
    | (Omit<DocumentPackage, 'category' | 'editors'> & {
        versions: (PackageVersion & { created_at: string })[]
      })
    | null
}

/** What editors could install; whether it is a package at all is for the rules to say. */
const packages = (sql: Sql) => sql`
  case when l.asset_type = any(${[...packageTypes]}) then (
    select json_build_object('released_us', (extract(epoch from greatest(l.updated_at, max(v.uploaded_at))) * 1000000)::bigint,
      'rating', coalesce((select round(avg(r.quality) * 20)::int from reviews r where r.game_uid = l.uid and (not r.free_copy or ${price(sql)} = 0)), 0),
      'versions', json_agg(json_build_object('uid', v.uid, 'file_uid', v.file_uid, 'version', v.version, 'created_at', v.created_at, 'engine_version', v.engine_version,
        'has_project_file', v.has_project_file)))
    from package_versions v where v.game_uid = l.uid having count(*) > 0) end`

function projected({ packages, ...row }: Row): Projected {
  const versions = (packages?.versions ?? []).map((version) => ({
    ...version,
    created_at: new Date(version.created_at),
  }))
  const found = editorPackage(row.asset_type as AssetType, row.ranges, versions)
  if (!packages || !found) return row
  const { released_us, rating } = packages
  return {
    ...row,
    package: { category: found.category, editors: found.editors, released_us, rating },
  }
}

/** Public listings among these. */
export async function readDocuments(sql: Sql, uids: readonly string[]): Promise<Projected[]> {
  const rows = await sql<
    Row[]
  >`${projection(sql)} where l.uid = any(${[...uids]}::uuid[]) and l.visibility = 'public'`
  return rows.map(projected)
}

/** All public listings, part by part in the order of their uids. */
export async function readDocumentsAfter(
  sql: Sql,
  uid: string,
  limit: number,
): Promise<Projected[]> {
  const rows = await sql<
    Row[]
  >`${projection(sql)} where l.uid > ${uid} and l.visibility = 'public' order by l.uid limit ${limit}`
  return rows.map(projected)
}

export type Position = {
  /** What the database had committed: every change visible in it is in the index. */
  snapshot: string
  at: Date
  /** Since when the database runs. One that fell may give out transaction numbers again that were lost with it. */
  running_since: string
}

const position = (sql: Sql) =>
  sql`pg_current_snapshot()::text as snapshot, now() as at, pg_postmaster_start_time()::text as running_since`

export async function readPosition(sql: Sql): Promise<Position> {
  const [row] = await sql<Position[]>`select ${position(sql)}`
  return row!
}

/**
 * Which listings changed in transactions that were not yet visible then, however late they committed; and the new position. A restored dump
 * brings changes with numbers that this database has yet to give out: they would be news at every look.
 */
export async function readChanges(sql: Sql, since: string): Promise<Position & { uids: string[] }> {
  const [row] = await sql<(Position & { uids: string[] })[]>`
    select ${position(sql)},
      array(select distinct c.game_uid from listing_changes c
        where c.xid >= pg_snapshot_xmin(${since}::pg_snapshot) and not pg_visible_in_snapshot(c.xid, ${since}::pg_snapshot)
          and c.xid < pg_snapshot_xmax(pg_current_snapshot())) as uids`
  return row!
}

/** All that changed since shortly before a moment, known or not. */
export async function readChangesSince(sql: Sql, at: Date): Promise<string[]> {
  const rows = await sql<
    { game_uid: string }[]
  >`select distinct game_uid from listing_changes where at >= ${at}::timestamptz - interval '2 minutes'`
  return rows.map(({ game_uid }) => game_uid)
}

/** Whether a position is too old to follow on from, or from a future this database never had. */
export async function isBehind(
  sql: Sql,
  { snapshot, at }: Position,
  hours: number,
): Promise<boolean> {
  const [row] = await sql<{ behind: boolean }[]>`
    select ${at} < now() - ${hours} * interval '1 hour' or pg_snapshot_xmax(${snapshot}::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot()) as behind`
  return row!.behind
}

/** Tells whether a position kept in a file is one of this database. */
export async function readIdentity(sql: Sql): Promise<string> {
  const [row] = await sql<
    { identity: string }[]
  >`select id::text || ' ' || (select oid from pg_database where datname = current_database())::text as identity from catalog_identity`
  return row!.identity
}

/** As page_freshness says it, but within the query, which is a good deal quicker for many rows. */
const freshness = (sql: Sql) =>
  sql`(select l.version || '.' || coalesce(sum(c.seq), 0) || '.' || coalesce(max(c.seq), 0) from listing_changes c where c.game_uid = l.uid)`

export type RowState = { uid: string; freshness: string; adult: boolean }

/** Those of the listings that are public now, and of which state: what may be shown is decided by this. */
export async function readRowStates(sql: Sql, uids: readonly string[]): Promise<RowState[]> {
  return sql<RowState[]>`
    select l.uid, ${freshness(sql)} as freshness, l.adult
    from listings l where l.uid = any(${[...uids]}::uuid[]) and l.visibility = 'public'`
}

type Image = { sha256: string; type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' }
export type ResultRow = RowState & {
  vanity_name: string
  name: string
  tagline: string
  asset_type: string
  status: string
  owner_uid: string
  username: string
  price_cents: number
  cover: Image | null
  thumbnail: Image | null
  genres: string[]
  tags: string[]
  community_tags: string[]
  tone: string[]
  inputs: string[]
  content_warnings: string[]
  engines: string[]
  ai_uses: string[]
  session_bucket: string | null
  net: string | null
  players_min: number | null
  players_max: number | null
  authorship: string | null
  license_kind: string | null
  health: string
  scan: string | null
  platforms: string[]
  changes_at: Date | null
  published_at: Date | null
  updated_at: Date
}

/** Whole rows of results, for the listings that are public now. */
export async function readRows(sql: Sql, uids: readonly string[]): Promise<ResultRow[]> {
  const image = (slot: string) =>
    sql`(select json_build_object('sha256', i.sha256, 'type', i.type) from listing_images i where i.game_uid = l.uid and i.slot = ${slot})`
  return sql<ResultRow[]>`
    select l.uid, ${freshness(sql)} as freshness, l.adult, l.vanity_name, l.name, l.tagline, l.asset_type, l.status, l.owner_uid, u.username,
      ${price(sql)} as price_cents, ${image('cover')} as cover, ${image('thumbnail')} as thumbnail,
      l.genres, l.tags, array(select c.tag from shown_community_tags c where c.game_uid = l.uid order by c.position) as community_tags,
      l.tone, l.inputs, l.content_warnings, l.engines, l.ai_uses, l.session_bucket, l.net, l.players_min, l.players_max, l.authorship, l.license_kind,
      ${launchBandOf(sql)} as health,
      (select f.scan from files f where f.game_uid = l.uid and (f.channel = 'stable' or exists (
          select from channel_heads h where h.build_uid = f.build_uid and h.channel = 'stable'))
        order by array_position('{clean,scanning,error,infected}', f.scan) limit 1) as scan,
      array(select distinct f.os ${playable(sql)} order by f.os) as platforms,
      ${changesAt(sql)} as changes_at, l.published_at, l.updated_at
    from listings l join users u on u.uid = l.owner_uid
    where l.uid = any(${[...uids]}::uuid[]) and l.visibility = 'public'`
}

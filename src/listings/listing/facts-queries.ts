import { isAnyOf, type Sql, type Tx } from '../../core/database/sql.ts'
import { currentPrice } from '../editions/queries.ts'
import { editorEngines, type PackageShape, packageTypes } from '../fields/editor.ts'
import type { AssetType, Visibility } from '../fields/fields.ts'
import type { ListingFacts } from './check.ts'
import { newestStableBuild } from './newest-build-queries.ts'

const dimensionsOf = (sql: Sql | Tx, slot: 'cover' | 'thumbnail') => sql`
  json_agg(json_build_object('width', i.width, 'height', i.height))
    filter (where i.slot = ${slot}) -> 0`

/** The facts about images, as one object: each subquery more costs as much again. */
const imageFacts = (sql: Sql | Tx) => sql`
  (
    select json_build_object(
      'cover', ${dimensionsOf(sql, 'cover')},
      'thumbnail', ${dimensionsOf(sql, 'thumbnail')},
      'gallery', count(*) filter (where i.slot = 'gallery')
    )
    from listing_images i
    where i.game_uid = l.uid
  )`

/** Withdrawn builds count: a public page stays valid when its only build is withdrawn. */
const cleanBuildCount = (sql: Sql | Tx) => sql`
  (
    select count(distinct f.build_uid)::int
    from files f
    where f.game_uid = l.uid and f.scan in ('clean', 'withdrawn')
  )`

/** The newest stable build for browsers, once it was checked. */
const webBuild = (sql: Sql | Tx) => sql`
  (
    select json_build_object(
      'problem', f.web_problem, 'detail', f.web_detail, 'warnings', f.web_warnings)
    from clean_stable_files s
    join files f on f.uid = s.uid
    where s.game_uid = l.uid and s.os = 'web' and f.web_limits is not null
    order by s.uploaded_at desc, s.uid desc
    limit 1
  )`

/** Whether editors can install a build `b` of the listing: it is made for an editor engine. */
const isForEditor = (sql: Sql | Tx) => sql`
  (b.engine_version is not null or exists (
    select
    from listing_engine_ranges r
    where r.game_uid = l.uid and r.engine = any(${[...editorEngines]})
  ))`

/**
 * The newest stable zip of each listing that editors could install. Only for those: finding the
 * newest build takes longer than all other facts.
 */
async function readPackageShapes(
  sql: Sql | Tx,
  rows: readonly FactsRow[],
): Promise<Map<string, PackageShape>> {
  const uids = rows.filter(({ asset_type }) => isPackageType(asset_type)).map(({ uid }) => uid)
  if (!uids.length) return new Map()
  const shapes = await sql<(PackageShape & { uid: string })[]>`
    select l.uid, shape.has_project_file, shape.has_wrapper, shape.has_folders
    from listings l
    cross join lateral (
      select f.has_project_file, f.has_wrapper, f.has_folders
      from builds b
      join files f on f.build_uid = b.uid
      where b.uid = ${newestStableBuild(sql, sql`l.uid`)}
        and f.scan = 'clean' and f.has_folders is not null
        and ${isForEditor(sql)}
      order by f.uploaded_at desc, f.uid desc
      limit 1
    ) shape
    where ${isAnyOf(sql, sql`l.uid`, uids)}`
  return new Map(shapes.map(({ uid, ...shape }) => [uid, shape]))
}

const isPackageType = (type: AssetType) => packageTypes.some((name) => name === type)

type FactsRow = Omit<ListingFacts, 'editor_package' | keyof ImageFacts> & {
  uid: string
  visibility: Visibility
  images: ImageFacts
}
type ImageFacts = Pick<ListingFacts, 'cover' | 'thumbnail' | 'gallery'>
type Facts = ListingFacts & { visibility: Visibility }

const selectFacts = (sql: Sql | Tx) => sql`
  select l.uid, l.visibility, l.asset_type, l.tagline, l.tags, l.genres, l.inputs, l.engines,
    l.session_bucket, l.net, l.players_min, l.players_max,
    l.parent_uid is not null or l.parent_external_name is not null as has_parent,
    ${imageFacts(sql)} as images,
    ${cleanBuildCount(sql)} as clean_builds,
    (select count(*)::int from listing_similar s where s.game_uid = l.uid) as similar,
    ${webBuild(sql)} as web_build
  from listings l`

async function completeFacts(
  sql: Sql | Tx,
  rows: readonly FactsRow[],
): Promise<Map<string, Facts>> {
  const shapes = await readPackageShapes(sql, rows)
  return new Map(
    rows.map(({ uid, images, ...facts }) => [
      uid,
      { ...facts, ...images, editor_package: shapes.get(uid) ?? null },
    ]),
  )
}

/**
 * Reads everything that the listing check depends on, and the visibility. Undefined for a listing
 * that no longer exists.
 */
export async function findFacts(sql: Sql | Tx, uid: string): Promise<Facts | undefined> {
  const rows = await sql<FactsRow[]>`
    ${selectFacts(sql)}
    where l.uid = ${uid}`
  return (await completeFacts(sql, rows)).get(uid)
}

/** Reads the facts of a listing that exists. */
export async function readFacts(sql: Sql | Tx, uid: string): Promise<Facts> {
  return (await findFacts(sql, uid))!
}

/** Reads the facts of many listings, without an entry for those that no longer exist. */
export async function readManyFacts(
  sql: Sql | Tx,
  uids: readonly string[],
): Promise<Map<string, ListingFacts>> {
  const rows = await sql<FactsRow[]>`
    ${selectFacts(sql)}
    where ${isAnyOf(sql, sql`l.uid`, uids)}`
  return completeFacts(sql, rows)
}

/** Whether a listing is public with a price, and its owner has no account to be paid into. */
export async function isUnpayable(tx: Tx, uid: string): Promise<boolean> {
  const [row] = await tx`
    select from listings l
    where l.uid = ${uid} and l.visibility = 'public' and ${currentPrice(tx)} > 0
      and not exists (
        select from payment_accounts a
        where a.user_uid = l.owner_uid and a.charges_enabled
      )`
  return row !== undefined
}

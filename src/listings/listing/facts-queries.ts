import type { Sql, Tx } from '../../core/database/sql.ts'
import { editorEngines } from '../fields/editor.ts'
import type { ListingFacts } from './check.ts'
import { newestStableBuild } from './newest-build-queries.ts'

const dimensionsOf = (sql: Sql | Tx, slot: 'cover' | 'thumbnail') => sql`
  (
    select json_build_object('width', i.width, 'height', i.height)
    from listing_images i
    where i.game_uid = l.uid and i.slot = ${slot}
  )`

const galleryCount = (sql: Sql | Tx) => sql`
  (
    select count(*)::int
    from listing_images i
    where i.game_uid = l.uid and i.slot = 'gallery'
  )`

const cleanBuildCount = (sql: Sql | Tx) => sql`
  (
    select count(distinct f.build_uid)::int
    from files f
    where f.game_uid = l.uid and f.scan = 'clean'
  )`

/** Whether editors can install a build `b` of the listing: it is made for an editor engine. */
const isForEditor = (sql: Sql | Tx) => sql`
  (b.engine_version is not null or exists (
    select
    from listing_engine_ranges r
    where r.game_uid = l.uid and r.engine = any(${[...editorEngines]})
  ))`

const editorPackageShape = (sql: Sql | Tx) => sql`
  (
    select json_build_object(
      'has_project_file', f.has_project_file, 'has_wrapper', f.has_wrapper,
      'has_folders', f.has_folders
    )
    from builds b
    join files f on f.build_uid = b.uid
    where b.uid = ${newestStableBuild(sql, sql`l.uid`)}
      and f.scan = 'clean' and f.has_folders is not null
      and ${isForEditor(sql)}
    order by f.uploaded_at desc, f.uid desc
    limit 1
  )`

/** Reads everything that the listing check depends on. */
export async function readFacts(sql: Sql | Tx, uid: string): Promise<ListingFacts> {
  return (await readManyFacts(sql, [uid])).get(uid)!
}

/** Reads the facts of many listings, without an entry for those that no longer exist. */
export async function readManyFacts(
  sql: Sql | Tx,
  uids: readonly string[],
): Promise<Map<string, ListingFacts>> {
  const rows = await sql<(ListingFacts & { uid: string })[]>`
    select l.uid, l.asset_type, l.tagline, l.tags, l.genres, l.inputs, l.engines,
      l.session_bucket, l.net, l.players_min, l.players_max,
      l.parent_uid is not null or l.parent_external_name is not null as has_parent,
      ${dimensionsOf(sql, 'cover')} as cover,
      ${dimensionsOf(sql, 'thumbnail')} as thumbnail,
      ${galleryCount(sql)} as gallery,
      ${cleanBuildCount(sql)} as clean_builds,
      (select count(*)::int from listing_similar s where s.game_uid = l.uid) as similar,
      ${editorPackageShape(sql)} as editor_package
    from listings l
    where l.uid = any(${[...uids]}::uuid[])`
  return new Map(rows.map(({ uid, ...facts }) => [uid, facts]))
}

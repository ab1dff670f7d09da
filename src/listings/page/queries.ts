import type { PendingQuery, Row } from 'postgres'
import { acceptedAdmins, isEditor } from '../../accounts/people/role-queries.ts'
import { isoTime, type Sql, type Tx } from '../../core/database/sql.ts'
import { currentPrice, type EditionRow } from '../editions/queries.ts'
import type { CompatRange } from '../fields/engine-versions.ts'
import type { AssetType, Visibility } from '../fields/fields.ts'
import type { LaunchBand } from '../fields/launch-bands.ts'
import type { StorePlatform } from '../fields/store-links.ts'
import { launchBandOf } from '../listing/launch-band-queries.ts'
import { type Listing, listingColumns } from '../listing/queries.ts'
import { listingUids } from '../listing/ref-queries.ts'
import {
  whereForEveryone,
  whereNameable,
  wherePublic,
  whereSearchable,
} from '../listing/visibility-queries.ts'
import type { ImageType, MediaKind } from '../media/image-rules.ts'
import { imageColumn } from '../media/queries.ts'
import type { OfferFacts } from '../prices/offers.ts'
import { offerFacts, saleChanges } from '../prices/queries.ts'
import { engineRanges } from '../relations/engine-range-queries.ts'
import type { ModdedGame } from '../relations/mod-compat.ts'
import { moddedGames } from '../relations/mod-compat-queries.ts'
import { modTypes } from '../relations/mod-settings.ts'
import type { DependencyKind } from '../relations/relations.ts'
import { type TrailerRow, trailersColumn } from '../trailers/queries.ts'

/** What decides who may open a page, and whether a cached copy is current. */
export type PageState = {
  uid: string
  vanity_name: string
  freshness: string
  visibility: Visibility
  owner_uid: string
  adult: boolean
  is_priced: boolean
  accepted_admin_uids: string[]
  /** The languages that its texts are translated into. */
  translation_codes: string[]
}

/**
 * The same as the function `page_freshness`. The database cannot inline the function, and starting
 * its query costs several times what the query does.
 */
export const pageFreshness = (sql: Sql | Tx) => sql`
  (
    select l.version || '.' || coalesce(sum(c.seq), 0) || '.' || coalesce(max(c.seq), 0) || '.' || (
      select count(*)
      from channels e
      where e.game_uid = l.uid and e.expires_at <= now()
    ) || '.' || ${saleChanges(sql)}
    from listing_changes c
    where c.game_uid = l.uid
  )`

/** The states of many pages at once: requests that arrive together share one query. */
export async function readPageStates(sql: Sql, refs: readonly string[]): Promise<PageState[]> {
  return sql<PageState[]>`
    select l.uid, l.vanity_name, l.visibility, l.owner_uid, l.adult,
      l.price_cents > 0 as is_priced, ${pageFreshness(sql)} as freshness,
      array(${acceptedAdmins(sql, sql`l.uid`)}) as accepted_admin_uids,
      array(select jsonb_object_keys(l.translations)) as translation_codes
    from ${listingUids(sql, refs)} r
    join listings l using (uid)`
}

/** Who sees that a listing has children: everyone, viewers who opted in to adult ones, nobody. */
export type ChildAudience = 'everyone' | 'adults' | null
export type Linked = { uid: string; vanity_name: string; name: string; asset_type: AssetType }
export type PageImage = {
  uid: string
  slot: MediaKind
  sha256: string
  type: ImageType
  position: number
  alt: string
}
export type PageFile = {
  uid: string
  build_id: string
  app: string
  version: string
  os: string
  arch: string
  channel: string
  filename: string
  size: number
  checksum: string
  scan: 'clean' | 'scanning'
  /** Only of builds for browsers. */
  playable?: boolean
  isolated?: boolean
  provenance: { method: string; key_ref?: string }
  uploaded_at: string
}
export type PageChange = {
  version: string
  title: string
  description: string
  items: { title: string; description: string }[]
  channel: string
  created_at: string
}
/** What answers about the parent and the children of a listing are made from. */
export type ParentAndChildrenRow = Pick<Listing, 'parent_external_name' | 'parent_external_url'> & {
  parent_game: Linked | null
  /** The uid of the parent for those who run the listing, also when they may not see the parent. */
  run_parent_uid?: string | null
  mods_audience: ChildAudience
  tools_audience: ChildAudience
}
export type PageRow = Omit<Listing, 'asset_id'> &
  ParentAndChildrenRow & {
    freshness: string
    developer: { uid: string; username: string }
    own_price_cents: number
    offer_facts: OfferFacts
    images: PageImage[]
    trailers: TrailerRow[]
    uses: (Linked & { kind: DependencyKind })[]
    used_by: (Linked & { kind: DependencyKind })[]
    similar: Linked[]
    community_tags: string[]
    health: LaunchBand
    modded_games: ModdedGame[]
    files: PageFile[]
    platforms: string[]
    changelog: PageChange[]
    editions: EditionRow[]
    engine_compat: CompatRange[]
    store_links: { platform: StorePlatform; url: string }[]
  }

const linked = (sql: Sql | Tx) =>
  sql`'uid', o.uid, 'vanity_name', o.vanity_name, 'name', o.name, 'asset_type', o.asset_type`

const NEWEST_CHANGES = 10
/** Thousands of listings may use a popular tool, so its page shows only the newest of them. */
const NEWEST_DEPENDENTS = 100

/**
 * Files that players see: those the stable channel points at while it has not expired, and those
 * still being scanned for it.
 */
export const forPlayers = (sql: Sql | Tx) => sql`
  f.game_uid = l.uid
  and (
    (f.scan = 'scanning' and f.channel = 'stable')
    or (f.scan = 'clean' and exists (
      select
      from channel_heads h
      where h.build_uid = f.build_uid and h.channel = 'stable' and h.os = f.os and h.arch = f.arch
        and not exists (
          select
          from channels c
          where c.game_uid = h.game_uid and c.app = h.app and c.channel = h.channel
            and c.expires_at <= now()
        )
    ))
  )`

/** Builds of the main app that are or were on the stable channel and have a clean file. */
const releasedBuilds = (sql: Sql | Tx) => sql`
  select distinct on (b.version)
    b.version, b.title, b.description, b.changelog_items, b.created_at
  from builds b
  where b.game_uid = l.uid and b.app = ''
    and (b.channel = 'stable' or exists (
      select from channel_heads h where h.build_uid = b.uid and h.channel = 'stable'
    ))
    and exists (select from files f where f.build_uid = b.uid and f.scan = 'clean')
  order by b.version, b.created_at desc`

/** The newest versions of the main app; a version on several platforms is one entry. */
export const changelog = (sql: Sql | Tx) => sql`
  coalesce((
    select json_agg(json_build_object(
      'version', c.version, 'title', c.title, 'description', c.description,
      'items', c.changelog_items, 'channel', 'stable',
      'created_at', ${isoTime(sql, sql`c.created_at`)}
    ) order by c.created_at desc)
    from (
      select newest.version, newest.title, newest.description,
        newest.changelog_items, newest.created_at
      from (${releasedBuilds(sql)}) newest
      order by newest.created_at desc
      limit ${NEWEST_CHANGES}
    ) c
  ), '[]')`

const images = (sql: Sql | Tx) => sql`
  coalesce((
    select json_agg(json_build_object(
      'uid', i.uid, 'slot', i.slot, 'sha256', i.sha256, 'type', i.type, 'position', i.position,
      'alt', i.alt
    ) order by i.position)
    from listing_images i
    where i.game_uid = l.uid
  ), '[]')`

type Fragment = PendingQuery<Row[]>

/** Other listings `o` that the page of `l` may name: public, and adult ones only on adult pages. */
export const whereNamedOnPage = (sql: Sql | Tx) => whereSearchable(sql, sql`l.adult`, 'o')

/**
 * Whether a viewer may see the parent `o` of `l`: anyone may see one whose page opens for everyone,
 * adult ones only on adult pages or as an editor of `l`; its editors see it in every visibility.
 */
const whereParentSeen = (sql: Sql | Tx, viewer_uid: string | null) => {
  const open = sql`o.visibility in ('invisible', 'public')`
  return viewer_uid === null
    ? sql`${open} and (not o.adult or l.adult)`
    : sql`(
        (${open} and (not o.adult or l.adult or ${isEditor(sql, viewer_uid)}))
        or ${isEditor(sql, viewer_uid, 'o')}
      )`
}

/** The uid of the parent of `l` for its editors, who may send it back. */
const runParentUid = (sql: Sql | Tx, viewer_uid: string | null) =>
  viewer_uid === null
    ? sql`null`
    : sql`(
        select o.uid
        from listings o
        where o.uid = l.parent_uid and ${isEditor(sql, viewer_uid)}
      )`

/** Whether a person edits this listing or its parent, and so may see more of the parent. */
export async function editsListingOrParent(
  sql: Sql,
  uid: string,
  user_uid: string,
): Promise<boolean> {
  const rows = await sql`
    select
    from listings l
    join listings o on o.uid = l.parent_uid
    where l.uid = ${uid} and (${isEditor(sql, user_uid)} or ${isEditor(sql, user_uid, 'o')})`
  return rows.length > 0
}

/** The listing that is the parent of `l`, if the condition `may_name` accepts it. */
export const parentGame = (sql: Sql | Tx, may_name: Fragment) => sql`
  (
    select json_build_object(${linked(sql)})
    from listings o
    where o.uid = l.parent_uid and ${may_name}
  )`

const childAudience = (sql: Sql | Tx, types: AssetType[]) => sql`
  (
    select case when ${whereForEveryone(sql, 'o')} then 'everyone' else 'adults' end
    from listings o
    where o.parent_uid = l.uid and ${wherePublic(sql, 'o')} and o.asset_type = any(${types})
    order by o.adult
    limit 1
  )`

const dependencies = (sql: Sql | Tx, may_name: Fragment) => sql`
  coalesce((
    select json_agg(json_build_object(${linked(sql)}, 'kind', d.kind) order by d.position)
    from listing_dependencies d
    join listings o on o.uid = d.target_uid and ${may_name}
    where d.game_uid = l.uid
  ), '[]')`

const dependents = (sql: Sql | Tx) => sql`
  coalesce((
    select json_agg(
      json_build_object(${linked(sql)}, 'kind', o.kind) order by o.published_at desc, o.uid
    )
    from (
      select o.uid, o.vanity_name, o.name, o.asset_type, o.published_at, d.kind
      from listing_dependencies d
      join listings o on o.uid = d.game_uid and ${whereNamedOnPage(sql)}
      where d.target_uid = l.uid
      order by o.published_at desc, o.uid
      limit ${NEWEST_DEPENDENTS}
    ) o
  ), '[]')`

const similarTitles = (sql: Sql | Tx, may_name: Fragment) => sql`
  coalesce((
    select json_agg(json_build_object(${linked(sql)}) order by s.position)
    from listing_similar s
    join listings o on o.uid = s.similar_uid and o.asset_type = 'game' and ${may_name}
    where s.game_uid = l.uid
  ), '[]')`

/** Whether a file `f` of a build `b` runs in the browser; null unless it is made for browsers. */
export const isPlayable = (sql: Sql | Tx) => sql`
  case when f.os = 'web' then f.scan = 'clean' and b.app = '' and f.web_problem is null end`

/** Whether it does so in a page of its own process, which threads need. */
export const isIsolated = (sql: Sql | Tx) => sql`
  case when f.os = 'web' then not exists (
    select from play_unisolated_builds x where x.build_uid = b.uid) end`

const files = (sql: Sql | Tx) => sql`
  coalesce((
    select json_agg(json_strip_nulls(json_build_object(
      'uid', f.uid, 'build_id', f.build_uid, 'app', b.app, 'version', b.version,
      'os', f.os, 'arch', f.arch, 'channel', 'stable',
      'filename', f.filename, 'size', f.size, 'checksum', f.checksum, 'scan', f.scan,
      'playable', ${isPlayable(sql)}, 'isolated', ${isIsolated(sql)},
      'provenance', json_build_object('method', f.method, 'key_ref', f.key_ref),
      'uploaded_at', ${isoTime(sql, sql`f.uploaded_at`)}
    )) order by f.uploaded_at desc, f.uid)
    from files f
    join builds b on b.uid = f.build_uid
    where ${forPlayers(sql)}
  ), '[]')`

const editionsOf = (sql: Sql | Tx, may_name: Fragment, is_editor: boolean) => sql`
  coalesce((
    select json_agg(json_build_object(
      'uid', e.uid, 'slug', e.slug, 'name', e.name, 'description', e.description,
      'kind', e.kind, 'price_cents', e.price_cents, 'active', e.active,
      'sort_order', e.sort_order,
      'bundle_asset_uids', array(
        select o.uid from listings o where o.uid = any (e.bundle_uids) and ${may_name}
      )
    ) order by e.sort_order, e.price_cents, e.uid)
    from editions e
    where e.game_uid = l.uid and (e.active or ${is_editor})
  ), '[]')`

const storeLinks = (sql: Sql | Tx) => sql`
  coalesce((
    select json_agg(json_build_object('platform', k.platform, 'url', k.url) order by k.platform)
    from listing_store_links k
    where k.game_uid = l.uid
  ), '[]')`

/** The systems for which players can download a clean file. Some files name none. */
export const platforms = (sql: Sql | Tx) => sql`
  array(
    select distinct f.os
    from files f
    where ${forPlayers(sql)} and f.scan = 'clean' and f.os <> ''
    order by f.os
  )`

const communityTags = (sql: Sql | Tx) => sql`
  coalesce((
    select json_agg(c.tag order by c.position)
    from shown_community_tags c
    where c.game_uid = l.uid
  ), '[]')`

/** The columns of a ParentAndChildrenRow that the columns of a listing do not include. */
export const parentAndChildrenColumns = (sql: Sql | Tx, may_see_parent: Fragment) => sql`
  ${parentGame(sql, may_see_parent)} as parent_game,
  ${childAudience(sql, childKinds.mods)} as mods_audience,
  ${childAudience(sql, childKinds.tools)} as tools_audience`

/** The columns that name other listings, which are those that `may_name` accepts. */
const relationColumns = (sql: Sql | Tx, may_name: Fragment) => sql`
  ${dependencies(sql, may_name)} as uses,
  ${dependents(sql)} as used_by,
  ${similarTitles(sql, may_name)} as similar`

/** The systems for which players can download a clean file. Some files name none. */
const systemsOf = (files: PageFile[]) =>
  [...new Set(files.flatMap(({ scan, os }) => (scan === 'clean' && os ? [os] : [])))].sort()

async function readModdedGames(sql: Sql | Tx, uid: string, may_name: Fragment) {
  const [row] = await sql<{ games: ModdedGame[] }[]>`
    select ${moddedGames(sql, may_name, ['stable'])} as games
    from listings l
    where l.uid = ${uid}`
  return row?.games ?? []
}

/**
 * Everything a page shows, in one query, and for a mod a second one. The database prepares every
 * part of a query at each call, also those that most listings have no use for. An editor of the
 * page (`editor_uid`) also sees editions that are not active. The parent is shown as the viewer may
 * see it.
 */
export async function readPage(
  sql: Sql | Tx,
  uid: string,
  editor_uid: string | null,
  viewer_uid = editor_uid,
): Promise<PageRow | undefined> {
  const may_name = editor_uid ? whereNameable(sql, editor_uid, 'o') : whereNamedOnPage(sql)
  const [row] = await sql<Omit<PageRow, 'platforms' | 'modded_games'>[]>`
    select ${listingColumns(sql)},
      ${pageFreshness(sql)} as freshness,
      json_build_object('uid', u.uid, 'username', u.username) as developer,
      l.price_cents as own_price_cents,
      ${currentPrice(sql)} as price_cents,
      ${offerFacts(sql)} as offer_facts,
      ${images(sql)} as images,
      ${trailersColumn(sql)} as trailers,
      ${parentAndChildrenColumns(sql, whereParentSeen(sql, viewer_uid))},
      ${runParentUid(sql, viewer_uid)} as run_parent_uid,
      ${relationColumns(sql, may_name)},
      ${files(sql)} as files,
      ${changelog(sql)} as changelog,
      ${launchBandOf(sql)} as health,
      ${communityTags(sql)} as community_tags,
      ${editionsOf(sql, may_name, editor_uid !== null)} as editions,
      ${engineRanges(sql)} as engine_compat,
      ${storeLinks(sql)} as store_links
    from listings l
    join users u on u.uid = l.owner_uid
    where l.uid = ${uid}`
  if (!row) return undefined
  const is_mod = modTypes.includes(row.asset_type)
  return {
    ...row,
    platforms: systemsOf(row.files),
    modded_games: is_mod ? await readModdedGames(sql, uid, may_name) : [],
  }
}

export const childKinds: { mods: AssetType[]; tools: AssetType[] } = {
  mods: ['mod', 'plugin'],
  tools: ['tool', 'application'],
}

/** Whether a listing has adult children of each kind that a person runs. */
export type AdultChildren = { mods: boolean; tools: boolean }

/** For each of these listings that has any: the public adult children that a person runs. */
export async function readOwnAdultChildren(
  sql: Sql,
  user_uid: string,
  parent_uids: string[],
): Promise<Map<string, AdultChildren>> {
  const rows = await sql<(AdultChildren & { uid: string })[]>`
    select o.parent_uid as uid,
      bool_or(o.asset_type = any(${childKinds.mods})) as mods,
      bool_or(o.asset_type = any(${childKinds.tools})) as tools
    from listings o
    where o.parent_uid = any(${parent_uids}::uuid[])
      and ${wherePublic(sql, 'o')}
      and o.adult
      and ${isEditor(sql, user_uid, 'o')}
    group by o.parent_uid`
  return new Map(rows.map(({ uid, ...kinds }) => [uid, kinds]))
}

export type Child = Linked & {
  tagline: string
  price_cents: number
  adult: boolean
  owner_uid: string
  username: string
  same_creator: boolean
  thumbnail: PageImage | null
}

/**
 * Public children of a listing, newest first; adult ones only for viewers who opted in or run them.
 */
export async function readChildren(
  sql: Sql,
  parent: { uid: string; owner_uid: string },
  filter: { types: AssetType[]; viewer: { user_uid: string; show_adult: boolean } | null },
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: Child[]; total: number }> {
  const { types, viewer } = filter
  const sees_adult = viewer !== null && (viewer.show_adult || isEditor(sql, viewer.user_uid, 'o'))
  const children = sql`
    from listings o
    join users u on u.uid = o.owner_uid
    where o.parent_uid = ${parent.uid}
      and ${whereSearchable(sql, sees_adult, 'o')}
      and o.asset_type = any(${types})`
  const [rows, [count]] = await Promise.all([
    sql<Child[]>`
      select o.uid, o.vanity_name, o.name, o.asset_type, o.tagline, o.adult,
        o.owner_uid, u.username, o.owner_uid = ${parent.owner_uid} as same_creator,
        ${currentPrice(sql, 'o')} as price_cents,
        ${imageColumn(sql, 'thumbnail', 'o')} as thumbnail
      ${children}
      order by o.published_at desc, o.uid
      limit ${limit} offset ${offset}`,
    sql`select count(*)::int as total ${children}`,
  ])
  return { rows, total: count!.total }
}

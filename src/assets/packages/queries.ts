import { isAmongOwnListings, isVerified } from '../../accounts/people/role-queries.ts'
import type { Sql } from '../../core/database/sql.ts'
import { ratingPercent } from '../../library/review-queries.ts'
import { currentPrice } from '../../listings/editions/queries.ts'
import { packageTypes } from '../../listings/fields/editor.ts'
import type { CompatRange } from '../../listings/fields/engine-versions.ts'
import type { AssetType, LicenseKind, Visibility } from '../../listings/fields/fields.ts'
import { whereOpenToEditor, whereSearchable } from '../../listings/listing/visibility-queries.ts'

export type Viewer = { user_uid: string; show_adult: boolean } | null

/** A version as the database returns it. It is read as JSON, so timestamps are text. */
export type VersionRow = {
  uid: string
  version: string
  created_at: string
  engine_version: string | null
  description: string
  changelog_items: { title?: string; description?: string }[]
  os: string
  file_uid: string
  filename: string
  checksum: string
  has_project_file: boolean | null
  /** The number of builds up to and including this one. */
  number: number
}

export type PackageRow = {
  uid: string
  asset_id: number
  name: string
  tagline: string
  description: string
  asset_type: AssetType
  visibility: Visibility
  adult: boolean
  vanity_name: string
  license_kind: LicenseKind | null
  anonymous_downloads: boolean
  tags: string[]
  demo_url: string
  created_at: Date
  updated_at: Date
  owner_uid: string
  owner_username: string
  owner_verified: boolean
  author_id: number
  price_cents: number
  editions: number
  is_manager: boolean
  has_copy: boolean
  /** The average review in percent. Reviews of free copies count only if the package is free. */
  rating: number
  thumbnail: string | null
  gallery: string[]
  ranges: Pick<CompatRange, 'engine' | 'min_version' | 'max_version'>[]
  versions: VersionRow[]
}

/** Whether the viewer manages the listing. */
const isManager = (sql: Sql, viewer: Viewer) => whereOpenToEditor(sql, viewer?.user_uid ?? null)

type Columns = {
  /** False leaves out the description, which lists do not show. */
  with_description?: boolean
  /**
   * The most characters of release notes to read per version. None by default, because a package
   * may have many versions with long notes, which few requests need.
   */
  max_notes?: number
}

const columns = (
  sql: Sql,
  viewer: Viewer,
  { with_description = true, max_notes = 0 }: Columns = {},
) => sql`
  l.uid, l.asset_id, l.name, l.tagline,
  ${with_description ? sql`l.description` : sql`''`} as description,
  l.asset_type, l.visibility, l.adult, l.vanity_name, l.license_kind,
  l.anonymous_downloads, l.tags, l.demo_url, l.created_at,
  ${updatedAt(sql)} as updated_at,
  ${ownerColumns(sql)},
  ${currentPrice(sql)} as price_cents,
  (select count(*)::int from editions e where e.game_uid = l.uid and e.active) as editions,
  ${isManager(sql, viewer)} as is_manager,
  ${hasCopy(sql, viewer)} as has_copy,
  ${ratingPercent(sql)} as rating,
  ${thumbnail(sql)} as thumbnail,
  ${gallery(sql)} as gallery,
  ${ranges(sql)} as ranges,
  ${versions(sql, max_notes)} as versions`

/** The last edit of the listing or upload of a version. */
const updatedAt = (sql: Sql) => sql`
  greatest(
    l.updated_at,
    (select max(v.uploaded_at) from package_versions v where v.game_uid = l.uid)
  )`

const ownerColumns = (sql: Sql) => sql`
  l.owner_uid, u.username as owner_username, ${isVerified(sql)} as owner_verified, u.author_id`

const hasCopy = (sql: Sql, viewer: Viewer) => sql`
  exists (
    select
    from licences o
    where o.game_uid = l.uid and o.user_uid = ${viewer?.user_uid ?? null}
  )`

const thumbnail = (sql: Sql) => sql`
  (
    select i.sha256
    from listing_images i
    where i.game_uid = l.uid and i.slot = 'thumbnail'
  )`

const gallery = (sql: Sql) => sql`
  array(
    select i.sha256
    from listing_images i
    where i.game_uid = l.uid and i.slot = 'gallery'
    order by i.position
  )`

const ranges = (sql: Sql) => sql`
  coalesce((
    select json_agg(
      json_build_object(
        'engine', r.engine, 'min_version', r.min_version, 'max_version', r.max_version)
      order by r.position)
    from listing_engine_ranges r
    where r.game_uid = l.uid
  ), '[]')`

const versions = (sql: Sql, max_notes: number) => sql`
  coalesce((
    select json_agg(json_build_object(
      'uid', v.uid, 'version', v.version, 'created_at', v.created_at,
      'engine_version', v.engine_version,
      'description', ${max_notes ? sql`left(v.description, ${max_notes})` : sql`''`},
      'changelog_items', ${max_notes ? firstItems(sql, max_notes) : sql`'[]'::jsonb`},
      'os', v.os, 'file_uid', v.file_uid, 'filename', v.filename,
      'checksum', v.checksum, 'has_project_file', v.has_project_file,
      'number', ${buildNumber(sql)}))
    from package_versions v
    where v.game_uid = l.uid
  ), '[]')`

/** The number of builds up to and including a version `v`. */
const buildNumber = (sql: Sql) => sql`
  (
    select count(*)
    from builds b
    where b.game_uid = l.uid and b.app = '' and b.created_at <= v.created_at
  )`

/**
 * Reads no more changelog items than could fit. The limit is generous because an item is longer as
 * JSON than its text, though seldom more than twice as long.
 */
const firstItems = (sql: Sql, max_notes: number) => sql`
  (
    select coalesce(jsonb_agg(i.item order by i.place), '[]')
    from (
      select item, place, sum(length(item::text)) over (order by place) as size
      from jsonb_array_elements(v.changelog_items) with ordinality as every (item, place)
    ) i
    where i.size <= ${max_notes * 4}::int)`

/** Public, by a verified author, and not for adults unless the viewer wants that. */
const isPublic = (sql: Sql, viewer: Viewer) => sql`
  (${whereSearchable(sql, viewer?.show_adult ?? false)} and ${isVerified(sql)})`

/** Public, or managed by the viewer. Every query checks it, because the index may be stale. */
const isOpen = (sql: Sql, viewer: Viewer) => sql`
  l.asset_type = any(${[...packageTypes]})
  and (${isPublic(sql, viewer)} or ${isManager(sql, viewer)})`

export type PackageState = { uid: string; freshness: string }

/** The packages that are public now, with their freshness, which changes with their contents. */
export async function readPackageStates(
  sql: Sql,
  uids: readonly string[],
): Promise<PackageState[]> {
  return sql<PackageState[]>`
    select l.uid, page_freshness(l.uid, l.version) as freshness
    from listings l
    join users u on u.uid = l.owner_uid
    where l.uid = any(${[...uids]}::uuid[]) and ${isPublic(sql, null)}`
}

/** Rows for a list, in the order of the uids, without packages that are hidden from the viewer. */
export async function readPackages(
  sql: Sql,
  uids: readonly string[],
  viewer: Viewer,
): Promise<(PackageRow & PackageState)[]> {
  if (!uids.length) return []
  return sql<(PackageRow & PackageState)[]>`
    select ${columns(sql, viewer, { with_description: false })},
      page_freshness(l.uid, l.version) as freshness
    from unnest(${[...uids]}::uuid[]) with ordinality requested (uid, place)
    join listings l on l.uid = requested.uid
    join users u on u.uid = l.owner_uid
    where ${isOpen(sql, viewer)}
    order by requested.place`
}

export async function readPackageById(
  sql: Sql,
  asset_id: number,
  viewer: Viewer,
): Promise<PackageRow | undefined> {
  const [row] = await sql<PackageRow[]>`
    select ${columns(sql, viewer)}
    from listings l
    join users u on u.uid = l.owner_uid
    where l.asset_id = ${asset_id} and ${isOpen(sql, viewer)}`
  return row
}

export async function readPackageByName(
  sql: Sql,
  { publisher, slug }: { publisher: string; slug: string },
  viewer: Viewer,
  options: Columns = {},
): Promise<PackageRow | undefined> {
  const [row] = await sql<PackageRow[]>`
    select ${columns(sql, viewer, options)}
    from listings l
    join users u on u.uid = l.owner_uid
    where l.vanity_name = ${slug}
      and lower(u.username) = lower(${publisher})
      and ${isOpen(sql, viewer)}`
  return row
}

/** The packages that are visible only to those who manage them. */
export async function readOwnPackages(
  sql: Sql,
  viewer: NonNullable<Viewer>,
  limit: number,
): Promise<PackageRow[]> {
  return sql<PackageRow[]>`
    select ${columns(sql, viewer)}
    from listings l
    join users u on u.uid = l.owner_uid
    where l.asset_type = any(${[...packageTypes]})
      and ${isManager(sql, viewer)}
      and ${isAmongOwnListings(sql, viewer.user_uid)}
      and not ${isPublic(sql, viewer)}
    order by l.updated_at desc, l.uid
    limit ${limit}`
}

/** The newest stable zip that is still being scanned. */
export async function readScanning(sql: Sql, game_uid: string) {
  const [file] = await sql<{ uid: string; build_id: string; filename: string; checksum: string }[]>`
    select f.uid, f.build_uid as build_id, f.filename, f.checksum
    from files f
    join builds b on b.uid = f.build_uid
    where f.game_uid = ${game_uid}
      and f.scan = 'scanning'
      and f.channel = 'stable'
      and b.app = ''
    order by f.uploaded_at desc
    limit 1`
  return file
}

export async function findAuthor(sql: Sql, username: string): Promise<string | undefined> {
  const [row] = await sql<{ uid: string }[]>`
    select uid
    from users
    where lower(username) = lower(${username})`
  return row?.uid
}

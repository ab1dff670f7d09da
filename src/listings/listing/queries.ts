import type { Sql, Tx } from '../../core/database/sql.ts'
import { retention } from '../../core/runtime/retention.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { editorEngines } from '../fields/editor.ts'
import { type AssetType, type FieldValues, fieldNames } from '../fields/fields.ts'
import { fieldColumns, storedColumns } from '../fields/queries.ts'
import type { StoreLink } from '../fields/store-links.ts'
import type { CompatRange } from '../fields/versions.ts'
import type { DependencyKind, Target } from '../relations/relations.ts'
import type { ListingFacts } from './check.ts'

export type Listing = FieldValues & {
  uid: string
  asset_id: number
  owner_uid: string
  price_cents: number
  anonymous_downloads: boolean
  parent_uid: string | null
  parent_external_name: string | null
  parent_external_url: string | null
  mod_install_path: string
  mod_loader: string
  mod_instructions: string
  published_at: Date | null
  public_since: Date | null
  created_at: Date
  updated_at: Date
  version: number
}

/** A listing with the roles of one user in it. */
export type ListingFor = Listing & {
  is_owner: boolean
  is_accepted_admin: boolean
  owner_username: string
  owner_verified: boolean
}

export type NewListing = Pick<
  Listing,
  'uid' | 'owner_uid' | 'vanity_name' | 'name' | 'tagline' | 'description' | 'asset_type'
> &
  Partial<Pick<Listing, 'parent_uid' | 'parent_external_name' | 'parent_external_url'>>

/** Returns false when the vanity name is taken. */
export async function insertListing(sql: Sql | Tx, listing: NewListing): Promise<boolean> {
  const made = await sql`insert into listings ${sql(listing)} on conflict (vanity_name) do nothing`
  return made.count === 1
}

/** Every column of a listing `l`. */
export const listingColumns = (sql: Sql | Tx) => sql`
  l.uid, l.asset_id, l.owner_uid,
  ${fieldColumns(sql, fieldNames)},
  l.price_cents, l.anonymous_downloads,
  l.parent_uid, l.parent_external_name, l.parent_external_url,
  l.mod_install_path, l.mod_loader, l.mod_instructions,
  l.published_at, l.public_since, l.created_at, l.updated_at, l.version`

const named = (sql: Sql | Tx, uid_or_name: string) =>
  isUuid(uid_or_name) ? sql`l.uid = ${uid_or_name}` : sql`l.vanity_name = ${uid_or_name}`

const standing = (sql: Sql | Tx, user_uid: string | null) => sql`
  l.owner_uid is not distinct from ${user_uid}::uuid as is_owner,
  exists (
    select
    from listing_admins a
    where a.game_uid = l.uid and a.user_uid = ${user_uid} and a.accepted_at is not null
  ) as is_accepted_admin,
  (select u.username from users u where u.uid = l.owner_uid) as owner_username,
  (select u.email_verified_at is not null from users u where u.uid = l.owner_uid) as owner_verified`

export async function readListing(
  sql: Sql | Tx,
  uid_or_name: string,
  user_uid: string | null,
): Promise<ListingFor | undefined> {
  const [row] = await sql<ListingFor[]>`
    select ${listingColumns(sql)}, ${standing(sql, user_uid)}
    from listings l
    where ${named(sql, uid_or_name)}`
  return row
}

/**
 * Reads a listing and locks it against changes until the transaction ends. Other transactions may
 * still insert rows that refer to it, because those do not change the listing itself.
 */
export async function lockListing(
  tx: Tx,
  uid_or_name: string,
  user_uid: string | null,
): Promise<ListingFor | undefined> {
  const [row] = await tx<ListingFor[]>`
    select ${listingColumns(tx)}, ${standing(tx, user_uid)}
    from listings l
    where ${named(tx, uid_or_name)}
    for no key update of l`
  return row
}

export type MineRow = Pick<
  Listing,
  'uid' | 'vanity_name' | 'name' | 'asset_type' | 'status' | 'visibility' | 'updated_at'
> & {
  is_owner: boolean
}

/**
 * The listings that a user owns or administers, last edited first. `only` is the project that the
 * user's access key is restricted to.
 */
export async function listMine(
  sql: Sql,
  user_uid: string,
  only: string | null,
  { limit, offset }: { limit: number; offset: number },
) {
  const ownListings = sql`
    from listings l
    where (
        l.owner_uid = ${user_uid}
        or l.uid in (
          select game_uid
          from listing_admins
          where user_uid = ${user_uid} and accepted_at is not null
        )
      )
      and (${only}::uuid is null or l.uid = ${only})`
  const [rows, [counted]] = await Promise.all([
    sql<MineRow[]>`
      select l.uid, l.vanity_name, l.name, l.asset_type, l.status, l.visibility, l.updated_at,
        l.owner_uid = ${user_uid} as is_owner
      ${ownListings}
      order by l.updated_at desc, l.uid
      limit ${limit} offset ${offset}`,
    sql`select count(*)::int as total ${ownListings}`,
  ])
  return { rows, total: counted!.total as number }
}

export type Change = Partial<
  Omit<Listing, 'uid' | 'asset_id' | 'owner_uid' | 'version' | 'created_at' | 'updated_at'>
>

/**
 * Returns false when the new vanity name is taken. The unique constraint decides between concurrent
 * requests for the same name.
 */
export async function updateListing(tx: Tx, uid: string, change: Change): Promise<boolean> {
  if (!Object.keys(change).length) return true
  try {
    await tx.savepoint(
      (attempt) => attempt`
        update listings
        set ${attempt(storedColumns(attempt, change) as Change)}
        where uid = ${uid}`,
    )
    return true
  } catch (error) {
    if ((error as { constraint_name?: string }).constraint_name === 'listings_vanity_name_key')
      return false
    throw error
  }
}

/**
 * Records an edit by the owner or an admin. Other updates of the row leave `updated_at` alone,
 * because readers and the sort order take it as the time of the last edit.
 */
export async function markEdited(tx: Tx, uid: string): Promise<void> {
  await tx`update listings set updated_at = now() where uid = ${uid}`
}

/** Hides public children whose type requires a parent, then deletes the listing. */
export async function deleteListing(
  tx: Tx,
  uid: string,
  needs_parent: readonly AssetType[],
): Promise<void> {
  await tx`
    update listings
    set visibility = 'invisible', public_since = null, parent_uid = null
    where parent_uid = ${uid} and visibility = 'public' and asset_type = any(${[...needs_parent]})`
  await tx`delete from listings where uid = ${uid}`
}

export async function countChildren(tx: Tx, uid: string): Promise<number> {
  const [row] = await tx`select count(*)::int as children from listings where parent_uid = ${uid}`
  return row!.children
}

/** Reads everything that the listing check depends on. */
export async function readFacts(tx: Sql | Tx, uid: string): Promise<ListingFacts> {
  return (await readManyFacts(tx, [uid])).get(uid)!
}

/** Reads the facts of many listings, without an entry for those that no longer exist. */
export async function readManyFacts(
  tx: Sql | Tx,
  uids: readonly string[],
): Promise<Map<string, ListingFacts>> {
  const rows = await tx<(ListingFacts & { uid: string })[]>`
    select l.uid, l.asset_type, l.tagline, l.tags, l.genres, l.inputs, l.engines,
      l.session_bucket, l.net, l.players_min, l.players_max,
      l.parent_uid is not null or l.parent_external_name is not null as has_parent,
      (
        select json_build_object('width', width, 'height', height)
        from listing_images
        where game_uid = l.uid and slot = 'cover'
      ) as cover,
      (
        select json_build_object('width', width, 'height', height)
        from listing_images
        where game_uid = l.uid and slot = 'thumbnail'
      ) as thumbnail,
      (
        select count(*)::int
        from listing_images
        where game_uid = l.uid and slot = 'gallery'
      ) as gallery,
      (
        select count(distinct build_uid)::int
        from files
        where game_uid = l.uid and scan = 'clean'
      ) as clean_builds,
      (select count(*)::int from listing_similar s where s.game_uid = l.uid) as similar,
      (
        select json_build_object(
          'has_project_file', f.has_project_file, 'has_wrapper', f.has_wrapper,
          'has_folders', f.has_folders
        )
        from newest_stable_builds n
        join builds b on b.uid = n.build_uid
        join files f on f.build_uid = b.uid
        where n.game_uid = l.uid and f.scan = 'clean' and f.has_folders is not null
          and (b.engine_version is not null or exists (
            select
            from listing_engine_ranges r
            where r.game_uid = l.uid and r.engine = any(${[...editorEngines]})
          ))
        order by f.uploaded_at desc, f.uid desc
        limit 1
      ) as editor_package
    from listings l
    where l.uid = any(${[...uids]}::uuid[])`
  return new Map(rows.map(({ uid, ...facts }) => [uid, facts]))
}

export type Found = NonNullable<Target> & { owner_uid: string; mine: boolean }

/**
 * Finds listings by uid or vanity name and returns one entry for each reference, in order. The rows
 * are locked against deletion until the transaction ends, and with `still` also against changes.
 */
export async function findListings(
  tx: Tx,
  refs: readonly string[],
  user_uid: string,
  still = false,
): Promise<(Found | null)[]> {
  const uids = refs.filter(isUuid)
  const names = refs.filter((ref) => !isUuid(ref))
  const rows = await tx<(Found & { vanity_name: string })[]>`
    select l.uid, l.vanity_name, l.asset_type, l.visibility, l.owner_uid,
      l.owner_uid = ${user_uid} or exists (
        select
        from listing_admins a
        where a.game_uid = l.uid and a.user_uid = ${user_uid} and a.accepted_at is not null
      ) as mine
    from listings l
    where l.uid = any(${uids}::uuid[]) or l.vanity_name = any(${names})
    order by l.uid
    ${still ? tx`for share of l` : tx`for key share of l`}`
  return refs.map(
    (ref) => rows.find((row) => row.uid === ref.toLowerCase() || row.vanity_name === ref) ?? null,
  )
}

export async function replaceSimilar(tx: Tx, game_uid: string, uids: string[]): Promise<void> {
  await tx`delete from listing_similar where game_uid = ${game_uid}`
  if (uids.length)
    await tx`
      insert into listing_similar
      ${tx(uids.map((similar_uid, position) => ({ game_uid, position, similar_uid })))}`
}

export async function replaceDependencies(
  tx: Tx,
  game_uid: string,
  links: { uid: string; kind: DependencyKind }[],
): Promise<void> {
  await tx`delete from listing_dependencies where game_uid = ${game_uid}`
  if (links.length)
    await tx`
      insert into listing_dependencies
      ${tx(
        links.map(({ uid: target_uid, kind }, position) => ({
          game_uid,
          position,
          target_uid,
          kind,
        })),
      )}`
}

export async function readDependencyLinks(
  tx: Tx,
  game_uid: string,
): Promise<{ uid: string; kind: DependencyKind }[]> {
  return tx<{ uid: string; kind: DependencyKind }[]>`
    select target_uid as uid, kind
    from listing_dependencies
    where game_uid = ${game_uid}
    order by position`
}

export async function replaceRanges(
  tx: Tx,
  game_uid: string,
  ranges: CompatRange[],
): Promise<void> {
  await tx`delete from listing_engine_ranges where game_uid = ${game_uid}`
  if (ranges.length)
    await tx`
      insert into listing_engine_ranges
      ${tx(ranges.map((range, position) => ({ game_uid, position, ...range })))}`
}

export async function replaceStoreLinks(
  tx: Tx,
  game_uid: string,
  links: StoreLink[],
): Promise<void> {
  await tx`delete from listing_store_links where game_uid = ${game_uid}`
  if (links.length)
    await tx`
      insert into listing_store_links
      ${tx(links.map(({ platform, url }) => ({ game_uid, platform, url })))}`
}

export async function readStoreLinks(
  sql: Sql | Tx,
  game_uid: string,
): Promise<{ platform: StoreLink['platform']; url: string }[]> {
  return sql<{ platform: StoreLink['platform']; url: string }[]>`
    select platform, url
    from listing_store_links
    where game_uid = ${game_uid}
    order by platform`
}

/** Locks the listings that were already public at a moment, and returns their uids. */
export async function lockPublicBefore(tx: Tx, moment: Date): Promise<string[]> {
  const rows = await tx<{ uid: string }[]>`
    select uid
    from listings
    where visibility = 'public' and public_since <= ${moment}
    order by uid
    for update`
  return rows.map(({ uid }) => uid)
}

/**
 * The uid of a listing named by uid or vanity name, so that both count as one listing. An unknown
 * name is returned unchanged.
 */
export async function findUid(sql: Sql, uid_or_name: string): Promise<string> {
  if (isUuid(uid_or_name)) return uid_or_name.toLowerCase()
  const [row] = await sql<{ uid: string }[]>`
    select uid from listings where vanity_name = ${uid_or_name}`
  return row?.uid ?? uid_or_name
}

export async function findByMaker(
  sql: Sql,
  username: string,
  vanity_name: string,
): Promise<string | undefined> {
  const [row] = await sql<{ uid: string }[]>`
    select l.uid
    from listings l
    join users u on u.uid = l.owner_uid
    where lower(u.username) = lower(${username}) and l.vanity_name = ${vanity_name}`
  return row?.uid
}

export async function hideListing(tx: Tx, uid: string): Promise<void> {
  await tx`
    update listings
    set visibility = 'invisible', public_since = null
    where uid = ${uid} and visibility = 'public'`
}

/** Deletes the links of one kind, for a listing whose new type does not allow them. */
export async function dropDependencies(
  tx: Tx,
  game_uid: string,
  kind: DependencyKind,
): Promise<void> {
  await tx`delete from listing_dependencies where game_uid = ${game_uid} and kind = ${kind}`
}

export async function sweepChanges(tx: Tx): Promise<void> {
  await tx`
    delete from listing_changes
    where at < now() - ${retention.listing_change_days} * interval '1 day'`
}

/** Replaces the changes of each listing that has more than `most` of them by a single new one. */
export async function joinChanges(tx: Tx, most: number): Promise<void> {
  await tx`
    with crowded as (
      select game_uid
      from listing_changes
      group by game_uid
      having count(*) > ${most}
    ),
    gone as (
      delete from listing_changes c
      using crowded
      where c.game_uid = crowded.game_uid
    )
    insert into listing_changes (game_uid)
    select game_uid
    from crowded`
}

import type { Sql, Tx } from '../core/database/sql.ts'
import { transact } from '../core/database/transaction.ts'
import { isUuid } from '../core/security/crypto.ts'
import { currentPrice } from '../listings/editions/queries.ts'
import { isListing } from '../listings/listing/queries.ts'
import { whereReleased } from '../listings/listing/visibility-queries.ts'
import type { ImageType } from '../listings/media/image-rules.ts'
import { imageColumn } from '../listings/media/queries.ts'
import type { CopySource, Holding, LibraryPart, LibrarySort } from './copies.ts'

export type Copy = { game_uid: string; source: CopySource; created_at: Date }
/** The edition of a copy; it may no longer be for sale. */
export type CopyEdition = { edition_uid: string | null; edition_kind: string | null }
export type HoldingRow = Holding & CopyEdition & { created_at: Date | null; play_seconds: number }

/** Undefined when the listing itself is gone. */
export async function readHolding(
  sql: Sql | Tx,
  user_uid: string,
  game_uid: string,
): Promise<HoldingRow | undefined> {
  const [row] = await sql<HoldingRow[]>`
    select o.source, o.created_at, o.edition_uid, o.edition_kind,
      coalesce(p.seconds, 0) as play_seconds, ${currentPrice(sql)} > 0 as is_paid
    from listings l
    left join licences o on o.game_uid = l.uid and o.user_uid = ${user_uid}
    left join play_time p on p.game_uid = l.uid and p.user_uid = ${user_uid}
    where l.uid = ${game_uid}`
  return row
}

/** The listing that a person has a copy of, whatever the visibility of its page. */
export async function findCopy(
  sql: Sql | Tx,
  user_uid: string,
  uid_or_name: string,
): Promise<{ uid: string } | undefined> {
  const [row] = await sql<{ uid: string }[]>`
    select l.uid
    from licences o
    join listings l on l.uid = o.game_uid
    where o.user_uid = ${user_uid} and ${isListing(sql, uid_or_name)}`
  return row
}

/**
 * Adds a free copy. False when there already is one, or the listing is not released or not free;
 * the statement itself decides, so no concurrent change can interfere.
 */
export async function insertFreeCopy(
  sql: Sql | Tx,
  user_uid: string,
  game_uid: string,
): Promise<boolean> {
  const { count } = await sql`
    insert into licences (user_uid, game_uid, source)
    select ${user_uid}, l.uid, 'free'
    from listings l
    where l.uid = ${game_uid} and ${whereReleased(sql)} and ${currentPrice(sql)} = 0
    for key share of l
    on conflict (user_uid, game_uid) do nothing`
  return count === 1
}

export type GrantedEdition = { uid: string; kind: string; bundle_uids: string[] }

/** An edition by uid or slug, for sale or not. */
export async function findEdition(
  sql: Sql | Tx,
  game_uid: string,
  uid_or_slug: string,
): Promise<GrantedEdition | undefined> {
  const isEdition = isUuid(uid_or_slug) ? sql`uid = ${uid_or_slug}` : sql`slug = ${uid_or_slug}`
  const [edition] = await sql<GrantedEdition[]>`
    select uid, kind, bundle_uids
    from editions
    where game_uid = ${game_uid} and ${isEdition}`
  return edition
}

/**
 * Gives a copy. A free copy becomes a granted one, which stays valid when the listing gets a price.
 * With an edition the copy becomes one of that edition, and a bundle adds copies of its parts.
 * False when there was nothing to do.
 */
export async function grantCopy(
  tx: Tx,
  user_uid: string,
  game_uid: string,
  edition?: GrantedEdition,
): Promise<boolean> {
  const { count } = await tx`
    insert into licences as o (user_uid, game_uid, source, edition_uid, edition_kind)
    values (${user_uid}, ${game_uid}, 'grant', ${edition?.uid ?? null}, ${edition?.kind ?? null})
    on conflict (user_uid, game_uid) do update
    set source = case when o.source = 'free' then 'grant' else o.source end,
      edition_uid = coalesce(excluded.edition_uid, o.edition_uid),
      edition_kind = coalesce(excluded.edition_kind, o.edition_kind)
    where o.source = 'free'
      or o.edition_uid is distinct from coalesce(excluded.edition_uid, o.edition_uid)`
  if (edition?.bundle_uids.length)
    await tx`
      insert into licences (user_uid, game_uid, source)
      select ${user_uid}, part.uid, 'grant'
      from listings part
      join listings l on l.uid = ${game_uid} and l.owner_uid = part.owner_uid
      where part.uid = any(${edition.bundle_uids}::uuid[])
      on conflict do nothing`
  return count === 1
}

export type LibraryRow = Copy &
  CopyEdition & {
    vanity_name: string
    name: string
    developer: { uid: string; username: string }
    play_seconds: number
    hidden: boolean
    /** When its newest stable file was uploaded. */
    updated_at: Date | null
    thumbnail: { sha256: string; type: ImageType } | null
  }

export type LibraryFilters = {
  /** Part of the name of a listing or of its developer; empty for all. */
  q: string
  sort: LibrarySort
  show: LibraryPart
}
export type Library = { items: LibraryRow[]; total: number; hidden_total: number }

/** `%` and `_` stand for themselves. */
const containing = (text: string) => `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`

export async function readLibrary(
  sql: Sql,
  user_uid: string,
  { q, sort, show }: LibraryFilters,
  { limit, offset }: { limit: number; offset: number },
): Promise<Library> {
  const pattern = containing(q)
  const inPart = {
    visible: sql`o.hidden_at is null`,
    hidden: sql`o.hidden_at is not null`,
    all: sql`true`,
  }[show]
  const matching = sql`
    ${inPart} and (lower(l.name) like ${pattern} or lower(u.username) like ${pattern})`
  const order = {
    added: sql`o.created_at desc`,
    name: sql`lower(l.name), o.created_at desc`,
    updated: sql`updated_at desc nulls last, o.created_at desc`,
  }[sort]
  const [items, [totals]] = await Promise.all([
    sql<LibraryRow[]>`
      select o.game_uid, o.source, o.created_at, o.edition_uid, o.edition_kind,
        o.hidden_at is not null as hidden, l.vanity_name, l.name,
        json_build_object('uid', u.uid, 'username', u.username) as developer,
        coalesce(p.seconds, 0) as play_seconds, ${newestUpload(sql)} as updated_at,
        ${imageColumn(sql, 'thumbnail')} as thumbnail
      from licences o
      join listings l on l.uid = o.game_uid
      join users u on u.uid = l.owner_uid
      left join play_time p on p.user_uid = o.user_uid and p.game_uid = o.game_uid
      where o.user_uid = ${user_uid} and ${matching}
      order by ${order}, o.game_uid
      limit ${limit} offset ${offset}`,
    sql<{ total: number; hidden_total: number }[]>`
      select count(*) filter (where ${matching})::int as total,
        count(*) filter (where o.hidden_at is not null)::int as hidden_total
      from licences o
      join listings l on l.uid = o.game_uid
      join users u on u.uid = l.owner_uid
      where o.user_uid = ${user_uid}`,
  ])
  return { items, ...totals! }
}

/** When the newest stable file of a copy `o` was uploaded. */
const newestUpload = (sql: Sql) => sql`
  (select max(s.uploaded_at) from clean_stable_files s where s.game_uid = o.game_uid)`

/** False if the person has no copy of the listing. */
export async function setCopyHidden(
  sql: Sql,
  user_uid: string,
  game_uid: string,
  hidden: boolean,
): Promise<boolean> {
  const { count } = await sql`
    update licences
    set hidden_at = case when ${hidden} then coalesce(hidden_at, now()) end
    where user_uid = ${user_uid} and game_uid = ${game_uid}`
  return count === 1
}

/**
 * Removes a copy that cost nothing, and with it the review and the tags of the player. False if
 * there is none; a concurrent purchase or gift wins, because the statement itself decides.
 */
export async function deleteFreeCopy(tx: Tx, user_uid: string, game_uid: string): Promise<boolean> {
  const { count } = await tx`
    delete from licences
    where user_uid = ${user_uid} and game_uid = ${game_uid} and source = 'free'`
  return count === 1
}

/**
 * Runs a change of what players add to a listing. The listing is locked first, as edits do, which
 * prevents deadlocks. Undefined when the listing is gone.
 */
export async function withLockedListing<T>(
  sql: Sql,
  game_uid: string,
  change: (tx: Tx) => Promise<T>,
): Promise<T | undefined> {
  return transact(sql, async (tx) => {
    const [listing] = await tx`
      select uid from listings
      where uid = ${game_uid}
      for no key update`
    return listing ? change(tx) : undefined
  })
}

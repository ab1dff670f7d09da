import type { Sql, Tx } from '../core/database/sql.ts'
import { transact } from '../core/database/transaction.ts'
import { isUuid } from '../core/security/crypto.ts'
import type { ImageType } from '../listings/media/image-rules.ts'
import type { Holding, LicenceSource } from './library-rules.ts'

export type Licence = { game_uid: string; source: LicenceSource; created_at: Date }
/** The edition a copy is one of; it may no longer be sold. */
export type HeldEdition = { edition_uid: string | null; edition_kind: string | null }
export type HoldingRow = Holding & HeldEdition & { created_at: Date | null; play_seconds: number }

/** What a listing costs: its cheapest active edition, else its own price. */
export const price = (sql: Sql | Tx) =>
  sql`coalesce((select min(e.price_cents) from editions e where e.game_uid = l.uid and e.active), l.price_cents)`

export const named = (sql: Sql | Tx, uid_or_name: string) =>
  isUuid(uid_or_name) ? sql`l.uid = ${uid_or_name}` : sql`l.vanity_name = ${uid_or_name}`

/** What a person holds of a listing; nothing when the listing itself is gone. */
export async function readHolding(
  sql: Sql | Tx,
  user_uid: string,
  game_uid: string,
): Promise<HoldingRow | undefined> {
  const [row] = await sql<HoldingRow[]>`
    select o.source, o.created_at, o.edition_uid, o.edition_kind, coalesce(p.seconds, 0) as play_seconds, ${price(sql)} > 0 as is_paid
    from listings l left join licences o on o.game_uid = l.uid and o.user_uid = ${user_uid}
      left join play_time p on p.game_uid = l.uid and p.user_uid = ${user_uid}
    where l.uid = ${game_uid}`
  return row
}

/** The listing that someone holds a copy of, whatever became of its page. */
export async function findLicence(
  sql: Sql | Tx,
  user_uid: string,
  uid_or_name: string,
): Promise<{ uid: string } | undefined> {
  const [row] = await sql<{ uid: string }[]>`
    select l.uid from licences o join listings l on l.uid = o.game_uid where o.user_uid = ${user_uid} and ${named(sql, uid_or_name)}`
  return row
}

/** Gives a copy of what is out and free. False when there already is one, or the listing is neither: the statement itself decides. */
export async function insertFreeLicence(
  sql: Sql | Tx,
  user_uid: string,
  game_uid: string,
): Promise<boolean> {
  const made = await sql`
    insert into licences (user_uid, game_uid, source)
    select ${user_uid}, l.uid, 'free' from listings l
    where l.uid = ${game_uid} and l.visibility in ('invisible', 'public') and ${price(sql)} = 0 for key share of l
    on conflict (user_uid, game_uid) do nothing`
  return made.count === 1
}

export type GrantedEdition = { uid: string; kind: string; bundle_uids: string[] }

/** An edition by uid or slug, also one that is not sold now. */
export async function findEdition(
  sql: Sql | Tx,
  game_uid: string,
  uid_or_slug: string,
): Promise<GrantedEdition | undefined> {
  const [edition] = await sql<GrantedEdition[]>`
    select uid, kind, bundle_uids from editions
    where game_uid = ${game_uid} and ${isUuid(uid_or_slug) ? sql`uid = ${uid_or_slug}` : sql`slug = ${uid_or_slug}`}`
  return edition
}

/**
 * Gives a copy, or makes a free one a given one, which outlasts a price; with an edition it becomes one of that, and a bundle brings copies of its
 * parts. False when there was nothing to do.
 */
export async function grantLicence(
  tx: Tx,
  user_uid: string,
  game_uid: string,
  edition?: GrantedEdition,
): Promise<boolean> {
  const made = await tx`
    insert into licences as o (user_uid, game_uid, source, edition_uid, edition_kind)
    values (${user_uid}, ${game_uid}, 'grant', ${edition?.uid ?? null}, ${edition?.kind ?? null})
    on conflict (user_uid, game_uid) do update set source = case when o.source = 'free' then 'grant' else o.source end,
      edition_uid = coalesce(excluded.edition_uid, o.edition_uid), edition_kind = coalesce(excluded.edition_kind, o.edition_kind)
    where o.source = 'free' or o.edition_uid is distinct from coalesce(excluded.edition_uid, o.edition_uid)`
  if (edition?.bundle_uids.length)
    await tx`
      insert into licences (user_uid, game_uid, source)
      select ${user_uid}, part.uid, 'grant' from listings part join listings l on l.uid = ${game_uid} and l.owner_uid = part.owner_uid
      where part.uid = any(${edition.bundle_uids}::uuid[]) on conflict do nothing`
  return made.count === 1
}

export type LibraryRow = Licence &
  HeldEdition & {
    vanity_name: string
    name: string
    developer: { uid: string; username: string }
    play_seconds: number
    thumbnail: { sha256: string; type: ImageType } | null
  }

export async function readLibrary(
  sql: Sql,
  user_uid: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: LibraryRow[]; total: number }> {
  const [items, [held]] = await Promise.all([
    sql<LibraryRow[]>`
      select o.game_uid, o.source, o.created_at, o.edition_uid, o.edition_kind, l.vanity_name, l.name, json_build_object('uid', u.uid, 'username', u.username) as developer,
        coalesce(p.seconds, 0) as play_seconds,
        (select json_build_object('sha256', i.sha256, 'type', i.type) from listing_images i where i.game_uid = l.uid and i.slot = 'thumbnail') as thumbnail
      from licences o join listings l on l.uid = o.game_uid join users u on u.uid = l.owner_uid
        left join play_time p on p.user_uid = o.user_uid and p.game_uid = o.game_uid
      where o.user_uid = ${user_uid} order by o.created_at desc, o.game_uid limit ${limit} offset ${offset}`,
    sql`select count(*)::int as total from licences where user_uid = ${user_uid}`,
  ])
  return { items, total: held!.total }
}

/**
 * Adds the seconds of a heartbeat, as rules.creditSeconds says, in one statement: of two at once the second waits for the row and measures from
 * the first. Answers the whole play time, or nothing without a copy. A clock that steps back credits nothing and moves nothing.
 */
export async function addPlayTime(
  sql: Sql,
  user_uid: string,
  uid_or_name: string,
  { claimed, first }: { claimed: number; first: number },
): Promise<number | undefined> {
  const [row] = await sql`
    insert into play_time as p (user_uid, game_uid, seconds, last_beat_at)
    select o.user_uid, o.game_uid, ${first}, clock_timestamp()
    from licences o join listings l on l.uid = o.game_uid where o.user_uid = ${user_uid} and ${named(sql, uid_or_name)}
    on conflict (user_uid, game_uid) do update set
      seconds = p.seconds + floor(greatest(0, least(${claimed}::float8, extract(epoch from excluded.last_beat_at - p.last_beat_at)::float8)))::int,
      last_beat_at = greatest(p.last_beat_at, excluded.last_beat_at)
    returning seconds`
  return row?.seconds
}

/**
 * Every change of what a page shows of its players: the page is locked first, as editors do, so that none of them waits for another in a circle.
 * Nothing when the page is gone.
 */
export async function onPage<T>(
  sql: Sql,
  game_uid: string,
  change: (tx: Tx) => Promise<T>,
): Promise<T | undefined> {
  return transact(sql, async (tx) => {
    const [page] = await tx`select uid from listings where uid = ${game_uid} for no key update`
    return page ? change(tx) : undefined
  })
}

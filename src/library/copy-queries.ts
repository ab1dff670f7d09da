import { isEditor } from '../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../core/database/sql.ts'
import { transact } from '../core/database/transaction.ts'
import { isUuid } from '../core/security/crypto.ts'
import { currentPrice } from '../listings/editions/queries.ts'
import { isListing } from '../listings/listing/queries.ts'
import { whereReleased } from '../listings/listing/visibility-queries.ts'
import type { ImageType } from '../listings/media/image-rules.ts'
import { imageColumn } from '../listings/media/queries.ts'
import type { CopySource, Holding, LibraryPart, LibrarySort } from './copies.ts'
import { raisedEdition } from './edition-rules.ts'

export type Copy = { game_uid: string; source: CopySource; created_at: Date }
/** The edition of a copy; it may no longer be for sale. */
export type CopyEdition = { edition_uid: string | null; edition_kind: string | null }
export type Giver = { uid: string; username: string }
export type HoldingRow = Holding &
  CopyEdition & { created_at: Date | null; play_seconds: number; given_by: Giver | null }

/** Who gave the copy `o` to its holder; null if it is no gift, or older than this record. */
const giverOf = (sql: Sql | Tx) => sql`(
  select json_build_object('uid', giver.uid, 'username', giver.username)
  from copy_gifts gift
  join users giver on giver.uid = gift.given_by
  where gift.user_uid = o.user_uid and gift.game_uid = o.game_uid)`

/** Undefined when the listing itself is gone. */
export async function readHolding(
  sql: Sql | Tx,
  user_uid: string,
  game_uid: string,
): Promise<HoldingRow | undefined> {
  const [row] = await sql<HoldingRow[]>`
    select o.source, o.created_at, o.edition_uid, o.edition_kind, ${giverOf(sql)} as given_by,
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

export type GrantedEdition = {
  uid: string
  kind: string
  price_cents: number
  bundle_uids: string[]
}

/** An edition by uid or slug, for sale or not. */
export async function findEdition(
  sql: Sql | Tx,
  game_uid: string,
  uid_or_slug: string,
): Promise<GrantedEdition | undefined> {
  const isEdition = isUuid(uid_or_slug) ? sql`uid = ${uid_or_slug}` : sql`slug = ${uid_or_slug}`
  const [edition] = await sql<GrantedEdition[]>`
    select uid, kind, price_cents, bundle_uids
    from editions
    where game_uid = ${game_uid} and ${isEdition}`
  return edition
}

type Gift = {
  user_uid: string
  game_uid: string
  /** A person gives it, or the key that somebody redeemed. */
  source?: 'grant' | 'key'
  given_by?: string
  edition?: GrantedEdition | undefined
}

type LockedCopy = NonNullable<PreviousCopy> & {
  /** The list price of its edition; null if it is of none, or that was deleted. */
  edition_price_cents: number | null
  /** What the listing costs without naming an edition. */
  listing_price_cents: number
}

const copyColumns = (sql: Sql | Tx) => sql`
  o.source, o.edition_uid, o.edition_kind, ${currentPrice(sql)} as listing_price_cents,
  (select e.price_cents from editions e where e.uid = o.edition_uid) as edition_price_cents`

/**
 * Adds a copy unless there is one: then that one, locked. The insert waits for whoever adds the
 * same copy at this moment, so what it returns is what they made of it.
 */
async function addOrLockCopy(
  tx: Tx,
  copy: { user_uid: string; game_uid: string; source: CopySource } & CopyEdition,
): Promise<LockedCopy | undefined> {
  const { count } = await tx`
    insert into licences ${tx(copy)}
    on conflict (user_uid, game_uid) do nothing`
  if (count === 1) return undefined
  const [row] = await tx<LockedCopy[]>`
    select ${copyColumns(tx)}
    from licences o
    join all_listings l on l.uid = o.game_uid
    where o.user_uid = ${copy.user_uid} and o.game_uid = ${copy.game_uid}
    for update of o`
  // It was removed between the two statements.
  return row ?? addOrLockCopy(tx, copy)
}

async function updateCopy(
  tx: Tx,
  { user_uid, game_uid }: { user_uid: string; game_uid: string },
  { source, edition_uid, edition_kind }: NonNullable<PreviousCopy>,
): Promise<void> {
  await tx`
    update licences
    set source = ${source}, edition_uid = ${edition_uid}, edition_kind = ${edition_kind}
    where user_uid = ${user_uid} and game_uid = ${game_uid}`
}

/** The parts of a bundle `part` that the person has no copy of; `l` is the listing of the bundle. */
const missingParts = (
  sql: Sql | Tx,
  { user_uid, game_uid }: { user_uid: string; game_uid: string },
  bundle_uids: string[],
) => sql`
  from listings part
  join listings l on l.uid = ${game_uid} and l.owner_uid = part.owner_uid
  where part.uid = any(${bundle_uids}::uuid[])
    and not exists (
      select from licences own
      where own.user_uid = ${user_uid} and own.game_uid = part.uid)`

async function addParts(
  tx: Tx,
  holder: { user_uid: string; game_uid: string },
  { edition, source }: { edition: GrantedEdition | undefined; source: CopySource },
): Promise<string[]> {
  if (!edition?.bundle_uids.length) return []
  const parts = await tx<{ game_uid: string }[]>`
    insert into licences (user_uid, game_uid, source)
    select ${holder.user_uid}, part.uid, ${source}
    ${missingParts(tx, holder, edition.bundle_uids)}
    on conflict do nothing
    returning game_uid`
  return parts.map(({ game_uid }) => game_uid)
}

/**
 * Gives a copy. A free copy becomes a granted one, which stays valid when the listing gets a price.
 * With an edition the copy becomes one of that edition unless it is of a dearer one, and a bundle
 * adds copies of its parts. Returns whether the copy is new or changed, and how many copies were
 * given with it.
 */
export async function grantCopy(
  tx: Tx,
  { user_uid, game_uid, source = 'grant', given_by, edition }: Gift,
): Promise<{ is_new: boolean; gifts: number }> {
  const holder = { user_uid, game_uid }
  const before = await addOrLockCopy(tx, { ...holder, source, ...editionOf(edition) })
  // Any edition adds something to a copy that is of none.
  const raised =
    before &&
    edition &&
    raisedEdition({ ...before, price_cents: before.edition_price_cents ?? -1 }, edition)
  if (before && (raised || before.source === 'free'))
    await updateCopy(tx, holder, {
      ...before,
      ...raised,
      source: before.source === 'free' ? source : before.source,
    })
  const is_new = !before || Boolean(raised) || before.source === 'free'
  const parts = await addParts(tx, holder, { edition, source })
  const given = [...(is_new ? [game_uid] : []), ...parts]
  // A bought copy stays a bought one, also when its edition is a gift.
  if (given_by) await recordGiver(tx, { user_uid, given_by }, given, ['grant'])
  return { is_new, gifts: given.length }
}

const editionOf = (edition: GrantedEdition | undefined): CopyEdition => ({
  edition_uid: edition?.uid ?? null,
  edition_kind: edition?.kind ?? null,
})

/** What a person had before they bought a listing; null if they had no copy. */
export type PreviousCopy = {
  source: CopySource
  edition_uid: string | null
  edition_kind: string | null
} | null
export type BoughtCopy = { game_uid: string; previous: PreviousCopy }

/** Buying the cheapest edition adds nothing to a copy that is of no edition. */
const raisedByPurchase = (copy: LockedCopy, edition: GrantedEdition | undefined) =>
  edition &&
  raisedEdition(
    { ...copy, price_cents: copy.edition_price_cents ?? copy.listing_price_cents },
    edition,
  )

/** Whether a person has all that they would buy: the listing, or an edition of it. */
export async function hasBought(
  sql: Sql | Tx,
  holder: { user_uid: string; game_uid: string },
  edition: GrantedEdition | undefined,
): Promise<boolean> {
  const [copy] = await sql<LockedCopy[]>`
    select ${copyColumns(sql)}
    from licences o
    join all_listings l on l.uid = o.game_uid
    where o.user_uid = ${holder.user_uid} and o.game_uid = ${holder.game_uid}`
  if (!copy || raisedByPurchase(copy, edition)) return false
  if (!edition?.bundle_uids.length) return true
  const [missing] = await sql`select ${missingParts(sql, holder, edition.bundle_uids)} limit 1`
  return missing === undefined
}

/**
 * Makes the copy of a listing a bought one, of the edition if a dearer one was bought, and adds
 * copies of the parts of a bundle that the person does not have. Returns what was there before, for
 * each copy that is new or became more; none if the person had all of it.
 */
export async function addBoughtCopies(
  tx: Tx,
  { user_uid, game_uid, edition }: Omit<Gift, 'given_by'>,
): Promise<BoughtCopy[]> {
  const holder = { user_uid, game_uid }
  const before = await addOrLockCopy(tx, { ...holder, source: 'purchase', ...editionOf(edition) })
  const raised = before && raisedByPurchase(before, edition)
  if (raised) await updateCopy(tx, holder, { ...raised, source: 'purchase' })
  const parts = await addParts(tx, holder, { edition, source: 'purchase' })
  const copies = parts.map((uid): BoughtCopy => ({ game_uid: uid, previous: null }))
  if (before && !raised) return copies
  const previous = before
    ? {
        source: before.source,
        edition_uid: before.edition_uid,
        edition_kind: before.edition_kind,
      }
    : null
  return [{ game_uid, previous }, ...copies]
}

/** Takes a bought copy back, or makes it what it was before. */
export async function removeBoughtCopy(
  tx: Tx,
  user_uid: string,
  { game_uid, previous }: BoughtCopy,
): Promise<void> {
  if (!previous) {
    await deleteCopy(tx, user_uid, game_uid)
    return
  }
  await updateCopy(tx, { user_uid, game_uid }, previous)
}

/** Records who gave new copies to their holder. */
export async function recordGiver(
  tx: Tx,
  { user_uid, given_by }: { user_uid: string; given_by: string },
  game_uids: string[],
  sources: readonly CopySource[] = ['purchase'],
): Promise<void> {
  await tx`
    insert into copy_gifts (user_uid, game_uid, given_by)
    select user_uid, game_uid, ${given_by}
    from licences
    where user_uid = ${user_uid} and game_uid = any(${game_uids}::uuid[])
      and source = any(${sources}::text[])
    on conflict (user_uid, game_uid) do nothing`
}

/** Counts what a person gives away today (UTC), and returns how much that is. */
export async function countGifts(tx: Tx, user_uid: string, gifts: number): Promise<number> {
  const [row] = await tx<{ gifts: number }[]>`
    insert into gift_counts as c (user_uid, day, gifts)
    values (${user_uid}, (now() at time zone 'utc')::date, ${gifts})
    on conflict (user_uid) do update
    set day = excluded.day,
      gifts = excluded.gifts + case when c.day = excluded.day then c.gifts else 0 end
    returning gifts`
  return row!.gifts
}

export type LibraryRow = Copy &
  CopyEdition & {
    vanity_name: string
    name: string
    developer: { uid: string; username: string }
    play_seconds: number
    hidden: boolean
    given_by: Giver | null
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
export type Library = {
  items: LibraryRow[]
  total: number
  hidden_total: number
  adult_gifts_total: number
}

/** `%` and `_` stand for themselves. */
const containing = (text: string) => `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`

export async function readLibrary(
  sql: Sql,
  { user_uid, show_adult }: { user_uid: string; show_adult: boolean },
  { q, sort, show }: LibraryFilters,
  { limit, offset }: { limit: number; offset: number },
): Promise<Library> {
  const pattern = containing(q)
  const inPart = {
    visible: sql`o.hidden_at is null`,
    hidden: sql`o.hidden_at is not null`,
    all: sql`true`,
  }[show]
  // Anyone can give copies, so a gift shows nothing of an adult listing that its holder did not
  // opt in to.
  const isVisible = sql`(
    ${show_adult} or not l.adult or o.source <> 'grant' or ${isEditor(sql, user_uid)})`
  const matching = sql`
    ${isVisible} and ${inPart} and (lower(l.name) like ${pattern} or lower(u.username) like ${pattern})`
  const order = {
    added: sql`o.created_at desc`,
    name: sql`lower(l.name), o.created_at desc`,
    updated: sql`updated_at desc nulls last, o.created_at desc`,
  }[sort]
  const [items, [totals]] = await Promise.all([
    sql<LibraryRow[]>`
      select o.game_uid, o.source, o.created_at, o.edition_uid, o.edition_kind,
        o.hidden_at is not null as hidden, ${giverOf(sql)} as given_by, l.vanity_name, l.name,
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
    sql<Omit<Library, 'items'>[]>`
      select count(*) filter (where ${matching})::int as total,
        count(*) filter (where ${isVisible} and o.hidden_at is not null)::int as hidden_total,
        count(*) filter (where not ${isVisible})::int as adult_gifts_total
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

/** Removes a copy, and with it the review and the tags of the player. False if there is none. */
export async function deleteCopy(tx: Tx, user_uid: string, game_uid: string): Promise<boolean> {
  const { count } = await tx`
    delete from licences
    where user_uid = ${user_uid} and game_uid = ${game_uid}`
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

import type { PendingQuery, Row } from 'postgres'
import { isAnyOf, type Sql, type Tx } from '../../core/database/sql.ts'
import { kindsOf, type Sender, type StorageKind, storageKinds } from './quota-rules.ts'

/** Locks of this kind are taken per account, before anything is added to what it stores. */
const ACCOUNT_LOCK = 72
/** Taken after that of the account, where the service has a quota. */
const SERVICE_LOCK = 73

const isPlayerKind = (sql: Sql | Tx) => sql`u.kind = any(${kindsOf('players')})`

type Use = Record<Sender, number>
export type ListingUse = {
  owner_uid: string
  listing: Use & { quota: number | null; is_exception: boolean }
  account: Use & { quota: number | null; is_exception: boolean }
}

const useColumns = (sql: Sql | Tx, condition: PendingQuery<Row[]>) => sql`
  'developers', coalesce(
    sum(u.bytes) filter (where ${condition} and not ${isPlayerKind(sql)}), 0)::float8,
  'players', coalesce(sum(u.bytes) filter (where ${condition} and ${isPlayerKind(sql)}), 0)::float8`

const quotaColumns = (sql: Sql | Tx, condition: PendingQuery<Row[]>) => sql`
  'quota', (select q.bytes from storage_quotas q where ${condition}),
  'is_exception', exists (select from storage_quotas q where ${condition})`

/** What a listing and its owner store, and their exceptions from the quotas. */
export async function readListingUse(
  sql: Sql | Tx,
  game_uid: string,
): Promise<ListingUse | undefined> {
  const own = sql`u.game_uid = ${game_uid}`
  const [use] = await sql<ListingUse[]>`
    select l.owner_uid,
      jsonb_build_object(${useColumns(sql, own)},
        ${quotaColumns(sql, sql`q.game_uid = ${game_uid}`)}) as listing,
      jsonb_build_object(${useColumns(sql, sql`true`)},
        ${quotaColumns(sql, sql`q.user_uid = l.owner_uid`)}) as account
    from all_listings l
    left join all_listings other on other.owner_uid = l.owner_uid
    left join stored_use u on u.game_uid = other.uid
    where l.uid = ${game_uid}
    group by l.owner_uid`
  return use
}

/** What all listings store: the totals, and the changes that were not added to them yet. */
export async function readServiceUse(sql: Sql | Tx): Promise<Use> {
  const [use] = await sql<Use[]>`
    select coalesce(sum(bytes) filter (where not by_players), 0)::float8 as developers,
      coalesce(sum(bytes) filter (where by_players), 0)::float8 as players
    from (
      select by_players, bytes from storage_totals
      union all
      select by_players, bytes from storage_changes
      union all
      select true, bytes from player_storage_changes
    ) u`
  return use!
}

/**
 * Makes others wait who add files of this account, or of the service where it has a quota, until
 * the transaction ends. The listing is locked first, as edits of it do.
 */
export async function lockStorage(
  tx: Tx,
  game_uid: string,
  { service }: { service: boolean },
): Promise<void> {
  await tx`
    with listing as materialized (
      select owner_uid
      from all_listings
      where uid = ${game_uid}
      for no key update
    )
    select pg_advisory_xact_lock(${ACCOUNT_LOCK}, hashtext(owner_uid::text))
    from listing`
  if (service) await tx`select pg_advisory_xact_lock(${SERVICE_LOCK}, 0)`
}

/**
 * Adds the noted changes to what listings store and to the totals, also if another process does at
 * the same time.
 */
export async function foldStorageChanges(sql: Sql): Promise<void> {
  await sql`select fold_player_storage()`
  await sql.begin(async (tx) => {
    await tx`select from storage_totals order by by_players for update`
    await tx`
      with noted as (
        delete from storage_changes
        returning by_players, bytes
      )
      update storage_totals t
      set bytes = t.bytes + n.bytes
      from (select by_players, sum(bytes)::bigint as bytes from noted group by by_players) n
      where n.by_players = t.by_players`
  })
}

/** Counts some of the listings that wait for it. Returns how many. */
export async function recountSome(sql: Sql, limit: number): Promise<number> {
  return sql.begin(async (tx) => {
    const listings = await tx<{ game_uid: string }[]>`
      delete from storage_recounts
      where game_uid in (
        select game_uid
        from storage_recounts
        order by game_uid
        limit ${limit}
        for update skip locked)
      returning game_uid`
    for (const { game_uid } of listings) await tx`select recount_storage(${game_uid})`
    return listings.length
  })
}

type Stock = { game_uid: string } | { owner_uid: string }

/** What a listing, or all listings of a person, store by kind of file. */
export async function readKinds(sql: Sql, stock: Stock): Promise<Record<StorageKind, number>> {
  const rows = await sql<{ kind: StorageKind; bytes: number }[]>`
    select u.kind, sum(u.bytes)::float8 as bytes
    from stored_use u
    join all_listings l on l.uid = u.game_uid
    where ${'game_uid' in stock ? sql`l.uid = ${stock.game_uid}` : sql`l.owner_uid = ${stock.owner_uid}`}
    group by u.kind`
  const kinds = Object.keys(storageKinds).map((kind) => [kind, 0])
  return Object.fromEntries([...kinds, ...rows.map(({ kind, bytes }) => [kind, bytes])])
}

export type QuotaUse = { used: Use; quota: number | null; is_exception: boolean }

/** What all listings of a person store, and their exception from the quota. */
export async function readAccountUse(sql: Sql, owner_uid: string): Promise<QuotaUse> {
  const [use] = await sql<QuotaUse[]>`
    select jsonb_build_object(${useColumns(sql, sql`true`)}) as used,
      (select q.bytes from storage_quotas q where q.user_uid = ${owner_uid})::float8 as quota,
      exists (select from storage_quotas q where q.user_uid = ${owner_uid}) as is_exception
    from all_listings l
    join stored_use u on u.game_uid = l.uid
    where l.owner_uid = ${owner_uid}`
  return use!
}

/** The same of several listings. Those that store nothing are left out. */
export const readManyUses = (sql: Sql, uids: readonly string[]) => sql<
  (QuotaUse & { uid: string })[]
>`
  select u.game_uid as uid, jsonb_build_object(${useColumns(sql, sql`true`)}) as used,
    max(q.bytes)::float8 as quota, count(q.uid) > 0 as is_exception
  from stored_use u
  left join storage_quotas q on q.game_uid = u.game_uid
  where ${isAnyOf(sql, sql`u.game_uid`, uids)}
  group by u.game_uid`

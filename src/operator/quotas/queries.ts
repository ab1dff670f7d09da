import type { Sql, Tx } from '../../core/database/sql.ts'

/** Whose quota an exception is about. */
export const quotaTargets = ['person', 'listing'] as const
export type QuotaTarget = (typeof quotaTargets)[number]
export type Target = { type: QuotaTarget; uid: string }

export type StoredAmount = {
  uid: string
  name: string
  username: string
  bytes: number
  is_exception: boolean
  quota: number | null
}

/**
 * How many of the largest rows are added up. A listing has few kinds of files, so the ones that
 * store the most in all are among those that store the most of a kind. Files of players count there
 * once a job has added them up.
 */
const CANDIDATES = 500

const largestRows = (sql: Sql) => sql`
  select game_uid
  from storage_use
  order by bytes desc
  limit ${CANDIDATES}`

/** The listings that store the most. */
export const readLargestListings = (sql: Sql, limit: number) => sql<StoredAmount[]>`
  select l.uid, l.name, o.username, stored.bytes,
    q.uid is not null as is_exception, q.bytes as quota
  from (
    select u.game_uid, sum(u.bytes)::float8 as bytes
    from stored_use u
    where u.game_uid in (${largestRows(sql)})
    group by u.game_uid
    having sum(u.bytes) > 0
    order by bytes desc, u.game_uid
    limit ${limit}
  ) stored
  join all_listings l on l.uid = stored.game_uid
  join users o on o.uid = l.owner_uid
  left join storage_quotas q on q.game_uid = l.uid
  order by stored.bytes desc, l.uid`

/** The owners whose listings store the most. */
export const readLargestOwners = (sql: Sql, limit: number) => sql<StoredAmount[]>`
  select o.uid, o.username as name, o.username, stored.bytes,
    q.uid is not null as is_exception, q.bytes as quota
  from (
    select l.owner_uid, sum(u.bytes)::float8 as bytes
    from all_listings l
    join stored_use u on u.game_uid = l.uid
    where l.owner_uid in (
      select owner_uid from all_listings where uid in (${largestRows(sql)}))
    group by l.owner_uid
    having sum(u.bytes) > 0
    order by bytes desc, l.owner_uid
    limit ${limit}
  ) stored
  join users o on o.uid = stored.owner_uid
  left join storage_quotas q on q.user_uid = o.uid
  order by stored.bytes desc, o.uid`

export type QuotaException = {
  type: QuotaTarget
  uid: string
  name: string
  bytes: number | null
  used: number
  note: string
  set_by: string | null
  set_at: Date
}

const exceptionColumns = (sql: Sql | Tx) => sql`
  case when q.user_uid is null then 'listing' else 'person' end as type,
  coalesce(q.user_uid, q.game_uid) as uid, coalesce(p.username, l.name) as name,
  q.bytes, q.note, a.username as set_by, q.set_at,
  (
    select coalesce(sum(u.bytes), 0)::float8
    from all_listings x
    join stored_use u on u.game_uid = x.uid
    where x.uid = q.game_uid or x.owner_uid = q.user_uid
  ) as used
  from storage_quotas q
  left join users p on p.uid = q.user_uid
  left join all_listings l on l.uid = q.game_uid
  left join users a on a.uid = q.set_by`

export async function listExceptions(
  sql: Sql,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: QuotaException[]; total: number }> {
  const [rows, [counted]] = await Promise.all([
    sql<QuotaException[]>`
      select ${exceptionColumns(sql)}
      order by q.set_at desc, q.uid
      limit ${limit}
      offset ${offset}`,
    sql<{ total: number }[]>`select count(*)::int as total from storage_quotas`,
  ])
  return { rows: [...rows], total: counted!.total }
}

const isTarget = (sql: Sql | Tx, { type, uid }: Target) =>
  type === 'person' ? sql`q.user_uid = ${uid}` : sql`q.game_uid = ${uid}`

export async function findException(
  sql: Sql | Tx,
  target: Target,
): Promise<QuotaException | undefined> {
  const [exception] = await sql<QuotaException[]>`
    select ${exceptionColumns(sql)}
    where ${isTarget(sql, target)}`
  return exception
}

type NewException = { uid: string; bytes: number | null; note: string; set_by: string | null }

export async function saveException(
  tx: Tx,
  { type, uid: target_uid }: Target,
  { uid, bytes, note, set_by }: NewException,
): Promise<void> {
  const column = tx(type === 'person' ? 'user_uid' : 'game_uid')
  await tx`
    insert into storage_quotas (uid, ${column}, bytes, note, set_by)
    values (${uid}, ${target_uid}, ${bytes}, ${note}, ${set_by})
    on conflict (${column}) do update
    set bytes = excluded.bytes, note = excluded.note, set_by = excluded.set_by, set_at = now()`
}

/** Returns whether there was one. */
export async function deleteException(tx: Tx, target: Target): Promise<boolean> {
  const deleted = await tx`delete from storage_quotas q where ${isTarget(tx, target)}`
  return deleted.count === 1
}

/** A listing in any state, by its uid or the name in its address. */
export async function findAnyListing(sql: Sql, uid_or_name: string): Promise<string | undefined> {
  const [listing] = await sql<{ uid: string }[]>`
    select uid
    from all_listings
    where uid::text = lower(${uid_or_name}) or vanity_name = lower(${uid_or_name})
    limit 1`
  return listing?.uid
}

import type { Sql, Tx } from '../../core/database/sql.ts'
import type { AssetType } from '../fields/fields.ts'
import type { ReleaseState } from './releases.ts'

export type Release = {
  state: ReleaseState
  requested_at: Date
  reason: string
  decided_at: Date | null
}

export async function findRelease(sql: Sql | Tx, game_uid: string): Promise<Release | undefined> {
  const [row] = await sql<Release[]>`
    select r.state, r.requested_at, r.reason, r.decided_at
    from held_releases r
    where r.game_uid = ${game_uid}`
  return row
}

/** Asks for a review, also again after one that was declined. The caller has locked the listing. */
export async function insertRelease(tx: Tx, game_uid: string, user_uid: string): Promise<void> {
  await tx`
    insert into held_releases (game_uid, state, requested_by)
    values (${game_uid}, 'waiting', ${user_uid})
    on conflict (game_uid) do update
    set state = 'waiting', requested_at = now(), requested_by = excluded.requested_by`
}

type Decision = {
  game_uid: string
  state: 'approved' | 'declined'
  reason: string
  decided_by: string
}

/** False if the release does not wait for a decision. */
export async function decideRelease(
  tx: Tx,
  { game_uid, state, reason, decided_by }: Decision,
): Promise<boolean> {
  const { count } = await tx`
    update held_releases
    set state = ${state}, reason = ${reason}, decided_at = now(), decided_by = ${decided_by}
    where game_uid = ${game_uid} and state = 'waiting'`
  return count === 1
}

export type ReleaseRow = Release & {
  game_uid: string
  name: string
  vanity_name: string
  asset_type: AssetType
  version: number
  owner_uid: string
  username: string
  decided_by: string | null
}

const rowColumns = (sql: Sql | Tx) => sql`
  r.state, r.requested_at, r.reason, r.decided_at,
  l.uid as game_uid, l.name, l.vanity_name, l.asset_type, l.version, l.owner_uid, u.username,
  (select o.username from users o where o.uid = r.decided_by) as decided_by`

const rows = (sql: Sql | Tx) => sql`
  from held_releases r
  join listings l on l.uid = r.game_uid
  join users u on u.uid = l.owner_uid`

export async function findReleaseRow(
  sql: Sql | Tx,
  game_uid: string,
): Promise<ReleaseRow | undefined> {
  const [row] = await sql<ReleaseRow[]>`
    select ${rowColumns(sql)}
    ${rows(sql)}
    where l.uid::text = ${game_uid}`
  return row
}

/** Those that wait in their order; of the others, the last decision is first. */
export async function listReleases(
  sql: Sql,
  state: ReleaseState,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: ReleaseRow[]; total: number }> {
  const order = state === 'waiting' ? sql`r.requested_at, l.uid` : sql`r.decided_at desc, l.uid`
  const [items, [counted]] = await Promise.all([
    sql<ReleaseRow[]>`
      select ${rowColumns(sql)}
      ${rows(sql)}
      where r.state = ${state}
      order by ${order}
      limit ${limit} offset ${offset}`,
    sql`select count(*)::int as total ${rows(sql)} where r.state = ${state}`,
  ])
  return { rows: items, total: counted!.total as number }
}

import type { Sql } from '../../core/database/sql.ts'
import { whereReleased } from '../../listings/listing/visibility-queries.ts'
import { type CardRow, cardColumns } from '../cards/queries.ts'

/** A copy of a person that was played, or that got a build since the person has it. */
export type OwnCopyRow = CardRow & {
  adult: boolean
  played_at: Date | null
  play_seconds: number
  new_version: string | null
  built_at: Date | null
}

/** Older copies are not searched for new builds, so that a large library stays cheap. */
const MAX_COPIES = 500
const UPDATE_DAYS = 30

/**
 * The games and applications that a person played last, and copies with a stable build of
 * the last 30 days that is newer than the copy. `limit` of each.
 */
export async function findOwnCopies(
  sql: Sql,
  { user_uid, sees_adult, limit }: { user_uid: string; sees_adult: boolean; limit: number },
): Promise<OwnCopyRow[]> {
  const visible = sql`${whereReleased(sql)} and (${sees_adult} or not l.adult)`
  const played = sql`
    select p.game_uid, p.last_beat_at, p.seconds
    from play_time p
    join listings l on l.uid = p.game_uid
    join licences o on o.user_uid = p.user_uid and o.game_uid = p.game_uid
    where p.user_uid = ${user_uid} and o.hidden_at is null
      and l.asset_type in ('game', 'application') and ${visible}
    order by p.last_beat_at desc
    limit ${limit}`
  const newestFile = sql`
    select s.build_uid, s.uploaded_at
    from clean_stable_files s
    where s.game_uid = o.game_uid
    order by s.uploaded_at desc
    limit 1`
  const updated = sql`
    select o.game_uid, b.version, f.uploaded_at
    from (
      select game_uid, created_at
      from licences
      where user_uid = ${user_uid} and hidden_at is null
      order by created_at desc, game_uid
      limit ${MAX_COPIES}) o
    join listings l on l.uid = o.game_uid
    cross join lateral (${newestFile}) f
    join builds b on b.uid = f.build_uid
    where ${visible}
      and f.uploaded_at > o.created_at
      and f.uploaded_at > now() - ${UPDATE_DAYS} * interval '1 day'
    order by f.uploaded_at desc
    limit ${2 * limit}`
  return sql<OwnCopyRow[]>`
    with played as (${played}), updated as (${updated})
    select ${cardColumns(sql)}, l.adult,
      played.last_beat_at as played_at, coalesce(played.seconds, 0) as play_seconds,
      updated.version as new_version, updated.uploaded_at as built_at
    from (select game_uid from played union select game_uid from updated) own
    join listings l on l.uid = own.game_uid
    join users u on u.uid = l.owner_uid
    left join played on played.game_uid = l.uid
    left join updated on updated.game_uid = l.uid`
}

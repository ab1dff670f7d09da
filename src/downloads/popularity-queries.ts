import type { Sql, Tx } from '../core/database/sql.ts'

const WINDOW_DAYS = 30
/** A download counts half after this time. */
const HALF_LIFE_DAYS = 7
/** Downloads that are recorded late have a number before those that were read already. */
const OVERLAP = 1000

/** The popularity of a listing `l`; 0 without downloads. */
export const popularityOf = (sql: Sql | Tx) => sql`
  coalesce((select p.popularity from download_popularity p where p.game_uid = l.uid), 0)`

/**
 * Counts the downloads since the last call. A person counts once for a listing. Visitors without an
 * account have no identity, so those of one country and client count once an hour.
 *
 * The popularity is the logarithm of the sum of all weights, where the weight of a download doubles
 * with every half-life of its date. All weights shrink alike as time passes, so the order of two
 * listings changes only when one of them is downloaded.
 */
export async function updatePopularity(tx: Tx): Promise<void> {
  const [position] = await tx<{ seq: number; newest: number }[]>`
    select p.seq,
      coalesce((select max(a.seq) from download_attempts a), 0)::bigint as newest
    from download_popularity_position p
    for update of p`
  await tx`
    with changed as (
      select distinct a.game_uid
      from download_attempts a
      where a.seq > ${position!.seq - OVERLAP}
    ), people as (
      select a.game_uid, max(a.at) as at
      from download_attempts a
      join changed using (game_uid)
      where a.outcome = 'ok' and a.at > now() - ${WINDOW_DAYS} * interval '1 day'
      group by a.game_uid,
        coalesce(a.user_uid::text,
          concat_ws(' ', coalesce(a.country, '-'), a.client, date_trunc('hour', a.at)))
    ), weights as (
      select game_uid, at,
        extract(epoch from at)::double precision / (${HALF_LIFE_DAYS} * 86400.0) as exponent
      from people
    ), tops as (
      select game_uid, max(exponent) as top, max(at) as newest_at
      from weights
      group by game_uid
    ), sums as (
      select t.game_uid, t.newest_at,
        round((t.top + log(2, sum(power(2, w.exponent - t.top))::numeric))::numeric, 3)
          as popularity
      from tops t
      join weights w using (game_uid)
      group by t.game_uid, t.top, t.newest_at
    )
    insert into download_popularity (game_uid, popularity, newest_at)
    select game_uid, popularity, newest_at from sums
    on conflict (game_uid) do update
    set popularity = excluded.popularity, newest_at = excluded.newest_at
    where download_popularity.popularity <> excluded.popularity`
  await tx`update download_popularity_position set seq = ${position!.newest}`
  await tx`
    delete from download_popularity
    where newest_at < now() - ${WINDOW_DAYS} * interval '1 day'`
}

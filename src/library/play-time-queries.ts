import type { Sql } from '../core/database/sql.ts'
import { isListing } from '../listings/listing/queries.ts'

/**
 * Adds the seconds of a heartbeat by the rule of `creditSeconds`, in one statement: of two
 * concurrent heartbeats, the second waits for the row and measures from the first. A clock that
 * steps back credits nothing. Returns the total play time, or undefined without a copy.
 */
export async function addPlayTime(
  sql: Sql,
  user_uid: string,
  uid_or_name: string,
  { claimed, first }: { claimed: number; first: number },
): Promise<number | undefined> {
  const since_last = sql`extract(epoch from excluded.last_beat_at - p.last_beat_at)::float8`
  const [row] = await sql`
    insert into play_time as p (user_uid, game_uid, seconds, last_beat_at)
    select o.user_uid, o.game_uid, ${first}, clock_timestamp()
    from licences o
    join listings l on l.uid = o.game_uid
    where o.user_uid = ${user_uid} and ${isListing(sql, uid_or_name)}
    on conflict (user_uid, game_uid) do update
    set seconds = p.seconds
        + floor(greatest(0, least(${claimed}::float8, ${since_last})))::int,
      last_beat_at = greatest(p.last_beat_at, excluded.last_beat_at)
    returning seconds`
  return row?.seconds
}

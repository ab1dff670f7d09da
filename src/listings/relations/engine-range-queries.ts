import type { Sql, Tx } from '../../core/database/sql.ts'
import type { CompatRange } from '../fields/engine-versions.ts'

/** The engine versions a listing `l` declares compatibility with, as JSON. */
export const engineRanges = (sql: Sql | Tx) => sql`
  coalesce((
    select json_agg(json_build_object(
      'engine', r.engine, 'min_version', r.min_version, 'max_version', r.max_version,
      'renderer', r.renderer, 'platform', r.platform
    ) order by r.position)
    from listing_engine_ranges r
    where r.game_uid = l.uid
  ), '[]')`

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

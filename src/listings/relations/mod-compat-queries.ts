import type { PendingQuery, Row } from 'postgres'
import type { Sql, Tx } from '../../core/database/sql.ts'
import type { CompatRange } from '../fields/engine-versions.ts'
import { whereNameable } from '../listing/visibility-queries.ts'
import { engineRanges } from './engine-range-queries.ts'
import type { ModdedGame } from './mod-compat.ts'

/** The builds of a game `o` on those of these channels that have not expired, as JSON. */
const buildsOnChannels = (sql: Sql | Tx, channels: string[]) => sql`
  coalesce((
    select json_agg(json_build_object(
      'channel', h.channel, 'os', h.os, 'arch', h.arch,
      'build_id', b.uid, 'engine_version', b.engine_version
    ) order by h.channel desc, h.os, h.arch)
    from channel_heads h
    join builds b on b.uid = h.build_uid
    where h.game_uid = o.uid and h.app = '' and h.channel = any(${channels})
      and b.quarantined_at is null and b.withdrawn_at is null
      and not exists (
        select
        from channels c
        where c.game_uid = h.game_uid and c.app = h.app and c.channel = h.channel
          and c.expires_at <= now()
      )
  ), '[]')`

/**
 * The games of a mod `l` (its parent and those it supports), with their builds on these channels.
 * `may_name` decides which games `o` the viewer may see.
 */
export const moddedGames = (
  sql: Sql | Tx,
  may_name: PendingQuery<Row[]>,
  channels: string[],
) => sql`
  coalesce((
    select json_agg(json_build_object(
      'uid', o.uid, 'vanity_name', o.vanity_name, 'name', o.name, 'engine', o.engines[1],
      'builds', ${buildsOnChannels(sql, channels)}
    ) order by o.uid = l.parent_uid desc, o.name, o.uid)
    from (
      select l.parent_uid as uid
      where l.asset_type in ('mod', 'plugin')
      union
      select d.target_uid
      from listing_dependencies d
      where d.game_uid = l.uid and d.kind = 'supports' and l.asset_type in ('mod', 'plugin')
    ) named
    join listings o on o.uid = named.uid and ${may_name}
  ), '[]')`

export type ModRow = { games: ModdedGame[]; ranges: CompatRange[] }

/** Everything the compatibility of a mod depends on, as its editors see it. */
export async function readMod(
  sql: Sql,
  uid: string,
  editor_uid: string,
  channels: string[],
): Promise<ModRow> {
  const [row] = await sql<ModRow[]>`
    select ${moddedGames(sql, whereNameable(sql, editor_uid, 'o'), channels)} as games,
      ${engineRanges(sql)} as ranges
    from listings l
    where l.uid = ${uid}`
  return row!
}

import type { Sql } from '../core/db.ts'

/** What each channel of each app points at now: the newest of its heads, in the order heads move. */
export async function readChannels(sql: Sql, game_uid: string) {
  return sql<{ channel: string; app: string; build_id: string; version: string }[]>`
    select distinct on (h.app, h.channel) h.channel, h.app, b.uid as build_id, b.version from channel_heads h join builds b on b.uid = h.build_uid
    where h.game_uid = ${game_uid} order by h.app, h.channel, h.moved_at desc, b.created_at desc, b.uid desc`
}

import type { Sql } from '../../core/database/sql.ts'
import type { ChannelAccess } from '../channels/access.ts'

export type VisibleFile = {
  uid: string
  game_uid: string
  build_id: string
  app: string
  version: string
  os: string
  arch: string
  /** The one it is seen on, which for a promoted build is not the one it was uploaded to. */
  channel: string
  filename: string
  size: number
  checksum: string
  scan: 'clean' | 'scanning'
  method: string
  key_ref: string | null
  uploaded_at: Date
}

/** Whether the channel that f, a file of the build b, was uploaded to is over. */
const hasEnded = (sql: Sql) => sql`
  exists (select from channels c where c.game_uid = f.game_uid and c.app = b.app and c.channel = f.channel and c.expires_at <= now())`

/**
 * Files someone may see: clean ones of the builds their channels point at, and ones still being scanned on those channels. Who runs the
 * project sees every file that was not rejected.
 */
export async function readVisibleFiles(
  sql: Sql,
  game_uid: string,
  { channels, all }: ChannelAccess,
  file_uid?: string,
): Promise<VisibleFile[]> {
  return sql<VisibleFile[]>`
    select f.uid, f.game_uid, b.uid as build_id, b.app, b.version, f.os, f.arch, coalesce(seen.channel, f.channel) as channel, f.filename, f.size,
      f.checksum, f.scan, f.method, f.key_ref, f.uploaded_at
    from files f join builds b on b.uid = f.build_uid
      left join lateral (
        select h.channel from channel_heads h left join channels c on c.game_uid = h.game_uid and c.app = h.app and c.channel = h.channel
        where h.game_uid = f.game_uid and h.app = b.app and h.build_uid = f.build_uid and h.os = f.os and h.arch = f.arch and f.scan = 'clean'
          and (${all} or (h.channel = any(${channels}) and (c.expires_at is null or c.expires_at > now())))
        order by h.channel = f.channel desc, h.channel = 'stable' desc limit 1) seen on true
    where f.game_uid = ${game_uid} and f.scan in ('clean', 'scanning') ${file_uid ? sql`and f.uid = ${file_uid}` : sql``}
      and (${all} or seen.channel is not null or (f.scan = 'scanning' and f.channel = any(${channels}) and not ${hasEnded(sql)}))
    order by b.app, f.uploaded_at desc, f.uid desc`
}

/** Joined, and where the beta is sold also bought: who joined while it was free waits until they have, or it is free again. */
export async function isOnBeta(sql: Sql, game_uid: string, user_uid: string): Promise<boolean> {
  const [row] = await sql`
    select from player_channels where game_uid = ${game_uid} and user_uid = ${user_uid}
      and (not exists (select from editions where game_uid = ${game_uid} and active and kind = 'beta_access')
        or exists (select from licences where game_uid = ${game_uid} and user_uid = ${user_uid} and edition_kind = 'beta_access'))`
  return row !== undefined
}

/** The channels a file is on, for telling someone why they do not see it; none where it was rejected. */
export async function channelsOfFile(
  sql: Sql,
  game_uid: string,
  file_uid: string,
): Promise<string[]> {
  const rows = await sql<{ channel: string }[]>`
    select channel from files where uid = ${file_uid} and game_uid = ${game_uid} and scan in ('clean', 'scanning')
    union select h.channel from files f join channel_heads h on h.build_uid = f.build_uid and h.os = f.os and h.arch = f.arch
    where f.uid = ${file_uid} and f.game_uid = ${game_uid} and f.scan = 'clean'`
  return rows.map(({ channel }) => channel)
}

export type Provenance = Omit<VisibleFile, 'uid' | 'app' | 'game_uid' | 'scan'> & {
  file_uid: string
  scan: string
  /** The channel it was uploaded to is over. */
  ended: boolean
  scan_history: { state: string; engine: string; detail: string | null; at: string }[]
}

/** Where a file came from, rejected ones included. */
export async function readProvenance(
  sql: Sql,
  game_uid: string,
  uid: string,
): Promise<Provenance | undefined> {
  const [file] = await sql<Provenance[]>`
    select f.uid as file_uid, b.uid as build_id, b.version, f.os, f.arch, f.channel, f.filename, f.size, f.checksum, f.scan, f.method, f.key_ref,
      f.uploaded_at, ${hasEnded(sql)} as ended, (select json_agg(json_build_object('state', h.state, 'engine', h.engine, 'detail', h.detail, 'at', h.at) order by h.seq)
        from scan_history h where h.file_uid = f.uid) as scan_history
    from files f join builds b on b.uid = f.build_uid where f.uid = ${uid} and f.game_uid = ${game_uid}`
  return file
}

/** The game a file belongs to. */
export async function gameOfFile(sql: Sql, uid: string): Promise<string | undefined> {
  const [row] = await sql`select game_uid from files where uid = ${uid}`
  return row?.game_uid
}

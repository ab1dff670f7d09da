import { listingExists } from '../../accounts/people/role-queries.ts'
import { isoTime, type Sql, type Tx } from '../../core/database/sql.ts'
import { isIsolated, isPlayable } from '../../listings/page/queries.ts'
import type { ChannelAccess } from '../channels/access.ts'

/** The uid of the object of a file `f`; files of a build with the same content share one. */
export const objectUid = (sql: Sql | Tx) => sql`coalesce(f.object_uid, f.uid)`

export type VisibleFile = {
  uid: string
  game_uid: string
  build_id: string
  app: string
  version: string
  os: string
  arch: string
  /** The channel it is visible on; for a promoted build not the one it was uploaded to. */
  channel: string
  /** The visible channels that point at it; none while it is scanned or after a newer one. */
  channels: string[]
  filename: string
  size: number
  checksum: string
  scan: 'clean' | 'scanning'
  /** Null unless it is a build for browsers. */
  playable: boolean | null
  isolated: boolean | null
  method: string
  key_ref: string | null
  uploaded_at: Date
}

/** Whether the channel that f, a file of the build b, was uploaded to has expired. */
const uploadChannelExpired = (sql: Sql) => sql`
  exists (
    select from channels c
    where c.game_uid = f.game_uid and c.app = b.app and c.channel = f.channel
      and c.expires_at <= now())`

/** The visible channels whose head is the build of the clean file f: its own first, then stable. */
const visibleHeads = (sql: Sql, access: ChannelAccess) =>
  headsThat(sql, sql`h.build_uid = f.build_uid`, access)

/** The visible channels that had the build of the clean file f before, and could return to it. */
const visibleEarlier = (sql: Sql, access: ChannelAccess) =>
  headsThat(sql, sql`f.build_uid = any(h.previous)`, access)

const headsThat = (sql: Sql, match: ReturnType<Sql>, { channels, all }: ChannelAccess) => sql`
  select array_agg(h.channel order by
    h.channel = f.channel desc, h.channel = 'stable' desc, h.channel) as channels
  from channel_heads h
  left join channels c on c.game_uid = h.game_uid and c.app = h.app and c.channel = h.channel
  where h.game_uid = f.game_uid and h.app = b.app and ${match}
    and h.os = f.os and h.arch = f.arch and f.scan = 'clean'
    and (${all} or h.channel = any(${channels}))
    and (c.expires_at is null or c.expires_at > now())`

/** The visible channels that deliver the build of the clean file f to a part of the devices. */
const visibleStages = (sql: Sql, { channels, all }: ChannelAccess) => sql`
  select array_agg(s.channel order by s.channel = 'stable' desc, s.channel) as channels
  from staged_releases s
  left join channels c on c.game_uid = s.game_uid and c.app = s.app and c.channel = s.channel
  where s.game_uid = f.game_uid and s.app = b.app and s.build_uid = f.build_uid
    and s.os = f.os and s.arch = f.arch and f.scan = 'clean'
    and (${all} or s.channel = any(${channels}))
    and (c.expires_at is null or c.expires_at > now())`

type FileOptions = {
  /** Only this file. */
  file_uid?: string | undefined
  /**
   * Also those that devices ask for by their id: of staged builds, and of builds that a newer one
   * replaced, which installs are repaired from and downloads that have begun are finished from.
   */
  with_delivered?: boolean
}

/**
 * The files a person may see: clean files of the builds their channels point at, and files that are
 * still being scanned on those channels. Those who run the project see every file not rejected.
 */
export async function readVisibleFiles(
  sql: Sql,
  game_uid: string,
  access: ChannelAccess,
  { file_uid, with_delivered = false }: FileOptions = {},
): Promise<VisibleFile[]> {
  const { channels, all } = access
  return sql<VisibleFile[]>`
    select f.uid, f.game_uid, b.uid as build_id, b.app, b.version,
      f.os, f.arch, coalesce(heads.channels[1], stages.channels[1], earlier.channels[1],
        f.channel) as channel,
      coalesce(heads.channels, '{}') as channels,
      f.filename, f.size, f.checksum, f.scan, f.method, f.key_ref, f.uploaded_at,
      ${isPlayable(sql)} as playable, ${isIsolated(sql)} as isolated
    from files f
    join builds b on b.uid = f.build_uid
    left join lateral (${visibleHeads(sql, access)}) heads on true
    left join lateral (${visibleStages(sql, access)}) stages on ${with_delivered}
    left join lateral (${visibleEarlier(sql, access)}) earlier on ${with_delivered}
    where f.game_uid = ${game_uid} and f.scan in ('clean', 'scanning')
      ${file_uid ? sql`and f.uid = ${file_uid}` : sql``}
      and (${all} or heads.channels is not null or stages.channels is not null
        or earlier.channels is not null
        or (f.scan = 'scanning' and f.channel = any(${channels})
          and not ${uploadChannelExpired(sql)}))
    order by b.app, f.uploaded_at desc, f.uid desc`
}

/** The channels a file is on, to explain why a person cannot see it; empty if it was rejected. */
export async function readFileChannels(
  sql: Sql,
  game_uid: string,
  file_uid: string,
): Promise<string[]> {
  const rows = await sql<{ channel: string }[]>`
    select channel
    from files
    where uid = ${file_uid} and game_uid = ${game_uid} and scan in ('clean', 'scanning')
    union
    select h.channel
    from files f
    join channel_heads h on h.build_uid = f.build_uid and h.os = f.os and h.arch = f.arch
    where f.uid = ${file_uid} and f.game_uid = ${game_uid} and f.scan = 'clean'`
  return rows.map(({ channel }) => channel)
}

export type Provenance = Omit<
  VisibleFile,
  'uid' | 'app' | 'game_uid' | 'scan' | 'playable' | 'isolated' | 'channels'
> & {
  file_uid: string
  scan: string
  /** Whether the channel it was uploaded to has expired. */
  channel_expired: boolean
  scan_history: { state: string; engine: string; detail: string | null; at: string }[]
}

const selectScanHistory = (sql: Sql) => sql`(
  select json_agg(
    json_build_object(
      'state', h.state, 'engine', h.engine, 'detail', h.detail,
      'at', ${isoTime(sql, sql`h.at`)})
    order by h.seq)
  from scan_history h
  where h.file_uid = f.uid)`

/** Where a file came from; also of rejected files. */
export async function readProvenance(
  sql: Sql,
  game_uid: string,
  uid: string,
): Promise<Provenance | undefined> {
  const [file] = await sql<Provenance[]>`
    select f.uid as file_uid, b.uid as build_id, b.version, f.os, f.arch, f.channel,
      f.filename, f.size, f.checksum, f.scan, f.method, f.key_ref, f.uploaded_at,
      ${uploadChannelExpired(sql)} as channel_expired,
      ${selectScanHistory(sql)} as scan_history
    from files f
    join builds b on b.uid = f.build_uid
    where f.uid = ${uid} and f.game_uid = ${game_uid}`
  return file
}

/** The uid of the listing that a file belongs to. */
export async function findGameOfFile(sql: Sql, uid: string): Promise<string | undefined> {
  const [row] = await sql`
    select game_uid from files f where uid = ${uid} and ${listingExists(sql, 'f')}`
  return row?.game_uid
}

/** The SHA-256 of every file in a build, in hex, by its path. */
export async function readEntryHashes(sql: Sql, file_uid: string): Promise<Map<string, string>> {
  const rows = await sql<{ path: string; sha256: string }[]>`
    select path, encode(sha256, 'hex') as sha256
    from file_entries
    where file_uid = ${file_uid} and sha256 is not null`
  return new Map(rows.map(({ path, sha256 }) => [path, sha256]))
}

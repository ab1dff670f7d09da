import type { Sql } from '../core/database/sql.ts'
import { whereForEveryone } from '../listings/listing/visibility-queries.ts'
import { forPlayers } from '../listings/page/queries.ts'

/** Successful downloads of a listing, for the widget. */
export async function countDownloads(sql: Sql, game_uid: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from download_attempts
    where game_uid = ${game_uid} and outcome = 'ok'`
  return row!.count
}

export type FixedReport = {
  uid: string
  game_uid: string
  game_name: string
  message: string
  fixed_at: Date
  version: string | null
}

/** Reports of a player, of any game, that are fixed and whose notice the player has not closed. */
export async function readFixedReports(sql: Sql, user_uid: string): Promise<FixedReport[]> {
  return sql<FixedReport[]>`
    select b.notice_uid as uid, b.game_uid, l.name as game_name,
      b.message, b.fixed_at, b.fixed_version as version
    from bugs b
    join listings l on l.uid = b.game_uid
    where (
        b.user_uid = ${user_uid}
        or b.extstore_id = (select u.extstore_id from users u where u.uid = ${user_uid})
      )
      and b.notice_uid is not null
      and b.acknowledged_at is null
    order by b.fixed_at desc, b.uid
    limit 20`
}

export type LibraryFile = {
  uid: string
  game_uid: string
  os: string
  arch: string
  version: string
  size: number
  channel: 'stable' | 'beta'
}

/** The clean main files that the beta of these listings points at while it has not expired. */
export async function readBetaFiles(
  sql: Sql,
  game_uids: readonly string[],
): Promise<LibraryFile[]> {
  return sql<LibraryFile[]>`
    select f.uid, f.game_uid, f.os, f.arch, b.version, f.size, 'beta' as channel
    from files f
    join builds b on b.uid = f.build_uid
    join channel_heads h on h.build_uid = f.build_uid and h.os = f.os and h.arch = f.arch
    left join channels c
      on c.game_uid = h.game_uid and c.app = h.app and c.channel = h.channel
    where f.game_uid = any(${game_uids as string[]}::uuid[])
      and f.scan = 'clean'
      and b.app = ''
      and h.channel = 'beta'
      and (c.expires_at is null or c.expires_at > now())
    order by f.os, f.arch`
}

/** The main files that players of these listings get: the clean ones of the stable channel. */
export async function readLibraryFiles(
  sql: Sql,
  game_uids: readonly string[],
): Promise<LibraryFile[]> {
  return sql<LibraryFile[]>`
    select f.uid, f.game_uid, f.os, f.arch, b.version, f.size, 'stable' as channel
    from listings l, files f
    join builds b on b.uid = f.build_uid
    where l.uid = any(${game_uids as string[]}::uuid[])
      and ${forPlayers(sql)}
      and f.scan = 'clean'
      and b.app = ''
    order by f.os, f.arch`
}

/** The name of a listing that everyone may see. */
export async function readPublicName(sql: Sql, uid: string): Promise<string | undefined> {
  const [row] = await sql<{ name: string }[]>`
    select l.name from listings l where l.uid = ${uid} and ${whereForEveryone(sql)}`
  return row?.name
}

/** The name of the listing that a file belongs to, if everyone may see it. */
export async function readPublicNameOfFile(sql: Sql, uid: string): Promise<string | undefined> {
  const [row] = await sql<{ name: string }[]>`
    select l.name
    from files f
    join listings l on l.uid = f.game_uid
    where f.uid = ${uid} and ${whereForEveryone(sql)}`
  return row?.name
}

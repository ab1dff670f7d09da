import { isoTime, type Sql, type Tx } from '../../core/database/sql.ts'
import type { Withdrawal } from './schema.ts'

/** The build to get instead of a build `b`, as JSON; null if that is withdrawn itself. */
const replacementOf = (sql: Sql | Tx) => sql`(
  select json_build_object('build_id', r.uid, 'version', r.version)
  from builds r
  where r.uid = b.replacement_uid and r.withdrawn_at is null and r.quarantined_at is null)`

/** The withdrawal of a build `b`, as JSON; null if it is not withdrawn. */
export const withdrawalOf = (sql: Sql | Tx) => sql`
  case when b.withdrawn_at is not null then json_build_object(
    'at', ${isoTime(sql, sql`b.withdrawn_at`)},
    'reason', b.withdrawal_reason,
    'replacement', ${replacementOf(sql)})
  end`

export type WithdrawnDownload = Withdrawal & {
  build_id: string
  app: string
  version: string
  os: string
  arch: string
}

/**
 * The withdrawn builds of these listings that are what a person last downloaded for a platform, so
 * probably has.
 */
export async function readWithdrawnDownloads(
  sql: Sql,
  user_uid: string,
  game_uids: readonly string[],
): Promise<(WithdrawnDownload & { game_uid: string })[]> {
  const rows = await sql<
    (Omit<WithdrawnDownload, keyof Withdrawal> & { game_uid: string; withdrawn: Withdrawal })[]
  >`
    select b.game_uid, b.uid as build_id, b.app, b.version, last.os, last.arch,
      ${withdrawalOf(sql)} as withdrawn
    from (
      select distinct on (a.game_uid, d.app, f.os, f.arch) d.uid as build_uid, f.os, f.arch
      from download_attempts a
      join files f on f.uid = a.file_uid
      join builds d on d.uid = f.build_uid
      where a.user_uid = ${user_uid} and a.outcome = 'ok'
        and a.game_uid in (
          select w.game_uid
          from builds w
          where w.game_uid = any(${game_uids as string[]}::uuid[])
            and w.withdrawn_at is not null)
      order by a.game_uid, d.app, f.os, f.arch, a.at desc, a.seq desc) last
    join builds b on b.uid = last.build_uid
    where b.withdrawn_at is not null and b.quarantined_at is null
    order by b.game_uid, b.app, last.os, last.arch`
  return rows.map(({ withdrawn, ...download }) => ({ ...download, ...withdrawn }))
}

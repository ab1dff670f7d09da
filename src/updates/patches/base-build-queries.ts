import { listingExists } from '../../accounts/people/role-queries.ts'
import { movesHead } from '../../builds/channels/queries.ts'
import type { Sql } from '../../core/database/sql.ts'
import type { FilePair } from './queries.ts'

/** The newest clean file of a build for the platform of a head h. */
const fileOfBuild = (sql: Sql, build_uid: ReturnType<Sql>) => sql`
  select f.uid
  from files f
  where f.build_uid = ${build_uid} and f.os = h.os and f.arch = h.arch and f.scan = 'clean'
  order by f.uploaded_at desc, f.uid desc
  limit 1`

/** The events of the platform of a head h about other builds than the target. */
const isBase = (sql: Sql) => sql`
  b.game_uid = h.game_uid and b.app = h.app and b.channel = h.channel
  and b.os = h.os and b.arch = h.arch and b.build_uid <> target.build_uid`

/**
 * The builds that devices may have: the last heads, for a staged build first the one of now, and
 * the build that was staged last. Staged builds are counted on their own: those that were taken
 * back do not displace the heads that most devices have.
 */
const lastBuilds = (sql: Sql, bases: number) => sql`
  (
    select b.build_uid,
      row_number() over (order by b.build_uid = h.build_uid desc, max(b.seq) desc) as position
    from channel_history b
    where ${isBase(sql)} and ${movesHead(sql)}
    group by b.build_uid
    order by position
    limit ${bases}
  )
  union all
  (
    select b.build_uid, 2 as position
    from channel_history b
    where ${isBase(sql)} and b.event = 'stage'
    order by b.seq desc
    limit 1
  )`

/**
 * The pairs without a patch: to the build that a channel has on a platform now, and to the one that
 * it stages beside it, from each of the last builds. Builds for browsers are not installed. Of one
 * listing, or of all whose channels changed a short time ago.
 */
export const findMissingPatches = (
  sql: Sql,
  { game_uid, bases }: { game_uid: string | undefined; bases: number },
) => sql<FilePair[]>`
  select from_file.uid as from_file, to_file.uid as to_file, min(before.position) as position
  from channel_heads h
  left join staged_releases s on s.game_uid = h.game_uid and s.app = h.app
    and s.channel = h.channel and s.os = h.os and s.arch = h.arch
  cross join lateral (values (h.build_uid), (s.build_uid)) target (build_uid)
  join lateral (${lastBuilds(sql, bases)}) before on true
  join lateral (${fileOfBuild(sql, sql`target.build_uid`)}) to_file on true
  join lateral (${fileOfBuild(sql, sql`before.build_uid`)}) from_file on true
  where ${game_uid ? sql`h.game_uid = ${game_uid}` : sql`h.game_uid in (${changedGames(sql)})`}
    and h.os <> 'web' and ${listingExists(sql, 'h')}
    and not exists (
      select
      from file_patches p
      where p.to_file = to_file.uid and p.from_file = from_file.uid)
  group by from_file.uid, to_file.uid
  order by position`

const changedGames = (sql: Sql) => sql`
  select game_uid
  from channel_heads
  where moved_at > now() - ${RECENT_MINUTES} * interval '1 minute'
  union
  select game_uid
  from staged_releases
  where staged_at > now() - ${RECENT_MINUTES} * interval '1 minute'`

const RECENT_MINUTES = 60

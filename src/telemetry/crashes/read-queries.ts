import { listingExists } from '../../accounts/people/role-queries.ts'
import { isoTime, type Sql } from '../../core/database/sql.ts'
import type { Analysis } from '../dump/analyze.ts'
import type { ReportedFields } from './fields.ts'

export type CrashRow = ReportedFields & {
  id: string
  build_id: string
  group_uid: string | null
  version: string
  has_dump: boolean
  has_log: boolean
  has_stack: boolean
  /** The severity that the report names, in any spelling. */
  reported_severity: string | null
  crash_reason: string | null
  created_at: Date
}
export type CrashDetail = CrashRow & {
  analysis: Partial<Analysis> | null
  metadata: Record<string, unknown>
  stack: string | null
  dump_key: string | null
  log_key: string | null
}
export type CrashFilter = { build_id?: string | undefined; group_uid?: string | undefined }

const crashColumns = (sql: Sql) => sql`
  c.uid as id, c.build_uid as build_id, c.group_uid, b.version,
  c.app_name, c.app_version, c.engine_version, c.os, c.arch, c.user_message, c.anonymous,
  c.dump_key is not null as has_dump,
  c.log_key is not null as has_log,
  c.stack is not null as has_stack,
  c.metadata ->> 'severity' as reported_severity,
  c.analysis ->> 'crash_reason' as crash_reason,
  c.created_at`

/** One page of crashes, newest first, and the total. */
export async function listCrashes(
  sql: Sql,
  game_uid: string,
  { build_id, group_uid }: CrashFilter,
  { limit, offset }: { limit: number; offset: number },
) {
  const matching = sql`
    from crashes c
    join builds b on b.uid = c.build_uid
    where c.game_uid = ${game_uid}
      ${build_id === undefined ? sql`` : sql`and c.build_uid = ${build_id}`}
      ${group_uid === undefined ? sql`` : sql`and c.group_uid = ${group_uid}`}`
  const [rows, [count]] = await Promise.all([
    sql<CrashRow[]>`
      select ${crashColumns(sql)}
      ${matching}
      order by c.created_at desc, c.uid desc
      limit ${limit} offset ${offset}`,
    sql`select count(*)::int as total ${matching}`,
  ])
  return { rows: [...rows], total: count!.total as number }
}

export async function readCrash(
  sql: Sql,
  game_uid: string,
  uid: string,
): Promise<CrashDetail | undefined> {
  const [row] = await sql<CrashDetail[]>`
    select ${crashColumns(sql)}, c.analysis, c.metadata, c.stack, c.dump_key, c.log_key
    from crashes c
    join builds b on b.uid = c.build_uid
    where c.uid = ${uid} and c.game_uid = ${game_uid}`
  return row
}

export type SentCrash = { uid: string; analysis: Partial<Analysis> | null }

/** A recent crash, for the reporter that sent it. */
export async function readSentCrash(
  sql: Sql,
  uid: string,
  max_age_minutes: number,
): Promise<SentCrash | undefined> {
  const [row] = await sql<SentCrash[]>`
    select uid, analysis
    from crashes c
    where uid = ${uid} and created_at > now() - ${max_age_minutes} * interval '1 minute'
      and ${listingExists(sql, 'c')}`
  return row
}

export type ArtifactRow = {
  dump_key: string | null
  dump_size: number | null
  log_key: string | null
  log_size: number | null
  stack: string | null
}

export async function readArtifacts(sql: Sql, uid: string): Promise<ArtifactRow | undefined> {
  const [row] = await sql<ArtifactRow[]>`
    select dump_key, dump_size, log_key, log_size, stack
    from crashes c
    where uid = ${uid} and ${listingExists(sql, 'c')}`
  return row
}

export type GroupRow = {
  uid: string
  kind: string
  title: string
  status: string
  resolved_in: string | null
  resolved_at: Date | null
  regressed_at: Date | null
  regressed_build_id: string | null
  first_seen: Date
  last_seen: Date
  sample_crash_id: string | null
  count: number
  builds: {
    build_id: string
    version: string
    os: string
    count: number
    first_seen: string
    last_seen: string
  }[]
}

/** The builds of a group `g`, newest first. */
const groupBuilds = (sql: Sql) => sql`
  select json_agg(
    json_build_object(
      'build_id', n.build_uid, 'version', b.version,
      'os', b.os, 'count', n.crashes,
      'first_seen', ${isoTime(sql, sql`n.first_seen`)},
      'last_seen', ${isoTime(sql, sql`n.last_seen`)})
    order by b.created_at desc, b.uid)
  from crash_group_builds n
  join builds b on b.uid = n.build_uid
  where n.group_uid = g.uid`

/** The groups of a game, most recently seen first; with `group_uid`, only that one. */
export async function readGroups(
  sql: Sql,
  game_uid: string,
  { limit, group_uid }: { limit: number; group_uid?: string },
): Promise<GroupRow[]> {
  return sql<GroupRow[]>`
    select g.uid, g.kind, g.title, g.status, g.resolved_in, g.resolved_at,
      g.regressed_at, g.regressed_build_uid as regressed_build_id,
      g.first_seen, g.last_seen,
      (select c.uid from crashes c where c.uid = g.sample_crash_uid) as sample_crash_id,
      coalesce(
        (select sum(n.crashes)::int from crash_group_builds n where n.group_uid = g.uid),
        0) as count,
      coalesce((${groupBuilds(sql)}), '[]') as builds
    from crash_groups g
    where g.game_uid = ${game_uid}
      ${group_uid === undefined ? sql`` : sql`and g.uid = ${group_uid}`}
    order by g.last_seen desc, g.uid desc
    limit ${limit}`
}

/** Returns false if there is no such group. */
export async function setGroupStatus(
  sql: Sql,
  game_uid: string,
  uid: string,
  { status, resolved_in }: { status: 'open' | 'resolved'; resolved_in: string | null },
): Promise<boolean> {
  const is_resolved = status === 'resolved'
  const updated = await sql`
    update crash_groups
    set status = ${status},
      resolved_at = ${is_resolved ? sql`now()` : null},
      resolved_in = ${is_resolved ? resolved_in : null},
      regressed_at = null,
      regressed_build_uid = null
    where uid = ${uid} and game_uid = ${game_uid}`
  return updated.count === 1
}

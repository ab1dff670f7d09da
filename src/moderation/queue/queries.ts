import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Action, TargetType } from '../decisions.ts'
import { isUndone } from '../queries.ts'
import type { CopyrightClaim, ReportKind } from '../reports/report-input.ts'
import { whereModerated } from '../targets/queries.ts'

export type TargetKey = { type: TargetType; id: string }

export type QueueRow = {
  target_type: TargetType
  target_id: string
  target_name: string
  reports: number
  kinds: ReportKind[]
  first_at: Date
  newest_at: Date
  assigned_to: string | null
}

/** The number of targets with open reports. */
export const countReported = (sql: Sql) => sql`
  select count(*)::int
  from (
    select
    from reports
    where decided_at is null
    group by target_type, target_id
  ) reported`

/**
 * Targets with open reports, the newest report first. What their reports say is read for those of
 * the page only.
 */
export async function readQueue(
  sql: Sql,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: QueueRow[]; total: number }> {
  const [items, [counted]] = await Promise.all([
    sql<QueueRow[]>`
      select g.target_type, g.target_id, g.newest_at, open.*, (
        select u.username
        from moderation_assignments a
        join users u on u.uid = a.user_uid
        where a.target_type = g.target_type and a.target_id = g.target_id) as assigned_to
      from (
        select target_type, target_id, max(created_at) as newest_at
        from reports
        where decided_at is null
        group by target_type, target_id
        order by newest_at desc, target_id
        limit ${limit} offset ${offset}
      ) g
      cross join lateral (
        select (array_agg(r.target_name order by r.created_at desc))[1] as target_name,
          count(*)::int as reports, array_agg(distinct r.kind) as kinds,
          min(r.created_at) as first_at
        from reports r
        where r.target_type = g.target_type and r.target_id = g.target_id
          and r.decided_at is null
      ) open
      order by g.newest_at desc, g.target_id`,
    sql<{ total: number }[]>`select (${countReported(sql)}) as total`,
  ])
  return { items, total: counted!.total }
}

export type ReportRow = {
  uid: string
  kind: ReportKind
  text: string
  urls: string[]
  copyright: CopyrightClaim | null
  snapshot: Record<string, unknown>
  images: string[]
  created_at: Date
  decided_at: Date | null
  action_uid: string | null
  action: Action | null
  /** Earlier decided reports of the same reporter, and how many led to an action that stands. */
  reporter_reports: number
  reporter_upheld: number
}

const MAX_REPORTS = 100

/** The reports about a target, open ones first, newest first, without addresses of reporters. */
export async function readTargetReports(sql: Sql, { type, id }: TargetKey): Promise<ReportRow[]> {
  return sql<ReportRow[]>`
    select r.uid, r.kind, r.text, r.urls, r.copyright, r.snapshot, r.created_at, r.decided_at,
      r.action_uid, (select d.action from moderation_actions d where d.uid = r.action_uid) as action,
      array(select i.sha256 from report_images i where i.report_uid = r.uid order by 1) as images,
      record.reports as reporter_reports, record.upheld as reporter_upheld
    from reports r
    cross join lateral (
      select count(*)::int as reports,
        count(*) filter (
          where a.action not in ('dismiss', 'restore') and not ${isUndone(sql)})::int as upheld
      from reports other
      join moderation_actions a on a.uid = other.action_uid
      where other.reporter_hash = r.reporter_hash and other.uid <> r.uid) record
    where r.target_type = ${type} and r.target_id = ${id}
    order by r.decided_at is null desc, r.created_at desc, r.uid desc
    limit ${MAX_REPORTS}`
}

export type SubjectRecord = { username: string; warnings: number; restrictions: number }

/** What was decided before about the person whom a target concerns, and was not undone. */
export async function readSubjectRecord(
  sql: Sql,
  subject_uid: string,
): Promise<SubjectRecord | undefined> {
  const [row] = await sql<SubjectRecord[]>`
    select u.username,
      count(a.uid) filter (where a.action = 'warn')::int as warnings,
      count(a.uid) filter (where a.action <> 'warn')::int as restrictions
    from users u
    left join moderation_actions a
      on a.subject_uid = u.uid and a.action not in ('dismiss', 'restore') and not ${isUndone(sql)}
    where u.uid = ${subject_uid}
    group by u.username`
  return row
}

export async function readAssignee(sql: Sql, { type, id }: TargetKey): Promise<string | null> {
  const [row] = await sql<{ username: string }[]>`
    select u.username
    from moderation_assignments a
    join users u on u.uid = a.user_uid
    where a.target_type = ${type} and a.target_id = ${id}`
  return row?.username ?? null
}

/** Null assigns the target to nobody. */
export async function assign(
  sql: Sql | Tx,
  { type, id }: TargetKey,
  user_uid: string | null,
): Promise<void> {
  if (user_uid === null)
    await sql`
      delete from moderation_assignments where target_type = ${type} and target_id = ${id}`
  else
    await sql`
      insert into moderation_assignments (target_type, target_id, user_uid)
      values (${type}, ${id}, ${user_uid})
      on conflict (target_type, target_id)
      do update set user_uid = excluded.user_uid, assigned_at = now()`
}

/**
 * An image that moderators see: as it was when it was reported, or of a target, also after it was
 * removed.
 */
export async function findModeratedImage(
  sql: Sql,
  sha256: string,
  is_operator: boolean,
): Promise<{ type: string; size: number } | undefined> {
  const [row] = await sql<{ type: string; size: number }[]>`
    select type, size from report_images where sha256 = ${sha256}
    union all
    select i.type, i.size
    from listing_images i
    join all_listings l on l.uid = i.game_uid
    where i.sha256 = ${sha256} and (${is_operator} or ${whereModerated(sql)})
    union all
    select type, size from profile_images where sha256 = ${sha256}
    union all
    select image ->> 'type', (image ->> 'size')::int from removed_images where sha256 = ${sha256}
    limit 1`
  return row
}

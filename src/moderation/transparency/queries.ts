import type { Sql } from '../../core/database/sql.ts'

/** How often something occurred in a year: reports, decisions or appeals with one name. */
export type YearCount = { year: number; subject: CountedSubject; name: string; count: number }

export const countedSubjects = [
  'report_kind',
  'report_outcome',
  'action',
  'ground',
  'appeal_outcome',
] as const
export type CountedSubject = (typeof countedSubjects)[number]

/** Numbers only; nothing in them says who or what. Years are those of UTC. */
export async function countByYear(sql: Sql): Promise<YearCount[]> {
  return sql<YearCount[]>`
    with events as (
      select r.created_at, unnest(array['report_kind', 'report_outcome']) as subject,
        unnest(array[r.kind, case
          when a.action is null then 'open'
          when a.action in ('dismiss', 'restore') then 'no_action'
          else 'action_taken' end]) as name
      from reports r
      left join moderation_actions a on a.uid = r.action_uid
      union all
      select a.created_at, unnest(array['action', 'ground']), unnest(array[a.action, a.ground])
      from moderation_actions a
      union all
      select p.created_at, 'appeal_outcome', coalesce(p.outcome, 'open')
      from appeals p
    )
    select extract(year from created_at at time zone 'utc')::int as year, subject, name,
      count(*)::int as count
    from events
    group by 1, 2, 3
    order by 1 desc, 2, 4 desc, 3`
}

export type YearMedian = { year: number; subject: 'reports' | 'appeals'; hours: number }

/** The median time from a report or appeal to its decision. */
export async function readMedians(sql: Sql): Promise<YearMedian[]> {
  return sql<YearMedian[]>`
    with decided as (
      select 'reports' as subject, created_at, decided_at from reports
      where decided_at is not null
      union all
      select 'appeals', created_at, decided_at from appeals
      where decided_at is not null
    )
    select extract(year from created_at at time zone 'utc')::int as year, subject,
      round((percentile_cont(0.5) within group (
        order by extract(epoch from decided_at - created_at)) / 3600)::numeric, 1)::float as hours
    from decided
    group by 1, 2`
}

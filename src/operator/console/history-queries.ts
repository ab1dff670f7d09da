import type { Sql } from '../../core/database/sql.ts'

/** What happens to a listing. */
export const historyKinds = [
  'created',
  'published',
  'release',
  'review',
  'decision',
  'deleted',
  'action',
] as const
export type HistoryKind = (typeof historyKinds)[number]

export type HistoryRow = {
  at: Date
  kind: HistoryKind
  event: string
  username: string | null
  detail: Record<string, string | number | null>
}

type Part = ReturnType<Sql>

/** The milestones that the listing itself has. */
const milestones = (sql: Sql, uid: string): Part => sql`
  select m.at, m.kind, m.kind as event, null::uuid as user_uid, '{}'::jsonb as detail
  from all_listings l
  cross join lateral (
    values (l.created_at, 'created'), (l.published_at, 'published'), (l.deleted_at, 'deleted')
  ) as m (at, kind)
  where l.uid = ${uid} and m.at is not null`

/** What moved the channels. */
const releases = (sql: Sql, uid: string): Part => sql`
  select h.at, 'release', h.event, h.by_user,
    jsonb_build_object('app', h.app, 'channel', h.channel, 'os', h.os, 'arch', h.arch,
      'version', h.version)
  from channel_history h
  where h.game_uid = ${uid}`

const reviews = (sql: Sql, uid: string): Part => sql`
  select r.requested_at, 'review', 'requested', r.requested_by, '{}'::jsonb
  from held_releases r
  where r.game_uid = ${uid}
  union all
  select r.decided_at, 'review', r.state, r.decided_by, jsonb_build_object('reason', r.reason)
  from held_releases r
  where r.game_uid = ${uid} and r.decided_at is not null`

/** About the listing, its builds and its files, each found by an index. */
const decisions = (sql: Sql, uid: string): Part => sql`
  select a.created_at, 'decision', a.action, a.moderator_uid,
    jsonb_build_object('target_type', a.target_type, 'target_name', a.target_name,
      'ground', a.ground, 'facts', a.facts)
  from (
    select 'listing' as type, ${uid}::text as id
    union all select 'build', b.uid::text from builds b where b.game_uid = ${uid}
    union all select 'file', f.uid::text from files f where f.game_uid = ${uid}
  ) targets
  join moderation_actions a on a.target_type = targets.type and a.target_id = targets.id`

const auditEntries = (sql: Sql, uid: string): Part => sql`
  select e.at, 'action', e.action, e.user_uid, e.detail
  from audit_entries e
  where e.game_uid = ${uid}`

/** The newest first. */
export async function readListingHistory(
  sql: Sql,
  uid: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: HistoryRow[]; total: number }> {
  const rows = await sql<(HistoryRow & { total: number })[]>`
    select h.at, h.kind, h.event, u.username, h.detail, count(*) over ()::int as total
    from (
      ${milestones(sql, uid)}
      union all ${releases(sql, uid)}
      union all ${reviews(sql, uid)}
      union all ${decisions(sql, uid)}
      union all ${auditEntries(sql, uid)}
    ) h (at, kind, event, user_uid, detail)
    left join users u on u.uid = h.user_uid
    order by h.at desc, h.kind, h.event
    limit ${limit}
    offset ${offset}`
  return { rows: rows.map(({ total, ...row }) => row), total: rows[0]?.total ?? 0 }
}

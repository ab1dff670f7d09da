import { isoTime, type Sql } from '../../core/database/sql.ts'
import { isUuid } from '../../core/security/crypto.ts'
import type { Action, Ground, TargetType } from '../decisions.ts'
import {
  type ActionRow,
  effectColumns,
  isInForce,
  isUndone,
  type StatementRow,
} from '../queries.ts'

/** What became of a decision. */
export const decisionStates = ['in_force', 'undone', 'appealed'] as const
export type DecisionState = (typeof decisionStates)[number]

export type LoggedAppeal = {
  uid: string
  text: string
  created_at: string
  outcome: 'upheld' | 'reversed' | null
  reasons: string | null
  decided_at: string | null
  /** Null if nobody decided yet, or if that person has no account any more. */
  decided_by: string | null
}

export type LogRow = ActionRow &
  Pick<StatementRow, 'origin' | 'labels' | 'suspension' | 'in_force' | 'undone'> & {
    /** Null if nobody got a statement of reasons, or if that person has no account any more. */
    statement_uid: string | null
    appeal: LoggedAppeal | null
  }

const appealColumn = (sql: Sql) => sql`
  case when p.uid is not null then json_build_object(
    'uid', p.uid,
    'text', p.text,
    'created_at', ${isoTime(sql, sql`p.created_at`)},
    'outcome', p.outcome,
    'reasons', p.reasons,
    'decided_at', ${isoTime(sql, sql`p.decided_at`)},
    'decided_by', (select d.username from users d where d.uid = p.decided_by)) end as appeal`

const logColumns = (sql: Sql) => sql`
  a.uid, a.target_type, a.target_id, a.target_name, a.action, a.ground, a.facts, a.statement,
  a.created_at, ${effectColumns(sql)}, ${isInForce(sql)} as in_force, ${isUndone(sql)} as undone,
  (select u.username from users u where u.uid = a.moderator_uid) as moderator,
  (select s.uid from moderation_statements s where s.action_uid = a.uid) as statement_uid,
  ${appealColumn(sql)}`

const withAppeals = (sql: Sql) => sql`
  from moderation_actions a
  left join appeals p on p.action_uid = a.uid`

export type LogFilter = {
  target?: { type: TargetType; id: string } | undefined
  action?: Action | undefined
  ground?: Ground | undefined
  /** Who decided, by name or uid. */
  moderator?: string | undefined
  /** Whom the decision concerns, by name or uid. */
  person?: string | undefined
  state?: DecisionState | undefined
  since?: Date | undefined
  until?: Date | undefined
}

const isInState = (sql: Sql, state: DecisionState) =>
  ({ in_force: isInForce(sql), undone: isUndone(sql), appealed: sql`p.uid is not null` })[state]

const userNamed = (sql: Sql, name: string) => sql`
  select u.uid
  from users u
  where ${isUuid(name) ? sql`u.uid = ${name}` : sql`lower(u.username) = lower(${name})`}`

function matching(sql: Sql, filter: LogFilter) {
  const { target, action, ground, moderator, person, state, since, until } = filter
  return sql`
    where true
    ${target ? sql`and a.target_type = ${target.type} and a.target_id = ${target.id}` : sql``}
    ${action ? sql`and a.action = ${action}` : sql``}
    ${ground ? sql`and a.ground = ${ground}` : sql``}
    ${moderator ? sql`and a.moderator_uid in (${userNamed(sql, moderator)})` : sql``}
    ${person ? sql`and a.subject_uid in (${userNamed(sql, person)})` : sql``}
    ${state ? sql`and ${isInState(sql, state)}` : sql``}
    ${since ? sql`and a.created_at >= ${since}` : sql``}
    ${until ? sql`and a.created_at < ${until}` : sql``}`
}

/** The log of decisions, newest first. */
export async function listDecisions(
  sql: Sql,
  filter: LogFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: LogRow[]; total: number }> {
  const [items, [counted]] = await Promise.all([
    sql<LogRow[]>`
      select ${logColumns(sql)}
      ${withAppeals(sql)}
      ${matching(sql, filter)}
      order by a.created_at desc, a.uid desc
      limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`
      select count(*)::int as total
      ${withAppeals(sql)}
      ${matching(sql, filter)}`,
  ])
  return { items, total: counted!.total }
}

export async function findDecision(sql: Sql, uid: string): Promise<LogRow | undefined> {
  const [row] = await sql<LogRow[]>`
    select ${logColumns(sql)}
    ${withAppeals(sql)}
    where a.uid = ${uid}`
  return row
}

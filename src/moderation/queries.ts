import type { SuspensionScope } from '../accounts/people/suspension.ts'
import { isoTime, type Sql, type Tx } from '../core/database/sql.ts'
import {
  type Action,
  type Ground,
  type LabelDetails,
  type Origin,
  REVERSIBLE_DAYS,
  type TargetType,
} from './decisions.ts'
import type { Target } from './targets/queries.ts'

export type Decision = {
  uid: string
  action: Action
  ground: Ground
  facts: string
  statement: string
  details: Record<string, string | null>
  moderator_uid: string
}

/** Adds a decision to the log. */
export async function insertAction(tx: Tx, target: Target, decision: Decision): Promise<void> {
  const { details, ...columns } = decision
  const row = {
    ...columns,
    target_type: target.type,
    target_id: target.id,
    target_name: target.name,
    game_uid: target.game_uid,
    subject_uid: target.subject_uid,
  }
  await tx`insert into moderation_actions ${tx({ ...row, details: tx.json(details) as never })}`
}

export async function insertStatement(
  tx: Tx,
  statement: { uid: string; action_uid: string; user_uid: string },
): Promise<void> {
  await tx`insert into moderation_statements ${tx(statement)}`
}

export type ActionRow = {
  uid: string
  target_type: TargetType
  target_id: string
  target_name: string
  action: Action
  ground: Ground
  facts: string
  statement: string
  /** Null if the moderator has no account any more. */
  moderator: string | null
  created_at: Date
}

/** Whether a decision `a` restricts something, as long as it is not undone. */
const isRestriction = (sql: Sql | Tx) => sql`a.action not in ('dismiss', 'warn', 'restore')`

/** Later decisions about the target of a decision `a`. */
const laterDecisions = (sql: Sql | Tx) => sql`
  select
  from moderation_actions later
  where later.target_type = a.target_type and later.target_id = a.target_id
    and later.uid > a.uid`

/** Of those, the ones that undo it: a restoration of everything, or of this decision. */
const restoresIt = (sql: Sql | Tx) => sql`
  later.action = 'restore'
    and coalesce(later.details ->> 'reverses', a.uid::text) = a.uid::text`

/** Whether a decision `a` is a suspension whose days are over. */
const isOver = (sql: Sql | Tx) => sql`
  coalesce(a.action = 'suspend'
    and a.created_at + (a.details ->> 'days')::int * interval '1 day' <= now(), false)`

/** Whether a decision `a` restricts something, and was neither undone nor replaced. */
export const isInForce = (sql: Sql | Tx) => sql`
  (${isRestriction(sql)} and not ${isOver(sql)} and not exists (
    ${laterDecisions(sql)}
      and (${restoresIt(sql)} or later.action = 'suspend' and a.action = 'suspend')))`

/** Whether a file `f` is in quarantine by a decision about the file, not only about its build. */
export const isQuarantinedItself = (sql: Sql | Tx) => sql`
  exists (
    select
    from moderation_actions a
    where a.target_type = 'file' and a.target_id = f.uid::text and a.action = 'quarantine'
      and ${isInForce(sql)})`

export async function hasOwnQuarantine(tx: Tx, file_uid: string): Promise<boolean> {
  const [row] = await tx`
    select from files f where f.uid = ${file_uid} and ${isQuarantinedItself(tx)}`
  return row !== undefined
}

/** The files of a build that stay in quarantine when the build leaves it. */
export async function filesWithOwnQuarantine(tx: Tx, build_uid: string): Promise<string[]> {
  const rows = await tx<{ uid: string }[]>`
    select f.uid
    from files f
    where f.build_uid = ${build_uid} and f.scan = 'quarantined' and ${isQuarantinedItself(tx)}`
  return rows.map(({ uid }) => uid)
}

/** Whether a decision `a` was undone, by a moderator or on appeal. Warnings only are on appeal. */
export const isUndone = (sql: Sql | Tx) => sql`
  (exists (select from appeals reversal
      where reversal.action_uid = a.uid and reversal.outcome = 'reversed')
    or ${isRestriction(sql)} and exists (${laterDecisions(sql)} and ${restoresIt(sql)}))`

/** What made the team decide `a`. */
const originOf = (sql: Sql) => sql`
  case
    when a.details ? 'sweep' then 'sweep'
    when exists (
      select
      from reports r
      where r.target_type = a.target_type and r.target_id = a.target_id and r.action_uid = a.uid)
    then 'report'
    else 'own_initiative'
  end`

/** What a decision `a` set, besides what its action says, and what it came from. */
export const effectColumns = (sql: Sql) => sql`
  ${originOf(sql)} as origin,
  case when a.action = 'label' then a.details end as labels,
  case when a.action = 'suspend' then json_build_object(
    'scope', a.details ->> 'scope',
    'days', (a.details ->> 'days')::int) end as suspension`

/** Whether a decision `a` of a statement `s` is one that people can appeal, and not too old. */
export const isAppealable = (sql: Sql | Tx) => sql`
  (a.action <> 'restore' and s.created_at > now() - ${REVERSIBLE_DAYS} * interval '1 day')`

export type StatementAppeal = {
  text: string
  created_at: string
  outcome: 'upheld' | 'reversed' | null
  reasons: string | null
  decided_at: string | null
}

export type StatementRow = Omit<ActionRow, 'moderator'> & {
  origin: Origin
  in_force: boolean
  undone: boolean
  /** For corrected labels: the fields that the decision set. */
  labels: LabelDetails | null
  /** For suspensions: from what, and for how many days; null is for good. */
  suspension: { scope: SuspensionScope; days: number | null } | null
  /** Whether the person concerned can appeal now. */
  may_appeal: boolean
  appeal: StatementAppeal | null
}

const statementColumns = (sql: Sql) => sql`
  s.uid, a.target_type, a.target_id, a.target_name, a.action, a.ground, a.facts, a.statement,
  s.created_at, ${isInForce(sql)} as in_force,
  ${isUndone(sql)} as undone, ${effectColumns(sql)},
  ${isAppealable(sql)} and p.uid is null as may_appeal,
  case when p.uid is not null then json_build_object(
    'text', p.text,
    'created_at', ${isoTime(sql, sql`p.created_at`)},
    'outcome', p.outcome,
    'reasons', p.reasons,
    'decided_at', ${isoTime(sql, sql`p.decided_at`)}) end as appeal`

/** The statements of reasons that a person got, of all or about a listing, newest first. */
export async function listStatements(
  sql: Sql,
  user_uid: string,
  game_uid?: string,
): Promise<StatementRow[]> {
  return sql<StatementRow[]>`
    select ${statementColumns(sql)}
    from moderation_statements s
    join moderation_actions a on a.uid = s.action_uid
    left join appeals p on p.action_uid = a.uid
    where s.user_uid = ${user_uid} ${game_uid ? sql`and a.game_uid = ${game_uid}` : sql``}
    order by s.created_at desc, s.uid desc
    limit 100`
}

/** A statement of reasons that a person may appeal. */
export async function findStatement(sql: Sql, uid: string): Promise<StatementRow | undefined> {
  const [row] = await sql<StatementRow[]>`
    select ${statementColumns(sql)}
    from moderation_statements s
    join moderation_actions a on a.uid = s.action_uid
    left join appeals p on p.action_uid = a.uid
    where s.uid = ${uid}`
  return row
}

/** A statement and whom it is mailed to. */
export async function findStatementMail(
  sql: Sql,
  uid: string,
): Promise<(StatementRow & { email: string; language: string | null }) | undefined> {
  const [row] = await sql<(StatementRow & { email: string; language: string | null })[]>`
    select ${statementColumns(sql)}, u.email, u.language
    from moderation_statements s
    join moderation_actions a on a.uid = s.action_uid
    left join appeals p on p.action_uid = a.uid
    join users u on u.uid = s.user_uid
    where s.uid = ${uid}`
  return row
}

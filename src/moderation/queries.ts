import type { Sql, Tx } from '../core/database/sql.ts'
import type { Action, Ground, TargetType } from './decisions.ts'
import type { Target } from './target-queries.ts'

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

const actionColumns = (sql: Sql) => sql`
  a.uid, a.target_type, a.target_id, a.target_name, a.action, a.ground, a.facts, a.statement,
  a.created_at`

type ActionFilter = { target?: { type: TargetType; id: string } | undefined }

/** The log, newest first. */
export async function listActions(
  sql: Sql,
  { target }: ActionFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: ActionRow[]; total: number }> {
  const matching = target
    ? sql`where a.target_type = ${target.type} and a.target_id = ${target.id}`
    : sql``
  const [items, [counted]] = await Promise.all([
    sql<ActionRow[]>`
      select ${actionColumns(sql)}, u.username as moderator
      from moderation_actions a
      left join users u on u.uid = a.moderator_uid
      ${matching}
      order by a.created_at desc, a.uid desc
      limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`select count(*)::int as total from moderation_actions a ${matching}`,
  ])
  return { items, total: counted!.total }
}

export type StatementRow = Omit<ActionRow, 'moderator'> & {
  /** Whether the decision restricts something and was not undone. */
  in_force: boolean
}

const statementColumns = (sql: Sql) => sql`
  s.uid, a.target_type, a.target_id, a.target_name, a.action, a.ground, a.facts, a.statement,
  s.created_at,
  a.action not in ('warn', 'restore') and not exists (
    select
    from moderation_actions later
    where later.target_type = a.target_type and later.target_id = a.target_id
      and later.action = 'restore' and later.uid > a.uid) as in_force`

/** The statements of reasons that a person got, newest first. */
export async function listStatements(sql: Sql, user_uid: string): Promise<StatementRow[]> {
  return sql<StatementRow[]>`
    select ${statementColumns(sql)}
    from moderation_statements s
    join moderation_actions a on a.uid = s.action_uid
    where s.user_uid = ${user_uid}
    order by s.created_at desc, s.uid desc
    limit 100`
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
    join users u on u.uid = s.user_uid
    where s.uid = ${uid}`
  return row
}

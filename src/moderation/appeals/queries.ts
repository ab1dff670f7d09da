import type { PendingQuery, Row } from 'postgres'
import { hasSecondFactor } from '../../accounts/people/queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Action, Ground, TargetType } from '../decisions.ts'
import { isAppealable, isInForce } from '../queries.ts'

export const outcomes = ['upheld', 'reversed'] as const
export type Outcome = (typeof outcomes)[number]

/** Whom a statement of reasons is for. */
export async function findRecipient(sql: Sql, statement_uid: string): Promise<string | undefined> {
  const [row] = await sql<{ user_uid: string }[]>`
    select user_uid from moderation_statements where uid = ${statement_uid}`
  return row?.user_uid
}

/** False if the decision was appealed before, is too old, or restricts nothing. */
export async function insertAppeal(
  sql: Sql | Tx,
  { uid, statement_uid, text }: { uid: string; statement_uid: string; text: string },
): Promise<boolean> {
  const { count } = await sql`
    insert into appeals (uid, action_uid, user_uid, text)
    select ${uid}, a.uid, s.user_uid, ${text}
    from moderation_statements s
    join moderation_actions a on a.uid = s.action_uid
    where s.uid = ${statement_uid} and ${isAppealable(sql)}
    on conflict (action_uid) do nothing`
  return count === 1
}

export type AppealRow = {
  uid: string
  text: string
  created_at: Date
  target_type: TargetType
  target_id: string
  target_name: string
  action_uid: string
  action: Action
  ground: Ground
  facts: string
  statement: string
  moderator_uid: string
  /** Null if the moderator has no account any more. */
  moderator: string | null
  subject_uid: string | null
}

const appealColumns = (sql: Sql | Tx) => sql`
  p.uid, p.text, p.created_at, a.target_type, a.target_id, a.target_name,
  a.uid as action_uid, a.action, a.ground, a.facts, a.statement, a.moderator_uid, a.subject_uid,
  (select u.username from users u where u.uid = a.moderator_uid) as moderator`

const MAX_APPEALS = 100

export type OpenAppeal = AppealRow & {
  /** Names of those who may decide, besides who decided first. */
  others: string[]
  subject_in_team: boolean
}

/** Those that wait for a decision, the oldest first, or one; not those of people who left. */
const openAppeals = (sql: Sql, uid?: string) => sql`
  from appeals p
  join moderation_actions a on a.uid = p.action_uid
  where p.decided_at is null and p.user_uid is not null
    ${uid === undefined ? sql`` : sql`and p.uid = ${uid}`}
  order by p.created_at, p.uid
  limit ${MAX_APPEALS}`

export async function listOpenAppeals(sql: Sql): Promise<AppealRow[]> {
  return sql<AppealRow[]>`
    select ${appealColumns(sql)}
    ${openAppeals(sql)}`
}

/** Open appeals, all or one, with who may decide them. */
export async function listAppealsToDecide(
  sql: Sql,
  needs_second_factor: boolean,
  uid?: string,
): Promise<OpenAppeal[]> {
  const appealed = { moderator_uid: sql`a.moderator_uid`, subject_uid: sql`a.subject_uid` }
  return sql<OpenAppeal[]>`
    select ${appealColumns(sql)},
      array(${otherModerators(sql, appealed, needs_second_factor)}) as others,
      ${isMember(sql, appealed.subject_uid)} as subject_in_team
    ${openAppeals(sql, uid)}`
}

/** The decision that an appeal is or was about. */
export async function findAppealedAction(sql: Sql, uid: string): Promise<string | undefined> {
  const [row] = await sql<{ action_uid: string }[]>`
    select action_uid from appeals where uid = ${uid}`
  return row?.action_uid
}

/** An appeal under lock, also a decided one. */
export type LockedAppeal = AppealRow & {
  is_decided: boolean
  /** Whether the decision still has an effect. */
  in_force: boolean
}

export async function lockAppeal(tx: Tx, uid: string): Promise<LockedAppeal | undefined> {
  const [row] = await tx<LockedAppeal[]>`
    select ${appealColumns(tx)}, p.decided_at is not null as is_decided,
      ${isInForce(tx)} as in_force
    from appeals p
    join moderation_actions a on a.uid = p.action_uid
    where p.uid = ${uid}
    for update of p`
  return row
}

export async function closeAppeal(
  tx: Tx,
  uid: string,
  decision: { outcome: Outcome; reasons: string; decided_by: string },
): Promise<void> {
  await tx`
    update appeals
    set ${tx(decision)}, decided_at = now()
    where uid = ${uid}`
}

type Value = string | null | PendingQuery<Row[]>
type Appealed = { moderator_uid: Value; subject_uid: Value }

/**
 * Selects who else of the team may decide: not the moderator who decided first, not the person
 * concerned, nobody who is suspended or locked out until they have a second factor, and only
 * operators if it concerns a member of the team.
 */
const otherModerators = (
  sql: Sql | Tx,
  { moderator_uid, subject_uid }: Appealed,
  needs_second_factor: boolean,
) => sql`
  select u.username
  from users u
  left join operators o on o.user_uid = u.uid
  left join moderators m on m.user_uid = u.uid
  where (o.user_uid is not null or m.user_uid is not null and not ${isMember(sql, subject_uid)})
    and u.uid <> ${moderator_uid}
    and u.uid is distinct from ${subject_uid}
    and (u.suspension is distinct from 'everything' or u.suspended_until <= now())
    and (not ${needs_second_factor} or ${hasSecondFactor(sql)})
  order by lower(u.username)`

const isMember = (sql: Sql | Tx, user_uid: Value) => sql`
  (exists (select from operators where user_uid = ${user_uid})
    or exists (select from moderators where user_uid = ${user_uid}))`

export async function hasOtherModerator(
  sql: Sql | Tx,
  appeal: Pick<AppealRow, 'moderator_uid' | 'subject_uid'>,
  needs_second_factor: boolean,
): Promise<boolean> {
  const rows = await sql`${otherModerators(sql, appeal, needs_second_factor)} limit 1`
  return rows.length > 0
}

export type AppealMail = {
  uid: string
  target_type: TargetType
  target_name: string
  action: Action
  outcome: Outcome
  reasons: string
  decided_at: Date
  email: string
  language: string | null
}

export async function findAppealMail(sql: Sql, uid: string): Promise<AppealMail | undefined> {
  const [row] = await sql<AppealMail[]>`
    select p.uid, a.target_type, a.target_name, a.action, p.outcome, p.reasons, p.decided_at,
      u.email, u.language
    from appeals p
    join moderation_actions a on a.uid = p.action_uid
    join users u on u.uid = p.user_uid
    where p.uid = ${uid} and p.decided_at is not null`
  return row
}

import type { Sql, Tx } from '../../core/database/sql.ts'
import { projectExists } from '../keys/queries.ts'
import { isVerified } from '../people/role-queries.ts'

export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'used'
export type ApprovalRow = {
  uid: string
  user_uid: string
  credential_uid: string
  /** Null for what concerns the whole store. */
  game_uid: string | null
  game_name: string | null
  action: string
  subject: string
  summary: string
  status: ApprovalStatus
  created_at: Date
  decided_at: Date | null
  expires_at: Date
}

const columns = (sql: Sql | Tx) => sql`
  uid, user_uid, credential_uid, game_uid,
  (select l.name from listings l where l.uid = approvals.game_uid) as game_name,
  action, subject, summary, created_at, decided_at, expires_at,
  case
    when status in ('pending', 'approved') and expires_at <= now() then 'expired'
    else status end as status`

export async function findByKey(
  sql: Sql | Tx,
  user_uid: string,
  idempotency_key: string,
): Promise<ApprovalRow | undefined> {
  const [row] = await sql<ApprovalRow[]>`
    select ${columns(sql)}
    from approvals
    where user_uid = ${user_uid} and idempotency_key = ${idempotency_key}
      and ${projectExists(sql, 'approvals')}`
  return row
}

type Subject = Pick<ApprovalRow, 'user_uid' | 'credential_uid' | 'action' | 'subject'>

/** The open approval for the same action on the same subject by the same credential. */
export async function findOpen(
  tx: Tx,
  { user_uid, credential_uid, action, subject }: Subject,
): Promise<ApprovalRow | undefined> {
  const [row] = await tx<ApprovalRow[]>`
    select ${columns(tx)}
    from approvals
    where user_uid = ${user_uid} and credential_uid = ${credential_uid}
      and action = ${action} and subject = ${subject}
      and status in ('pending', 'approved') and expires_at > now()
    order by created_at desc
    limit 1`
  return row
}

/**
 * How many approvals the agents of an account requested in the last `seconds`, and how long until
 * the oldest of them no longer counts.
 */
export async function countRecentApprovals(
  tx: Tx,
  user_uid: string,
  seconds: number,
): Promise<{ count: number; wait: number }> {
  const age = tx`extract(epoch from now() - min(created_at))`
  const [row] = await tx<{ count: number; wait: number }[]>`
    select count(*)::int as count,
      coalesce(greatest(1, ceil(${seconds} - ${age})), 1)::int as wait
    from approvals
    where user_uid = ${user_uid} and created_at > now() - ${seconds} * interval '1 second'`
  return row!
}

export type NewApproval = Omit<
  ApprovalRow,
  'game_name' | 'status' | 'created_at' | 'decided_at'
> & { idempotency_key: string }

export async function insertApproval(tx: Tx, approval: NewApproval): Promise<ApprovalRow> {
  const [row] = await tx<ApprovalRow[]>`
    insert into approvals ${tx(approval)}
    returning ${columns(tx)}`
  return row!
}

export async function findApproval(
  sql: Sql | Tx,
  user_uid: string,
  uid: string,
): Promise<ApprovalRow | undefined> {
  const [row] = await sql<ApprovalRow[]>`
    select ${columns(sql)}
    from approvals
    where uid = ${uid} and user_uid = ${user_uid} and ${projectExists(sql, 'approvals')}`
  return row
}

export async function listApprovals(
  sql: Sql,
  user_uid: string,
  limit: number,
): Promise<ApprovalRow[]> {
  return sql<ApprovalRow[]>`
    select ${columns(sql)}
    from approvals
    where user_uid = ${user_uid} and ${projectExists(sql, 'approvals')}
    order by created_at desc, uid desc
    limit ${limit}`
}

type Decision = {
  uid: string
  user_uid: string
  status: 'approved' | 'denied'
  valid_seconds: number
}

/** Only a pending approval can be decided. Once approved, it is valid for `valid_seconds`. */
export async function decide(
  sql: Sql,
  { uid, user_uid, status, valid_seconds }: Decision,
): Promise<ApprovalRow | undefined> {
  const [row] = await sql<ApprovalRow[]>`
    update approvals
    set status = ${status}, decided_at = now(),
      expires_at = now() + ${valid_seconds} * interval '1 second'
    where uid = ${uid} and user_uid = ${user_uid} and status = 'pending' and expires_at > now()
      and ${projectExists(sql, 'approvals')}
    returning ${columns(sql)}`
  return row
}

/** Counts an attempt before the code is compared, so that parallel guesses cannot share one. */
export async function takeApprovalAttempt(
  sql: Sql,
  { uid, user_uid }: { uid: string; user_uid: string },
  max_attempts: number,
): Promise<boolean> {
  const { count } = await sql`
    update approvals
    set tries = tries + 1
    where uid = ${uid} and user_uid = ${user_uid} and status = 'pending' and expires_at > now()
      and tries < ${max_attempts} and ${projectExists(sql, 'approvals')}`
  return count === 1
}

/** Runs in the transaction of the action. Of two concurrent uses of an approval, one gets false. */
export async function markApprovalUsed(tx: Sql | Tx, uid: string): Promise<boolean> {
  const { count } = await tx`
    update approvals
    set status = 'used', decided_at = now()
    where uid = ${uid} and status = 'approved' and expires_at > now()`
  return count === 1
}

type ApprovalMail = {
  to: string
  language: string | null
  summary: string
  game: string | null
  credential: string | null
  created_at: Date
}

/** What to mail to whom, while the approval is pending and the address is verified. */
export async function findApprovalMail(sql: Sql, uid: string): Promise<ApprovalMail | undefined> {
  const [row] = await sql<ApprovalMail[]>`
    select u.email as to, u.language, a.summary, l.name as game, a.created_at,
      coalesce(k.name, g.client_name) as credential
    from approvals a
    join users u on u.uid = a.user_uid
    left join listings l on l.uid = a.game_uid
    left join access_keys k on k.uid = a.credential_uid
    left join oauth_records g on g.uid = a.credential_uid
    where a.uid = ${uid} and a.status = 'pending' and a.expires_at > now()
      and (a.game_uid is null or l.uid is not null)
      and ${isVerified(sql)}`
  return row
}

export async function sweepApprovals(tx: Tx, keep_days: number): Promise<void> {
  await tx`delete from approvals where created_at < now() - ${keep_days} * interval '1 day'`
}

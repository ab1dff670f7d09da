import type { Sql, Tx } from '../../core/database/sql.ts'

export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'used'
export type ApprovalRow = {
  uid: string
  user_uid: string
  credential_uid: string
  game_uid: string
  game_name: string
  action: string
  subject: string
  summary: string
  status: ApprovalStatus
  created_at: Date
  decided_at: Date | null
  expires_at: Date
}

const columns = (sql: Sql | Tx) => sql`
  uid, user_uid, credential_uid, game_uid, (select l.name from listings l where l.uid = approvals.game_uid) as game_name, action, subject, summary, created_at, decided_at, expires_at,
  case when status in ('pending', 'approved') and expires_at <= now() then 'expired' else status end as status`

/** Two calls of one account ask one after the other, so that one deed makes one approval and one mail. */
export async function lockAsker(tx: Tx, user_uid: string): Promise<void> {
  await tx`select from users where uid = ${user_uid} for update`
}

export async function findByKey(
  tx: Tx,
  user_uid: string,
  idempotency_key: string,
): Promise<ApprovalRow | undefined> {
  const [row] = await tx<ApprovalRow[]>`
    select ${columns(tx)} from approvals where user_uid = ${user_uid} and idempotency_key = ${idempotency_key}`
  return row
}

/** The open one for the same deed, asked for by the same credential. */
export async function findOpen(
  tx: Tx,
  asked: { user_uid: string; credential_uid: string; action: string; subject: string },
) {
  const [row] = await tx<ApprovalRow[]>`
    select ${columns(tx)} from approvals
    where user_uid = ${asked.user_uid} and credential_uid = ${asked.credential_uid} and action = ${asked.action} and subject = ${asked.subject}
      and status in ('pending', 'approved') and expires_at > now()
    order by created_at desc limit 1`
  return row
}

/** How many an account's agents asked for in the last seconds, and how long until the oldest of them no longer counts. */
export async function askedLately(
  tx: Tx,
  user_uid: string,
  seconds: number,
): Promise<{ count: number; wait: number }> {
  const [row] = await tx<{ count: number; wait: number }[]>`
    select count(*)::int as count, coalesce(greatest(1, ceil(${seconds} - extract(epoch from now() - min(created_at)))), 1)::int as wait
    from approvals where user_uid = ${user_uid} and created_at > now() - ${seconds} * interval '1 second'`
  return row!
}

export type NewApproval = Pick<
  ApprovalRow,
  | 'uid'
  | 'user_uid'
  | 'credential_uid'
  | 'game_uid'
  | 'action'
  | 'subject'
  | 'summary'
  | 'expires_at'
> & { idempotency_key: string }

export async function insertApproval(tx: Tx, approval: NewApproval): Promise<ApprovalRow> {
  const [row] = await tx<
    ApprovalRow[]
  >`insert into approvals ${tx(approval)} returning ${columns(tx)}`
  return row!
}

export async function findApproval(
  sql: Sql | Tx,
  user_uid: string,
  uid: string,
): Promise<ApprovalRow | undefined> {
  const [row] = await sql<
    ApprovalRow[]
  >`select ${columns(sql)} from approvals where uid = ${uid} and user_uid = ${user_uid}`
  return row
}

export async function listApprovals(
  sql: Sql,
  user_uid: string,
  limit: number,
): Promise<ApprovalRow[]> {
  return sql<
    ApprovalRow[]
  >`select ${columns(sql)} from approvals where user_uid = ${user_uid} order by created_at desc, uid desc limit ${limit}`
}

/** Only what still waits can be decided; an approval is then good for as long again. */
export async function decide(
  sql: Sql,
  user_uid: string,
  uid: string,
  status: 'approved' | 'denied',
  valid_seconds: number,
) {
  const [row] = await sql<ApprovalRow[]>`
    update approvals set status = ${status}, decided_at = now(), expires_at = now() + ${valid_seconds} * interval '1 second'
    where uid = ${uid} and user_uid = ${user_uid} and status = 'pending' and expires_at > now() returning ${columns(sql)}`
  return row
}

/** Counts a try before the code is looked at, so that parallel guesses cannot share one. */
export async function takeApprovalTry(
  sql: Sql,
  user_uid: string,
  uid: string,
  most: number,
): Promise<boolean> {
  const { count } = await sql`
    update approvals set tries = tries + 1
    where uid = ${uid} and user_uid = ${user_uid} and status = 'pending' and expires_at > now() and tries < ${most}`
  return count === 1
}

/** Goes with the transaction of the deed; of two that race with one approval, one finds it used. */
export async function useApproval(tx: Tx, uid: string): Promise<boolean> {
  const { count } = await tx`
    update approvals set status = 'used', decided_at = now() where uid = ${uid} and status = 'approved' and expires_at > now()`
  return count === 1
}

/** Whom to write to, while there is still something to decide and the address is known to be theirs. */
export async function approvalMail(sql: Sql, uid: string) {
  const [row] = await sql<
    { to: string; summary: string; game: string; credential: string; created_at: Date }[]
  >`
    select u.email as to, a.summary, l.name as game, a.created_at,
      coalesce(k.name, g.client_name, 'an agent') as credential
    from approvals a join users u on u.uid = a.user_uid join listings l on l.uid = a.game_uid
    left join access_keys k on k.uid = a.credential_uid left join oauth_records g on g.uid = a.credential_uid
    where a.uid = ${uid} and a.status = 'pending' and a.expires_at > now() and u.email_verified_at is not null`
  return row
}

export async function sweepApprovals(tx: Tx, keep_days: number): Promise<void> {
  await tx`delete from approvals where created_at < now() - ${keep_days} * interval '1 day'`
}

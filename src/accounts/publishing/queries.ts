import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Recipient } from '../people/queries.ts'
import type { ApprovalState } from './publishing.ts'

export type Approval = {
  state: ApprovalState
  request: string
  requested_at: Date | null
  reason: string
  decided_at: Date | null
}

const columns = (sql: Sql | Tx) => sql`
  p.state, p.request, p.requested_at, p.reason, p.decided_at`

export async function findApproval(sql: Sql | Tx, user_uid: string): Promise<Approval | undefined> {
  const [row] = await sql<Approval[]>`
    select ${columns(sql)}
    from publisher_approvals p
    where p.user_uid = ${user_uid}`
  return row
}

/** The approval of a person, which stays so until the transaction ends, and their role. */
export async function lockPublisher(
  tx: Tx,
  user_uid: string,
): Promise<{ state: ApprovalState | null; is_operator: boolean }> {
  const [row] = await tx<{ state: ApprovalState }[]>`
    select p.state
    from publisher_approvals p
    where p.user_uid = ${user_uid}
    for share`
  const [operator] = await tx`select from operators where user_uid = ${user_uid}`
  return { state: row?.state ?? null, is_operator: operator !== undefined }
}

/** False if the person is approved already or waits for an answer. */
export async function requestApproval(tx: Tx, user_uid: string, text: string): Promise<boolean> {
  const { count } = await tx`
    insert into publisher_approvals as p (user_uid, state, request, requested_at)
    values (${user_uid}, 'requested', ${text}, now())
    on conflict (user_uid) do update
    set state = 'requested', request = excluded.request, requested_at = now()
    where p.state = 'declined'`
  return count === 1
}

type Decision = { user_uid: string; reason: string; decided_by: string | null }

/** False if the person was approved before. */
export async function approvePublisher(tx: Tx, decision: Decision): Promise<boolean> {
  return decide(tx, 'approved', decision)
}

/** False if the person was declined before. Also takes an approval back. */
export async function declinePublisher(tx: Tx, decision: Decision): Promise<boolean> {
  return decide(tx, 'declined', decision)
}

async function decide(
  tx: Tx,
  state: 'approved' | 'declined',
  { user_uid, reason, decided_by }: Decision,
): Promise<boolean> {
  const { count } = await tx`
    insert into publisher_approvals as p (user_uid, state, reason, decided_at, decided_by)
    values (${user_uid}, ${state}, ${reason}, now(), ${decided_by})
    on conflict (user_uid) do update
    set state = ${state}, reason = ${reason}, decided_at = now(), decided_by = ${decided_by}
    where p.state <> ${state}`
  return count === 1
}

export type ApprovalRow = Approval & {
  user_uid: string
  username: string
  email: string
  email_verified: boolean
  member_since: Date
  decided_by: string | null
}

const rowColumns = (sql: Sql | Tx) => sql`
  ${columns(sql)}, u.uid as user_uid, u.username, u.email,
  u.email_verified_at is not null as email_verified, u.created_at as member_since,
  (select o.username from users o where o.uid = p.decided_by) as decided_by`

export async function findApprovalRow(
  sql: Sql | Tx,
  user_uid: string,
): Promise<ApprovalRow | undefined> {
  const [row] = await sql<ApprovalRow[]>`
    select ${rowColumns(sql)}
    from publisher_approvals p
    join users u on u.uid = p.user_uid
    where p.user_uid = ${user_uid}`
  return row
}

/** Requests are answered in their order; of the others, the last decision is first. */
export async function listApprovals(
  sql: Sql,
  state: ApprovalState,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: ApprovalRow[]; total: number }> {
  const order =
    state === 'requested' ? sql`p.requested_at, u.uid` : sql`p.decided_at desc, u.uid desc`
  const [rows, [counted]] = await Promise.all([
    sql<ApprovalRow[]>`
      select ${rowColumns(sql)}
      from publisher_approvals p
      join users u on u.uid = p.user_uid
      where p.state = ${state}
      order by ${order}
      limit ${limit} offset ${offset}`,
    sql`select count(*)::int as total from publisher_approvals where state = ${state}`,
  ])
  return { rows, total: counted!.total as number }
}

/** Whom requests are mailed to. */
export async function listOperatorUids(tx: Tx): Promise<string[]> {
  const rows = await tx<{ user_uid: string }[]>`select user_uid from operators order by user_uid`
  return rows.map(({ user_uid }) => user_uid)
}

export async function findRecipient(sql: Sql, user_uid: string): Promise<Recipient | undefined> {
  const [row] = await sql<Recipient[]>`
    select u.email, u.language
    from users u
    where u.uid = ${user_uid}`
  return row
}

import type { Sql, Tx } from '../../core/database/sql.ts'

export const refundStates = ['requested', 'sending', 'done', 'declined', 'failed'] as const
export type RefundState = (typeof refundStates)[number]

export type RefundRow = {
  uid: string
  order_uid: string
  state: RefundState
  amount_minor: number
  reason: string
  answer: string
  provider_ref: string | null
  requested_by: string | null
  created_at: Date
  decided_at: Date | null
}
export type NewRefund = Pick<
  RefundRow,
  'uid' | 'order_uid' | 'state' | 'amount_minor' | 'reason'
> & { requested_by: string | null; decided_by: string | null }

const columns = (sql: Sql | Tx) => sql`
  uid, order_uid, state, amount_minor, reason, answer, provider_ref, requested_by, created_at,
  decided_at`

/** False if another refund of the order waits or is being sent. */
export async function insertRefund(tx: Tx, refund: NewRefund): Promise<boolean> {
  const decided_at = refund.state === 'requested' ? null : new Date()
  const { count } = await tx`
    insert into order_refunds ${tx({ ...refund, decided_at })}
    on conflict do nothing`
  return count === 1
}

export async function findRefund(sql: Sql | Tx, uid: string): Promise<RefundRow | undefined> {
  const [row] = await sql<RefundRow[]>`
    select ${columns(sql)}
    from order_refunds
    where uid = ${uid}`
  return row
}

export async function readRefunds(sql: Sql | Tx, order_uids: string[]): Promise<RefundRow[]> {
  return sql<RefundRow[]>`
    select ${columns(sql)}
    from order_refunds
    where order_uid = any(${order_uids}::uuid[])
    order by created_at, uid`
}

/** Decides about a request of a buyer; undefined if none waits. */
export async function decideRefund(
  tx: Tx,
  order_uid: string,
  decision: { state: 'sending' | 'declined'; answer: string; decided_by: string },
): Promise<RefundRow | undefined> {
  const [row] = await tx<RefundRow[]>`
    update order_refunds
    set state = ${decision.state}, answer = ${decision.answer},
      decided_by = ${decision.decided_by}, decided_at = now()
    where order_uid = ${order_uid} and state = 'requested'
    returning ${columns(tx)}`
  return row
}

/** A refund that was sent failed at the provider; undefined if this was known, or nobody here sent it. */
export async function failSentRefund(
  tx: Tx,
  provider_ref: string,
  answer: string,
): Promise<{ uid: string } | undefined> {
  const [row] = await tx<{ uid: string }[]>`
    update order_refunds
    set state = 'failed', answer = ${answer}, decided_at = now()
    where provider_ref = ${provider_ref} and state = 'done'
    returning uid`
  return row
}

/** Who asked for a refund and who decided about it, if they still have an account. */
export async function readRefundPeople(sql: Sql | Tx, uid: string): Promise<string[]> {
  const [row] = await sql<{ people: string[] }[]>`
    select array_remove(array[requested_by, nullif(decided_by, requested_by)], null) as people
    from order_refunds
    where uid = ${uid}`
  return row?.people ?? []
}

/** Ends a refund that is being sent, with what the provider answered; false if it had ended. */
export async function endRefund(
  sql: Sql | Tx,
  uid: string,
  end: { state: 'done' | 'failed'; provider_ref: string | null; answer: string },
): Promise<boolean> {
  const { count } = await sql`
    update order_refunds
    set state = ${end.state}, provider_ref = ${end.provider_ref},
      answer = case when ${end.answer} = '' then answer else ${end.answer} end
    where uid = ${uid} and state = 'sending'`
  return count === 1
}

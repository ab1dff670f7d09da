import type { Sql, Tx } from '../../../core/database/sql.ts'
import type { RefundFact } from '../provider.ts'

/** When an operator confirmed the payment of an order; undefined if none did. */
export async function readManualPayment(
  sql: Sql | Tx,
  order_uid: string,
): Promise<Date | undefined> {
  const [row] = await sql<{ settled_at: Date }[]>`
    select settled_at
    from manual_payments
    where order_uid = ${order_uid}`
  return row?.settled_at
}

/** The refunds of an order that were sent, oldest first. */
export async function readManualRefunds(sql: Sql | Tx, order_uid: string): Promise<RefundFact[]> {
  return sql<RefundFact[]>`
    select provider_ref as ref, amount_minor
    from order_refunds
    where order_uid = ${order_uid} and provider_ref is not null
    order by created_at`
}

/** False if the payment was confirmed before. */
export async function insertManualPayment(
  tx: Tx,
  payment: { order_uid: string; reference: string; settled_by: string | null },
): Promise<boolean> {
  const { count } = await tx`
    insert into manual_payments ${tx(payment)}
    on conflict (order_uid) do nothing`
  return count === 1
}

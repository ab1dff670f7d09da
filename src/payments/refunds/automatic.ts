import type { Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { leftOf, type Refundable } from './left.ts'
import { AUTOMATIC } from './origin.ts'
import { insertRefund, readRefunds } from './queries.ts'

/** Sends back a payment that can give the buyer nothing. */
export async function requestAutomaticRefund(
  core: Core,
  tx: Tx,
  order: Refundable & { uid: string },
): Promise<void> {
  const { uid: order_uid } = order
  const refunds = await readRefunds(tx, [order_uid])
  const left = leftOf(order, refunds)
  // One that failed would fail again; operators were notified.
  const has_failed = refunds.some(({ state, reason }) => state === 'failed' && reason === AUTOMATIC)
  if (left <= 0 || has_failed) return
  const uid = uuidv7()
  const is_new = await insertRefund(tx, {
    uid,
    order_uid,
    state: 'sending',
    amount_minor: left,
    reason: AUTOMATIC,
    requested_by: null,
    decided_by: null,
  })
  if (is_new) await core.jobs.send(tx, 'payments.refund', { refund_uid: uid })
}

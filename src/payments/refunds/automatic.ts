import type { Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { insertRefund } from './queries.ts'

/** Sends back a payment that can give the buyer nothing. */
export async function requestAutomaticRefund(
  core: Core,
  tx: Tx,
  { uid: order_uid, amount_minor, refunded_minor }: Refundable,
): Promise<void> {
  const left = amount_minor - refunded_minor
  if (left <= 0) return
  const uid = uuidv7()
  const is_new = await insertRefund(tx, {
    uid,
    order_uid,
    state: 'sending',
    amount_minor: left,
    reason: 'automatic',
    requested_by: null,
    decided_by: null,
  })
  if (is_new) await core.jobs.send(tx, 'payments.refund', { refund_uid: uid })
}

type Refundable = { uid: string; amount_minor: number; refunded_minor: number }

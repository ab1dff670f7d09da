import { listOperatorUids } from '../../accounts/publishing/queries.ts'
import type { Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type OrderRow, setProblem } from '../orders/queries.ts'
import { failSentRefund, readRefundPeople } from './queries.ts'

type Order = Pick<OrderRow, 'uid' | 'buyer_uid'>

/** A refund that the provider had accepted failed there, such as for a card that was closed. */
export async function reportFailedRefund(
  core: Core,
  tx: Tx,
  order: Order,
  { ref, failure }: { ref: string; failure: string },
): Promise<void> {
  const refund = await failSentRefund(tx, ref, failure)
  await notifyOfFailure(core, tx, order, { refund_uid: refund?.uid, reason: failure })
}

/** Operators and whoever asked for a refund learn that it failed; the buyer if nobody asked. */
export async function notifyOfFailure(
  core: Core,
  tx: Tx,
  { uid: order_uid, buyer_uid }: Order,
  { refund_uid, reason }: { refund_uid: string | undefined; reason: string },
): Promise<void> {
  await setProblem(tx, order_uid, { code: 'refund_failed', reason })
  const people = refund_uid ? await readRefundPeople(tx, refund_uid) : []
  if (!people.length && buyer_uid) people.push(buyer_uid)
  for (const user_uid of people)
    await core.jobs.send(tx, 'payments.mail-refund-failed', { order_uid, user_uid, reason })
  await notifyOperators(core, tx, { order_uid, about: 'failed', reason })
}

/** What a mail to operators is about: a refund failed, or nobody is there to decide about one. */
export type OperatorMatter = 'failed' | 'request'

export async function notifyOperators(
  core: Core,
  tx: Tx,
  matter: { order_uid: string; about: OperatorMatter; reason: string },
): Promise<void> {
  for (const user_uid of await listOperatorUids(tx))
    await core.jobs.send(tx, 'payments.mail-refund-operator', { ...matter, user_uid })
}

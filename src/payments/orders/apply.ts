import { listOperatorUids } from '../../accounts/publishing/queries.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { releaseCouponUse, restoreCouponUse } from '../coupons/queries.ts'
import { hasOtherGift, readGifts } from '../gifts/queries.ts'
import {
  disputeEntries,
  paymentEntries,
  refundEntries,
  wonDisputeEntries,
} from '../ledger/entries.ts'
import { hasFact, recordFact, sumOrder } from '../ledger/queries.ts'
import { providers } from '../provider/open-providers.ts'
import type { DisputeFact, PaymentFact, PaymentRecord } from '../provider/provider.ts'
import { requestAutomaticRefund } from '../refunds/automatic.ts'
import { reportFailedRefund } from '../refunds/failed.ts'
import { giveOrderCopies, takeCopies } from './copies.ts'
import {
  changeState,
  clearProblem,
  findOrder,
  lockListings,
  lockOrder,
  markChecked,
  type OrderRow,
  setPayment,
  setProblem,
  setRefunded,
} from './queries.ts'
import { canBecome, hasCopy, type OrderState, stateOf } from './states.ts'

/**
 * Reads the record of the provider and applies it. Webhooks, the reconcile job and the page that a
 * buyer returns to all do this, so it does not matter which of them comes first, twice or never.
 */
export async function syncOrder(core: Core, uid: string): Promise<void> {
  const order = await findOrder(core.sql, uid)
  if (!order) return
  const provider = providers[order.provider]
  const record = await provider.settle(core, order)
  const payment_ref = record.payment?.ref ?? order.payment_ref
  const disputes = record.payment ? await provider.dispute(core, { ...order, payment_ref }) : []
  await transact(core.sql, (tx) => applyRecord(core, tx, uid, { ...record, disputes }))
}

/** An order that nobody paid gives its coupon back. */
export async function expireOrder(tx: Tx, uid: string): Promise<void> {
  if (await changeState(tx, uid, 'expired')) await releaseCouponUse(tx, uid)
}

type FullRecord = PaymentRecord & { disputes: DisputeFact[] }

/** In one transaction: the ledger, the state of the order, and the copies. */
async function applyRecord(core: Core, tx: Tx, uid: string, record: FullRecord): Promise<void> {
  const order = await lockOrder(tx, uid)
  if (!order) return
  await markChecked(tx, uid)
  const { payment, is_expired } = record
  if (!payment) {
    if (is_expired && canBecome(order.state, 'expired')) await expireOrder(tx, uid)
    return
  }
  const { problem } = order
  if (payment.amount_minor !== order.amount_minor || payment.currency !== order.currency)
    return setProblem(tx, uid, {
      code: 'amount_differs',
      amount_minor: payment.amount_minor,
      currency: payment.currency,
    })
  let state = await applyPayment(core, tx, order, payment)
  await recordRefunds(core, tx, order, record)
  await recordDisputes(tx, order, record)
  const { refunded_minor, open_disputes } = await sumOrder(tx, uid)
  await setRefunded(tx, uid, refunded_minor)
  const amount_minor = refunded_minor - order.refunded_minor
  if (amount_minor > 0)
    await core.jobs.send(tx, 'payments.mail-refund', {
      order_uid: uid,
      refunded_minor,
      amount_minor,
    })
  if (amount_minor > 0 && order.provider === 'manual')
    await notifyOperators(core, tx, { order_uid: uid, amount_minor })
  const facts = { is_paid: true, is_disputed: open_disputes > 0, is_expired: false }
  const next = stateOf({ amount_minor: order.amount_minor, refunded_minor }, facts)
  if (next !== state) state = await moveTo(core, tx, order, { from: state, to: next })
  if (problem && state === next) await clearProblem(tx, uid)
}

/** A transfer goes back by hand, so operators learn about it. */
async function notifyOperators(
  core: Core,
  tx: Tx,
  refund: { order_uid: string; amount_minor: number },
): Promise<void> {
  for (const operator_uid of await listOperatorUids(tx))
    await core.jobs.send(tx, 'payments.mail-refund-by-hand', { ...refund, operator_uid })
}

/** The first time the payment is seen, the order is paid and the buyer gets the copy. */
async function applyPayment(
  core: Core,
  tx: Tx,
  order: OrderRow,
  payment: PaymentFact,
): Promise<OrderState> {
  const { uid, currency, fee_minor, amount_minor } = order
  const { ref, processing_minor } = payment
  const is_new = await recordFact(tx, {
    fact: `payment:${ref}`,
    order_uid: uid,
    kind: 'payment',
    currency,
    entries: paymentEntries({ amount_minor, fee_minor, processing_minor }),
  })
  if (!is_new) return order.state
  await setPayment(tx, uid, payment)
  await changeState(tx, uid, 'paid')
  if (order.state === 'expired') await restoreCouponUse(tx, uid)
  const can_give = await giveCopies(core, tx, order)
  if (can_give && order.gift_for) await core.jobs.send(tx, 'payments.mail-gift', { order_uid: uid })
  await core.jobs.send(tx, 'payments.mail-receipt', { order_uid: uid, goes_back: !can_give })
  // What goes back at once is no sale.
  if (can_give) await core.jobs.send(tx, 'payments.mail-sale', { order_uid: uid })
  return 'paid'
}

/** A refund that fails after it was recorded is recorded again with the opposite sign. */
async function recordRefunds(
  core: Core,
  tx: Tx,
  order: OrderRow,
  { refunds }: FullRecord,
): Promise<void> {
  let { refunded_minor } = order
  for (const { ref, amount_minor: sum, failure } of refunds) {
    const is_failed = failure !== undefined
    if (is_failed && !(await hasFact(tx, `refund:${ref}`))) continue
    const amount_minor = is_failed ? -sum : sum
    const is_new = await recordFact(tx, {
      fact: `${is_failed ? 'refund_failed' : 'refund'}:${ref}`,
      order_uid: order.uid,
      kind: 'refund',
      currency: order.currency,
      entries: refundEntries(order, refunded_minor, amount_minor),
    })
    if (is_new) refunded_minor += amount_minor
    if (is_new && is_failed) await reportFailedRefund(core, tx, order, { ref, failure })
  }
}

async function recordDisputes(tx: Tx, order: OrderRow, { disputes }: FullRecord): Promise<void> {
  const { uid: order_uid, currency } = order
  for (const { ref, amount_minor, processing_minor, state } of disputes) {
    await recordFact(tx, {
      fact: `dispute:${ref}`,
      order_uid,
      kind: 'dispute',
      currency,
      entries: disputeEntries(amount_minor, processing_minor),
    })
    if (state === 'won')
      await recordFact(tx, {
        fact: `dispute_won:${ref}`,
        order_uid,
        kind: 'dispute_won',
        currency,
        entries: wonDisputeEntries(amount_minor),
      })
  }
}

/** Changes the state, and with it who has the copy. */
async function moveTo(
  core: Core,
  tx: Tx,
  order: OrderRow,
  { from, to }: { from: OrderState; to: OrderState },
): Promise<OrderState> {
  if (!(await changeState(tx, order.uid, to))) {
    await setProblem(tx, order.uid, { code: 'state_differs', from, to })
    return from
  }
  if (hasCopy(from) && !hasCopy(to)) {
    const holder_uid = await takeCopies(tx, order)
    if (holder_uid && order.gift_for)
      await core.jobs.send(tx, 'payments.mail-gift-taken', { order_uid: order.uid, holder_uid })
  }
  if (!hasCopy(from) && hasCopy(to)) await giveCopies(core, tx, order)
  if (to === 'disputed') await core.jobs.send(tx, 'payments.mail-dispute', { order_uid: order.uid })
  return to
}

/**
 * A payment that can give nothing goes back: a second one for the same, one for what the buyer has
 * got otherwise meanwhile, or one of a deleted listing. A gift gives its copy when it is accepted,
 * or again if it was accepted before a dispute.
 */
async function giveCopies(core: Core, tx: Tx, order: OrderRow): Promise<boolean> {
  const { buyer_uid, game_uid } = order
  const gift = order.gift_for ? (await readGifts(tx, [order.uid]))[0] : undefined
  const is_there = game_uid && (await lockListings(tx, [game_uid])) === 1
  const can_give = is_there && (gift ? !(await hasOtherGift(tx, order.uid)) : buyer_uid)
  const holder = gift ? gift.accepted_by : buyer_uid
  const is_given =
    can_give && (!holder || (await giveOrderCopies(tx, { ...order, game_uid }, holder)))
  if (!is_given) await requestAutomaticRefund(core, tx, order)
  return Boolean(is_given)
}

import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { type GiftRow, readGifts } from '../gifts/queries.ts'
import { lockOrder, type OrderRow, readPlayTime } from '../orders/queries.ts'
import { notifyOperators } from './failed.ts'
import { leftOf } from './left.ts'
import { decideRefund, insertRefund, type RefundRow, readRefunds } from './queries.ts'
import { type RefundWay, refundWay } from './refund-window.ts'

const isPending = ({ state }: RefundRow) => state === 'requested' || state === 'sending'

/** How the buyer of an order can return it, and what was returned so far. */
export async function readRefundWay(
  { sql, settings, config }: Core,
  order: OrderRow,
  refunds: readonly RefundRow[],
): Promise<RefundWay> {
  const own = refunds.filter(({ order_uid }) => order_uid === order.uid)
  const [gift] = order.gift_for ? await readGifts(sql, [order.uid]) : []
  const facts = {
    play_seconds: order.state === 'paid' ? await readPlayTime(sql, order) : 0,
    is_pending: own.some(isPending),
    is_declined_gift: gift !== undefined && cannotBeAccepted(gift),
  }
  const { refund_window_hours } = settings.current
  const { refund_play_minutes } = config
  return refundWay(order, facts, { refund_window_hours, refund_play_minutes }, new Date())
}

/** A gift that was declined, or whose listing was deleted before somebody accepted it. */
const cannotBeAccepted = ({ state, available }: GiftRow): boolean =>
  state === 'declined' || (state === 'waiting' && !available)

type Request = { user_uid: string; reason: string; amount_minor?: number | undefined }

/** A buyer returns the whole order: it goes back at once, or the developer is asked. */
export async function returnOrder(
  core: Core,
  order_uid: string,
  { user_uid, reason }: Request,
): Promise<void> {
  await transact(core.sql, async (tx) => {
    const order = (await lockOrder(tx, order_uid)) ?? refuse('NOT_FOUND')
    const refunds = await readRefunds(tx, [order_uid])
    const way = await readRefundWay(core, order, refunds)
    const left = leftOf(order, refunds)
    if (way === 'no' || (left <= 0 && order.amount_minor > 0)) refuseRefund(order)
    const uid = uuidv7()
    const is_now = way === 'now'
    const is_new = await insertRefund(tx, {
      uid,
      order_uid,
      state: is_now ? 'sending' : 'requested',
      amount_minor: left,
      reason,
      requested_by: user_uid,
      decided_by: is_now ? user_uid : null,
    })
    if (!is_new) refuseRefund(order)
    if (is_now) await core.jobs.send(tx, 'payments.refund', { refund_uid: uid })
    else if (!order.seller_uid)
      await notifyOperators(core, tx, { order_uid, about: 'request', reason })
    else await core.jobs.send(tx, 'payments.mail-refund-request', { order_uid, refund_uid: uid })
  })
}

function refuseRefund({ state }: OrderRow): never {
  if (state !== 'paid')
    refuse(
      'REFUND_NOT_POSSIBLE',
      undefined,
      explain('order_not_paid', 'Only an order that is paid can be refunded'),
    )
  refuse(
    'REFUND_NOT_POSSIBLE',
    undefined,
    explain('refund_pending', 'A refund of this order is on its way, or waits for an answer'),
  )
}

/** The developer or an operator sends money back, all that is left or a part, or declines. */
export async function decideOrderRefund(
  core: Core,
  order_uid: string,
  { user_uid, reason, amount_minor, decline }: Request & { decline: boolean },
): Promise<void> {
  await transact(core.sql, async (tx) => {
    const order = (await lockOrder(tx, order_uid)) ?? refuse('NOT_FOUND')
    const left = leftOf(order, await readRefunds(tx, [order_uid]))
    const sum = amount_minor ?? left
    if (order.state !== 'paid' || left <= 0) refuseRefund(order)
    if (!decline && sum > left)
      refuse(
        'REFUND_NOT_POSSIBLE',
        { field: 'amount_minor', left_minor: left },
        explain('refund_too_large', `amount_minor: at most ${left} is left of this order`),
      )
    const decision = { answer: reason, decided_by: user_uid }
    const state = decline || sum !== left ? 'declined' : 'sending'
    const waiting = await decideRefund(tx, order_uid, { state, ...decision })
    if (decline && !waiting) refuseRefund(order)
    if (decline) {
      const data = { order_uid, refund_uid: waiting!.uid }
      await core.jobs.send(tx, 'payments.mail-refund-declined', data)
      return
    }
    if (waiting && state === 'sending') {
      await core.jobs.send(tx, 'payments.refund', { refund_uid: waiting.uid })
      return
    }
    const uid = uuidv7()
    const refund = { uid, order_uid, state: 'sending', amount_minor: sum, reason } as const
    const people = { requested_by: user_uid, decided_by: user_uid }
    if (!(await insertRefund(tx, { ...refund, ...people }))) refuseRefund(order)
    await core.jobs.send(tx, 'payments.refund', { refund_uid: uid })
  })
}

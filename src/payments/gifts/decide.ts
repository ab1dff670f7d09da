import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { giveOrderCopies } from '../orders/copies.ts'
import { lockListings, lockOrder, type OrderRow } from '../orders/queries.ts'
import { isSent, leftOf } from '../refunds/left.ts'
import { readRefunds } from '../refunds/queries.ts'
import { decideGift, findGift, type GiftRow } from './queries.ts'
import { type GiftState, giftState } from './states.ts'

/** What `acceptGift` and `declineGift` refuse with, for the routes that call them. */
export const giftErrors = ['NOT_FOUND', 'GIFT_NOT_WAITING'] as const

/** Gives the copy of a paid gift to its receiver, whose gift it is. */
export async function acceptGift(core: Core, who: Identity, uid: string): Promise<void> {
  if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
  await transact(core.sql, async (tx) => {
    const { gift, order } = await lockWaiting(tx, uid)
    const { game_uid } = order
    if (gift.adult && !who.show_adult)
      refuse(
        'GIFT_NOT_WAITING',
        undefined,
        explain('gift_adult', 'This has adult content; turn that on in your settings first'),
      )
    if (!game_uid || !gift.available || (await lockListings(tx, [game_uid])) === 0)
      refuse(
        'GIFT_NOT_WAITING',
        { state: 'waiting' },
        explain(
          'gift_unavailable',
          'This listing is no longer in the store; the buyer can return the gift',
        ),
      )
    if (!(await decideGift(tx, uid, 'accepted', who.user_uid))) refuseGift('accepted')
    if (!(await giveOrderCopies(tx, { ...order, game_uid }, who.user_uid)))
      refuse(
        'CONFLICT',
        undefined,
        explain(
          'gift_copy_exists',
          'You have this already; decline the gift, and the buyer can return it',
        ),
      )
    await core.jobs.send(tx, 'payments.mail-gift-answer', { order_uid: order.uid })
  })
}

/** The receiver does not want it: the buyer can then return it without asking anybody. */
export async function declineGift(core: Core, uid: string): Promise<void> {
  await transact(core.sql, async (tx) => {
    const { order } = await lockWaiting(tx, uid)
    if (!(await decideGift(tx, uid, 'declined', null))) refuseGift('declined')
    await core.jobs.send(tx, 'payments.mail-gift-answer', { order_uid: order.uid })
  })
}

/** The order of a gift is locked as payments and refunds do, so only one of them happens first. */
async function lockWaiting(tx: Tx, uid: string): Promise<{ gift: GiftRow; order: OrderRow }> {
  const known = (await findGift(tx, uid)) ?? refuse('NOT_FOUND')
  const order = (await lockOrder(tx, known.order_uid)) ?? refuse('NOT_FOUND')
  // Read again after the lock: another request may have decided meanwhile.
  const gift = (await findGift(tx, uid)) ?? refuse('NOT_FOUND')
  const state = giftState(order.state, gift.state)
  if (state !== 'waiting') refuseGift(state)
  if (await isBeingReturned(tx, order)) refuseGift('returned')
  return { gift, order }
}

/** Whether all of an order is on its way back, also if its record does not show that yet. */
async function isBeingReturned(tx: Tx, order: OrderRow): Promise<boolean> {
  const refunds = await readRefunds(tx, [order.uid])
  return refunds.some(isSent) && leftOf(order, refunds) <= 0
}

function refuseGift(state: GiftState): never {
  refuse('GIFT_NOT_WAITING', { state }, explanations[state])
}

const explanations = {
  unpaid: explain('gift_unpaid', 'This gift is not paid yet; try again later'),
  waiting: explain('listing_changed', 'The listing changed at this moment; try again'),
  accepted: explain('gift_accepted', 'This gift was accepted already'),
  declined: explain('gift_declined', 'This gift was declined'),
  returned: explain('gift_returned', 'This gift was returned by its buyer'),
}

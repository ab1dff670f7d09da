import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { couponProblem } from '../coupons/coupon-rules.ts'
import { countUses, readCoupon } from '../coupons/queries.ts'
import { providers } from '../provider/open-providers.ts'
import { expireOrder, syncOrder } from './apply.ts'
import { findOpenCouponOrders, lockOrder, type OpenOrder, type OrderRow } from './queries.ts'

/**
 * Ends other open orders of a person with a coupon, the oldest first, until the coupon can be used
 * by the order that they make now: somebody who left a checkout has not used it. Transfers may be
 * on their way, so such orders stay.
 */
export async function freeCoupon(core: Core, coupon_uid: string, item: OpenOrder): Promise<void> {
  const { sql } = core
  const coupon = await readCoupon(sql, coupon_uid)
  if (!coupon) return
  const isFree = async () =>
    !couponProblem({ ...coupon, ...(await countUses(sql, coupon_uid, item.buyer_uid)) }, new Date())
  for (const order of await findOpenCouponOrders(sql, coupon_uid, item)) {
    if (await isFree()) return
    await endOrder(core, order).catch((error) =>
      core.log.warn({ err: error, order: order.uid }, 'An open order could not be ended'),
    )
  }
}

/** Ends the checkout of an open order. If it was paid at this moment, the order is paid. */
async function endOrder(core: Core, { uid }: OrderRow): Promise<void> {
  const order = await transact(core.sql, async (tx) => {
    const locked = await lockOrder(tx, uid)
    // Whoever makes the checkout of this order sees that it has ended.
    if (locked?.state === 'open' && !locked.checkout_ref) await expireOrder(tx, uid)
    return locked
  })
  if (order?.state !== 'open' || !order.checkout_ref) return
  await providers[order.provider].end(core, order)
  await syncOrder(core, uid)
}

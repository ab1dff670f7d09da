import type { Sql, Tx } from '../../core/database/sql.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { type CouponProblem, couponProblem, normalizeCode } from './coupon-rules.ts'
import { type CouponForOrder, countUses, findCoupon, insertUse, lockCoupon } from './queries.ts'

const messages = {
  unknown: explain('coupon_unknown', 'There is no such coupon for this listing'),
  not_started: explain('coupon_not_started', 'This coupon cannot be used yet'),
  ended: explain('coupon_ended', 'This coupon can no longer be used'),
  used_up: explain('coupon_used_up', 'This coupon was used as often as it can be'),
  used_by_you: explain('coupon_used_by_you', 'You used this coupon as often as you can'),
}

const refuseCoupon = (state: CouponProblem | 'unknown'): never =>
  refuse('COUPON_NOT_VALID', { field: 'coupon', state }, messages[state])

/**
 * The coupon with this code. Codes that do not exist, or are for other listings, give the same
 * refusal.
 */
export async function requireCoupon(
  sql: Sql | Tx,
  typed: string,
  { game_uid, user_uid, at }: { game_uid: string; user_uid: string; at: Date },
): Promise<CouponForOrder> {
  const code = normalizeCode(typed)
  const coupon = (code && (await findCoupon(sql, code, game_uid))) || refuseCoupon('unknown')
  const uses = await countUses(sql, coupon.uid, user_uid, { without_open: true })
  const problem = couponProblem({ ...coupon, ...uses }, at)
  return problem ? refuseCoupon(problem) : coupon
}

/**
 * Records that an order was made with a coupon; a second time does nothing. The coupon is locked
 * until the transaction ends and its limits are checked again, so that orders made at the same time
 * cannot exceed them.
 */
export async function recordCouponUse(
  tx: Tx,
  use: { order_uid: string; coupon_uid: string; user_uid: string },
): Promise<void> {
  const coupon = (await lockCoupon(tx, use.coupon_uid)) ?? refuseCoupon('unknown')
  if (!(await insertUse(tx, use))) return
  // A query of its own after the lock, so that it counts what others committed before.
  const { uses, own_uses } = await countUses(tx, coupon.uid, use.user_uid)
  const before = { uses: uses - 1, own_uses: own_uses - 1 }
  const problem = couponProblem({ ...coupon, ...before }, new Date())
  if (problem) refuseCoupon(problem)
}

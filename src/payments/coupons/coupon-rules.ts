import { takePercent } from '../../listings/prices/sale-rules.ts'

/** What a coupon takes off; it can make an offer free. */
export type CouponReduction = { percent: number | null; amount_cents: number | null }

export const couponLimits = {
  code: 32,
  uses: 1_000_000,
  per_person: 100,
  listings: 20,
  per_listing: 200,
} as const

const CODE = /^[A-Z0-9](?:[A-Z0-9-]{2,30})[A-Z0-9]$/

/** The code as it is stored, or null if it cannot be one. People type it in any case. */
export function normalizeCode(typed: string): string | null {
  const code = typed.trim().toUpperCase()
  return CODE.test(code) ? code : null
}

/**
 * What an offer costs with a coupon, after its sale, rounded down and never less than 0. An amount
 * is in US cents; in another currency it takes off the same share of the list price.
 */
export function applyCoupon(
  {
    price_minor,
    list_minor,
    list_cents,
  }: { price_minor: number; list_minor: number; list_cents: number },
  { percent, amount_cents }: CouponReduction,
): number {
  if (percent !== null) return takePercent(price_minor, percent)
  if (amount_cents === null || list_cents === 0) return price_minor
  // The amount is rounded up, so that buyers never get less than it.
  const amount_minor = Math.ceil((amount_cents * list_minor) / list_cents)
  return Math.max(0, price_minor - amount_minor)
}

export type CouponState = {
  max_uses: number | null
  max_per_person: number
  starts_at: Date
  ends_at: Date | null
  uses: number
  /** How often this person used it. */
  own_uses: number
}
export type CouponProblem = 'not_started' | 'ended' | 'used_up' | 'used_by_you'

/** Why a person cannot use a coupon now, or null. */
export function couponProblem(
  { max_uses, max_per_person, starts_at, ends_at, uses, own_uses }: CouponState,
  at: Date,
): CouponProblem | null {
  if (at < starts_at) return 'not_started'
  if (ends_at && at >= ends_at) return 'ended'
  if (own_uses >= max_per_person) return 'used_by_you'
  return max_uses !== null && uses >= max_uses ? 'used_up' : null
}

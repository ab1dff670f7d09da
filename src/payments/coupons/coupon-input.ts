import { explain } from '../../core/runtime/reasons.ts'
import {
  type Field,
  invalidField,
  list,
  listingRef,
  wholeNumber,
} from '../../listings/fields/text.ts'
import { couponLimits, normalizeCode } from './coupon-rules.ts'

const at = (field: string): Field => ({ refusal: 'INVALID_COUPON', field })

export type CouponInput = {
  code?: unknown
  percent?: unknown
  amount_cents?: unknown
  max_uses?: unknown
  max_per_person?: unknown
  games?: unknown
  starts_at?: string | null | undefined
  ends_at?: string | null | undefined
}

/** Validates a new coupon; its listings are checked by `checkCouponListings`. */
export function checkCoupon(
  input: CouponInput,
  { max_price_cents, now }: { max_price_cents: number; now: Date },
) {
  const { percent = null, amount_cents = null, max_uses = null, max_per_person = 1 } = input
  if ((percent === null) === (amount_cents === null))
    invalidField(at('percent'), explain('percent_or_amount', 'send either percent or amount_cents'))
  return {
    code: checkCode(input.code),
    percent: percent === null ? null : wholeNumber(at('percent'), percent, 1, 100),
    amount_cents:
      amount_cents === null
        ? null
        : wholeNumber(at('amount_cents'), amount_cents, 1, max_price_cents),
    max_uses:
      max_uses === null ? null : wholeNumber(at('max_uses'), max_uses, 1, couponLimits.uses),
    max_per_person: wholeNumber(at('max_per_person'), max_per_person, 1, couponLimits.per_person),
    ...checkTimes(input, now),
  }
}

function checkCode(value: unknown): string {
  const code = typeof value === 'string' ? normalizeCode(value) : null
  return (
    code ??
    invalidField(
      at('code'),
      explain('coupon_code', `use 4 to ${couponLimits.code} letters, digits and dashes`, {
        max: couponLimits.code,
      }),
    )
  )
}

function checkTimes({ starts_at, ends_at }: CouponInput, now: Date) {
  const start = starts_at ? new Date(starts_at) : now
  const end = ends_at ? new Date(ends_at) : null
  if (end && (end <= start || end <= now))
    invalidField(
      at('ends_at'),
      explain('coupon_times', 'a coupon ends after its start, in the future'),
    )
  return { starts_at: start, ends_at: end }
}

/** Validates the names of further listings. */
export function checkCouponGames(value: unknown): string[] {
  const games = list(at('games'), value ?? []).map((ref, index) =>
    listingRef(at(`games[${index}]`), ref),
  )
  const { listings: max } = couponLimits
  if (games.length > max) wholeNumber(at('games'), games.length, 0, max)
  return games
}

/** A coupon is for listings of the same owner that its maker may edit. */
export const notOwnListing = (index: number): never =>
  invalidField(
    at(`games[${index}]`),
    explain('coupon_listing', 'name listings of the same developer that you may edit'),
  )

export const codeTaken = (code: string): never =>
  invalidField(
    at('code'),
    explain('coupon_taken', `this project has a coupon ${code}; choose another code`, { code }),
  )

export function checkCouponCount(count: number): void {
  const max = couponLimits.per_listing
  if (count >= max)
    invalidField(
      at('code'),
      explain('coupons', `a project has at most ${max} coupons`, { count: max }),
    )
}

import { minorDigits } from '../../listings/prices/currencies.ts'

export type FeeRules = { fixed_cents: number; percent: number }

/** Divides whole numbers and rounds half up. */
const divide = (value: number, by: number) => Math.floor((2 * value + by) / (2 * by))

/**
 * The fee of the store in minor units. The fixed part is hundredths of the main unit of the
 * currency, converted to its minor unit; both parts are rounded half up on their own. The fee is
 * never more than the price.
 */
export function feeOf(
  amount_minor: number,
  currency: string,
  { fixed_cents, percent }: FeeRules,
): number {
  if (amount_minor === 0) return 0
  const digits = minorDigits(currency)
  const fixed = divide(fixed_cents * 10 ** digits, 100)
  return Math.min(amount_minor, fixed + divide(amount_minor * percent, 100))
}

/** The tax that a price includes, rounded half up. */
export const includedTax = (amount_minor: number, tax_basis_points: number): number =>
  divide(amount_minor * tax_basis_points, 10_000 + tax_basis_points)

type Parts = { amount_minor: number; fee_minor: number }

/**
 * The part of the fee that goes back when `refunded_minor` of the price has gone back, in total.
 * Only the total is rounded, so that partial refunds add up to the whole fee.
 */
export const refundedFee = ({ amount_minor, fee_minor }: Parts, refunded_minor: number): number =>
  amount_minor === 0 ? 0 : divide(fee_minor * refunded_minor, amount_minor)

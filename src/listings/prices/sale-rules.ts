import { DAY_MS } from '../../core/runtime/units.ts'

/** What a sale takes off: a share of every price, or an amount of US cents. */
export type Reduction =
  | { percent: number; amount_cents: null }
  | { percent: null; amount_cents: number }

export const saleLimits = {
  /** A sale never makes an offer free: coupons and gifts do that. */
  percent: 95,
  days: 60,
  days_ahead: 365,
  /** The period before a sale whose lowest price is shown beside it. */
  lowest_price_days: 30,
} as const

/** The price after a share is taken off, rounded down: buyers never get less than the share. */
export const takePercent = (list_minor: number, percent: number): number =>
  Math.floor((list_minor * (100 - percent)) / 100)

/** What an offer costs at least in a sale of an amount. */
export const leastPrice = (list_cents: number): number =>
  Math.ceil((list_cents * (100 - saleLimits.percent)) / 100)

type SalePrices = { list_minor: number; list_cents: number; least_minor?: number }

/**
 * What an offer costs in a sale, in the smallest unit of its currency, rounded down, but never
 * less than `least_minor`, which is what can be charged. An amount is in US cents and takes at most
 * as much off as the highest percentage; in another currency it takes off the same share as of the
 * price in dollars.
 */
export function salePrice(
  { list_minor, list_cents, least_minor = 1 }: SalePrices,
  { percent, amount_cents }: Reduction,
): number {
  if (list_minor === 0 || list_cents === 0) return list_minor
  const least = Math.min(list_minor, least_minor)
  if (percent !== null) return Math.max(least, takePercent(list_minor, percent))
  const price_cents = Math.max(list_cents - amount_cents, leastPrice(list_cents))
  return Math.max(least, Math.floor((list_minor * price_cents) / list_cents))
}

/** The share that a price is lower than another, in whole percent, rounded down. */
export const percentOff = (list_minor: number, price_minor: number): number =>
  list_minor === 0 ? 0 : Math.floor(((list_minor - price_minor) * 100) / list_minor)

export type Period = { starts_at: number; ends_at: number }
export type PastSale = Reduction & Period
/** What an offer cost from a moment on, without sales. */
export type PastPrice = { price_minor: number; at: number }

const lastBefore = (prices: readonly PastPrice[], at: number): PastPrice | undefined =>
  prices.findLast((price) => price.at <= at)

/**
 * The lowest price that buyers could have paid in the 30 days before a moment, sales included, or
 * null if the offer is younger. Prices are in the order of their times, in the currency of the
 * offer and in US dollars. A price can only become lower when a list price changes or a sale
 * starts, so only those moments count, and the start of the period.
 */
export function lowestPrice(
  before: number,
  {
    prices,
    dollar_prices,
    sales,
    least_minor = 1,
  }: {
    prices: readonly PastPrice[]
    dollar_prices: readonly PastPrice[]
    sales: readonly PastSale[]
    least_minor?: number
  },
): number | null {
  const from = before - saleLimits.lowest_price_days * DAY_MS
  const moments = [
    from,
    ...prices.map(({ at }) => at),
    ...dollar_prices.map(({ at }) => at),
    ...sales.map(({ starts_at }) => starts_at),
  ].filter((at) => at >= from && at < before)
  const paid = moments.flatMap((at) => {
    const list_minor = lastBefore(prices, at)?.price_minor
    const list_cents = lastBefore(dollar_prices, at)?.price_minor
    // Before it had a price, and while it was free, there was nothing to compare with.
    if (!list_minor || !list_cents) return []
    const running = sales.filter((sale) => sale.starts_at <= at && at < sale.ends_at)
    return [
      list_minor,
      ...running.map((reduction) => salePrice({ list_minor, list_cents, least_minor }, reduction)),
    ]
  })
  return paid.length ? Math.min(...paid) : null
}

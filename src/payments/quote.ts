import type { Sql, Tx } from '../core/database/sql.ts'
import { refuse } from '../core/runtime/errors.ts'
import { explain } from '../core/runtime/reasons.ts'
import { MAX_AMOUNT_MINOR } from '../listings/prices/currencies.ts'
import { type Offer, offersOf } from '../listings/prices/offers.ts'
import { readOfferFacts } from '../listings/prices/queries.ts'
import { applyCoupon } from './coupons/coupon-rules.ts'
import { requireCoupon } from './coupons/use-coupon.ts'

export type QuoteRequest = {
  game_uid: string
  edition_uid?: string | null | undefined
  currency: string
  /** As the buyer typed it. */
  coupon?: string | undefined
  /** What the buyer wants to pay, where they choose the price. */
  amount?: number | undefined
  user_uid: string
  at: Date
}
export type Quote = {
  /** The edition that is sold: the cheapest, if the request names none. */
  edition_uid: string | null
  currency: string
  /** Never less than the price: it is the price where a buyer chose to pay more. */
  list_minor: number
  price_minor: number
  sale_uid?: string
  coupon_uid?: string
  /** Whether the buyer chose to pay more than the least price. */
  is_chosen?: true
}

/** What `quote` refuses with, for the routes that call it. */
export const quoteErrors = [
  'NOT_FOUND',
  'CURRENCY_NOT_OFFERED',
  'AMOUNT_TOO_LOW',
  'COUPON_NOT_VALID',
] as const

/**
 * What a buyer pays for a listing or one of its active editions: the price of the sale that runs,
 * less the coupon, or the higher amount that the buyer chose. It can be 0. Whoever makes an order
 * with a coupon records that with `recordCouponUse` in the transaction of the order, which holds
 * the limits of the coupon also against orders at the same time.
 */
export async function quote(sql: Sql | Tx, request: QuoteRequest): Promise<Quote> {
  const { game_uid, edition_uid = null, currency, coupon, amount } = request
  const facts = (await readOfferFacts(sql, game_uid)) ?? refuse('NOT_FOUND')
  const offers = offersOf({ ...facts, at: request.at.toISOString() })
  // Without an edition, a listing with editions sells the cheapest, whose price it shows.
  const candidates = offers
    .filter((offer) => edition_uid === null || offer.edition_uid === edition_uid)
    .toSorted((a, b) => a.price_minor - b.price_minor)
  if (!candidates.length) refuse('NOT_FOUND')
  const offer =
    candidates.find((candidate) => candidate.currency === currency) ??
    refuse('CURRENCY_NOT_OFFERED', { currencies: [...new Set(offers.map((o) => o.currency))] })
  const used = coupon ? await requireCoupon(sql, coupon, request) : undefined
  const reduced = used
    ? applyCoupon({ ...offer, list_cents: dollarPrice(offers, offer) }, used)
    : offer.price_minor
  const price_minor = chosenAmount(offer, reduced, amount)
  return {
    edition_uid: offer.edition_uid,
    currency: offer.currency,
    list_minor: Math.max(offer.list_minor, price_minor),
    price_minor,
    ...(offer.sale && { sale_uid: offer.sale.uid }),
    ...(used && { coupon_uid: used.uid }),
    ...(price_minor > reduced && { is_chosen: true as const }),
  }
}

/** The list price of the same offer in US cents. */
const dollarPrice = (offers: readonly Offer[], { edition_uid }: Offer): number =>
  offers.find((offer) => offer.edition_uid === edition_uid)!.list_minor

function chosenAmount(
  { pay_what_you_want, currency }: Offer,
  price_minor: number,
  amount: number | undefined,
): number {
  if (amount === undefined || amount === price_minor) return price_minor
  const is_valid = pay_what_you_want && Number.isSafeInteger(amount) && amount <= MAX_AMOUNT_MINOR
  if (is_valid && amount >= price_minor) return amount
  if (!pay_what_you_want)
    refuse(
      'AMOUNT_TOO_LOW',
      { field: 'amount', price_minor, currency },
      explain(
        'amount_fixed',
        `amount: the price is ${price_minor} in the smallest unit of ${currency}; leave it out`,
        { price_minor, currency },
      ),
    )
  refuse(
    'AMOUNT_TOO_LOW',
    { field: 'amount', price_minor, currency },
    explain('amount', `amount: pay ${price_minor} in the smallest unit of ${currency}, or more`, {
      min_minor: price_minor,
      currency,
    }),
  )
}

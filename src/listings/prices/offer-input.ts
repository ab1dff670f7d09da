import { explain } from '../../core/runtime/reasons.ts'
import { DAY_MS } from '../../core/runtime/units.ts'
import {
  type Field,
  flag,
  invalidField,
  list,
  record,
  requiredText,
  wholeNumber,
} from '../fields/text.ts'
import { BASE_CURRENCY, currencies, isCurrency, MAX_AMOUNT_MINOR } from './currencies.ts'
import type { Offer } from './offers.ts'
import { leastPrice, type Reduction, saleLimits, salePrice } from './sale-rules.ts'

export const offerLimits = { event_name: 80, sales_ahead: 50 } as const

const offerField = (field: string): Field => ({ refusal: 'INVALID_OFFER', field })
const saleField = (field: string): Field => ({ refusal: 'INVALID_SALE', field })

export type OfferInput = {
  prices: { currency: string; amount_minor: number }[]
  pay_what_you_want: boolean
  suggested_cents: number | null
}

/** Validates what a developer sets for an offer whose price in dollars is `price_cents`. */
export function checkOffer(
  body: { prices?: unknown; pay_what_you_want?: unknown; suggested_cents?: unknown },
  { price_cents, max_price_cents }: { price_cents: number; max_price_cents: number },
): OfferInput {
  const prices = list(offerField('prices'), body.prices ?? []).map((entry, index) =>
    checkCurrencyPrice(entry, index),
  )
  const codes = prices.map(({ currency }) => currency)
  const doubled = codes.findIndex((code, index) => codes.indexOf(code) < index)
  if (doubled >= 0)
    invalidField(offerField(`prices[${doubled}].currency`), explain('currency', ONE_PRICE))
  if (prices.length && price_cents === 0)
    invalidField(
      offerField('prices'),
      explain('price_needed', 'set a price in US dollars first; a free listing needs no others'),
    )
  const pay_what_you_want = flag(offerField('pay_what_you_want'), body.pay_what_you_want ?? false)
  const suggested = body.suggested_cents ?? null
  return {
    prices,
    pay_what_you_want,
    suggested_cents:
      suggested === null || !pay_what_you_want
        ? null
        : wholeNumber(
            offerField('suggested_cents'),
            suggested,
            Math.max(1, price_cents),
            Math.max(price_cents, max_price_cents),
          ),
  }
}

const ONE_PRICE = 'send each currency once, one of the list, and not USD'

function checkCurrencyPrice(entry: unknown, index: number) {
  const { currency, amount_minor } = record(offerField(`prices[${index}]`), entry)
  if (!isCurrency(currency) || currency === BASE_CURRENCY)
    invalidField(offerField(`prices[${index}].currency`), explain('currency', ONE_PRICE))
  const { min } = currencies[currency]
  const is_valid =
    Number.isInteger(amount_minor) &&
    (amount_minor as number) >= min &&
    (amount_minor as number) <= MAX_AMOUNT_MINOR
  if (!is_valid)
    invalidField(
      offerField(`prices[${index}].amount_minor`),
      explain(
        'price_in',
        `send a whole number from ${min} to ${MAX_AMOUNT_MINOR}, in the smallest unit of ${currency}`,
        { min_minor: min, max_minor: MAX_AMOUNT_MINOR, currency },
      ),
    )
  return { currency, amount_minor: amount_minor as number }
}

/** Validates what a sale takes off offers with these prices in dollars. */
export function checkReduction(
  { percent = null, amount_cents = null }: { percent?: unknown; amount_cents?: unknown },
  prices_cents: readonly number[],
): Reduction {
  const lowest = Math.min(...prices_cents.filter((price) => price > 0))
  if (!Number.isFinite(lowest))
    invalidField(
      saleField('percent'),
      explain('price_needed', 'set a price first; what is free cannot be on sale'),
    )
  if ((percent === null) === (amount_cents === null))
    invalidField(
      saleField('percent'),
      explain('percent_or_amount', 'send either percent or amount_cents'),
    )
  if (percent !== null)
    return {
      percent: wholeNumber(saleField('percent'), percent, 1, saleLimits.percent),
      amount_cents: null,
    }
  const max = lowest - leastPrice(lowest)
  const amount = Number(amount_cents)
  if (!Number.isInteger(amount_cents) || amount < 1 || amount > max)
    invalidField(
      saleField('amount_cents'),
      explain(
        'sale_amount',
        `send 1 to ${max} cents; a sale takes at most ${saleLimits.percent} percent off`,
        { max_cents: max },
      ),
    )
  return { percent: null, amount_cents: amount }
}

/**
 * Validates that nothing costs less in a sale than can be charged. What already does without the
 * sale is left alone.
 */
export function checkLeastPrices(reduction: Reduction, offers: readonly Offer[]): void {
  for (const { currency, list_minor, edition_uid } of offers) {
    const { min } = currencies[currency]
    const list_cents = offers.find((offer) => offer.edition_uid === edition_uid)!.list_minor
    if (list_minor < min || salePrice({ list_minor, list_cents }, reduction) >= min) continue
    invalidField(
      saleField(reduction.percent === null ? 'amount_cents' : 'percent'),
      explain(
        'sale_below_minimum',
        `take off less: at least ${min} in the smallest unit of ${currency} must remain`,
        { min_minor: min, currency },
      ),
    )
  }
}

/** Validates when a sale runs. One that starts in the past starts now. */
export function checkPeriod(
  { starts_at, ends_at }: { starts_at?: string | undefined; ends_at: string },
  now: Date,
): { starts_at: Date; ends_at: Date } {
  const requested = starts_at === undefined ? now : new Date(starts_at)
  const start = requested < now ? now : requested
  const end = new Date(ends_at)
  const { days, days_ahead } = saleLimits
  if (end <= now)
    invalidField(saleField('ends_at'), explain('sale_past', 'send a time in the future'))
  if (start.getTime() > now.getTime() + days_ahead * DAY_MS)
    invalidField(
      saleField('starts_at'),
      explain('sale_ahead', `a sale starts within ${days_ahead} days`, { days: days_ahead }),
    )
  if (end <= start || end.getTime() - start.getTime() > days * DAY_MS)
    invalidField(
      saleField('ends_at'),
      explain('sale_times', `a sale ends after its start, and within ${days} days of it`, {
        days,
      }),
    )
  return { starts_at: start, ends_at: end }
}

export const checkEventName = (name: unknown): string =>
  requiredText(saleField('name'), name, offerLimits.event_name)

/** Validates that a listing has not too many sales that run or come. */
export function checkSaleCount(count: number): void {
  const max = offerLimits.sales_ahead
  if (count >= max)
    invalidField(
      saleField('sale'),
      explain('sales', `a listing has at most ${max} sales that have not ended; end one first`, {
        count: max,
      }),
    )
}

export const eventEnded = (): never =>
  invalidField(
    saleField('event_uid'),
    explain('sale_event_ended', 'there is no such sale of the store, or it has ended'),
  )

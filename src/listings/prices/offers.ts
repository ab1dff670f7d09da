import { BASE_CURRENCY, type Currency, currencies, isCurrency } from './currencies.ts'
import { lowestPrice, type PastPrice, percentOff, type Reduction, salePrice } from './sale-rules.ts'

/** The rows that the offers of a listing are computed from; times are ISO texts. */
export type OfferFacts = {
  /** The time of the database when they were read. */
  at: string
  /** The active editions; if there is none, the listing itself is the offer. */
  editions: { edition_uid: string | null; price_cents: number }[]
  prices: { edition_uid: string | null; currency: string; amount_minor: number }[]
  chosen: { edition_uid: string | null; suggested_cents: number | null }[]
  /** Those that have started and may matter for the lowest price. */
  sales: FactSale[]
  /** In the order of time. */
  history: { edition_uid: string | null; currency: string; price_minor: number; at: string }[]
}
export type FactSale = Reduction & {
  uid: string
  edition_uid: string | null
  starts_at: string
  ends_at: string
  event: string | null
}

export type OfferSale = {
  uid: string
  /** The name of the sale of the whole store that it is part of. */
  event: string | null
  percent: number
  starts_at: string
  ends_at: string
  /** The lowest price of the 30 days before the sale; null if the offer is younger. */
  lowest_minor: number | null
}
/** What one edition, or a listing without editions, costs in one currency. */
export type Offer = {
  edition_uid: string | null
  currency: Currency
  list_minor: number
  price_minor: number
  sale: OfferSale | null
  /** Buyers choose the price; `price_minor` is the minimum. */
  pay_what_you_want: boolean
  suggested_minor: number | null
}

const time = (text: string) => Date.parse(text)

/** Every offer of a listing, in US dollars first. */
export function offersOf(facts: OfferFacts): Offer[] {
  return facts.editions.flatMap(({ edition_uid, price_cents }) => {
    const others = facts.prices.filter(
      (price) => price.edition_uid === edition_uid && price_cents > 0,
    )
    const list = [
      { currency: BASE_CURRENCY as string, amount_minor: price_cents },
      ...others.toSorted((a, b) => (a.currency < b.currency ? -1 : 1)),
    ]
    return list.flatMap(({ currency, amount_minor }) =>
      isCurrency(currency)
        ? [offerOf(facts, { edition_uid, price_cents, currency, list_minor: amount_minor })]
        : [],
    )
  })
}

type ListPrice = {
  edition_uid: string | null
  price_cents: number
  currency: Currency
  list_minor: number
}

/** What a sale computes with. */
const salePrices = ({ list_minor, price_cents, currency }: ListPrice) => ({
  list_minor,
  list_cents: price_cents,
  least_minor: currencies[currency].min,
})

function offerOf(facts: OfferFacts, offer: ListPrice): Offer {
  const { edition_uid, currency, list_minor } = offer
  const chosen = facts.chosen.find((entry) => entry.edition_uid === edition_uid)
  const suggested = chosen?.suggested_cents ?? null
  const prices = salePrices(offer)
  const best = bestSale(facts, offer)
  return {
    edition_uid,
    currency,
    list_minor,
    price_minor: best ? salePrice(prices, best) : list_minor,
    sale: best && showSale(facts, offer, best),
    pay_what_you_want: chosen !== undefined,
    suggested_minor: currency === BASE_CURRENCY ? suggested : null,
  }
}

const covers = (sale: FactSale, edition_uid: string | null) =>
  sale.edition_uid === null || sale.edition_uid === edition_uid

/** Of the sales that run now, the one with the lowest price. */
function bestSale(facts: OfferFacts, offer: ListPrice): FactSale | null {
  if (offer.list_minor === 0) return null
  const now = time(facts.at)
  const priceOf = (sale: FactSale) => salePrice(salePrices(offer), sale)
  const running = facts.sales.filter(
    (sale) =>
      covers(sale, offer.edition_uid) && time(sale.starts_at) <= now && now < time(sale.ends_at),
  )
  return running.reduce<FactSale | null>(
    (best, sale) => (best && priceOf(best) <= priceOf(sale) ? best : sale),
    null,
  )
}

function showSale(facts: OfferFacts, offer: ListPrice, sale: FactSale): OfferSale {
  const { edition_uid, currency, list_minor } = offer
  const historyIn = (code: string): PastPrice[] =>
    facts.history
      .filter((entry) => entry.edition_uid === edition_uid && entry.currency === code)
      .map(({ price_minor, at }) => ({ price_minor, at: time(at) }))
  const sales = facts.sales
    .filter((other) => covers(other, edition_uid))
    .map((other) => ({ ...other, starts_at: time(other.starts_at), ends_at: time(other.ends_at) }))
  const { uid, event, starts_at, ends_at } = sale
  return {
    uid,
    event,
    percent: percentOff(list_minor, salePrice(salePrices(offer), sale)),
    starts_at,
    ends_at,
    lowest_minor: lowestPrice(time(starts_at), {
      prices: historyIn(currency),
      dollar_prices: historyIn(BASE_CURRENCY),
      sales,
      least_minor: currencies[currency].min,
    }),
  }
}

/** The sale of the lowest price of a listing, as answers have it, in US cents. */
export type ListingSale = {
  uid: string
  event: string | null
  percent: number
  price_cents: number
  list_price_cents: number
  lowest_price_cents: number | null
  starts_at: string
  ends_at: string
}

/** Null while the lowest price is not reduced. */
export function listingSale(facts: OfferFacts | null): ListingSale | null {
  if (!facts) return null
  const cheapest = offersOf(facts)
    .filter(({ currency }) => currency === BASE_CURRENCY)
    .reduce<Offer | null>(
      (best, offer) => (best && best.price_minor <= offer.price_minor ? best : offer),
      null,
    )
  if (!cheapest?.sale) return null
  const { lowest_minor, ...sale } = cheapest.sale
  return {
    ...sale,
    price_cents: cheapest.price_minor,
    list_price_cents: cheapest.list_minor,
    lowest_price_cents: lowest_minor,
  }
}

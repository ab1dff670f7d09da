import type { ListingSale } from '../listings/prices/offers.ts'

const dollars = (cents: number) => `${(cents / 100).toFixed(2)} USD`

/**
 * The price of a listing for texts that programs read: feeds and llms.txt. A reduced price comes
 * with its end and the lowest price of the 30 days before, as on pages.
 */
export function priceText(price_cents: number, sale: ListingSale | null): string {
  if (!sale) return price_cents === 0 ? 'free' : dollars(price_cents)
  const { list_price_cents, lowest_price_cents, ends_at } = sale
  const lowest =
    lowest_price_cents === null
      ? ''
      : `; lowest price of the 30 days before: ${dollars(lowest_price_cents)}`
  const day = ends_at.slice(0, 10)
  return `${dollars(sale.price_cents)} instead of ${dollars(list_price_cents)} until ${day}${lowest}`
}

import type { Sql, Tx } from '../core/database/sql.ts'
import { readUsdPrice } from './orders/queries.ts'

export type QuoteRequest = {
  game_uid: string
  edition_uid?: string | undefined
  currency: string
  coupon?: string | undefined
  amount?: number | undefined
  user_uid: string
  at: Date
}
export type Quote = {
  currency: string
  list_minor: number
  price_minor: number
  sale_uid?: string | undefined
  coupon_uid?: string | undefined
}

/** What a person pays for a listing or an edition. Undefined if it has no price in the currency. */
export async function quote(
  sql: Sql | Tx,
  { game_uid, edition_uid, currency }: QuoteRequest,
): Promise<Quote | undefined> {
  if (currency !== 'USD') return undefined
  const price = await readUsdPrice(sql, game_uid, edition_uid)
  return price === undefined ? undefined : { currency, list_minor: price, price_minor: price }
}

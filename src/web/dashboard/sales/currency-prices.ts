import type { Language } from '../../../core/text/languages.ts'
import { type Currency, isCurrency } from '../../../listings/prices/currencies.ts'
import type { Offer } from '../../../listings/prices/offers.ts'
import { amountToType, typedAmount } from '../../payments/typed-amount.ts'

/** Prices as lines such as "EUR 9.99". */
export const typedPrices = (offers: readonly Offer[], language: Language): string[] =>
  offers.map(
    ({ currency, list_minor }) => `${currency} ${amountToType(list_minor, currency, language)}`,
  )

/** The price of a line. What cannot be read is sent as it is, for the API to refuse. */
export function readPriceLine(line: string): { currency: Currency; amount_minor: number } {
  const [, code = '', amount = ''] = line.trim().match(/^([a-z]{3})[\s:=]+(\S+)$/i) ?? []
  const currency = code.toUpperCase()
  if (!isCurrency(currency)) return { currency: line as Currency, amount_minor: 0 }
  return { currency, amount_minor: typedAmount(amount, currency) ?? 0 }
}

import { intlLocale, type Language } from '../../../core/text/languages.ts'
import { type Currency, currencies, isCurrency } from '../../../listings/prices/currencies.ts'
import type { Offer } from '../../../listings/prices/offers.ts'

/** Prices as lines such as "EUR 9.99". */
export const typedPrices = (offers: readonly Offer[], language: Language): string[] =>
  offers.map(({ currency, list_minor }) => {
    const { digits } = currencies[currency]
    const amount = new Intl.NumberFormat(intlLocale(language), {
      minimumFractionDigits: digits,
      useGrouping: false,
    }).format(list_minor / 10 ** digits)
    return `${currency} ${amount}`
  })

/** The price of a line. What cannot be read is sent as it is, for the API to refuse. */
export function readPriceLine(line: string): { currency: Currency; amount_minor: number } {
  const [, code = '', whole = '', fraction = ''] =
    line.trim().match(/^([a-z]{3})[\s:=]+(\d{1,9})(?:[.,](\d{1,2}))?$/i) ?? []
  const currency = code.toUpperCase()
  if (!isCurrency(currency)) return { currency: line as Currency, amount_minor: 0 }
  const { digits } = currencies[currency]
  const is_exact = fraction.length <= digits
  const amount_minor = is_exact ? Number(`${whole}${fraction.padEnd(digits, '0')}`) : 0
  return { currency, amount_minor }
}

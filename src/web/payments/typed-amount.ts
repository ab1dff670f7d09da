import { intlLocale, type Language } from '../../core/text/languages.ts'
import { minorDigits } from '../../listings/prices/currencies.ts'

/** An amount in the main unit of its currency, as a person of this language types it. */
export function amountToType(amount_minor: number, currency: string, language: Language): string {
  const digits = minorDigits(currency)
  return new Intl.NumberFormat(intlLocale(language), {
    minimumFractionDigits: digits,
    useGrouping: false,
  }).format(amount_minor / 10 ** digits)
}

/** What a person typed in the main unit, in the smallest one; undefined if it is no amount. */
export function typedAmount(text: string, currency: string): number | undefined {
  const match = text.trim().match(/^(\d{1,9})(?:[.,](\d{1,3}))?$/)
  if (!match || !/^[A-Z]{3}$/.test(currency)) return undefined
  const [, whole = '', fraction = ''] = match
  const digits = minorDigits(currency)
  return fraction.length > digits ? undefined : Number(`${whole}${fraction.padEnd(digits, '0')}`)
}

/** Refused by the route that refunds. */
const NO_AMOUNT = 0

/**
 * What a refund form says. Without an amount everything goes back, so what is no amount must be
 * refused.
 */
export const refundAmount = (text: string, currency: string): { amount_minor?: number } =>
  text.trim() ? { amount_minor: typedAmount(text, currency) ?? NO_AMOUNT } : {}

import { minorDigits } from '../../payments/currency.ts'

/** What a person typed in the main unit, in the smallest one; undefined if it is no amount. */
export function typedAmount(text: string, currency: string): number | undefined {
  if (!/^[A-Z]{3}$/.test(currency) || !/^\d{1,9}([.,]\d{1,3})?$/.test(text.trim())) return undefined
  return Math.round(Number(text.trim().replace(',', '.')) * 10 ** minorDigits(currency))
}

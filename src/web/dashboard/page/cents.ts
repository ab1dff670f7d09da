import { intlLocale, type Language } from '../../../core/text/languages.ts'

/** An amount of cents in dollars, as a person of this language types it. */
export const typedPrice = (price_cents: number, language: Language): string =>
  new Intl.NumberFormat(intlLocale(language), {
    minimumFractionDigits: 2,
    useGrouping: false,
  }).format(price_cents / 100)

/** An amount in dollars as cents. Other text is returned as it is, for the API to refuse. */
export function cents(text: string): number | string {
  const match = text.trim().match(/^\$?\s*(\d{1,7})(?:[.,](\d{1,2}))?$/)
  return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : text
}

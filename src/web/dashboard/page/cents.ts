import type { Language } from '../../../core/text/languages.ts'
import { BASE_CURRENCY } from '../../../listings/prices/currencies.ts'
import { amountToType, typedAmount } from '../../payments/typed-amount.ts'

/** An amount of cents in dollars, as a person of this language types it. */
export const typedPrice = (price_cents: number, language: Language): string =>
  amountToType(price_cents, BASE_CURRENCY, language)

/** An amount in dollars as cents. Other text is returned as it is, for the API to refuse. */
export const cents = (text: string): number | string =>
  typedAmount(text.trim().replace(/^\$/, ''), BASE_CURRENCY) ?? text

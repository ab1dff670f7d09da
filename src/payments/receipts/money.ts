import { intlLocale } from '../../core/text/languages.ts'
import { LocalText } from '../../core/text/text.ts'
import { minorDigits } from '../currency.ts'

/** A sum with its currency, in the language of the reader. */
export const formatMoney = (amount_minor: number, currency: string): LocalText =>
  new LocalText((language) =>
    new Intl.NumberFormat(intlLocale(language), { style: 'currency', currency }).format(
      amount_minor / 10 ** minorDigits(currency),
    ),
  )

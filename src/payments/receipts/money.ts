import { intlLocale } from '../../core/text/languages.ts'
import { LocalText } from '../../core/text/text.ts'
import { majorUnits } from '../../listings/prices/currencies.ts'

/** A sum with its currency, in the language of the reader. */
export const formatMoney = (amount_minor: number, currency: string): LocalText =>
  new LocalText((language) =>
    new Intl.NumberFormat(intlLocale(language), { style: 'currency', currency }).format(
      majorUnits(amount_minor, currency),
    ),
  )

import { intlLocale, type Language } from './languages.ts'
import { writeEnglish } from './messages.ts'
import { LocalText } from './text.ts'

/** A formatter of Intl for each language, made once. */
export function perLanguage<Formatter>(make: (locale: string) => Formatter) {
  const formatters = new Map<Language, Formatter>()
  return (language: Language): Formatter => {
    const known = formatters.get(language)
    if (known) return known
    const formatter = make(intlLocale(language))
    formatters.set(language, formatter)
    return formatter
  }
}

const regionNames = perLanguage((locale) => new Intl.DisplayNames(locale, { type: 'region' }))
/** The name of a country by its ISO 3166 code. */
export const regionName = (code: string): LocalText =>
  new LocalText((language) => writeEnglish(language, regionNames(language).of(code) ?? code))

const moments = perLanguage(
  (locale) =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
)
/** A moment in UTC, such as "Jun 5, 2026, 2:07 PM". */
export const formatMoment = (at: Date): LocalText =>
  new LocalText((language) => moments(language).format(at))

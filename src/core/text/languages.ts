import { createCache } from '../runtime/cache.ts'

/** A BCP 47 code with a folder in messages/, or a pseudo-language. */
export type Language = string

export const DEFAULT_LANGUAGE = 'en'

/** Languages with message files, by the name that their readers know. */
export const languageNames: Record<Language, string> = { en: 'English', de: 'Deutsch' }

/**
 * Made from English to find text outside the messages and text that does not fit: with accents and
 * half as long again, and written from right to left. The names are the conventional ones.
 */
export const pseudoLanguages = ['en-XA', 'ar-XB'] as const

/** The locale that Intl knows for a language. */
export const intlLocale = (language: Language): string =>
  (pseudoLanguages as readonly string[]).includes(language) ? DEFAULT_LANGUAGE : language

export const isRightToLeft = (language: Language) => language.startsWith('ar')

const MAX_HEADERS = 1000
const MAX_HEADER_LENGTH = 200
const chosen = createCache<Language>({ max_entries: MAX_HEADERS })

/**
 * The offered language that an Accept-Language header prefers; the first offered without one. Read
 * here and not by @fluent/langneg, which ignores the quality values of the header.
 */
export function acceptedLanguage(
  header: string | undefined,
  offered: readonly Language[],
): Language {
  const fallback = offered[0] ?? DEFAULT_LANGUAGE
  if (!header || offered.length < 2 || header.length > MAX_HEADER_LENGTH) return fallback
  const key = `${offered.join()} ${header}`
  const known = chosen.get(key)
  if (known) return known
  const language = preferences(header)
    .map((wanted) => mostSpecific(offered.filter((code) => matches(wanted, code))))
    .find((code) => code !== undefined)
  chosen.set(key, language ?? fallback)
  return language ?? fallback
}

/** The code that an Accept-Language header prefers, whether or not a store offers it. */
export const firstPreference = (header: string | undefined): string | undefined =>
  header && header.length <= MAX_HEADER_LENGTH ? preferences(header)[0] : undefined

/** "de-AT" is answered with "de"; "de" is not answered with "de-AT". */
const matches = (wanted: string, code: Language) =>
  wanted === code.toLowerCase() || wanted.startsWith(`${code.toLowerCase()}-`)

/** "en-XA" is answered with "en-XA" where "en" is offered too. */
const mostSpecific = (codes: readonly Language[]): Language | undefined =>
  [...codes].sort((a, b) => b.length - a.length)[0]

/** The codes of the header in lower case, the most wanted first, without those refused by q=0. */
function preferences(header: string): string[] {
  return header
    .split(',')
    .map((entry) => {
      const [code = '', ...parameters] = entry
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/)
      const q = parameters.find((parameter) => parameter.startsWith('q='))
      return { code, q: q ? Number(q.slice(2)) : 1 }
    })
    .filter(({ code, q }) => code && q > 0)
    .sort((a, b) => b.q - a.q)
    .map(({ code }) => code)
}

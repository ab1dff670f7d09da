import type { CodeSystem } from './kinds.ts'

/** The maximum length of a code that BCP 47 recommends. */
const MAX_CODE = 35
const names = new Intl.DisplayNames('en', { type: 'language' })

/**
 * BCP 47 codes of a language with an optional script, region and variants: `de`, `pt-BR`,
 * `zh-Hant-TW`. They are stored in their canonical form.
 */
export const languageCodes: CodeSystem = {
  normalize,
  withBroader(code) {
    const parts = code.split('-')
    return parts.map((_, i) => parts.slice(0, i + 1).join('-'))
  },
  label: (code) => names.of(code) ?? code,
  description: 'a BCP 47 language code',
  example: 'de or pt-BR',
}

function normalize(text: string): string | null {
  const code = text.trim()
  if (code.length > MAX_CODE) return null
  try {
    const locale = new Intl.Locale(code)
    // Languages have two or three letters. Extensions such as a calendar are not about language.
    const is_language = /^[a-z]{2,3}$/.test(locale.language)
    return is_language && locale.toString() === locale.baseName ? locale.baseName : null
  } catch {
    return null
  }
}

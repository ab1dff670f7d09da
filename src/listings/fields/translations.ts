import { explain } from '../../core/runtime/reasons.ts'
import { languageCodes } from './languages.ts'
import {
  excerptOf,
  type Field,
  invalidField,
  MAX_DESCRIPTION,
  MAX_TAGLINE,
  markdown,
  plainText,
  quoteValue,
  record,
  tooMany,
  unknownField,
} from './text.ts'

export const MAX_TRANSLATIONS = 20

/** What a developer wrote in another language. An empty text is shown in the original language. */
export type TranslatedText = { tagline: string; description: string }
/** Translations by their BCP 47 code. */
export type Translations = Record<string, TranslatedText>

const texts = ['tagline', 'description'] as const

/** Validates all translations of a listing; they replace the stored ones. */
export function checkTranslations(at: Field, value: unknown): Translations {
  const entries = Object.entries(value === null ? {} : record(at, value))
  if (entries.length > MAX_TRANSLATIONS)
    invalidField(at, tooMany(`send at most ${MAX_TRANSLATIONS}`, MAX_TRANSLATIONS, entries.length))
  const translations: Translations = {}
  for (const [text, translation] of entries) {
    const code = languageCodes.normalize(text)
    const { description, example } = languageCodes
    if (code === null)
      invalidField(
        at,
        explain('language_code', `${quoteValue(text)} is not ${description}, such as ${example}`, {
          value: excerptOf(text),
        }),
      )
    if (translations[code])
      invalidField(
        at,
        explain('language_twice', `${code} is named twice; send each code once`, { code }),
      )
    translations[code] = checkTranslation({ ...at, field: `${at.field}.${code}` }, translation)
  }
  return translations
}

function checkTranslation(at: Field, value: unknown): TranslatedText {
  const { tagline, description, ...others } = record(at, value)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    invalidField(at, unknownField(` ${quoteValue(unknown)}; send ${texts.join(' and ')}`))
  const translated = {
    tagline: plainText({ ...at, field: `${at.field}.tagline` }, tagline, MAX_TAGLINE),
    description: markdown(
      { ...at, field: `${at.field}.description` },
      description,
      MAX_DESCRIPTION,
    ),
  }
  if (!translated.tagline && !translated.description.trim())
    invalidField(at, explain('translation', 'translate the tagline, the description, or both'))
  return translated
}

/**
 * The code of the translation for a reader of this language: "de-AT" is answered with "de", and
 * "pt" with "pt-BR" if there is no other.
 */
export function translationFor(codes: readonly string[], language: string): string | undefined {
  // Most listings have no translation, and reading a code of a language is slow.
  if (!codes.length) return undefined
  const wanted = languageCodes.normalize(language)
  if (wanted === null) return undefined
  const broader = languageCodes.withBroader(wanted).reverse()
  return (
    broader.find((code) => codes.includes(code)) ??
    codes.find((code) => code.startsWith(`${wanted}-`))
  )
}

/** A listing with the texts of a translation where it has them. */
export function translated<Page extends TranslatedText & { translations: Translations }>(
  page: Page,
  code: string | undefined,
): Page {
  const translation = code === undefined ? undefined : page.translations[code]
  if (!translation) return page
  const { tagline, description } = translation
  return {
    ...page,
    tagline: tagline || page.tagline,
    description: description.trim() ? description : page.description,
  }
}

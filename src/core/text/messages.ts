import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FluentBundle, FluentResource } from '@fluent/bundle'
import { DEFAULT_LANGUAGE, intlLocale, isRightToLeft, type Language } from './languages.ts'
import { pseudoText } from './pseudo-text.ts'

export type Argument = string | number | Date

const folder = join(import.meta.dirname, '../../../messages')
const bundles = new Map<Language, FluentBundle>()
/** Messages without variables, which are most of a page. */
const constants = new Map<string, string>()

/** A message in a language; in English where the language lacks it. */
export function formatMessage(
  language: Language,
  id: string,
  args?: Record<string, Argument>,
): string {
  if (args) return format(language, id, args)
  const key = `${language} ${id}`
  const known = constants.get(key)
  if (known !== undefined) return known
  const text = format(language, id)
  if (hasMessage(DEFAULT_LANGUAGE, id)) constants.set(key, text)
  return text
}

export const hasMessage = (language: Language, id: string) => bundleOf(language).hasMessage(id)

/** English text that is not a message, in a language that may be a pseudo-language. */
export const writeEnglish = (language: Language, english: string): string =>
  isPseudo(language) ? pseudoText(language)(english) : english

const isPseudo = (language: Language) => intlLocale(language) !== language

function format(language: Language, id: string, args?: Record<string, Argument>): string {
  const bundle = bundleOf(language)
  const pattern = bundle.getMessage(id)?.value
  if (pattern) return bundle.formatPattern(pattern, args ?? null, [])
  return language === DEFAULT_LANGUAGE ? id : format(DEFAULT_LANGUAGE, id, args)
}

function bundleOf(language: Language): FluentBundle {
  const existing = bundles.get(language)
  if (existing) return existing
  const bundle = readBundle(language)
  bundles.set(language, bundle)
  return bundle
}

function readBundle(language: Language): FluentBundle {
  const locale = intlLocale(language)
  const bundle = new FluentBundle(locale, {
    // The marks that keep a Latin name in order among right-to-left words; elsewhere only noise.
    useIsolating: isRightToLeft(language),
    ...(isPseudo(language) && { transform: pseudoText(language) }),
  })
  for (const source of readSources(locale)) {
    const [error] = bundle.addResource(new FluentResource(source))
    if (error) throw error
  }
  return bundle
}

function readSources(language: Language): string[] {
  const names = readdirSync(join(folder, language)).filter((name) => name.endsWith('.ftl'))
  return names.sort().map((name) => readFileSync(join(folder, language, name), 'utf8'))
}

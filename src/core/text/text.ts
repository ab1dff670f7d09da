import { DEFAULT_LANGUAGE, intlLocale, type Language } from './languages.ts'
import { type Argument, formatMessage } from './messages.ts'

/**
 * Text that is written in the language of its reader. It is known only when the page or the mail is
 * sent, so parts of pages can be constants and can be cached for all languages.
 */
export class LocalText {
  readonly write: (language: Language) => string
  constructor(write: (language: Language) => string) {
    this.write = write
  }

  /** For places without a reader, such as logs and data for search engines. */
  toString(): string {
    return this.write(DEFAULT_LANGUAGE)
  }

  toJSON(): string {
    return this.toString()
  }
}

export type Text = string | LocalText

/** The values of a message's variables. Numbers and dates are written as the language does. */
export type TextArguments = Record<string, Argument | LocalText>

export const writeText = (text: Text, language: Language): string =>
  typeof text === 'string' ? text : text.write(language)

/** A message of the files in messages/, by its id. */
export const t = (id: string, args?: TextArguments): LocalText =>
  new LocalText((language) => formatMessage(language, id, args && writeArguments(args, language)))

export function writeArguments(args: TextArguments, language: Language): Record<string, Argument> {
  const written: Record<string, Argument> = {}
  for (const [name, value] of Object.entries(args))
    written[name] = value instanceof LocalText ? value.write(language) : value
  return written
}

/** Several texts in one line, such as "Free · 12 downloads". */
export const joinTexts = (texts: readonly (Text | false | null | undefined)[], separator: string) =>
  new LocalText((language) =>
    texts
      .filter((text) => text !== false && text !== null && text !== undefined && text !== '')
      .map((text) => writeText(text as Text, language))
      .join(separator),
  )

/** Texts as a sentence lists them, such as "Windows, macOS and Linux". */
export const listTexts = (texts: readonly Text[], type: Intl.ListFormatType = 'conjunction') =>
  new LocalText((language) =>
    new Intl.ListFormat(intlLocale(language), { type }).format(
      texts.map((text) => writeText(text, language)),
    ),
  )

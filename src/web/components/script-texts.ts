import { LocalText, type Text, writeText } from '../../core/text/text.ts'

/** The texts of a page script, as the value of the attribute data-texts of its element. */
export const scriptTexts = (texts: Record<string, Text>): LocalText =>
  new LocalText((language) =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries(texts).map(([name, text]) => [name, writeText(text, language)]),
      ),
    ),
  )

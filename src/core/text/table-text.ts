import { type Argument, formatMessage, hasMessage, writeEnglish } from './messages.ts'
import { LocalText } from './text.ts'

/**
 * A label whose English is in a table of the code, which the API and agents read too, such as that
 * of listing fields. Translations are messages with the id `kind-name`, which can use `args`.
 */
export const tableText = (
  kind: 'value' | 'field' | 'hint' | 'check',
  name: string,
  english: string,
  args?: Record<string, Argument>,
): LocalText => {
  const id = `${kind}-${name.replace(/[^\w-]/g, '-')}`
  return new LocalText((language) =>
    hasMessage(language, id) ? formatMessage(language, id, args) : writeEnglish(language, english),
  )
}

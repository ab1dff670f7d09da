import { DEFAULT_LANGUAGE, type Language } from './languages.ts'
import { joinTexts, type Text, writeText } from './text.ts'

/** A mail before it is known in which language its recipient reads. */
export type MailText = { subject: Text; paragraphs: readonly Text[] }

/** Names of games may contain control characters, which a subject must not. */
const CONTROL_CHARACTERS = /[\x00-\x1f\x7f]+/g

export const writeMail = ({ subject, paragraphs }: MailText, language: Language) => ({
  subject: writeText(subject, language).replace(CONTROL_CHARACTERS, ' '),
  text: `${writeText(joinTexts(paragraphs, '\n\n'), language)}\n`,
})

/**
 * The language of mails to an account: its setting, or the first language of the store. There is no
 * browser to ask.
 */
export const mailLanguage = (
  { languages }: { languages: readonly Language[] },
  setting: Language | null,
): Language =>
  setting && languages.includes(setting) ? setting : (languages[0] ?? DEFAULT_LANGUAGE)

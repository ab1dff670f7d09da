import { type ErrorName, errors } from '../core/runtime/errors.ts'
import { type Explanation, withMessage } from '../core/runtime/reasons.ts'
import { DEFAULT_LANGUAGE } from '../core/text/languages.ts'
import { hasMessage } from '../core/text/messages.ts'
import { type Text, t } from '../core/text/text.ts'
import { fieldNames, fieldOf } from '../listings/fields/fields.ts'
import { reasonsText } from './reason-text.ts'

/**
 * Messages of the API are for programmers: they name parameters and values of the request. These
 * are the sentences that pages show instead. The general message of an error is the message
 * `refusal-` and its name; the others come from the reasons of a refusal, see reason-text.ts.
 */

const refusalId = (name: string) => `refusal-${name.toLowerCase().replaceAll('_', '-')}`

const generalTexts = new Map<string, Text>(
  (Object.keys(errors) as ErrorName[])
    .filter((name) => hasMessage(DEFAULT_LANGUAGE, refusalId(name)))
    .map((name) => [errors[name][2], t(refusalId(name))]),
)

/** References to the data of an answer, which people do not see. */
const DATA_REFERENCE = /(?:^|[.;] )see data\.\w+.*$/is

/** The sentence of a page for a refusal of the API that has one in every language. */
export const knownText = ({ message, reasons }: Explanation): Text | undefined =>
  reasonsText(reasons) ?? generalTexts.get(message)

/** The sentence of a page for a refusal of the API; in English where there is no other. */
export function textForPeople(explanation: Explanation): Text {
  const known = knownText(explanation)
  if (known) return known
  const { message } = explanation
  const reference = message.match(DATA_REFERENCE)
  if (reference)
    return reference.index
      ? textForPeople(withMessage(message, (text) => text.slice(0, reference.index)))
      : ''
  return asSentence(withLabels(plainWords(message)))
}

/** Says which of several files a problem is about; `file` is its position. */
export const numberedText = (problems: Text, file: unknown): Text =>
  typeof file === 'number' && file > 0
    ? t('image-numbered', { number: file + 1, problems })
    : problems

/** Fields of forms that are not fields of a listing. */
const labels: Record<string, string> = {
  price_cents: 'price',
  confirm_18: 'confirmation',
  client_version: 'version',
  webhook_urls: 'webhook addresses',
  import_key: 'key',
  web_api_key: 'Web API key',
  app_id: 'app ID',
  extstore_id: 'account ID',
  crash_group_uid: 'crash group',
  build_id: 'build',
  game_uid: 'project',
}

/** The label of a field of the API, as a part of an English sentence. */
function labelOf(identifier: string): string {
  const name = fieldNames.find((name) => name === identifier)
  return (
    labels[identifier] ??
    (name ? fieldOf(name).label.toLowerCase() : undefined) ??
    identifier.replaceAll('_', ' ').replace(/ (?:uid|id|url)s?$/, '')
  )
}

/** What people typed stands in quotation marks and stays as it is. */
const withLabels = (text: string) =>
  text
    .split(/("[^"]*")/)
    .map((part, i) =>
      i % 2 ? part : part.replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, (name) => labelOf(name)),
    )
    .join('')

/** Forms are filled in, not sent as values. */
const plainWords = (message: string) =>
  message
    .replace(/^(?:body|query|path|form)(?:\.[\w.[\]]+)?: /, '')
    .replace(/, not (?:undefined|null|NaN|a list|an object|"[^"]*"|\d+)$/, '')
    .replace(/^send /, 'enter ')
    .replace(/; send /g, '; enter ')
    .replace(/; this list has (\d+)$/, '. There are $1')

function asSentence(text: string): string {
  const trimmed = text.trim().replaceAll('; ', '. ')
  const sentences = trimmed.replace(
    /(^|\. )([a-z])/g,
    (_, start, letter) => start + letter.toUpperCase(),
  )
  return /[.!?…”"]$/.test(sentences) ? sentences : `${sentences}.`
}

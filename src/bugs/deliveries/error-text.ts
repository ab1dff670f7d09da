import { type Text, t } from '../../core/text/text.ts'
import { URL_DISABLED } from './queries.ts'

type Rule = [pattern: RegExp, text: (...groups: string[]) => Text]

/** The errors are stored as English sentences, which the API returns. */
const rules: Rule[] = [
  [/^It answered (\d+); the webhook was deleted/, (status) => t('webhook-gone', { status })],
  [/^It answered (\d+); redirects are not/, (status) => t('webhook-redirects', { status })],
  [/^It answered (\d+)$/, (status) => t('webhook-answered', { status })],
  [
    /^No complete answer within (\d+) ms$/,
    (ms) => t('webhook-timeout', { seconds: Number(ms) / 1000 }),
  ],
  [/^The host of (\S+) has no address$/, (origin) => t('webhook-no-host', { origin })],
  [/^(\S+) has an address that is not public$/, (origin) => t('webhook-blocked', { origin })],
  [
    /^The exchange with (\S+) failed \((\w+)\)$/,
    (origin, code) => t('webhook-failed', { origin, code }),
  ],
]

/** Why a webhook was not delivered, in the language of the reader. */
export function deliveryErrorText(error: string): Text {
  if (error === URL_DISABLED) return t('webhook-disabled')
  for (const [pattern, text] of rules) {
    const match = error.match(pattern)
    if (match) return text(...match.slice(1))
  }
  return error
}

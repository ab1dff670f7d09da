import { type ErrorName, errors } from '../core/runtime/errors.ts'
import { DEFAULT_LANGUAGE } from '../core/text/languages.ts'
import { hasMessage } from '../core/text/messages.ts'
import { joinTexts, type Text, t } from '../core/text/text.ts'
import { fieldNames, fieldOf } from '../listings/fields/fields.ts'
import { flagText } from './components/field-text.ts'
import { formatBytes } from './components/format.ts'

/**
 * Messages of the API are for programmers: they name parameters and values of the request. These
 * are the sentences that pages show instead. The general message of an error is the message
 * `refusal-` and its name; the messages of schemas and rules are recognized by their wording.
 */

const refusalId = (name: string) => `refusal-${name.toLowerCase().replaceAll('_', '-')}`

const generalTexts = new Map<string, Text>(
  (Object.keys(errors) as ErrorName[])
    .filter((name) => hasMessage(DEFAULT_LANGUAGE, refusalId(name)))
    .map((name) => [errors[name][2], t(refusalId(name))]),
)

type Rewrite = [pattern: RegExp, text: Text | ((...groups: string[]) => Text)]

const FILL_IN = t('rule-fill-in')
const CHOOSE = t('rule-choose-option')
const UNREADABLE = t('rule-unreadable')

/** The names of flags, such as where a language is available. */
const flagList = (names: string) =>
  joinTexts(
    names.split(', ').map((name) => flagText(name, name)),
    ', ',
  )

const schemaRules: Rewrite[] = [
  [/^this field is required$|^send a JSON body$/, FILL_IN],
  [/^this field is not known$|^there is no such field/, UNREADABLE],
  [/^must be one of |is not one of |must be equal to (one of|constant)/, CHOOSE],
  [/^must be boolean$|^send true or false/, t('rule-choose-answer')],
  [/^must be (integer|number)$/, t('rule-number')],
  [/^must be (string|object|array|null)/, FILL_IN],
  [/^must match format "email"/, t('rule-email')],
  [/^must match format "uuid"/, CHOOSE],
  [/^must match format "date/, t('rule-date')],
  [/^must match (format|pattern)/, t('rule-characters')],
  [/^must NOT have fewer than 1 characters$/, FILL_IN],
  [/^must NOT have fewer than (\d+) characters$/, (n) => t('rule-min-length', count(n))],
  [/^must NOT have more than (\d+) characters$/, (n) => t('rule-max-length', count(n))],
  [/^must NOT have fewer than 1 items$/, t('rule-choose-any')],
  [/^must NOT have fewer than (\d+) items$/, (n) => t('rule-min-items', count(n))],
  [/^must NOT have more than (\d+) items$/, (n) => t('rule-max-items', count(n))],
  [/^must NOT have duplicate items/, t('rule-duplicates')],
  [/^must be >= (\S+)$/, (n) => t('rule-min', count(n))],
  [/^must be <= (\S+)$/, (n) => t('rule-max', count(n))],
  [/^must (?:match|be) /, t('rule-not-accepted')],
]

const fieldRules: Rewrite[] = [
  [
    /^send a whole number from (\d+)(?: \(\w+\))? to (\d+)/,
    (min, max) => t('rule-whole-number', range(min, max)),
  ],
  [/^write something, up to (\d+) characters$/, (n) => t('rule-write-something', count(n))],
  [/^use at most (\d+) characters$/, (n) => t('rule-max-length', count(n))],
  [
    /^use at most (\d+) characters; this link has (\d+)$/,
    (max, length) => t('rule-link-length', { max: Number(max), length: Number(length) }),
  ],
  [/^write one line without control characters$/, t('rule-one-line')],
  [/^remove the control characters$/, t('rule-control-characters')],
  [/^send an https link$|^send a whole link that starts with https/, t('rule-https-link')],
  [/^a link holds no spaces/, t('rule-link-characters')],
  [/^leave the user name and password out of the link$/, t('rule-link-credentials')],
  [/^"(.*)" is not the name of a public host$/s, (host) => t('rule-link-host', { host })],
  [
    /^send (\d+) to (\d+) different tags.*this list has (\d+)$/,
    (min, max, n) => t('rule-tag-count', { ...range(min, max), count: Number(n) }),
  ],
  [/^"(.*)" cannot be a tag; .* (\d+) characters$/s, (value, n) => tagRule(value, n)],
  [/^"(.*)" is not a slug; .*$/s, (value) => t('rule-slug', { value })],
  [
    /^(\S+) is above \w+, (\S+); change one of them$/,
    (min, max) => t('rule-range-order', { min, max }),
  ],
  [/^send either game, or external_name with external_url$/, t('rule-parent')],
  [/^there is no such public listing$/, t('rule-no-listing')],
  [/^name a listing by its uid/, t('rule-listing-address')],
  [/^set at least one of (.+)$/, (names) => t('rule-set-flag', { names: flagList(names) })],
  [/^Edited since the last import/, t('rule-edited')],
  [/^This vanity_name is already taken$/, t('rule-address-taken')],
  [
    /^choose at most (\d+); this list has (\d+)$/,
    (max, n) => t('rule-choose-at-most', { max: Number(max), count: Number(n) }),
  ],
]

const accountRules: Rewrite[] = [
  [
    /^(\d+) to (\d+) letters, digits and hyphens/,
    (min, max) => t('rule-username', range(min, max)),
  ],
  [/^this name is reserved$/, t('rule-username-reserved')],
  [/^This username is already taken$/, t('rule-username-taken')],
  [/^This email is already taken$/, t('rule-email-taken')],
  [/^this is not an email address$/, t('rule-not-email')],
  [/^(\d+) to (\d+) characters$/, (min, max) => t('rule-length', range(min, max))],
  [/^must not be your username or email$/, t('rule-password-own-name')],
  [/^this password is too common/, t('rule-password-common')],
  [/^This email address is already verified$/, t('rule-already-verified')],
  [/^A code was sent moments ago.* (\d+) seconds$/, (n) => t('rule-code-wait', count(n))],
  [/^This code is wrong; /, t('rule-code-wrong')],
  [/^This code has expired; /, t('rule-code-expired')],
  [/^No code is waiting for you; /, t('rule-code-missing')],
  [/^Too many wrong codes were entered; /, t('rule-code-attempts')],
  [/^An account can have at most (\d+) player keys/, (n) => t('rule-player-keys', count(n))],
  [/^An account can have at most (\d+) agent keys/, (n) => t('rule-agent-keys', count(n))],
  [/^This request has expired. Start again from the app$/, t('rule-app-request-expired')],
  [/^This link has expired; request a new one$/, t('rule-link-expired')],
  [/^Account linked$/, t('account-linked')],
  [/^This account is linked to another user, or you /, t('rule-linked-elsewhere')],
]

const playerRules: Rewrite[] = [
  [/^This game has a price now; buy it to review it$/, t('rule-buy-to-review')],
  [/^Play for at least (\d+) minutes/, (n) => t('rule-play-longer', count(n))],
  [
    /^suggest at most (\d+) tags; you sent (\d+)$/,
    (max, n) => t('rule-suggest-tags', { max: Number(max), count: Number(n) }),
  ],
  [/^describe what went wrong$/, t('rule-describe-bug')],
  [/^The listing changed at this moment; try again$/, t('rule-listing-changed')],
  [/^The bug reporter of this game is turned off$/, t('rule-bug-reporter-off')],
  [
    /^send at most (\d+) bytes, preferably the end of it$/,
    (bytes) => t('rule-log-size', { size: formatBytes(Number(bytes)) }),
  ],
]

const rewrites = [...schemaRules, ...fieldRules, ...accountRules, ...playerRules]

const count = (n: string) => ({ count: Number(n) })
const range = (min: string, max: string) => ({ min: Number(min), max: Number(max) })
const tagRule = (value: string, n: string) => t('rule-tag', { value, max: Number(n) })

/** References to the data of an answer, which people do not see. */
const DATA_REFERENCE = /(?:^|[.;] )see data\.\w+.*$/is

/** The sentence of a page for a message of the API that has one in every language. */
export function knownText(message: string): Text | undefined {
  const general = generalTexts.get(message)
  if (general) return general
  for (const [pattern, text] of rewrites) {
    const match = message.match(pattern)
    if (match) return typeof text === 'function' ? text(...match.slice(1)) : text
  }
  return undefined
}

/** The sentence of a page for a message of the API; in English where there is no other. */
export function textForPeople(message: string): Text {
  const known = knownText(message)
  if (known) return known
  const reference = message.match(DATA_REFERENCE)
  if (reference) return reference.index ? textForPeople(message.slice(0, reference.index)) : ''
  return asSentence(withLabels(plainWords(message)))
}

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

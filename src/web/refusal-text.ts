import { type ErrorName, errors } from '../core/runtime/errors.ts'
import { fieldNames, fieldOf } from '../listings/fields/fields.ts'

/**
 * Messages of the API are for programmers: they name parameters and values of the request. These
 * are the sentences that pages show instead.
 */

/** For refusals that a person meets with the general message of the error. */
const sentences: Partial<Record<ErrorName, string>> = {
  MALFORMED: 'This form could not be read. Reload the page and try again.',
  CROSS_SITE_REQUEST: 'This form was not sent from this website. Open the page again and repeat.',
  WRONG_TOKEN_KIND: 'This is possible only on the website, signed in with your account.',
  METHOD_NOT_ALLOWED: 'This address only receives a form. Open the page of the form instead.',
  BODY_TOO_LARGE: 'This is too large. Shorten the text or choose a smaller file.',
  UNSUPPORTED_MEDIA_TYPE: 'This form could not be read. Reload the page and try again.',
  TOO_MANY_REQUESTS: 'Too many attempts. Wait a minute and try again.',
  DEVELOPER_TERMS_NOT_ACCEPTED: 'Accept the developer terms to continue.',
  AGE_NOT_CONFIRMED: 'Confirm that you are 18 or older.',
  INVALID_EMAIL_CODE: 'The code is wrong or has expired. Request a new one.',
  BETA_REQUIRES_PURCHASE: 'The beta is for people who own an edition of this game.',
  ANONYMOUS_DOWNLOADS_NOT_CONFIRMED: 'Check the box to confirm that you understand this.',
  LISTING_CHECK_FAILED: 'The listing check found errors. Nothing was saved.',
  INVALID_MEDIA: 'Choose an image for the cover, the thumbnail or the gallery.',
  BUILD_NOT_SPECIFIED: 'Choose a build.',
  INVALID_UPLOAD: 'Choose a .zip file, its system, processor and channel.',
  FILE_MISSING: 'Choose a file.',
  INVALID_REGISTRATION: 'A field of the build is missing or too long.',
  INVALID_EXTSTORE_REQUEST: 'Check the app ID and the key.',
  EXTSTORE_UNAVAILABLE:
    'The external store did not answer, or refused the Web API key. Try again in a few minutes.',
}

const byMessage = new Map(
  Object.entries(sentences).map(([name, text]) => [errors[name as ErrorName][2] as string, text]),
)

type Rewrite = [pattern: RegExp, text: string | ((match: string[]) => string)]

const FILL_IN = 'Fill in this field.'
const CHOOSE = 'Choose one of the options.'

/** Messages of schemas and rules, by their wording. */
const rewrites: Rewrite[] = [
  [/^this field is required$|^send a JSON body$/, FILL_IN],
  [/^this field is not known$|^there is no such field/, 'This form could not be read.'],
  [/^must be one of |is not one of |must be equal to (one of|constant)/, CHOOSE],
  [/^must be boolean$|^send true or false/, 'Choose an answer.'],
  [/^must be (integer|number)$/, 'Enter a number.'],
  [/^must be (string|object|array|null)/, FILL_IN],
  [/^must match format "email"/, 'Enter an email address, such as name@example.com.'],
  [/^must match format "uuid"/, CHOOSE],
  [/^must match format "date/, 'Enter a date.'],
  [/^must match (format|pattern)/, 'Some of these characters are not allowed here.'],
  [/^must NOT have fewer than 1 characters$/, FILL_IN],
  [/^must NOT have fewer than (\d+) characters$/, ([, n]) => `Use at least ${n} characters.`],
  [/^must NOT have more than (\d+) characters$/, ([, n]) => `Use at most ${n} characters.`],
  [/^must NOT have fewer than 1 items$/, 'Choose at least one.'],
  [/^must NOT have fewer than (\d+) items$/, ([, n]) => `Choose at least ${n}.`],
  [/^must NOT have more than (\d+) items$/, ([, n]) => `Choose at most ${n}.`],
  [/^must NOT have duplicate items/, 'Name each only once.'],
  [/^must be >= (\S+)$/, ([, n]) => `Enter ${n} or more.`],
  [/^must be <= (\S+)$/, ([, n]) => `Enter ${n} or less.`],
  [/^must (?:match|be) /, 'This value is not accepted.'],
  [
    /^send a whole number from (\d+)(?: \(\w+\))? to (\d+)/,
    ([, min, max]) => `Enter a whole number from ${min} to ${max}.`,
  ],
  [/^write something, up to (\d+) characters$/, ([, n]) => `Write 1 to ${n} characters.`],
  [
    /^send (\d+) to (\d+) different tags.*this list has (\d+)$/,
    ([, min, max, n]) => `Enter ${min} to ${max} different tags, or none. There are ${n}.`,
  ],
  [
    /^(".*") is not a slug; .*$/s,
    ([, value]) => `${value} has to be 1 to 32 lowercase letters, digits and dashes.`,
  ],
  [
    /^(\S+) is above \w+, (\S+); change one of them$/,
    ([, min, max]) => `The minimum ${min} is above the maximum ${max}. Change one of them.`,
  ],
  [
    /^send either game, or external_name with external_url$/,
    'Enter a listing of this store, or the name and the link of one hosted elsewhere.',
  ],
  [/^there is no such public listing$/, 'There is no public listing with this address.'],
  [/^name a listing by its uid/, 'Enter the address of a listing, such as my-game.'],
  [/^set at least one of (.+)$/, ([, names]) => `Check at least one of ${names}.`],
  [
    /^Edited since the last import/,
    'Edited here since the last import. Choose to overwrite your edits to replace it.',
  ],
  [/^This vanity_name is already taken$/, 'This address is already taken. Choose another.'],
  [/(?:^|[.;] )see data\.\w+.*$/is, ''],
]

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

/** The label of a field of the API, as a part of a sentence. */
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

/** The sentence of a page for a message of the API. */
export function textForPeople(message: string): string {
  const known = byMessage.get(message)
  if (known) return known
  for (const [pattern, text] of rewrites) {
    const match = message.match(pattern)
    if (match && (text !== '' || match.index === 0))
      return typeof text === 'string' ? text : asSentence(withLabels(text([...match])))
    if (match) return textForPeople(message.slice(0, match.index))
  }
  return asSentence(withLabels(plainWords(message)))
}

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

import { type ErrorName, refuse } from '../../core/runtime/errors.ts'
import { type Explanation, explain, withMessage } from '../../core/runtime/reasons.ts'

/** The field that an error message names, and the error code for an invalid value. */
export type Field = { refusal: ErrorName; field: string }

export const MAX_URL = 255
export const MAX_VERSION = 32
export const MAX_NAME = 80
export const MAX_TAGLINE = 255
export const MAX_DESCRIPTION = 20_000
/** The format of engines, loaders and renderers, which have no fixed list of values. */
const SLUG = /^[a-z0-9][a-z0-9-]{0,31}$/

// Control characters, line and paragraph separators (they break a line as a newline does), and
// characters that change the direction of the surrounding text.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u
const UNPRINTABLE_IN_MARKDOWN = /(?![\n\r\t])[\p{Cc}\p{Cs}]/u
// Excludes letters that are rendered as blank.
export const VISIBLE = /(?![\u115f\u1160\u2800\u3164\uffa0])[\p{L}\p{N}\p{P}\p{S}]/u
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/
const LOCAL_HOST = /\.(?:localhost|local|internal)$/

export function invalidField({ refusal, field }: Field, message: string | Explanation): never {
  refuse(
    refusal,
    { field },
    withMessage(message, (text) => `${field}: ${text}`),
  )
}

/** Formats a value for an error message: shortened, and without the contents of objects. */
export const quoteValue = (value: unknown): string =>
  typeof value === 'string' ? `"${excerptOf(value)}"` : excerptOf(value)

/** The same without quotation marks, as a value of a reason. */
export function excerptOf(value: unknown): string {
  if (typeof value === 'string') return shortened(value)
  if (Array.isArray(value)) return 'a list'
  return value !== null && typeof value === 'object' ? 'an object' : String(value)
}

const MAX_QUOTED = 40
const shortened = (text: string) =>
  longerThan(text, MAX_QUOTED)
    ? `${[...text.slice(0, 2 * MAX_QUOTED)].slice(0, MAX_QUOTED).join('')}…`
    : text

/** Counts code points. A text of more than twice the limit is too long without counting. */
export function longerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max)
}

/** Validates one line of text and trims it. A missing value becomes an empty string. */
export function plainText(at: Field, value: unknown, max: number): string {
  const text = textOf(at, value).trim()
  if (UNPRINTABLE.test(text))
    invalidField(at, explain('one_line', 'write one line without control characters'))
  if (longerThan(text, max)) invalidField(at, tooLong(max))
  return text
}

export const tooLong = (max: number): Explanation =>
  explain('max_length', `use at most ${max} characters`, { count: max })

export function requiredText(at: Field, value: unknown, max: number): string {
  const text = plainText(at, value, max)
  if (VISIBLE.test(text)) return text
  invalidField(
    at,
    explain('write_something', `write something, up to ${max} characters`, { count: max }),
  )
}

/** Validates Markdown and returns it unchanged. It is sanitized when it is rendered. */
export function markdown(at: Field, value: unknown, max: number): string {
  const text = textOf(at, value)
  if (UNPRINTABLE_IN_MARKDOWN.test(text))
    invalidField(at, explain('control_characters', 'remove the control characters'))
  if (longerThan(text, max)) invalidField(at, tooLong(max))
  return text
}

function textOf(at: Field, value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : invalidField(at, wrongType('text', value))
}

const wrongType = (type: string, value: unknown): Explanation =>
  explain('wrong_type', `send ${type}, not ${quoteValue(value)}`)

export function slug(at: Field, value: unknown): string {
  if (typeof value === 'string' && SLUG.test(value)) return value
  invalidField(
    at,
    explain(
      'slug',
      `${quoteValue(value)} is not a slug; use lowercase letters, digits and dashes, at most 32`,
      { value: excerptOf(value) },
    ),
  )
}

/** Validates a link to a public page: https, a public host name, and no credentials. */
export function httpsUrl(at: Field, value: unknown, max = MAX_URL): string {
  if (typeof value !== 'string') invalidField(at, explain('https_link', 'send an https link'))
  const text = value.trim()
  if (UNPRINTABLE.test(text) || /[\s\\]/.test(text))
    invalidField(
      at,
      explain('link_characters', 'a link holds no spaces, backslashes or control characters'),
    )
  const url = /^https:\/\/[^/]/i.test(text) ? URL.parse(text) : null
  if (!url) invalidField(at, explain('https_link', 'send a whole link that starts with https://'))
  if (text.slice('https://'.length).split(/[/?#]/)[0]!.includes('@'))
    invalidField(
      at,
      explain('link_credentials', 'leave the user name and password out of the link'),
    )
  if (!isPublicHost(url.hostname))
    invalidField(
      at,
      explain('link_host', `${quoteValue(url.hostname)} is not the name of a public host`, {
        host: excerptOf(url.hostname),
      }),
    )
  // Store the URL as the parser normalizes it, because browsers do the same. The only exception is
  // the slash that the parser adds after a bare host.
  const href = url.href === `${text}/` ? text : url.href
  if (href.length > max)
    invalidField(
      at,
      explain('link_length', `use at most ${max} characters; this link has ${href.length}`, {
        max,
        length: href.length,
      }),
    )
  return href
}

/** Rejects host names without a dot, IP addresses and local domains. */
export function isPublicHost(hostname: string): boolean {
  return HOST.test(hostname) && !LOCAL_HOST.test(hostname)
}

export function list(at: Field, value: unknown): unknown[] {
  return Array.isArray(value) ? value : invalidField(at, wrongType('a list', value))
}

/** `message` says how many entries are allowed. */
export function boundedList(at: Field, value: unknown, max: number, message: string): unknown[] {
  const entries = list(at, value)
  if (entries.length > max) invalidField(at, tooMany(message, max, entries.length))
  return entries
}

export function record(at: Field, value: unknown): Record<string, unknown> {
  if (value !== null && typeof value === 'object' && !Array.isArray(value))
    return value as Record<string, unknown>
  invalidField(at, wrongType('an object', value))
}

export function choice<T extends string>(at: Field, value: unknown, allowed: readonly T[]): T {
  return (
    allowed.find((candidate) => candidate === value) ??
    invalidField(
      at,
      explain('not_in_list', `${quoteValue(value)} is not one of ${allowed.join(', ')}`, {
        allowed: allowed.join(', '),
      }),
    )
  )
}

export function wholeNumber(at: Field, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max)
    return value
  invalidField(
    at,
    explain('whole_number', `send a whole number from ${min} to ${max}, not ${quoteValue(value)}`, {
      min,
      max,
    }),
  )
}

export function flag(at: Field, value: unknown): boolean {
  return typeof value === 'boolean'
    ? value
    : invalidField(at, explain('not_boolean', `send true or false, not ${quoteValue(value)}`))
}

/** The refusal of a reference to a listing that does not exist or is hidden. */
export const noSuchListing = (ref: string | undefined): Explanation =>
  ref === undefined
    ? explain('no_listing', 'there is no such public listing')
    : explain('no_listing_named', `there is no public listing ${quoteValue(ref)}`, {
        ref: excerptOf(ref),
      })

/** Validates a reference to another listing, which is a uid or a vanity name. */
export function listingRef(at: Field, value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  return text && !longerThan(text, 64) && !UNPRINTABLE.test(text)
    ? text
    : invalidField(at, explain('listing_address', 'name a listing by its uid or vanity name'))
}

/** The refusal of a list with too many entries. */
export const tooMany = (message: string, max: number, count: number): Explanation =>
  explain('list_length', `${message}; this list has ${count}`, { max, count })

export const NAMED_TWICE = explain('named_twice', 'is named twice; leave one out')

/** The refusal of a field that does not exist. */
export const unknownField = (message: string): Explanation =>
  explain('unknown_field', `there is no such field${message}`)

/** Whether an optional field was left out or cleared. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
